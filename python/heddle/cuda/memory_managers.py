"""Where device memory comes from: the runtime, or a plug-in with the interface of numba's external memory managers.

A plug-in is a class derived from BaseCUDAMemoryManager, or from HostOnlyCUDAMemoryManager when it only brings device
memory (RMM's does). ``set_memory_manager`` chooses one, as does $NUMBA_CUDA_MEMORY_MANAGER with the name of a module
whose ``_numba_memory_manager`` is the class. One object of it is made for each GPU; the CPU device has none.
"""

import abc
import contextlib
import functools
import importlib
import threading

from heddle import _heddle, config
from heddle.cuda.ipc_handles import exported
from heddle.cuda.memory import (
    MappedMemory,
    MemoryInfo,
    MemoryPointer,
    PinnedMemory,
    address_of,
    as_pointer,
    host_memory,
)
from heddle.errors import CudaSupportError


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
        """Free the memory that is not used any more; called by ``Device.reset``."""

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
        return host_memory(self.context, buffer, "mapped" if mapped else "pinned")

    def mempin(self, owner, pointer, size, mapped=False):
        return _pinned(self.context, owner, pointer, size, mapped)

    def memallocmanaged(self, size, attach_global=True):
        return as_pointer(self.context, self.context.device._native.allocate(size, "managed"))

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
        return exported(memory, memory)


class NumbaCUDAMemoryManager(GetIpcHandleMixin, HostOnlyCUDAMemoryManager):
    """The runtime's own allocation as a plug-in, for ``set_memory_manager`` and for others to extend."""

    def memalloc(self, size):
        return as_pointer(self.context, self.context.device._native.allocate(size))

    def get_memory_info(self):
        return MemoryInfo(*self.context.device._native.memory_info())


# The plug-in's class; None while the runtime allocates.
_plugin = None
_plugin_is_known = False
_managers = {}  # a device's number -> the plug-in's object for it
_guard = threading.RLock()


def set_memory_manager(mm_plugin):
    """Let the class ``mm_plugin`` allocate the memory of GPUs from now on; None gives it back to the runtime.

    Raises TypeError for a class that is no memory manager, CudaSupportError for one of another version of the
    interface. To ask for the version an object of the class is made, with context=None.
    """
    global _plugin, _plugin_is_known
    if mm_plugin is not None and not (
        isinstance(mm_plugin, type) and issubclass(mm_plugin, BaseCUDAMemoryManager)
    ):
        raise TypeError(
            f"a memory manager is a class derived from BaseCUDAMemoryManager, not {mm_plugin!r}"
        )
    if mm_plugin is not None:
        _check_version(mm_plugin(context=None))
    with _guard:
        _plugin, _plugin_is_known = mm_plugin, True
        _managers.clear()


def _plugin_from_environment():
    name = config.CUDA_MEMORY_MANAGER
    if name in ("", "default"):
        return None
    try:
        return importlib.import_module(name)._numba_memory_manager  # late: the user's module
    except (ImportError, AttributeError) as error:
        raise CudaSupportError(
            f"NUMBA_CUDA_MEMORY_MANAGER={name}: it must name a module whose _numba_memory_manager is the class of a "
            f"memory manager ({error})"
        ) from error


def manager_of(context):
    """The plug-in's object for a context; None where the runtime allocates."""
    device = context.device._native
    if (_plugin is None and _plugin_is_known) or device.type == "cpu":
        return None
    with _guard:
        if not _plugin_is_known:
            set_memory_manager(_plugin_from_environment())
        if _plugin is None:
            return None
        if device.index not in _managers:
            _managers[device.index] = _new_manager(context)
        return _managers[device.index]


def _new_manager(context):
    manager = _plugin(context=context)
    _check_version(manager)
    manager.initialize()
    return manager


def _check_version(manager):
    if manager.interface_version != 1:
        raise CudaSupportError(
            f"{type(manager).__name__} is written for version {manager.interface_version} of the interface of memory "
            "managers; this is version 1"
        )


def allocate(context, nbytes):
    """Memory of a context's device: what a plug-in's ``memalloc`` returns, else the runtime's Buffer.

    Both have ``address``, ``nbytes`` and ``device``, and give the memory back with the last reference.
    """
    manager = manager_of(context)
    return context.device._native.allocate(nbytes) if manager is None else manager.memalloc(nbytes)


def allocate_on_host(context, nbytes, kind, portable=False, wc=False):
    """The same for host memory of kind "pinned" or "mapped"."""
    manager = manager_of(context)
    if manager is None:
        return context.device._native.allocate(nbytes, kind)
    return manager.memhostalloc(nbytes, mapped=kind == "mapped", portable=portable, wc=wc)


def pin_host_memory(context, owner, pointer, size, mapped=False):
    """Page-locks ``size`` bytes of the host at ``pointer``: a PinnedMemory, or a MappedMemory when mapped."""
    manager = manager_of(context)
    pin = functools.partial(_pinned, context) if manager is None else manager.mempin
    return pin(owner, pointer, size, mapped)


def _pinned(context, owner, pointer, size, mapped):
    address, native = address_of(pointer), context.device._native
    native.pin(address, size)
    kind = MappedMemory if mapped else PinnedMemory
    return kind(context, address, size, owner, lambda: native.unpin(address))


def memory_info(context):
    """Free and total memory of a context's device, in bytes, as a MemoryInfo."""
    manager = manager_of(context)
    if manager is None:
        return MemoryInfo(*context.device._native.memory_info())
    return MemoryInfo(*manager.get_memory_info())


def reset(context):
    """Passes a reset of the context's device on to a plug-in."""
    manager = _managers.get(context.device.id)
    if manager is not None:
        manager.reset()


def ipc_handle(memory):
    """The IpcHandle of what ``allocate`` returned, or of a MemoryPointer over it."""
    if isinstance(memory, _heddle.Buffer):
        return exported(memory, memory)
    if memory is None:
        raise CudaSupportError("only memory of a device array can be shared with other processes")
    base = memory
    while isinstance(base, MemoryPointer) and base._owner is not None:
        base = base._owner
    manager = manager_of(memory.context)
    if manager is not None and isinstance(base, MemoryPointer):
        handle = manager.get_ipc_handle(base)
        handle.offset += memory.address - base.address
        return handle
    if not isinstance(base, _heddle.Buffer):
        raise CudaSupportError(
            "only memory that heddle allocated can be shared with other processes: copy the array first"
        )
    return exported(memory, base)
