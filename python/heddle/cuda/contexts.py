"""Contexts as numba.cuda shows them: a device's memory, streams, events, and the access of devices to each other."""

import contextlib

from heddle import _heddle
from heddle.cuda import memory_managers
from heddle.cuda.memory import as_pointer
from heddle.cuda.native_devices import native_device, pop_native, push_native
from heddle.cuda.streams import DefaultStream, Event, Stream, with_handle


@contextlib.contextmanager
def defer_cleanup():
    """In numba, memory is freed only after this context. Here freeing waits for no one, so it changes nothing."""
    yield


class Deallocations:
    """Memory that waits to be freed: none, as Heddle frees memory when its last owner lets go."""

    is_locked = False

    def clear(self):
        """Free what waits. Nothing does."""

    def __len__(self):
        return 0


class Context:
    """What numba.cuda calls a context: a device's memory, streams and events. device: a Device."""

    def __init__(self, device):
        self.device = device

    @property
    def id(self):
        return self.device.id

    @property
    def deallocations(self):
        """The memory that was let go and is not free yet, as numba keeps it."""
        return Deallocations()

    @property
    def memory_manager(self):
        """What allocates the device's memory: the plug-in's object, or the context where there is none."""
        return memory_managers.manager_of(self) or self

    def get_memory_info(self):
        """Free and total memory of the device, in bytes, as ``MemoryInfo(free, total)``."""
        return memory_managers.memory_info(self)

    def memalloc(self, bytesize):
        """Allocate ``bytesize`` bytes. Returns a MemoryPointer; raises MemoryError."""
        return as_pointer(self, memory_managers.allocate(self, bytesize))

    def memallocmanaged(self, bytesize, attach_global=True):
        """Allocate ``bytesize`` bytes that host and device both reach."""
        memory = self.device._native.allocate(bytesize, "managed")
        return as_pointer(self, memory, "managed")

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        """Allocate ``bytesize`` bytes of page-locked host memory. portable, wc: hints."""
        kind = "mapped" if mapped else "pinned"
        memory = memory_managers.allocate_on_host(self, bytesize, kind, portable, wc)
        return as_pointer(self, memory, kind)

    def mempin(self, owner, pointer, size, mapped=False):
        """Page-lock ``size`` bytes of the host's memory at ``pointer`` as long as the result lives.

        owner: what has the memory. Returns a PinnedMemory, or a MappedMemory when mapped.
        """
        return memory_managers.pin_host_memory(self, owner, pointer, size, mapped)

    def get_ipc_handle(self, memory):
        """A handle by which another process of this machine opens ``memory``, which ``memalloc`` returned.

        Raises CudaSupportError where the device has no such handles, CudaAPIError when the driver refuses.
        """
        return memory_managers.ipc_handle(memory)

    def create_stream(self):
        return Stream.of(self.device._native.create_stream())

    def create_external_stream(self, ptr):
        """A stream that another library made, by its driver's handle."""
        return with_handle(self.device._native, int(ptr))

    def create_event(self, timing=True):
        return Event(self.device._native.create_event(timing), self.device._native)

    def get_default_stream(self):
        return DefaultStream.numbered(self.device._native, 0)

    def get_legacy_default_stream(self):
        return DefaultStream.numbered(self.device._native, 1)

    def get_per_thread_default_stream(self):
        return DefaultStream.numbered(self.device._native, 2)

    def can_access_peer(self, peer_context):
        """Whether kernels of this device can be given memory of another one: a context, a device or its number."""
        return self.device._native.can_access(_native_of(peer_context))

    def enable_peer_access(self, peer_context, flags=0):
        """Let kernels of this device read and write the memory of another one. Doing it twice changes nothing.

        Raises ValueError where the hardware cannot; ``can_access_peer`` says whether it can.
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
            block = _largest_resident_block(variant, block, b2d_func)
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
        push_native(self.device._native)

    def pop(self):
        """Undo the last ``push()``."""
        if not pop_native():
            raise RuntimeError("no context was pushed on this thread: call push() before pop()")

    def defer_cleanup(self):
        return defer_cleanup()

    def __enter__(self):
        self.push()
        return self

    def __exit__(self, *error):
        pop_native()  # unless a close() inside has ended it already

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
    return native_device(peer.device if isinstance(peer, Context) else peer)


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


def _largest_resident_block(variant, block, dynamic_bytes):
    """The largest multiple of a warp's size, at most ``block``, such that a multiprocessor can run a block of it."""
    while block > 32 and not variant.active_blocks_per_multiprocessor(block, dynamic_bytes(block)):
        block -= 32
    return block
