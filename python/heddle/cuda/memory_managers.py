"""Where device memory comes from: the runtime, or a plug-in with the interface of numba's external memory managers.

A plug-in is a class derived from BaseCUDAMemoryManager, or from HostOnlyCUDAMemoryManager when it only brings device
memory (RMM's does). ``set_memory_manager`` chooses one, as does $NUMBA_CUDA_MEMORY_MANAGER with the name of a module
whose ``_numba_memory_manager`` is the class. One object of it is made for each GPU; the CPU device has none.
"""

import abc
import contextlib
import ctypes
import importlib
import threading
import weakref
from collections import namedtuple

from heddle import _heddle, config
from heddle.errors import CudaSupportError

MemoryInfo = namedtuple("MemoryInfo", "free total")
MemoryInfo.__doc__ = """Memory of a device, both in bytes."""


class _Pointer(int):
    """An address, for programs that ask a ctypes value for its ``value``, too."""

    __slots__ = ()

    @property
    def value(self):
        return int(self)


def _address_of(pointer):
    """An address as plug-ins tell it: an int, a ctypes value, or an object of a driver's bindings."""
    value = getattr(pointer, "value", pointer)
    return 0 if value is None else int(value)


class MemoryPointer:
    """A piece of a device's memory.

    context: the Context it belongs to. pointer: its address, an int or a ctypes value. size: bytes.
    owner: an object to keep alive with it. finalizer: called without arguments when the piece is no longer used.
    """

    def __init__(self, context, pointer, size, owner=None, finalizer=None):
        self.context = context
        self.device_pointer = _Pointer(_address_of(pointer))
        self.size = int(size)
        self._cuda_memsize_ = self.size
        self._owner = owner
        self.is_managed = finalizer is not None
        self._finalizer = weakref.finalize(self, finalizer) if finalizer else None
        if self._finalizer:
            self._finalizer.atexit = False  # the driver is gone by then

    @property
    def owner(self):
        return self if self._owner is None else self._owner

    @property
    def device_pointer_value(self):
        return int(self.device_pointer)

    device_ctypes_pointer = property(lambda self: ctypes.c_void_p(int(self.device_pointer)))
    handle = property(lambda self: self.device_pointer)

    @property
    def address(self):
        return int(self.device_pointer)

    @property
    def nbytes(self):
        return self.size

    @property
    def device(self):
        return self.context.device._native

    @property
    def __cuda_memory__(self):
        return True

    def own(self):
        return self

    def free(self):
        """Give the memory back now. Nothing may use it any more; a second call does nothing."""
        if self._finalizer:
            self._finalizer()

    def memset(self, byte, count=None, stream=0):
        """Set the first ``count`` bytes, or all, to ``byte`` in the order of ``stream``."""
        from heddle.cuda.streams import native_stream

        count = self.size if count is None else count
        if not 0 <= count <= self.size:
            raise ValueError(f"count is from 0 to {self.size}, the bytes of this memory: {count}")
        native_stream(stream, self.device).fill(self.address, byte, count, self)

    def view(self, start, stop=None):
        """The bytes from ``start`` to before ``stop``, which keep the whole alive."""
        stop = self.size if stop is None else stop
        if not 0 <= start <= stop <= self.size:
            raise ValueError(f"bytes {start} to {stop} are not inside memory of {self.size} bytes")
        return MemoryPointer(self.context, self.address + start, stop - start, owner=self)

    def __int__(self):
        return self.address

    def __repr__(self):
        return f"<heddle memory of {self.size} bytes at {self.address:#x}>"


AutoFreePointer = OwnedPointer = MemoryPointer


class _HostMemory(MemoryPointer):
    """Memory that the host reaches. ``np.asarray`` of it gives its bytes."""

    @property
    def __array_interface__(self):
        return {
            "version": 3,
            "data": (self.address, False),
            "shape": (self.size,),
            "typestr": "|u1",
        }


class MappedMemory(_HostMemory):
    """Host memory that the device reaches, too."""

    @property
    def host_pointer(self):
        return self.device_pointer


class PinnedMemory(_HostMemory):
    """Page-locked host memory."""


class ManagedMemory(_HostMemory):
    """Memory that moves between host and device as it is used."""


class IpcHandle:
    """A piece of a device's memory as another process of this machine can open it.

    base: what to keep alive in this process. handle: the driver's 64 bytes. size: bytes of the allocation.
    source_info: which device. offset: bytes from the allocation's start to the piece. Can be pickled; the other
    process then calls ``open`` or ``open_array``, and ``close`` when it is done.
    """

    def __init__(self, base, handle, size, source_info=None, offset=0):
        self.base = base
        self.handle = bytes(handle)
        self.size = size
        self.source_info = source_info
        self.offset = offset
        self._opened = None

    def open(self, context):
        """The memory in this process, as a MemoryPointer. The process that made the handle cannot open it."""
        if self.base is not None:
            raise ValueError("this process made the handle and has the memory already")
        if self._opened is not None:
            raise ValueError("the handle is open already: close() it first")
        device = _device_with_identity(self.source_info) or context.device
        self._opened = device._native.import_memory(self.handle, self.size)
        return MemoryPointer(
            device.get_primary_context(),
            self._opened.address + self.offset,
            self.size - self.offset,
            owner=self._opened,
        )

    def open_array(self, context, shape, dtype, strides=None):
        """The memory in this process, as a device array."""
        from heddle.cuda.device_ndarray import DeviceNDArray
        from heddle.types import as_dtype

        return DeviceNDArray(shape, strides, as_dtype(dtype), gpu_data=self.open(context))

    def close(self):
        """Let go of the memory. Arrays over it must not be used any more."""
        if self._opened is None:
            raise ValueError("the handle is not open")
        self._opened = None

    def __reduce__(self):
        return _ipc_handle_from, (self.handle, self.size, self.source_info, self.offset)


def _ipc_handle_from(handle, size, source_info, offset):
    return IpcHandle(None, handle, size, source_info, offset)


def _device_with_identity(identity):
    from heddle.cuda.devices import all_devices

    return next((d for d in all_devices() if d.get_device_identity() == identity), None)


class BaseCUDAMemoryManager(metaclass=abc.ABCMeta):
    """What a plug-in that brings all memory derives from. ``context`` is the Context that it allocates for."""

    def __init__(self, *args, **kwargs):
        if "context" not in kwargs:
            raise RuntimeError("a memory manager is made with context=, the context it serves")
        self.context = kwargs.pop("context")

    @abc.abstractmethod
    def memalloc(self, size):
        """Allocate ``size`` bytes on the device. Returns a MemoryPointer."""

    @abc.abstractmethod
    def memhostalloc(self, size, mapped=False, portable=False, wc=False):
        """Allocate ``size`` bytes of page-locked host memory. Returns a PinnedMemory, or a MappedMemory when mapped."""

    @abc.abstractmethod
    def mempin(self, owner, pointer, size, mapped=False):
        """Page-lock ``size`` bytes at ``pointer``. Returns a MappedMemory when mapped, else a PinnedMemory."""

    @abc.abstractmethod
    def initialize(self):
        """Called before anything else; may be called again."""

    @abc.abstractmethod
    def get_ipc_handle(self, memory):
        """An IpcHandle of a MemoryPointer that ``memalloc`` returned."""

    @abc.abstractmethod
    def get_memory_info(self):
        """Free and total memory as a MemoryInfo."""

    @abc.abstractmethod
    def reset(self):
        """Let go of what nobody uses; called by ``Device.reset``."""

    @abc.abstractmethod
    def defer_cleanup(self):
        """A context manager inside which no memory is given back."""

    @property
    @abc.abstractmethod
    def interface_version(self):
        """The version of this interface that the plug-in is written for: 1."""


class HostOnlyCUDAMemoryManager(BaseCUDAMemoryManager):
    """What a plug-in that brings device memory only derives from: host memory stays the runtime's.

    ``allocations`` is a dictionary in which the plug-in may keep its pieces alive; ``reset`` empties it.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.allocations = {}
        self.deallocations = []

    def initialize(self):
        pass

    def memhostalloc(self, size, mapped=False, portable=False, wc=False):
        buffer = self.context.device._native.allocate(size, "mapped" if mapped else "pinned")
        return _host_memory(self.context, buffer, "mapped" if mapped else "pinned")

    def mempin(self, owner, pointer, size, mapped=False):
        address, native = _address_of(pointer), self.context.device._native
        native.pin(address, size)
        kind = MappedMemory if mapped else PinnedMemory
        return kind(self.context, address, size, owner, lambda: native.unpin(address))

    def memallocmanaged(self, size, attach_global=True):
        return as_pointer(self.context.device._native.allocate(size, "managed"))

    def reset(self):
        self.allocations.clear()

    @contextlib.contextmanager
    def defer_cleanup(self):
        yield

    @property
    def interface_version(self):
        return 1


class GetIpcHandleMixin:
    """Gives a plug-in whose memory comes from the driver's allocator its ``get_ipc_handle``."""

    def get_ipc_handle(self, memory):
        return _exported(memory, memory)


def _host_memory(context, buffer, kind):
    classes = {"pinned": PinnedMemory, "mapped": MappedMemory, "managed": ManagedMemory}
    return classes[kind](context, buffer.address, buffer.nbytes, owner=buffer)


def as_pointer(memory, kind="device"):
    """A piece of memory as a MemoryPointer, whoever allocated it; memory of another kind as a class of its own."""
    if not isinstance(memory, _heddle.Buffer):
        return memory
    from heddle.cuda.devices import all_devices

    context = all_devices()[memory.device.index].get_primary_context()
    if kind != "device":
        return _host_memory(context, memory, kind)
    return MemoryPointer(context, memory.address, memory.nbytes, owner=memory)


# The plug-in's class; None while the runtime allocates.
_plugin = None
_plugin_is_known = False
_managers = {}  # a device's number -> the plug-in's object for it
_guard = threading.RLock()


def set_memory_manager(mm_plugin):
    """Let the class ``mm_plugin`` allocate the memory of GPUs from now on; None gives it back to the runtime.

    Raises TypeError for a class that is no memory manager.
    """
    global _plugin, _plugin_is_known
    if mm_plugin is not None and not (
        isinstance(mm_plugin, type) and issubclass(mm_plugin, BaseCUDAMemoryManager)
    ):
        raise TypeError(
            f"a memory manager is a class derived from BaseCUDAMemoryManager, not {mm_plugin!r}"
        )
    with _guard:
        _plugin, _plugin_is_known = mm_plugin, True
        _managers.clear()


def _plugin_from_environment():
    name = config.CUDA_MEMORY_MANAGER
    if name in ("", "default"):
        return None
    try:
        return importlib.import_module(name)._numba_memory_manager
    except (ImportError, AttributeError) as error:
        raise CudaSupportError(
            f"NUMBA_CUDA_MEMORY_MANAGER={name}: it must name a module whose _numba_memory_manager is the class of a "
            f"memory manager ({error})"
        ) from error


def _manager_of(device):
    """The plug-in's object for a device; None where the runtime allocates."""
    if (_plugin is None and _plugin_is_known) or device.type == "cpu":
        return None
    with _guard:
        if not _plugin_is_known:
            set_memory_manager(_plugin_from_environment())
        if _plugin is None:
            return None
        if device.index not in _managers:
            _managers[device.index] = _made(device)
        return _managers[device.index]


def _made(device):
    from heddle.cuda.devices import all_devices

    manager = _plugin(context=all_devices()[device.index].get_primary_context())
    if manager.interface_version != 1:
        raise CudaSupportError(
            f"{_plugin.__name__} is written for version {manager.interface_version} of the interface of memory "
            "managers; this is version 1"
        )
    manager.initialize()
    return manager


def allocate(device, nbytes):
    """Memory of a device: what a plug-in's ``memalloc`` returns, else the runtime's Buffer.

    Both have ``address``, ``nbytes`` and ``device``, and give the memory back with the last reference.
    """
    manager = _manager_of(device)
    return device.allocate(nbytes) if manager is None else manager.memalloc(nbytes)


def allocate_on_host(device, nbytes, kind, portable=False, wc=False):
    """The same for host memory of kind "pinned" or "mapped"."""
    manager = _manager_of(device)
    if manager is None:
        return device.allocate(nbytes, kind)
    return manager.memhostalloc(nbytes, mapped=kind == "mapped", portable=portable, wc=wc)


def memory_info(device):
    manager = _manager_of(device)
    return MemoryInfo(*(device.memory_info() if manager is None else manager.get_memory_info()))


def reset(device):
    """Tells a plug-in that the device was reset."""
    if device.index in _managers:
        _managers[device.index].reset()


def ipc_handle(memory):
    """The IpcHandle of what ``allocate`` returned, or of a MemoryPointer over it."""
    if isinstance(memory, _heddle.Buffer):
        return _exported(memory, memory)
    base = memory
    while isinstance(base, MemoryPointer) and base._owner is not None:
        base = base._owner
    manager = _manager_of(memory.device)
    if manager is not None and isinstance(base, MemoryPointer):
        handle = manager.get_ipc_handle(base)
        handle.offset += memory.address - base.address
        return handle
    if not isinstance(base, _heddle.Buffer):
        raise CudaSupportError(
            "only memory that heddle allocated can be shared with other processes: copy the array first"
        )
    return _exported(memory, base)


def _exported(memory, base):
    from heddle.cuda.devices import all_devices

    device = memory.device
    return IpcHandle(
        base,
        device.export_memory(base.address),
        base.nbytes,
        all_devices()[device.index].get_device_identity(),
        memory.address - base.address,
    )
