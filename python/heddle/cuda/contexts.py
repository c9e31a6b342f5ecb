"""Contexts, with the interface of numba.cuda: a device's memory, streams, events and peer access."""

import contextlib

from heddle import _heddle
from heddle.cuda import memory_managers
from heddle.cuda.memory import wrap_in_memory_pointer
from heddle.cuda.native_devices import find_native_device, pop_native, push_native
from heddle.cuda.streams import DefaultStream, Event, Stream, get_stream_by_handle


@contextlib.contextmanager
def defer_cleanup():
    """Does nothing. In numba, it delays the freeing of memory, which synchronizes. Heddle frees memory without
    synchronizing.

    >>> with cuda.defer_cleanup():
    ...     kernel[4, 256](x)
    """
    yield


class Deallocations:
    """The queue of memory to be freed: always empty, because Heddle frees memory with its last reference."""

    is_locked = False

    def clear(self):
        """Frees the queued memory. The queue is always empty."""

    def __len__(self):
        return 0


class Context:
    """A device's memory, streams and events, for example ``cuda.current_context()``. device: its Device.

    >>> with cuda.current_context("cpu"):  # makes the CPU device current inside the block
    ...     kernel[4, 256](x)
    """

    def __init__(self, device):
        self.device = device

    @property
    def id(self):
        """The index of the device in ``cuda.all_devices()``."""
        return self.device.id

    @property
    def deallocations(self):
        """The queue of memory to be freed, for programs that inspect it."""
        return Deallocations()

    @property
    def memory_manager(self):
        """The allocator of device memory: the plug-in's object, or this context if there is no plug-in."""
        return memory_managers.find_or_create_plugin_manager(self) or self

    def get_memory_info(self):
        """The free and total device memory in bytes, as ``MemoryInfo(free, total)``."""
        return memory_managers.get_memory_info(self)

    def memalloc(self, bytesize):
        """Allocates ``bytesize`` bytes of device memory. Returns a MemoryPointer; raises MemoryError."""
        return wrap_in_memory_pointer(self, memory_managers.allocate_on_device(self, bytesize))

    def memallocmanaged(self, bytesize, attach_global=True):
        """Allocates ``bytesize`` bytes of managed memory, which host and device can access. Returns a ManagedMemory."""
        memory = self.device._native.allocate(bytesize, "managed")
        return wrap_in_memory_pointer(self, memory, "managed")

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        """Allocates ``bytesize`` bytes of page-locked host memory. portable, wc: hints."""
        kind = "mapped" if mapped else "pinned"
        memory = memory_managers.allocate_on_host(self, bytesize, kind, portable, wc)
        return wrap_in_memory_pointer(self, memory, kind)

    def mempin(self, owner, pointer, size, mapped=False):
        """Page-locks ``size`` bytes of host memory at ``pointer`` for the lifetime of the result.

        owner: kept alive with the result. Returns a PinnedMemory, or a MappedMemory if mapped.
        """
        return memory_managers.pin_host_memory(self, owner, pointer, size, mapped)

    def get_ipc_handle(self, memory):
        """A handle that lets another process on this machine open ``memory``, an object that ``memalloc`` returned.

        Raises CudaSupportError if the device has no IPC handles, and CudaAPIError if the driver refuses.
        """
        return memory_managers.make_ipc_handle(memory)

    def create_stream(self):
        """Creates a stream. Same as ``cuda.stream()``."""
        return Stream._wrap_native(self.device._native.create_stream())

    def create_external_stream(self, ptr):
        """The stream with this driver handle, which another library created."""
        return get_stream_by_handle(self.device._native, int(ptr))

    def create_event(self, timing=True):
        """Creates an event. Same as ``cuda.event()``."""
        return Event(self.device._native.create_event(timing), self.device._native)

    def get_default_stream(self):
        """The default stream of the device."""
        return DefaultStream.from_number(self.device._native, 0)

    def get_legacy_default_stream(self):
        """Same as ``cuda.legacy_default_stream()``."""
        return DefaultStream.from_number(self.device._native, 1)

    def get_per_thread_default_stream(self):
        """Same as ``cuda.per_thread_default_stream()``."""
        return DefaultStream.from_number(self.device._native, 2)

    def can_access_peer(self, peer_context):
        """True if this device's kernels can access memory of another device: a context, a device or its index."""
        return self.device._native.can_access(_to_native_device(peer_context))

    def enable_peer_access(self, peer_context, flags=0):
        """Lets this device's kernels access the memory of another device. Repeated calls have no effect.

        Raises ValueError if the hardware does not support it, which ``can_access_peer`` reports.
        """
        if flags:
            raise ValueError(f"flags must be 0, not {flags}")
        self.device._native.enable_access(_to_native_device(peer_context))

    def get_active_blocks_per_multiprocessor(self, func, blocksize, memsize=0, flags=None):
        """The number of blocks of a compiled kernel that one multiprocessor can run concurrently.

        func: a value of ``kernel.overloads``, or a kernel with one signature. blocksize: threads per block. memsize:
        bytes of dynamic shared memory.
        """
        return _require_single_variant(func).active_blocks_per_multiprocessor(blocksize, memsize)

    def get_max_potential_block_size(self, func, b2d_func, memsize, blocksizelimit, flags=None):
        """The launch with the highest occupancy, as (blocks, threads per block). All blocks run concurrently.

        func: as in ``get_active_blocks_per_multiprocessor``. b2d_func: maps threads per block to bytes of dynamic
        shared memory; None if that is always ``memsize``. blocksizelimit: the maximum number of threads per block; 0
        for no limit.
        """
        variant = _require_single_variant(func)
        block = variant.suggested_block_size(memsize)
        if b2d_func:
            block = _find_largest_resident_block(variant, block, b2d_func)
            memsize = b2d_func(block)
        if blocksizelimit:
            block = min(block, blocksizelimit)
        resident = variant.active_blocks_per_multiprocessor(block, memsize)
        return max(resident, 1) * self.device.MULTIPROCESSOR_COUNT, block

    def create_module_ptx(self, ptx):
        raise _make_no_modules_error("PTX")

    def create_module_image(self, image):
        raise _make_no_modules_error("a cubin")

    def prepare_for_use(self):
        """Does nothing: a device initializes on first use."""

    def synchronize(self):
        """Waits for all work on the device. Raises the first kernel error that has not been raised yet."""
        self.device._native.synchronize()

    def reset(self):
        """Waits for all work on the device. Same as ``Device.reset()``."""
        self.device.reset()

    def push(self):
        """Makes this the current context of the calling thread until ``pop()``."""
        push_native(self.device._native)

    def pop(self):
        """Undoes the last ``push()``. Raises RuntimeError if there is none."""
        if not pop_native():
            raise RuntimeError("no context was pushed on this thread: call push() before pop()")

    def defer_cleanup(self):
        """Same as ``cuda.defer_cleanup()``."""
        return defer_cleanup()

    def __enter__(self):
        self.push()
        return self

    def __exit__(self, *error):
        pop_native()  # no effect if close() was called inside

    def __eq__(self, other):
        return isinstance(other, Context) and self.device == other.device

    def __hash__(self):
        return hash(("heddle.Context", self.device))

    def __repr__(self):
        return f"<heddle context of {self.device!r}>"


def _make_no_modules_error(what):
    return NotImplementedError(
        f"heddle loads no modules from {what}: a kernel is compiled from a function with @cuda.jit"
    )


def _to_native_device(peer):
    return find_native_device(peer.device if isinstance(peer, Context) else peer)


def _require_single_variant(func):
    """Returns the compiled kernel: ``func`` itself, or the only variant of a kernel. Else raises TypeError."""
    if isinstance(func, _heddle.Variant):
        return func
    variants = func.variants() if isinstance(func, _heddle.DispatcherBase) else []
    if len(variants) != 1:
        raise TypeError(
            f"this takes a compiled kernel, such as a value of kernel.overloads, not {func!r}"
            + (f", which is compiled for {len(variants)} signatures" if variants else "")
        )
    return variants[0]


def _find_largest_resident_block(variant, block, dynamic_bytes):
    """The largest block size, ``block`` minus a multiple of 32, at which a multiprocessor can run a block."""
    while block > 32 and not variant.active_blocks_per_multiprocessor(block, dynamic_bytes(block)):
        block -= 32
    return block
