"""CuPy's device memory: blocks, pointers, pools and allocators."""

import ctypes
import gc
import io
import json
import pickle
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import heddle.compat.cupy as cp
import heddle.compat.cupyx as cupyx
from heddle.compat.cupy.pools import memory_pointers, memory_pools

pytestmark = pytest.mark.usefixtures("cpu")

memory = cp.cuda.memory
UNIT = 512


@pytest.fixture
def pool():
    """The pool that the test's arrays come from."""
    made = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(made.malloc):
        yield made


class CountedMemory(cp.cuda.Memory):
    """Addresses that are never accessed: the tests only look at what a pool does with them."""

    next_address = 4096

    def __init__(self, size):
        self.ptr, self.size, self.device_id = CountedMemory.next_address, size, 0
        CountedMemory.next_address += size


@pytest.fixture
def addresses():
    return memory.SingleDeviceMemoryPool(lambda size: cp.cuda.MemoryPointer(CountedMemory(size), 0))


def test_arrays_get_their_memory_from_the_pool(pool):
    x = cp.arange(128)
    assert x.data.mem.size == pool.used_bytes() == pool.total_bytes() == 1024
    assert isinstance(x.data.mem, memory.PooledMemory)


@pytest.mark.parametrize(
    "make",
    [
        lambda: cp.ones(3) + 1,
        lambda: cp.array([[1, 2], [3, 4]]).astype("f"),
        lambda: cp.arange(10)[cp.arange(10) > 5],
        lambda: cp.random.rand(4),
        lambda: cp.ones((2, 3)).T.copy(),
    ],
)
def test_the_memory_of_results_comes_from_the_pool_too(pool, make):
    x = make()
    assert x.data.mem.pool() is pool._current_device_pool and pool.used_bytes() == UNIT


def test_a_view_uses_the_memory_of_its_array(pool):
    x = cp.arange(8)
    view = x[2:].reshape(2, 3)
    assert view.data.mem is x.data.mem and view.data.ptr == x.data.ptr + 16


def test_an_array_of_a_numpy_array_is_a_copy():
    values = np.arange(3)
    x = cp.asarray(values)
    values[0] = 9
    assert x.tolist() == [0, 1, 2] and cp.asarray(x) is x


def test_a_copy_keeps_the_order_of_its_axes():
    x = np.zeros((2, 3, 4)).transpose(1, 0, 2)
    assert cp.asarray(x).strides == x.strides


def test_freed_memory_stays_in_the_pool_until_it_is_given_up(pool):
    x = cp.zeros(100, "f")
    del x
    assert (pool.used_bytes(), pool.free_bytes(), pool.n_free_blocks()) == (0, UNIT, 1)
    pool.free_all_blocks()
    assert (pool.total_bytes(), pool.n_free_blocks()) == (0, 0)


def test_freed_memory_is_used_again(addresses):
    first = addresses.malloc(1000).ptr
    assert addresses.malloc(600).ptr == first and addresses.malloc(2000).ptr != first


@pytest.mark.parametrize("allocate", [memory.alloc, lambda size: memory.MemoryPool().malloc(size)])
def test_a_size_may_be_a_number_of_numpys(allocate):
    assert allocate(np.uint32(1000)).mem.size == 2 * UNIT


def test_a_block_is_split_and_becomes_one_again(addresses):
    start = addresses.malloc(4 * UNIT).ptr
    head, tail = addresses.malloc(2 * UNIT), addresses.malloc(2 * UNIT)
    assert (head.ptr, tail.ptr) == (start, start + 2 * UNIT)
    del head, tail
    assert addresses.n_free_blocks() == 1 and addresses.malloc(4 * UNIT).ptr == start


def test_the_smallest_block_that_fits_is_taken(addresses):
    large, small = addresses.malloc(8 * UNIT), addresses.malloc(2 * UNIT)
    wanted = small.ptr
    del large, small
    assert addresses.malloc(2 * UNIT).ptr == wanted


def test_a_part_of_a_split_block_is_not_given_up(addresses):
    addresses.malloc(4 * UNIT)
    head = addresses.malloc(2 * UNIT)
    addresses.free_all_blocks()
    assert addresses.free_bytes() == 2 * UNIT and addresses.total_bytes() == 4 * UNIT
    del head
    addresses.free_all_blocks()
    assert addresses.total_bytes() == 0


def test_a_stream_does_not_get_what_another_one_freed(addresses):
    first = addresses.malloc(UNIT).ptr
    with cp.cuda.Stream():
        assert addresses.malloc(UNIT).ptr != first
    assert addresses.malloc(UNIT).ptr == first


def test_the_blocks_of_one_stream_are_given_up_alone(addresses):
    addresses.malloc(UNIT)
    with cp.cuda.Stream():
        kept = addresses.malloc(UNIT).ptr
        addresses.free_all_blocks(stream=cp.cuda.Stream.null)
        assert addresses.free_bytes() == UNIT and addresses.malloc(UNIT).ptr == kept


def test_each_thread_has_its_own_blocks_on_the_default_stream_of_threads(addresses):
    found = []

    def allocate():
        with cp.cuda.Stream.ptds:
            found.append(addresses.malloc(UNIT).ptr)

    allocate()
    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert len(set(found)) == 2


def test_memory_may_be_freed_twice(pool):
    piece = pool.malloc(1).mem
    piece.free()
    piece.free()
    assert pool.n_free_blocks() == 1


def test_no_bytes_are_no_memory_of_the_pool(pool):
    piece = pool.malloc(0).mem
    assert (type(piece), piece.size, pool.total_bytes()) == (cp.cuda.Memory, 0, 0)


def test_memory_outlives_its_pool():
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.full(1000, 7)
    del pool
    gc.collect()
    assert x.sum() == 7000


def test_a_limit_is_an_exception_with_the_sizes(pool):
    pool.set_limit(size=2048)
    x = cp.zeros(128)
    with pytest.raises(cp.cuda.OutOfMemoryError) as refused:
        cp.zeros(1024)
    assert str(refused.value) == (
        "Out of memory allocating 8,192 bytes (allocated so far: 1,024 bytes, limit set to: 2,048 bytes)."
    )
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value) and x.sum() == 0


def test_free_blocks_are_given_up_for_the_limit(pool):
    pool.set_limit(size=2048)
    cp.zeros(128)
    assert cp.zeros(256).data.mem.size == pool.total_bytes() == 2048


def test_a_limit_is_a_fraction_of_the_memory(pool):
    total = cp.cuda.runtime.memGetInfo()[1]
    pool.set_limit(fraction=0.25)
    assert pool.get_limit() == int(0.25 * total)
    pool.set_limit()
    assert pool.get_limit() == 0


@pytest.mark.parametrize("wrong", [{"size": -1}, {"fraction": 1.1}, {"size": 1, "fraction": 0.5}])
def test_a_wrong_limit_is_refused(pool, wrong):
    with pytest.raises(ValueError, match="limit"):
        pool.set_limit(**wrong)


@pytest.mark.parametrize("limit, expected", [("1024", 1024), ("0%", 0)])
def test_the_environment_sets_the_limit(monkeypatch, limit, expected):
    monkeypatch.setenv("CUPY_GPU_MEMORY_LIMIT", limit)
    assert cp.cuda.MemoryPool().get_limit() == expected


@pytest.mark.parametrize("make", [lambda: cp.zeros(10**15), lambda: cp.cuda.alloc(10**15)])
def test_more_than_there_is_is_one_exception(make):
    with pytest.raises(cp.cuda.OutOfMemoryError, match="Out of memory allocating"):
        make()
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="cudaErrorMemoryAllocation"):
        cp.cuda.runtime.malloc(10**15)


def test_without_an_allocator_no_pool_is_used():
    pool, before = cp.get_default_memory_pool(), cp.cuda.get_allocator()
    assert cp._default_memory_pool is pool
    used = pool.used_bytes()
    cp.cuda.set_allocator(None)
    try:
        x = cp.arange(100)
        assert pool.used_bytes() == used and type(x.data.mem) is cp.cuda.Memory
    finally:
        cp.cuda.set_allocator(before)


def test_the_allocator_of_a_with_statement_is_the_threads_own(pool):
    other, seen = cp.cuda.MemoryPool(), []
    with cp.cuda.using_allocator(other.malloc):
        thread = threading.Thread(target=lambda: seen.append(cp.cuda.get_allocator()))
        thread.start()
        thread.join()
        assert cp.cuda.get_allocator() == other.malloc
        with pytest.raises(ValueError, match="using_allocator"):
            cp.cuda.set_allocator(pool.malloc)
    assert cp.cuda.get_allocator() == pool.malloc
    assert seen == [cp.get_default_memory_pool().malloc]


def test_functions_of_python_allocate():
    runtime, calls = cp.cuda.runtime, []

    def malloc(size, device):
        calls.append(("malloc", size, device))
        return runtime.malloc(size)

    def free(address, device):
        calls.append(("free", device))
        runtime.free(address)

    with cp.cuda.using_allocator(cp.cuda.PythonFunctionAllocator(malloc, free).malloc):
        cp.zeros(10)
    assert calls == [("malloc", 80, 0), ("free", 0)]


def test_functions_of_c_allocate():
    library = ctypes.CDLL(None)
    signature = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]
    malloc = signature(lambda param, size, device: library.malloc(size))
    freed = []
    free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
        lambda param, address, device: (freed.append(address), library.free(address))
    )
    address_of = lambda function: ctypes.cast(function, ctypes.c_void_p).value  # noqa: E731
    allocator = cp.cuda.CFunctionAllocator(
        0, address_of(malloc), address_of(free), (malloc, free, library)
    )
    with cp.cuda.using_allocator(allocator.malloc):
        address = cp.ones(4).data.ptr
    assert freed == [address]


def test_memory_for_a_stream_knows_it():
    with cp.cuda.Stream() as stream, cp.cuda.using_allocator(cp.cuda.malloc_async):
        assert cp.cuda.alloc(100).mem.stream == stream.ptr


def test_the_runtimes_pool_counts_what_is_in_use():
    pool = cp.cuda.MemoryAsyncPool()
    pointer = pool.malloc(100)
    assert type(pointer.mem) is cp.cuda.MemoryAsync and pool.used_bytes() == UNIT
    del pointer
    assert pool.used_bytes() == 0
    with pytest.raises(NotImplementedError):
        pool.n_free_blocks()


def test_managed_memory_takes_hints():
    piece = cp.cuda.malloc_managed(64).mem
    piece.prefetch(cp.cuda.Stream.null)
    piece.advise(1, cp.cuda.Device())
    assert isinstance(piece, cp.cuda.ManagedMemory) and piece.size == 64


def test_memory_of_others_is_kept_and_knows_its_device():
    owner = cp.cuda.alloc(24)
    unowned = cp.cuda.UnownedMemory(owner.ptr, 24, owner)
    x = cp.ndarray((2, 3), "f", cp.cuda.MemoryPointer(unowned, 0))
    del owner
    x[...] = 2
    assert (unowned.device_id, unowned.size, float(x.sum())) == (0, 24, 12)
    with pytest.raises(RuntimeError, match="device_id"):
        cp.cuda.UnownedMemory(0, 0, None)


def test_pinned_memory_has_a_pool():
    pool = cp.cuda.PinnedMemoryPool()
    pointer = pool.malloc(100)
    address, values = pointer.ptr, np.frombuffer(pointer, "f", 4)
    values[:] = 3
    assert (pointer + 4).ptr == address + 4 and pointer.size() == UNIT
    del pointer, values
    assert pool.n_free_blocks() == 1 and pool.malloc(300).ptr == address
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0


def test_pinned_arrays_are_made_like_others():
    x = np.ones((2, 3, 4), "f").transpose(1, 0, 2)
    zeros, empty = cupyx.zeros_like_pinned(x), cupyx.empty_like_pinned(x, "i4", shape=5)
    assert (zeros.shape, zeros.strides, zeros.dtype) == (x.shape, x.strides, x.dtype)
    assert not zeros.any() and (empty.shape, empty.dtype) == ((5,), np.int32)


def test_strides_reach_no_further_than_the_memory():
    with pytest.raises(ValueError, match="does not fit into the memory's 512 bytes"):
        cp.ndarray((3,), "f", strides=(1 << 20,))


def test_a_number_of_bytes_to_set_is_whole():
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        cp.cuda.alloc(16).memset(0, 2.5)


def test_a_hook_sees_what_a_pool_does(addresses):
    seen = []

    class Hook(cp.cuda.MemoryHook):
        def __getattribute__(self, name):
            if name.endswith("process"):
                return lambda **facts: seen.append((name, sorted(facts)))
            return super().__getattribute__(name)

    with Hook():
        addresses.malloc(1)
        addresses.malloc(2)
    of_free = ["device_id", "mem_ptr", "mem_size", "pmem_id"]
    assert seen[:6] == [
        ("malloc_preprocess", ["device_id", "mem_size", "size"]),
        ("alloc_preprocess", ["device_id", "mem_size"]),
        ("alloc_postprocess", ["device_id", "mem_ptr", "mem_size"]),
        ("malloc_postprocess", ["device_id", "mem_ptr", "mem_size", "pmem_id", "size"]),
        ("free_preprocess", of_free),
        ("free_postprocess", of_free),
    ]
    assert [name for name, _ in seen[6:8]] == ["malloc_preprocess", "malloc_postprocess"]


def test_a_hook_is_active_once_and_only_in_its_context(addresses):
    hook = cp.cuda.memory_hooks.DebugPrintHook(file=io.StringIO())
    with hook, pytest.raises(KeyError, match="DebugPrintHook is active already"):
        hook.__enter__()
    held = addresses.malloc(1)
    assert held.ptr and hook._file.getvalue() == ""


def test_the_printing_hook_writes_json(addresses):
    file = io.StringIO()
    with cp.cuda.memory_hooks.DebugPrintHook(file=file):
        held = addresses.malloc(1)
    alloc, malloc = map(json.loads, file.getvalue().splitlines())
    facts = {"device_id": 0, "mem_size": UNIT, "mem_ptr": held.ptr}
    assert alloc == {"hook": "alloc", **facts}
    assert malloc == {"hook": "malloc", "size": 1, "pmem_id": hex(id(held.mem)), **facts}


def test_a_pool_does_not_give_one_device_the_memory_of_another(monkeypatch):
    # The CPU device and the first GPU are both number 0 to a program that uses one of them.
    gpu = SimpleNamespace(type="cuda", index=0)
    pool = cp.cuda.MemoryPool()
    freed = pool.malloc(1000)
    on_cpu, address = freed.mem.native, freed.ptr
    del freed
    assert pool.free_bytes() > 0
    monkeypatch.setattr(memory_pools, "current_native", lambda: gpu)
    assert pool.free_bytes() == 0
    monkeypatch.undo()
    again = pool.malloc(1000)
    assert again.ptr == address and again.mem.native == on_cpu


def test_memory_stays_its_devices(monkeypatch):
    memory = cp.cuda.alloc(64).mem
    on_cpu = memory.native
    monkeypatch.setattr(memory_pointers, "get_native_device", lambda number: None)
    assert memory.native == on_cpu


def test_rows_are_copied_between_pitches():
    source, target = np.arange(12, dtype="u1").reshape(3, 4), cp.zeros((3, 8), "u1")
    runtime = cp.cuda.runtime
    runtime.memcpy2D(
        target.data.ptr + 1, 8, source.ctypes.data, 4, 2, 3, runtime.memcpyHostToDevice
    )
    np.testing.assert_array_equal(target[:, 1:3], source[:, :2])
    assert target.sum() == source[:, :2].sum()
    with pytest.raises(runtime.CUDARuntimeError, match="rows of 5 bytes overlap"):
        runtime.memcpy2D(target.data.ptr, 8, source.ctypes.data, 4, 5, 2, 1)
