"""Allocates device memory: natively, or with a plug-in that has the interface of numba's external memory managers.

A plug-in is a class derived from BaseCUDAMemoryManager, or from HostOnlyCUDAMemoryManager if it allocates only device
memory, as RMM's does. ``set_memory_manager`` selects it; so does $NUMBA_CUDA_MEMORY_MANAGER, which names a module whose
``_numba_memory_manager`` is the class. Each GPU gets one instance. The CPU device does not use plug-ins.
"""

import abc
import contextlib
import functools
import importlib
import threading

from heddle import _heddle, config
from heddle.cuda.ipc_handles import export_handle
from heddle.cuda.memory import (
    MappedMemory,
    MemoryInfo,
    MemoryPointer,
    PinnedMemory,
    address_to_int,
    wrap_in_host_memory_pointer,
    wrap_in_memory_pointer,
)
from heddle.errors import CudaSupportError


class BaseCUDAMemoryManager(metaclass=abc.ABCMeta):
    """The base class of plug-ins that allocate all memory. ``context`` is the Context for which the plug-in allocates.

    >>> class Manager(cuda.BaseCUDAMemoryManager):
    ...     interface_version = 1
    ...     ...  # and the other abstract methods
    """

    def __init__(self, *args, **kwargs):
        if "context" not in kwargs:
            raise RuntimeError(
                "a memory manager needs the argument context=, the context it serves"
            )
        self.context = kwargs.pop("context")

    @abc.abstractmethod
    def memalloc(self, size):
        """Allocates ``size`` bytes on the device. Returns a MemoryPointer."""

    @abc.abstractmethod
    def memhostalloc(self, size, mapped=False, portable=False, wc=False):
        """Allocates ``size`` bytes of page-locked host memory. Returns a PinnedMemory, or a MappedMemory if mapped."""

    @abc.abstractmethod
    def mempin(self, owner, pointer, size, mapped=False):
        """Page-locks ``size`` bytes at ``pointer``. Returns a PinnedMemory, or a MappedMemory if mapped."""

    @abc.abstractmethod
    def initialize(self):
        """Called before the other methods; may be called again."""

    @abc.abstractmethod
    def get_ipc_handle(self, memory):
        """Returns the IpcHandle of a MemoryPointer that ``memalloc`` returned."""

    @abc.abstractmethod
    def get_memory_info(self):
        """Returns the free and total memory as a MemoryInfo."""

    @abc.abstractmethod
    def reset(self):
        """Frees unused memory. ``Device.reset`` calls it."""

    @abc.abstractmethod
    def defer_cleanup(self):
        """A context manager inside which no memory is freed."""

    @property
    @abc.abstractmethod
    def interface_version(self):
        """The interface version that the plug-in implements: 1."""


class HostOnlyCUDAMemoryManager(BaseCUDAMemoryManager):
    """The base class of plug-ins that allocate only device memory. Heddle allocates host memory.

    The plug-in may keep its memory alive in the dictionary ``allocations``, which ``reset`` clears.

    >>> class Manager(cuda.HostOnlyCUDAMemoryManager):
    ...     ...  # implements memalloc and get_memory_info
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.allocations = {}
        self.deallocations = []

    def initialize(self):
        pass

    def memhostalloc(self, size, mapped=False, portable=False, wc=False):
        buffer = self.context.device._native.allocate(size, "mapped" if mapped else "pinned")
        return wrap_in_host_memory_pointer(self.context, buffer, "mapped" if mapped else "pinned")

    def mempin(self, owner, pointer, size, mapped=False):
        return _pin_natively(self.context, owner, pointer, size, mapped)

    def memallocmanaged(self, size, attach_global=True):
        return wrap_in_memory_pointer(
            self.context, self.context.device._native.allocate(size, "managed")
        )

    def reset(self):
        self.allocations.clear()

    @contextlib.contextmanager
    def defer_cleanup(self):
        yield

    @property
    def interface_version(self):
        return 1


class GetIpcHandleMixin:
    """Implements ``get_ipc_handle`` for plug-ins whose memory comes from the driver's allocator.

    >>> class Manager(cuda.GetIpcHandleMixin, cuda.HostOnlyCUDAMemoryManager):
    ...     ...
    """

    def get_ipc_handle(self, memory):
        return export_handle(memory, memory)


class NumbaCUDAMemoryManager(GetIpcHandleMixin, HostOnlyCUDAMemoryManager):
    """The native allocator as a plug-in, for ``set_memory_manager`` and as a base class."""

    def memalloc(self, size):
        return wrap_in_memory_pointer(self.context, self.context.device._native.allocate(size))

    def get_memory_info(self):
        return MemoryInfo(*self.context.device._native.memory_info())


# The plug-in class; None for native allocation.
_plugin = None
_plugin_is_known = False
_managers = {}  # device index -> the plug-in's instance
_guard = threading.RLock()


def set_memory_manager(mm_plugin):
    """Makes the class ``mm_plugin`` allocate GPU memory from now on; None restores native allocation.

    Raises TypeError if the class is not a memory manager, CudaSupportError if it has another interface version. The
    class is instantiated with context=None to read the version.

    >>> cuda.set_memory_manager(None)  # or a class derived from BaseCUDAMemoryManager
    """
    global _plugin, _plugin_is_known
    if mm_plugin is not None and not (
        isinstance(mm_plugin, type) and issubclass(mm_plugin, BaseCUDAMemoryManager)
    ):
        raise TypeError(
            f"a memory manager is a class derived from BaseCUDAMemoryManager, not {mm_plugin!r}"
        )
    if mm_plugin is not None:
        _check_interface_version(mm_plugin(context=None))
    with _guard:
        _plugin, _plugin_is_known = mm_plugin, True
        _managers.clear()


def _load_plugin_from_environment():
    name = config.CUDA_MEMORY_MANAGER
    if name in ("", "default"):
        return None
    try:
        return importlib.import_module(name)._numba_memory_manager  # late: the user's module
    except (ImportError, AttributeError) as error:
        raise CudaSupportError(
            f"NUMBA_CUDA_MEMORY_MANAGER={name}: it must name a module whose _numba_memory_manager is a memory manager "
            f"class ({error})"
        ) from error


def find_or_create_plugin_manager(context):
    """The plug-in's instance for a context; None for native allocation."""
    device = context.device._native
    if (_plugin is None and _plugin_is_known) or device.type == "cpu":
        return None
    with _guard:
        if not _plugin_is_known:
            set_memory_manager(_load_plugin_from_environment())
        if _plugin is None:
            return None
        if device.index not in _managers:
            _managers[device.index] = _make_manager(context)
        return _managers[device.index]


def _make_manager(context):
    manager = _plugin(context=context)
    _check_interface_version(manager)
    manager.initialize()
    return manager


def _check_interface_version(manager):
    if manager.interface_version != 1:
        raise CudaSupportError(
            f"{type(manager).__name__} implements version {manager.interface_version} of the memory manager interface; "
            "version 1 is supported"
        )


def allocate_on_device(context, nbytes):
    """Allocates memory on a context's device: with the plug-in's ``memalloc``, else as a native Buffer.

    Both have ``address``, ``nbytes`` and ``device``, and free the memory with the last reference.
    """
    manager = find_or_create_plugin_manager(context)
    return context.device._native.allocate(nbytes) if manager is None else manager.memalloc(nbytes)


def allocate_on_host(context, nbytes, kind, portable=False, wc=False):
    """As ``allocate_on_device``, for host memory of kind "pinned" or "mapped"."""
    manager = find_or_create_plugin_manager(context)
    if manager is None:
        return context.device._native.allocate(nbytes, kind)
    return manager.memhostalloc(nbytes, mapped=kind == "mapped", portable=portable, wc=wc)


def pin_host_memory(context, owner, pointer, size, mapped=False):
    """Page-locks ``size`` bytes of host memory at ``pointer``. Returns a PinnedMemory, or a MappedMemory if mapped."""
    manager = find_or_create_plugin_manager(context)
    pin = functools.partial(_pin_natively, context) if manager is None else manager.mempin
    return pin(owner, pointer, size, mapped)


def _pin_natively(context, owner, pointer, size, mapped):
    address, native = address_to_int(pointer), context.device._native
    native.pin(address, size)
    kind = MappedMemory if mapped else PinnedMemory
    return kind(context, address, size, owner, lambda: native.unpin(address))


def get_memory_info(context):
    """The free and total memory of a context's device, in bytes, as a MemoryInfo."""
    manager = find_or_create_plugin_manager(context)
    if manager is None:
        return MemoryInfo(*context.device._native.memory_info())
    return MemoryInfo(*manager.get_memory_info())


def reset_manager(context):
    """Forwards a reset of the context's device to the plug-in."""
    manager = _managers.get(context.device.id)
    if manager is not None:
        manager.reset()


def make_ipc_handle(memory):
    """The IpcHandle of memory that ``allocate_on_device`` returned, or of a MemoryPointer over it."""
    if isinstance(memory, _heddle.Buffer):
        return export_handle(memory, memory)
    if memory is None:
        raise CudaSupportError("only memory of a device array can be shared with other processes")
    base = memory
    while isinstance(base, MemoryPointer) and base._owner is not None:
        base = base._owner
    manager = find_or_create_plugin_manager(memory.context)
    if manager is not None and isinstance(base, MemoryPointer):
        handle = manager.get_ipc_handle(base)
        handle.offset += memory.address - base.address
        return handle
    if not isinstance(base, _heddle.Buffer):
        raise CudaSupportError(
            "only memory that heddle allocated can be shared with other processes: copy the array first"
        )
    return export_handle(memory, base)
