"""Devices as numba.cuda shows them: the list of them, the current one, its attributes, its context."""

import contextlib
import difflib
import functools
import operator
import threading

from heddle import _heddle
from heddle.cuda import memory_managers
from heddle.cuda.streams import Event, Stream
from heddle.errors import CudaSupportError


class _Name(str):
    """The name of a device, for programs written for releases of numba where it was bytes, too."""

    __slots__ = ()

    def decode(self, encoding="utf-8", errors="strict"):
        return str(self)


class Device:
    """A device. Every attribute of the CUDA driver (CU_DEVICE_ATTRIBUTE_...) is an attribute of the same name.

    >>> cuda.get_current_device().MULTIPROCESSOR_COUNT
    """

    def __init__(self, native):
        self._native = native
        self.id = native.index
        self.name = _Name(native.name)
        self.uuid = native.uuid
        self.type = native.type
        self.compute_capability = tuple(native.compute_capability)

    @property
    def __heddle_device__(self):
        return self._native

    @property
    def supports_float16(self):
        return True

    @property
    def supports_bfloat16(self):
        return True

    def get_primary_context(self):
        return Context(self)

    def get_device_identity(self):
        """What tells the device from all others of the machine; part of a handle that goes to another process."""
        return self.uuid

    def reset(self):
        """Wait for everything that runs on the device. Its memory is freed with the last array that uses it."""
        self._native.synchronize()
        memory_managers.reset(self._native)

    def __getattr__(self, name):
        if name.startswith("_"):  # also keeps an object without a native device from recursing
            raise AttributeError(name)
        value = self._native.attribute(name)
        if value is None:
            close = difflib.get_close_matches(name.upper(), self._native.attribute_names(), n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise AttributeError(
                f"the CUDA driver has no device attribute {name!r}{hint}", name=name, obj=self
            )
        return value

    def __dir__(self):
        return [*super().__dir__(), *self._native.attribute_names()]

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(("heddle.Device", self.id))

    def __repr__(self):
        return f"<heddle device {self.id} '{self.name}'>"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return _device, (self.id,)


class Context:
    """What numba.cuda calls a context: a device's memory, streams and events."""

    def __init__(self, device):
        self.device = device

    @property
    def id(self):
        return self.device.id

    def get_memory_info(self):
        """Free and total memory of the device, in bytes, as ``MemoryInfo(free, total)``."""
        return memory_managers.memory_info(self.device._native)

    def memalloc(self, bytesize):
        """Allocate ``bytesize`` bytes. Returns a MemoryPointer; raises MemoryError."""
        return memory_managers.as_pointer(memory_managers.allocate(self.device._native, bytesize))

    def memallocmanaged(self, bytesize, attach_global=True):
        """Allocate ``bytesize`` bytes that host and device both reach."""
        memory = self.device._native.allocate(bytesize, "managed")
        return memory_managers.as_pointer(memory, "managed")

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        """Allocate ``bytesize`` bytes of page-locked host memory. portable, wc: hints."""
        kind = "mapped" if mapped else "pinned"
        memory = memory_managers.allocate_on_host(self.device._native, bytesize, kind, portable, wc)
        return memory_managers.as_pointer(memory, kind)

    def get_ipc_handle(self, memory):
        """A handle by which another process of this machine opens ``memory``, which ``memalloc`` returned.

        Raises CudaSupportError where the device has no such handles, CudaAPIError when the driver refuses.
        """
        return memory_managers.ipc_handle(memory)

    def create_stream(self):
        return Stream.of(self.device._native.create_stream())

    def create_external_stream(self, ptr):
        """A stream that another library made, by its driver's handle."""
        return Stream.of(self.device._native.external_stream(int(ptr)))

    def create_event(self, timing=True):
        return Event(self.device._native.create_event(timing), self.device._native)

    def get_default_stream(self):
        return Stream.of(self.device._native.default_stream)

    get_legacy_default_stream = get_default_stream

    def get_per_thread_default_stream(self):
        return Stream.of(self.device._native.per_thread_stream())

    def can_access_peer(self, peer_context):
        """Whether kernels of this device can be given memory of another one: a context, a device or its number."""
        return self.device._native.can_access(_native_of(peer_context))

    def enable_peer_access(self, peer_context, flags=0):
        """Let kernels of this device read and write the memory of another one. Doing it twice changes nothing.

        Raises ValueError where the hardware cannot; ``can_access_peer`` tells.
        """
        if flags:
            raise ValueError(f"flags must be 0, not {flags}")
        self.device._native.enable_access(_native_of(peer_context))

    def get_active_blocks_per_multiprocessor(self, func, blocksize, memsize=0, flags=None):
        """How many blocks of a compiled kernel one multiprocessor runs at a time.

        func: a value of ``kernel.overloads``, or a kernel with one signature. blocksize: threads per block.
        memsize: bytes of dynamic shared memory.
        """
        return _variant(func).active_blocks_per_multiprocessor(blocksize, memsize)

    def get_max_potential_block_size(self, func, b2d_func, memsize, blocksizelimit, flags=None):
        """The grid and block size for best occupancy: blocks that all run at once, threads per block.

        func: as for ``get_active_blocks_per_multiprocessor``. b2d_func: from threads per block to bytes of dynamic
        shared memory, or None where that is always ``memsize``. blocksizelimit: most threads per block; 0 for no limit.
        """
        variant = _variant(func)
        block = variant.suggested_block_size(memsize)
        if b2d_func:
            block = _largest_that_fits(variant, block, b2d_func)
            memsize = b2d_func(block)
        if blocksizelimit:
            block = min(block, blocksizelimit)
        resident = variant.active_blocks_per_multiprocessor(block, memsize)
        return max(resident, 1) * self.device.MULTIPROCESSOR_COUNT, block

    def create_module_ptx(self, ptx):
        raise _no_foreign_modules("PTX")

    def create_module_image(self, image):
        raise _no_foreign_modules("a cubin")

    def prepare_for_use(self):
        """Nothing to do: a device is ready when it is first used."""

    def synchronize(self):
        """Wait for everything that runs on the device. Raises the first error of a kernel that nobody has seen."""
        self.device._native.synchronize()

    def reset(self):
        self.device.reset()

    def push(self):
        """Make this the current context of the calling thread until ``pop()``."""
        _current_stack().append(self.device)
        _tell_runtime()

    def pop(self):
        """Undo the last ``push()``."""
        stack = _current_stack()
        if len(stack) < 2:
            raise RuntimeError("no context was pushed on this thread: call push() before pop()")
        stack.pop()
        _tell_runtime()

    def defer_cleanup(self):
        return defer_cleanup()

    def __enter__(self):
        self.push()
        return self

    def __exit__(self, *error):
        _leave()

    def __eq__(self, other):
        return isinstance(other, Context) and self.device == other.device

    def __hash__(self):
        return hash(("heddle.Context", self.device))

    def __repr__(self):
        return f"<heddle context of {self.device!r}>"


def _no_foreign_modules(what):
    return NotImplementedError(
        f"heddle loads no modules from {what}: a kernel is compiled from a function with @cuda.jit"
    )


def _native_of(peer):
    if isinstance(peer, Context):
        peer = peer.device
    return _device(peer)._native


def _variant(func):
    """The compiled kernel that is meant where numba takes a kernel of one signature."""
    if isinstance(func, _heddle.Variant):
        return func
    variants = func.variants() if isinstance(func, _heddle.DispatcherBase) else []
    if len(variants) != 1:
        raise TypeError(
            f"this takes a compiled kernel, such as a value of kernel.overloads, not {func!r}"
            + (f", which is compiled for {len(variants)} signatures" if variants else "")
        )
    return variants[0]


def _largest_that_fits(variant, block, dynamic_bytes):
    """The largest multiple of a warp, at most ``block``, of which a multiprocessor can run a block."""
    while block > 32 and not variant.active_blocks_per_multiprocessor(block, dynamic_bytes(block)):
        block -= 32
    return block


class _DeviceInManager(Device):
    """A device out of ``cuda.gpus``: ``with cuda.gpus[0]:`` makes it the current one inside."""

    def __enter__(self):
        self.get_primary_context().push()
        return self

    def __exit__(self, *error):
        _leave()


class DeviceList:
    """The GPUs of this machine; where there is none, the CPU device. A sequence.

    A program that spreads its work over all of them thus never gives the CPU a share beside GPUs.
    """

    @property
    def lst(self):
        return list(_offered())

    @property
    def current(self):
        return current_device()

    def __len__(self):
        return len(_offered())

    def __getitem__(self, index):
        return _offered()[index]

    def __iter__(self):
        return iter(_offered())

    def __str__(self):
        return ", ".join(str(device) for device in self)

    def __repr__(self):
        return f"<heddle devices: {self}>"


@functools.cache
def all_devices():
    """Every device of this machine: GPUs as the driver numbers them, then the CPU. A device's ``id`` is its place."""
    return tuple(_DeviceInManager(native) for native in _heddle.devices())


@functools.cache
def _offered():
    gpus = tuple(device for device in all_devices() if device.type == "cuda")
    return gpus or all_devices()


def _device(which):
    """The device that a user names: by number, as "cpu", "cuda" or "cuda:1", or by itself."""
    devices = all_devices()
    if isinstance(which, Device):
        return devices[which.id]
    if isinstance(which, str):
        return _device_named(which)
    try:
        index = operator.index(which)
    except TypeError:
        raise TypeError(
            f"a device is a number, 'cpu', 'cuda' or 'cuda:<number>', not {which!r}"
        ) from None
    if not 0 <= index < len(devices):
        raise CudaSupportError(
            f"there is no device {index}: this machine has {len(devices)}, numbered 0 to {len(devices) - 1}"
        )
    return devices[index]


def _device_named(name):
    kind, _, number = name.partition(":")
    if name == "cpu":
        return all_devices()[-1]
    if kind != "cuda" or not (name == "cuda" or (number.isascii() and number.isdigit())):
        raise ValueError(f"a device is called 'cpu', 'cuda' or 'cuda:<number>', not {name!r}")
    count = len(all_devices()) - 1  # the last one is the CPU
    if int(number or 0) >= count:
        reason = (
            f"this machine has GPUs 0 to {count - 1}"
            if count
            else f"there is no GPU here: {_heddle.no_gpu_reason()}"
        )
        raise CudaSupportError(f"there is no device {name!r}: {reason}")
    return all_devices()[int(number or 0)]


class _PerThread(threading.local):
    def __init__(self):
        self.stack = []


_per_thread = _PerThread()


def _current_stack():
    if not _per_thread.stack:
        _per_thread.stack.append(all_devices()[_heddle.default_device_index()])
    return _per_thread.stack


def _leave():
    """Ends a ``with`` over a device or context; a ``close()`` inside it has ended it already."""
    if len(_current_stack()) > 1:
        _per_thread.stack.pop()
        _tell_runtime()


def _tell_runtime():
    """Launches read the current device of their thread from the runtime."""
    _heddle.set_current_device(_current_stack()[-1].id)


def current_device():
    """The device that this thread works on: the one selected last, else the default one.

    The default is the first GPU, or the CPU where there is none; $HEDDLE_DEVICE names another. Raises ValueError when
    that is no device of this machine.
    """
    return _current_stack()[-1]


def current_native():
    """The current device as the runtime knows it."""
    return _current_stack()[-1]._native


gpus = DeviceList()


def list_devices():
    """The GPUs of this machine, or the CPU device where there is none, as ``cuda.gpus``."""
    return gpus


def get_current_device():
    """The device that this thread works on."""
    return current_device()


def select_device(device_id):
    """Make a device the current one of this thread. Returns its context.

    device_id: its number; or "cpu", "cuda" (the first GPU), "cuda:1"; or the device itself. ``select_device("cpu")``
    is how a program runs on the CPU of a machine with GPUs.
    Raises CudaSupportError when there is no such device, with the reason.
    """
    device = _device(device_id)
    if _per_thread.stack:
        _per_thread.stack[-1] = device
    else:
        _per_thread.stack.append(device)
    _tell_runtime()
    return device.get_primary_context()


def current_context(devnum=None):
    """The context of device ``devnum``, or of this thread's current device."""
    return (current_device() if devnum is None else _device(devnum)).get_primary_context()


def close():
    """Wait for the devices and make the default one current again. Arrays and kernels stay usable."""
    for device in all_devices():
        device._native.synchronize()
    _per_thread.stack.clear()
    _tell_runtime()


def synchronize():
    """Wait for everything that runs on the current device.

    Raises the first error of a kernel that nobody has seen yet.
    """
    current_native().synchronize()


def require_context(function):
    """Decorator for functions that use the current device; a device is always ready, so it changes nothing."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        current_device()
        return function(*args, **kwargs)

    return wrapper


@contextlib.contextmanager
def defer_cleanup():
    """In numba, memory is freed only after this context. Here freeing waits for no one, so it changes nothing."""
    yield


def is_available():
    """Whether kernels can run. Always True: the CPU device is always there."""
    return len(all_devices()) > 0


def cuda_error():
    """Why there is no GPU, one sentence; None when there is one. Kernels run on the CPU device either way."""
    return _heddle.no_gpu_reason() or None


def is_supported_version():
    """Whether the driver is recent enough for heddle."""
    return True


def is_float16_supported():
    """Whether kernels may use float16: on every device."""
    return True


def is_bfloat16_supported():
    """Whether kernels may use bfloat16: on every device, older GPUs compute it in float32."""
    return True


def detect():
    """Print what devices there are. Returns whether there is one that kernels run on."""
    devices = all_devices()
    print(f"Found {len(devices)} device{'s' if len(devices) != 1 else ''} that heddle can use")
    for device in devices:
        print(f"id {device.id}    {device.name:>36}    [SUPPORTED]")
        facts = {
            "Device type": device.type,
            "Compute Capability": "{}.{}".format(*device.compute_capability),
            "UUID": device.uuid,
            "Multiprocessors": device.MULTIPROCESSOR_COUNT,
            "Memory (MiB)": device.get_primary_context().get_memory_info().total >> 20,
        }
        for label, value in facts.items():
            print(f"{label:>40}: {value}")
    if cuda_error():
        print(f"No GPU: {cuda_error()}")
    print("Summary:")
    print(f"\t{len(devices)}/{len(devices)} devices are supported")
    return is_available()
