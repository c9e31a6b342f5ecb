"""Plug-ins that allocate GPU memory, and the classes they are built from."""

import ctypes
import gc
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.cuda import memory_managers
from heddle.cuda.cudadrv.driver import IpcHandle, MemoryPointer, NumbaCUDAMemoryManager


class Counting(cuda.HostOnlyCUDAMemoryManager):
    """Allocates as the runtime does, counts, and keeps its allocations in ``allocations``."""

    allocated, freed, resets = [], [], 0

    def memalloc(self, size):
        buffer = self.context.device._native.allocate(size)
        self.allocations[buffer.address] = buffer
        Counting.allocated.append(size)

        def free(address=buffer.address, kept=self.allocations):
            Counting.freed.append(size)
            kept.pop(address, None)

        return MemoryPointer(self.context, ctypes.c_uint64(buffer.address), size, finalizer=free)

    def get_ipc_handle(self, memory):
        return IpcHandle(memory, bytes(64), memory.size, self.context.device.uuid, offset=16)

    def get_memory_info(self):
        return cuda.MemoryInfo(free=1, total=2)

    def reset(self):
        Counting.resets += 1
        super().reset()


@pytest.fixture
def counting(device, monkeypatch):
    """The plug-in above in use for a device, even for the CPU device, which usually has none."""
    made = Counting(context=cuda.current_context())
    Counting.allocated, Counting.freed, Counting.resets = [], [], 0
    monkeypatch.setattr(memory_managers, "_plugin_is_known", True)
    monkeypatch.setattr(memory_managers, "find_or_create_plugin_manager", lambda device: made)
    monkeypatch.setitem(memory_managers._managers, device.id, made)
    return Counting


def test_a_context_names_what_allocates(device, counting):
    assert isinstance(cuda.current_context().memory_manager, Counting)


def test_a_context_without_a_plug_in_allocates_itself(device):
    manager = cuda.current_context().memory_manager
    manager.deallocations.clear()
    assert len(manager.deallocations) == 0 and manager.memalloc(64).size == 64


@pytest.mark.parametrize(
    "make",
    [
        lambda: cuda.device_array(10, np.float32),
        lambda: cuda.to_device(np.zeros(10, np.float32)),
        lambda: cuda.device_array_like(np.zeros(10, np.float32)),
        lambda: cuda.current_context().memalloc(40),
        lambda: cuda.cudadrv.devicearray.DeviceNDArray((10,), (4,), np.float32),
    ],
    ids=["device_array", "to_device", "device_array_like", "memalloc", "class"],
)
def test_a_plugin_allocates_and_frees(counting, make):
    made = make()
    assert (counting.allocated, counting.freed) == ([40], [])
    del made
    gc.collect()
    assert counting.freed == [40]


def test_a_view_keeps_a_plugins_memory(counting):
    view = cuda.to_device(np.arange(10.0))[5:]
    gc.collect()
    assert counting.freed == []
    np.testing.assert_array_equal(view.copy_to_host(), np.arange(5.0, 10.0))
    assert view.gpu_data.size == 80


def test_a_kernel_uses_a_plugins_memory(counting):
    @cuda.jit
    def double(x):
        x[cuda.grid(1)] *= 2

    d = cuda.to_device(np.arange(4.0))
    double[1, 4](d)
    np.testing.assert_array_equal(d.copy_to_host(), [0, 2, 4, 6])


def test_a_plugin_that_brings_device_memory_leaves_host_memory_alone(counting):
    made = cuda.pinned_array(3), cuda.mapped_array(3)
    for array in made:
        array[:] = 1
        assert array.sum() == 3
    assert counting.allocated == []


def test_a_plugin_tells_the_memory(counting):
    assert cuda.current_context().get_memory_info() == (1, 2)


def test_a_plugin_hears_of_a_reset(counting, device):
    device.reset()
    assert counting.resets == 1


def test_a_plugin_makes_the_handles_of_its_memory(counting):
    handle = cuda.to_device(np.arange(10.0))[2:].get_ipc_handle()
    assert handle._ipc_handle.offset == 16 + 2 * 8


def test_the_cpu_device_has_no_plugin(cpu):
    try:
        cuda.set_memory_manager(Counting)
        before = len(Counting.allocated)
        assert cuda.to_device([1, 2])[1] == 2
        assert len(Counting.allocated) == before
    finally:
        cuda.set_memory_manager(None)


@pytest.mark.parametrize("what", [3, object, Counting.__init__], ids=["number", "class", "method"])
def test_what_is_no_memory_manager_is_refused(what):
    with pytest.raises(TypeError, match="derived from BaseCUDAMemoryManager"):
        cuda.set_memory_manager(what)


def test_a_manager_needs_its_context():
    with pytest.raises(RuntimeError, match="needs the argument context="):
        Counting()


def test_a_manager_that_lacks_a_method_cannot_be_made(device):
    class Half(cuda.BaseCUDAMemoryManager):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half(context=cuda.current_context())


def test_memory_is_freed_once(device):
    freed = []
    memory = MemoryPointer(cuda.current_context(), 4096, 8, finalizer=lambda: freed.append(1))
    memory.free()
    memory.free()
    del memory
    assert freed == [1]


def test_memory_without_a_finalizer_is_not_freed(device):
    memory = MemoryPointer(cuda.current_context(), None, 0)
    assert (memory.device_pointer.value, memory.owner) == (0, memory)
    memory.free()


@pytest.mark.parametrize("mapped", [False, True])
def test_a_manager_pins_memory_of_the_host(device, mapped):
    array = np.zeros(1 << 14)
    manager = Counting(context=cuda.current_context())
    memory = manager.mempin(array, array.ctypes.data, array.nbytes, mapped)
    assert isinstance(memory, cuda.MappedMemory if mapped else cuda.PinnedMemory)
    np.asarray(memory)[:8] = 255
    assert np.isnan(array[0])


def test_host_memory_of_a_context_is_seen_by_numpy(device):
    memory = cuda.current_context().memhostalloc(16)
    np.asarray(memory).view(np.int64)[:] = [3, 4]
    assert np.frombuffer(np.asarray(memory), np.int64).tolist() == [3, 4]


# Handles for other processes


def test_a_handle_can_be_sent(device):
    handle = IpcHandle(object(), bytes(range(64)), 100, "GPU-0", offset=8)
    sent = pickle.loads(pickle.dumps(handle))
    assert (sent.base, sent.handle, sent.size) == (None, bytes(range(64)), 100)
    assert (sent.source_info, sent.offset) == ("GPU-0", 8)


def test_a_handle_is_not_opened_where_it_was_made(device):
    handle = IpcHandle(object(), bytes(64), 100)
    with pytest.raises(ValueError, match="this process made the handle"):
        handle.open(cuda.current_context())


def test_a_handle_is_opened_as_a_device_array(cpu):
    """For a device whose driver opens any handle as memory of this process."""
    memory = cuda.to_device(np.arange(10.0)).gpu_data.owner
    exporter = SimpleNamespace(
        _native=SimpleNamespace(import_memory=lambda handle, size: memory),
        get_primary_context=cuda.current_context,
    )
    device = SimpleNamespace(_get_device_by_identity_or_self=lambda identity: exporter)
    handle = IpcHandle(None, bytes(64), 80, offset=16)
    array = handle.open_array(SimpleNamespace(device=device), (4,), np.float64)
    assert isinstance(array, cuda.cudadrv.devicearray.DeviceNDArray)
    np.testing.assert_array_equal(array.copy_to_host(), [2, 3, 4, 5])


def test_a_handle_that_is_not_open_is_not_closed():
    with pytest.raises(ValueError, match="not open"):
        IpcHandle(None, bytes(64), 100).close()


def test_the_cpu_device_shares_no_memory_with_other_processes(cpu):
    with pytest.raises(heddle.UnsupportedError, match="does not share memory"):
        cuda.to_device(np.zeros(3)).get_ipc_handle()
    with pytest.raises(heddle.UnsupportedError, match="does not share memory"):
        with cuda.open_ipc_array(bytes(64), 3, np.float32):
            pass


# From the environment


def test_the_environment_may_name_the_default_manager(run_python):
    result = run_python(
        "from heddle import cuda; print(cuda.to_device([5])[0])",
        NUMBA_CUDA_MEMORY_MANAGER="default",
    )
    assert (result.stdout, result.stderr) == ("5\n", "")


def test_a_manager_that_cannot_be_found_is_told_when_it_is_needed(run_python):
    source = "from heddle.cuda import memory_managers; print('imported', flush=True)\n"
    source += "memory_managers._load_plugin_from_environment()"
    result = run_python(source, NUMBA_CUDA_MEMORY_MANAGER="no.such.module")
    assert result.stdout == "imported\n"
    assert (
        "CudaSupportError: NUMBA_CUDA_MEMORY_MANAGER=no.such.module: it must name" in result.stderr
    )


def test_the_runtimes_own_allocation_is_a_memory_manager_to_extend(device):
    manager = NumbaCUDAMemoryManager(context=cuda.current_context())
    assert manager.memalloc(64).size == 64
    assert manager.get_memory_info().total == cuda.current_context().get_memory_info().total
