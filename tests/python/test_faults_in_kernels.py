"""Kernels on the CPU device without index checks that access memory far outside arrays raise an exception."""

import os
import platform
import subprocess
import sys
import threading

import numpy as np
import pytest

import heddle
from heddle import carray, cuda
from heddle.errors import KernelRuntimeError

FAR = 10**9  # elements: gigabytes away


def unchecked(make, *arguments):
    """The result of `make` while HEDDLE_BOUNDS=0 is set."""
    os.environ["HEDDLE_BOUNDS"] = "0"
    try:
        return make(*arguments)
    finally:
        del os.environ["HEDDLE_BOUNDS"]


def jit(kernel, width=0):
    return unchecked(cuda.jit(width=width) if width else cuda.jit, kernel)


@jit
def write_far(a, step):
    a[cuda.grid(1) * step + step] = 1


@cuda.jit
def count_up(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1


def launch_and_wait(kernel, *arguments):
    kernel[16, 64](*arguments)
    cuda.synchronize()


def test_an_index_far_outside_is_an_error(cpu):
    with pytest.raises(
        KernelRuntimeError, match="(?s)accessed memory at 0x.*HEDDLE_BOUNDS=0"
    ) as error:
        launch_and_wait(write_far, np.zeros(10), FAR)
    assert "kernel write_far" in str(error.value)
    assert error.value.tid is None


def test_kernels_run_after_it_as_before(cpu):
    for _ in range(20):
        with pytest.raises(KernelRuntimeError):
            launch_and_wait(write_far, np.zeros(10), FAR)
    a = np.zeros(1000)
    launch_and_wait(count_up, a)
    assert a.sum() == 1000


def test_one_thread_at_a_time_is_no_different(cpu):
    scalar = jit(write_far.py_func, width=1)
    with pytest.raises(KernelRuntimeError, match="accessed memory"):
        launch_and_wait(scalar, np.zeros(10), FAR)


def test_a_kernel_with_barriers_is_left_between_them(cpu):
    @jit
    def kernel(a, step):
        s = cuda.shared.array(64, np.float64)
        s[cuda.threadIdx.x] = a[0]
        cuda.syncthreads()
        a[cuda.threadIdx.x * step + step] = s[0]
        cuda.syncthreads()
        a[0] = s[1]

    with pytest.raises(KernelRuntimeError, match="accessed memory"):
        launch_and_wait(kernel, np.zeros(10), FAR)


def test_the_error_names_how_much_shared_memory_the_launch_has(cpu):
    kernel = unchecked(
        heddle.RawKernel,
        """extern "C" __global__ void fill(float *out, int step) {
             extern __shared__ float s[];
             s[(threadIdx.x + 1) * step] = 1;
             out[threadIdx.x] = s[(threadIdx.x + 1) * step];
           }""",
        "fill",
    )
    with pytest.raises(RuntimeError, match="the 256 bytes of dynamic shared memory"):
        kernel((1,), (32,), (np.zeros(32, np.float32), np.int32(50_000_000)), shared_mem=256)
        cuda.synchronize()


def test_threads_of_the_program_go_on(cpu):
    results = []

    def work():
        with cuda.current_context("cpu"):
            own = cuda.stream()
            for _ in range(10):
                with pytest.raises(KernelRuntimeError):
                    write_far[16, 64, own](cuda.device_array(10), FAR)
                    own.synchronize()
                a = np.zeros(1000)
                count_up[16, 64, own](a)
                own.synchronize()
                results.append(a.sum())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1000] * 40


def test_a_forked_process_gets_it_too(cpu):
    launch_and_wait(count_up, np.zeros(1000))
    child = os.fork()
    if child == 0:
        try:
            launch_and_wait(write_far, np.zeros(10), FAR)
        except KernelRuntimeError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_fault_that_is_not_a_kernels_goes_where_it_went(run_python):
    result = run_python(
        """
import ctypes, faulthandler
faulthandler.enable()
import numpy as np
from heddle import cuda
@cuda.jit
def kernel(a): a[0] = 1
kernel[1, 1](np.zeros(1))
ctypes.string_at(0)
""",
        HEDDLE_DEVICE="cpu",
    )
    assert result.returncode == -11
    assert "Fatal Python error: Segmentation fault" in result.stderr


def test_a_block_that_is_larger_than_its_device_array_does_no_harm(run_script):
    result = run_script(
        "import numpy as np\n"
        "from numba import cuda\n"
        "@cuda.jit\n"
        "def fill(a):\n"
        "    a[cuda.threadIdx.x] = 1.0\n"
        "for n in [1, 5, 10, 100, 1000] * 20:\n"
        "    copied, made = cuda.to_device(np.zeros(n)), cuda.device_array(n)\n"
        "    fill[1, 1024](copied)\n"
        "    fill[1, 1024](made)\n"
        "    assert copied.copy_to_host().sum() == made.copy_to_host().sum() == n\n"
        "print('alive')\n",
        env={"HEDDLE_DEVICE": "cpu", "HEDDLE_BOUNDS": "0"},
    )
    assert (result.stderr, result.stdout) == ("", "alive\n")


def test_a_launch_with_more_threads_than_its_numpy_array_has_elements_does_no_harm(run_script):
    result = run_script(
        "import numpy as np\n"
        "from numba import cuda\n"
        "@cuda.jit\n"
        "def add(a):\n"
        "    a[cuda.grid(1)] += 1\n"
        "for kind in 'bfdD':\n"
        "    for n in [0, *range(1, 2000, 61), 4000]:\n"
        "        a, b = np.zeros(n, kind), np.ones(5)\n"
        "        add[(n + 255) // 256 or 1, 256](a)\n"
        "        assert (a == 1).all() and (b == 1).all()\n"
        "print('alive')\n",
        env={"HEDDLE_DEVICE": "cpu", "HEDDLE_BOUNDS": "0"},
    )
    assert (result.stderr, result.stdout) == ("", "alive\n")


def test_large_arrays_of_a_program_for_numba_have_room_behind_them(run_script):
    result = run_script(
        "from numba import cuda\n"
        "import numpy as np\n"
        "@cuda.jit\n"
        "def add(a):\n"
        "    a[cuda.grid(1)] += 1\n"
        "kept = []\n"
        "for n in range(9000, 300000, 7777):\n"
        "    a = np.concatenate([np.zeros(n // 2), np.zeros(n - n // 2)])\n"
        "    a.resize(n + 99, refcheck=False)\n"
        "    kept = kept[-5:] + [np.ones(n // 3)]\n"
        "    add[(n + 99) // 1024 + 1, 1024](a)\n"
        "    assert (a == 1).all() and all((k == 1).all() for k in kept)\n"
        "try:\n"
        "    np.zeros(1 << 55)\n"
        "except MemoryError:\n"
        "    print('alive')\n",
        env={"HEDDLE_DEVICE": "cpu", "HEDDLE_BOUNDS": "0"},
    )
    # Under a sanitizer, a warning tells of the failed allocation.
    assert result.stdout == "alive\n" and (not result.stderr or "LD_PRELOAD" in os.environ)


def test_only_programs_for_numba_get_room_behind_their_arrays():
    script = "import numpy as np, heddle\nprint(np._core.multiarray.get_handler_name())"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.stdout == "default_allocator\n"


@cuda.jit
def write_past_a_pointer(a, i):
    carray(a.ctypes, 100)[i] = 2


@cuda.jit
def write_past_a_view(a, i):
    np.lib.stride_tricks.as_strided(a, (100,), (8,))[i] = 2


past = cuda.declare_device(
    "past",
    "int32(CPointer(float64), int32)",
    link=cuda.CUSource(
        'extern "C" __device__ int past(int *result, double *a, int i) { a[i] = 2; return 0; }'
    ),
)


@cuda.jit
def write_past_in_cuda(a, i):
    past(a.ctypes, i)


@pytest.mark.parametrize("kernel", [write_past_a_pointer, write_past_a_view, write_past_in_cuda])
def test_an_access_by_an_address_past_a_small_array_does_no_harm(cpu, kernel):
    memory = np.zeros(100)
    kernel[1, 64](memory[:4], 3)
    kernel[1, 64](memory[:4], 10)
    assert memory.tolist() == [0, 0, 0, 2] + [0] * 96


def test_a_kernel_whose_accesses_are_checked_works_in_a_small_array(cpu):
    @cuda.jit
    def wait(a):
        for _ in range(2000):
            if cuda.atomic.add(a, 0, 0) > 0:
                a[1] = 7
                break
            cuda.nanosleep(1000000)

    a = np.zeros(2, np.int32)
    wait[1, 1](np.ones(2, np.int32))
    timer = threading.Timer(0.05, a.__setitem__, (0, 1))
    timer.start()
    wait[1, 64](a)
    assert a.tolist() == [1, 7]


def test_what_a_kernel_wrote_before_it_failed_is_in_its_array(cpu):
    @cuda.jit
    def k(x):
        i = cuda.threadIdx.x
        if i < x.size:
            x[i] = 7
        if i == 63:
            raise ValueError

    x = np.zeros(10)
    with pytest.raises(ValueError):
        k[1, 64](x)
    assert (x == 7).all()


def test_threads_that_launch_at_the_same_time_have_room_of_their_own(cpu):
    @jit
    def add(x):
        x[cuda.threadIdx.x] += 1

    arrays = [np.zeros(n, np.int64) for n in range(1, 9)]

    def launch_often(x):
        for _ in range(200):
            add[1, 64](x)

    threads = [threading.Thread(target=launch_often, args=(x,)) for x in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((x == 200).all() for x in arrays)


def test_arrays_of_rows_in_fortrans_order_have_room_too(cpu):
    @jit
    def k(x, y):
        i, j = cuda.grid(2)
        if j < 3:
            x[i, j] = 10 * i + j
        y[i] = i

    x, y = np.zeros((5, 3), order="F"), np.zeros(7, np.int16)
    k[(1, 1), (8, 8)](x, y)
    assert x[4, 2] == 42 and x[0, 1] == 1 and list(y) == list(range(7))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors allow the access")
def test_a_misaligned_vector_is_named_as_such(cpu):
    source = """
extern "C" __global__ void k(float4* x, int n) {
  float4 sum = x[0];
  for (int i = 1; i < n; ++i) sum.x += x[i].x, sum.y += x[i].y, sum.z += x[i].z, sum.w += x[i].w;
  x[0] = sum;
}"""
    x = cuda.to_device(np.zeros(65, "f4"))
    with pytest.raises(KernelRuntimeError, match="not a multiple of its size"):
        heddle.RawKernel(source, "k")(1, 1, (x.device_pointer + 4, 16))
        cuda.synchronize()
