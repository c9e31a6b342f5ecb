"""Devices as numba.cuda shows them: the list of them, the current one, its attributes, its context."""

import contextlib
import difflib
import functools
import threading
from collections import namedtuple

from heddle import _heddle
from heddle.cuda.streams import Event, Stream
from heddle.errors import CudaSupportError

MemoryInfo = namedtuple("MemoryInfo", "free total")
MemoryInfo.__doc__ = """Memory of a device, both in bytes."""


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
        return False

    @property
    def supports_bfloat16(self):
        return False

    def get_primary_context(self):
        return Context(self)

    def reset(self):
        """Wait for everything that runs on the device. Its memory is freed with the last array that uses it."""
        self._native.synchronize()

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
        return MemoryInfo(*self.device._native.memory_info())

    def memalloc(self, bytesize):
        """Allocate ``bytesize`` bytes. Returns the piece of memory; raises MemoryError."""
        return self.device._native.allocate(bytesize)

    def memallocmanaged(self, bytesize, attach_global=True):
        """Allocate ``bytesize`` bytes that host and device both reach."""
        return self.device._native.allocate(bytesize, "managed")

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        """Allocate ``bytesize`` bytes of page-locked host memory."""
        return self.device._native.allocate(bytesize, "mapped" if mapped else "pinned")

    def create_stream(self):
        return Stream.of(self.device._native.create_stream())

    def create_event(self, timing=True):
        return Event(self.device._native.create_event(timing))

    def get_default_stream(self):
        return Stream.of(self.device._native.default_stream)

    get_legacy_default_stream = get_default_stream

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


class _DeviceInManager(Device):
    """A device out of ``cuda.gpus``: ``with cuda.gpus[0]:`` makes it the current one inside."""

    def __enter__(self):
        self.get_primary_context().push()
        return self

    def __exit__(self, *error):
        _leave()


class DeviceList:
    """The devices of this machine: a sequence."""

    @property
    def lst(self):
        return list(_devices())

    @property
    def current(self):
        return current_device()

    def __len__(self):
        return len(_devices())

    def __getitem__(self, index):
        return _devices()[index]

    def __iter__(self):
        return iter(_devices())

    def __str__(self):
        return ", ".join(str(device) for device in self)

    def __repr__(self):
        return f"<heddle devices: {self}>"


@functools.cache
def _devices():
    return tuple(_DeviceInManager(native) for native in _heddle.devices())


def _device(index):
    devices = _devices()
    if isinstance(index, Device):
        index = index.id
    if not 0 <= index < len(devices):
        raise CudaSupportError(
            f"there is no device {index}: this machine has {len(devices)}, numbered 0 to {len(devices) - 1}"
        )
    return devices[index]


class _PerThread(threading.local):
    def __init__(self):
        self.stack = []


_per_thread = _PerThread()


def _current_stack():
    if not _per_thread.stack:
        _per_thread.stack.append(_devices()[0])
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
    """The device that this thread works on: the one selected last, else the first."""
    return _current_stack()[-1]


def current_native():
    """The current device as the runtime knows it."""
    return _current_stack()[-1]._native


gpus = DeviceList()


def list_devices():
    """The devices of this machine, as ``cuda.gpus``."""
    return gpus


def get_current_device():
    """The device that this thread works on."""
    return current_device()


def select_device(device_id):
    """Make device ``device_id`` the current one of this thread. Returns its context.

    Raises CudaSupportError when there is no such device.
    """
    device = _device(device_id)
    _current_stack()[-1] = device
    _tell_runtime()
    return device.get_primary_context()


def current_context(devnum=None):
    """The context of device ``devnum``, or of this thread's current device."""
    return (current_device() if devnum is None else _device(devnum)).get_primary_context()


def close():
    """Wait for the devices and make the first one current again. Arrays and kernels stay usable."""
    for device in _devices():
        device.reset()
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
    return len(_devices()) > 0


def cuda_error():
    """Why there is no usable device: None, as there is always one."""


def is_supported_version():
    """Whether the driver is recent enough for heddle."""
    return True


def is_float16_supported():
    """Whether kernels may use float16."""
    return False


def is_bfloat16_supported():
    """Whether kernels may use bfloat16."""
    return False


def detect():
    """Print what devices there are. Returns whether there is one that kernels run on."""
    devices = _devices()
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
    print("Summary:")
    print(f"\t{len(devices)}/{len(devices)} devices are supported")
    return is_available()
