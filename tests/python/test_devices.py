"""Devices, their attributes and contexts."""

import pickle
import threading

import numpy as np
import pytest

from heddle import _heddle, config, cuda

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


def test_a_device_is_made_from_its_number():
    made, listed = cuda.cudadrv.driver.Device(0), cuda.list_devices()[0]
    assert (made.id, made.name, made.compute_capability) == (
        0,
        listed.name,
        listed.compute_capability,
    )


def test_there_is_a_device():
    assert cuda.is_available()
    assert len(cuda.gpus) >= 1


def test_a_program_that_disables_cuda_finds_none(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_CUDA", 1)
    assert not cuda.is_available()


def test_a_device_of_the_list_has_numba_s_device_in_it():
    assert cuda.gpus[0]._device.name == cuda.gpus[0].name


def test_the_cpu_is_the_last_device():
    assert [device.type for device in cuda.all_devices()].index("cpu") == cuda.all_devices()[-1].id


def test_the_list_of_devices_can_be_walked():
    assert [device.id for device in cuda.all_devices()] == list(range(len(cuda.all_devices())))
    assert cuda.gpus.lst[0] == cuda.gpus[0]


def test_the_list_shows_gpus_or_else_the_cpu():
    gpus = [device for device in cuda.all_devices() if device.type == "cuda"]
    assert list(cuda.list_devices()) == (gpus or [cuda.all_devices()[-1]])


def test_there_is_a_reason_exactly_when_there_is_no_gpu():
    assert (cuda.cuda_error() is None) == (cuda.gpus[0].type == "cuda")


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


@pytest.mark.parametrize(
    ("which", "error", "message"),
    [
        (99, cuda.CudaSupportError, "there is no device 99: this machine has"),
        (-1, cuda.CudaSupportError, "there is no device -1"),
        ("cuda:99", cuda.CudaSupportError, "there is no device 'cuda:99'"),
        ("tpu", ValueError, "called 'cpu', 'cuda' or 'cuda:<number>', not 'tpu'"),
        ("cuda:", ValueError, "not 'cuda:'"),
        ("cuda:x", ValueError, "not 'cuda:x'"),
        ("cpu:0", ValueError, "not 'cpu:0'"),
        (1.5, TypeError, "a device is a number, 'cpu', .* not 1.5"),
        (None, TypeError, "not None"),
    ],
    ids=repr,
)
def test_selecting_a_device_that_does_not_exist_is_refused(which, error, message):
    with pytest.raises(error, match=message):
        cuda.select_device(which)


def test_the_cpu_is_selected_by_its_name(device):
    assert cuda.select_device("cpu").device.type == "cpu"
    assert cuda.get_current_device().type == "cpu"
    assert cuda.to_device([1, 2]).device.type == "cpu"


def test_a_device_is_selected_by_its_name(device):
    name = device.type if device.type == "cpu" else f"{device.type}:{device.id}"
    with cuda.current_context("cpu"):
        assert cuda.select_device(name).device == device


def test_a_device_can_select_itself(device):
    assert cuda.select_device(device).device == device


def test_the_environment_chooses_the_cpu(run_python):
    source = (
        "from heddle import cuda; print([d.type for d in cuda.all_devices()], cuda.cuda_error())"
    )
    result = run_python(source, HEDDLE_DEVICE="cpu")
    assert result.stdout == "['cpu'] HEDDLE_DEVICE=cpu leaves the GPUs out\n"


@pytest.mark.parametrize("name", ["tpu", "cuda:", "cuda:99"])
def test_a_wrong_choice_of_the_environment_is_told_at_first_use(run_python, name):
    source = "from heddle import cuda; print('imported', flush=True); cuda.device_array(3)"
    result = run_python(source, HEDDLE_DEVICE=name)
    assert result.stdout == "imported\n"
    assert f"ValueError: HEDDLE_DEVICE={name}: " in result.stderr
    assert result.returncode == 1


def test_another_device_may_be_selected_after_a_wrong_choice_of_the_environment(run_python):
    source = "from heddle import cuda; cuda.select_device('cpu'); print(cuda.to_device([3])[0])"
    assert run_python(source, HEDDLE_DEVICE="tpu").stdout == "3\n"


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
    assert seen == [cuda.all_devices()[_heddle.default_device_index()]]


def test_a_context_tells_free_and_total_memory(device):
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    assert cuda.current_context().get_memory_info().total == total


def test_a_context_that_was_not_pushed_cannot_be_popped():
    with pytest.raises(RuntimeError, match="no context was pushed"):
        cuda.current_context().pop()


def test_a_context_is_a_device_for_a_while():
    before = cuda.get_current_device()
    with cuda.current_context("cpu"):
        assert cuda.get_current_device().type == "cpu"
    assert cuda.get_current_device() == before


def test_a_device_reaches_its_own_memory(device):
    context = cuda.current_context()
    assert context.can_access_peer(device.id)
    context.enable_peer_access(context)


@pytest.mark.parametrize("make", ["create_module_ptx", "create_module_image"])
def test_a_context_loads_no_modules_of_others(device, make):
    with pytest.raises(NotImplementedError, match="compiled from a function with @cuda.jit"):
        getattr(cuda.current_context(), make)(b"")


def test_contexts_of_one_device_are_equal(device):
    assert cuda.current_context() == cuda.current_context(device.id)


def test_a_device_can_be_pickled(device):
    assert pickle.loads(pickle.dumps(device)) == device


def test_a_device_can_be_reset(device):
    before = cuda.to_device(np.arange(4))
    device.reset()
    assert cuda.to_device([1, 2, 3])[1] == 2
    np.testing.assert_array_equal(before.copy_to_host(), [0, 1, 2, 3])  # as long as it has an owner


def test_everything_works_after_close(device):
    cuda.close()
    assert cuda.to_device([1, 2, 3])[1] == 2


def test_detect_prints_each_device_and_says_whether_one_works(capsys):
    assert cuda.detect() is True
    printed = capsys.readouterr().out
    assert all(device.name in printed for device in cuda.all_devices())
    assert "devices are supported" in printed


def test_a_function_may_require_a_context():
    @cuda.require_context
    def f(a, b=2):
        """Adds."""
        return a + b

    assert (f(1), f.__doc__) == (3, "Adds.")


def test_arrays_are_made_and_freed_while_cleanup_is_deferred(device):
    with cuda.defer_cleanup(), cuda.current_context().defer_cleanup():
        values = [cuda.to_device(np.full(3, i))[0] for i in range(3)]
    assert values == [0, 1, 2]


def test_work_is_profiled(device):
    cuda.profile_start()
    first = cuda.to_device([1])[0]
    cuda.profile_stop()
    with cuda.profiling():
        second = cuda.to_device([2])[0]
    assert (first, second) == (1, 2)


def test_the_version_of_cuda_is_a_pair():
    major, minor = cuda.runtime.get_version()
    assert (major, minor) in cuda.runtime.supported_versions()


def test_memory_that_is_let_go_does_not_wait(device):
    context = cuda.current_context()
    array = cuda.device_array(1000)
    del array
    context.deallocations.clear()
    assert (len(context.deallocations), context.deallocations.is_locked) == (0, False)
