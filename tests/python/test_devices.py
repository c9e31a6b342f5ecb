"""Devices, their attributes and contexts."""

import pickle
import threading

import pytest

from heddle import cuda

COMMON_ATTRIBUTES = [
    "MAX_THREADS_PER_BLOCK",
    "MAX_BLOCK_DIM_X",
    "MAX_BLOCK_DIM_Y",
    "MAX_BLOCK_DIM_Z",
    "MAX_GRID_DIM_X",
    "MAX_GRID_DIM_Y",
    "MAX_GRID_DIM_Z",
    "MAX_SHARED_MEMORY_PER_BLOCK",
    "WARP_SIZE",
    "MULTIPROCESSOR_COUNT",
    "CLOCK_RATE",
    "COMPUTE_CAPABILITY_MAJOR",
    "CONCURRENT_KERNELS",
    "UNIFIED_ADDRESSING",
]


def test_there_is_a_device():
    assert cuda.is_available()
    assert cuda.cuda_error() is None
    assert len(cuda.gpus) >= 1


def test_the_cpu_is_the_last_device():
    assert cuda.list_devices()[-1].type == "cpu"


def test_the_list_of_devices_can_be_walked():
    assert [device.id for device in cuda.gpus] == list(range(len(cuda.gpus)))
    assert cuda.gpus.lst[0] == cuda.gpus[0]


def test_a_device_has_a_name_and_a_uuid(device):
    assert isinstance(device.name, str)
    assert device.name
    assert device.uuid
    assert device.name in repr(device)


def test_the_name_of_a_device_can_be_decoded(device):
    assert device.name.decode() == device.name


def test_a_device_has_a_compute_capability(device):
    major, minor = device.compute_capability
    assert (major, minor) >= (5, 0)


def test_a_warp_has_32_lanes(device):
    assert device.WARP_SIZE == 32


@pytest.mark.parametrize("name", COMMON_ATTRIBUTES)
def test_a_device_answers_the_attributes_of_the_driver(device, name):
    assert isinstance(getattr(device, name), int)


def test_the_attributes_are_listed(device):
    assert set(COMMON_ATTRIBUTES) <= set(dir(device))


def test_an_attribute_that_the_driver_lacks_is_refused_with_a_hint(device):
    with pytest.raises(
        AttributeError, match=r"no device attribute 'WARPSIZE'; did you mean WARP_SIZE\?"
    ):
        _ = device.WARPSIZE


def test_the_current_device_is_the_selected_one(device):
    assert cuda.select_device(device.id).device == device
    assert cuda.get_current_device() == device
    assert cuda.gpus.current == device


def test_selecting_a_device_that_does_not_exist_is_refused():
    with pytest.raises(cuda.CudaSupportError, match="there is no device 99: this machine has"):
        cuda.select_device(99)


def test_a_device_is_current_inside_its_context():
    before = cuda.get_current_device()
    with cuda.gpus[-1] as last:
        assert cuda.get_current_device() == last
    assert cuda.get_current_device() == before


def test_each_thread_has_its_own_current_device(device):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(cuda.get_current_device()))
    thread.start()
    thread.join()
    assert seen == [cuda.gpus[0]]


def test_a_context_tells_free_and_total_memory(device):
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    assert cuda.current_context().get_memory_info().total == total


def test_a_context_that_was_not_pushed_cannot_be_popped():
    with pytest.raises(RuntimeError, match="no context was pushed"):
        cuda.current_context().pop()


def test_contexts_of_one_device_are_equal(device):
    assert cuda.current_context() == cuda.current_context(device.id)


def test_a_device_can_be_pickled(device):
    assert pickle.loads(pickle.dumps(device)) == device


def test_a_device_can_be_reset(device):
    device.reset()
    cuda.synchronize()


def test_everything_works_after_close(device):
    cuda.close()
    assert cuda.to_device([1, 2, 3])[1] == 2


def test_detect_prints_each_device_and_says_whether_one_works(capsys):
    assert cuda.detect() is True
    printed = capsys.readouterr().out
    assert all(device.name in printed for device in cuda.gpus)
    assert "devices are supported" in printed


def test_a_function_may_require_a_context():
    @cuda.require_context
    def f(a, b=2):
        """Adds."""
        return a + b

    assert (f(1), f.__doc__) == (3, "Adds.")


def test_cleanup_can_be_deferred():
    with cuda.defer_cleanup(), cuda.current_context().defer_cleanup():
        pass


def test_profiling_can_be_started_and_stopped():
    cuda.profile_start()
    cuda.profile_stop()
    with cuda.profiling():
        pass


def test_the_version_of_cuda_is_a_pair():
    major, minor = cuda.runtime.get_version()
    assert (major, minor) in cuda.runtime.supported_versions()
