"""Grid-stride loops on the CPU device: threads may exchange parts of the range where the result cannot show it."""

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, int32, int64, void

SHAPES = [(3, 32), (5, 48), (1, 16), (2, 20), (7, 1), (1, 1024)]  # blocks, threads of one
SIZES = [0, 1, 15, 16, 17, 100, 1000, 5003]
N = 1000
SHARED = "threads share stretches of the range of a grid-stride loop"
SHARED_IN_BLOCK = "a block's threads share the rounds of a grid-stride loop"


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("the order of threads is the CPU device's")


def is_shared(kernel, how=SHARED):
    return any(how in remark for remarks in kernel.inspect_remarks().values() for remark in remarks)


def by_range(y, x, n):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        y[i] = 2 * x[i] + y[i]


def by_while(y, x, n):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    while i < n:
        y[i] = 2 * x[i] + y[i]
        i += cuda.blockDim.x * cuda.gridDim.x


def by_size(y, x, n):
    step = cuda.gridDim.x * cuda.blockDim.x
    for i in range(cuda.grid(1), y.size, step):
        if i < n:
            y[i] += 2 * x[i]


@pytest.mark.parametrize("function", [by_range, by_while, by_size], ids=lambda f: f.__name__)
@pytest.mark.parametrize("declared", [False, True])
def test_each_element_is_visited_once(function, declared):
    kernel = cuda.jit(void(int32[:], int32[:], int64))(function) if declared else cuda.jit(function)
    for blocks, threads in SHAPES:
        for n in SIZES:
            x, y = np.arange(5010, dtype=np.int32), np.ones(5010, np.int32)
            kernel[blocks, threads](y, x, n)
            expected = np.where(np.arange(5010) < n, 2 * x + 1, 1)
            np.testing.assert_array_equal(y, expected, f"{blocks} x {threads}, {n}")
    assert is_shared(kernel) or declared  # two arrays may overlap


@pytest.mark.parametrize("index", ["int", "unsigned", "size_t", "long long"])
def test_each_element_is_visited_once_in_cuda_cpp(index):
    kernel = heddle.RawKernel(
        f"""extern "C" __global__ void k({index} n, const float* __restrict__ x, float* __restrict__ y) {{
          for ({index} i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
            y[i] = 2 * x[i] + y[i];
        }}""",
        "k",
    )
    kind = {"int": np.int32, "unsigned": np.uint32, "size_t": np.uint64}.get(index, np.int64)
    for blocks, threads in SHAPES:
        for n in SIZES:
            x, y = np.arange(5010, dtype=np.float32), np.ones(5010, np.float32)
            kernel((blocks,), (threads,), (kind(n), x, y))
            np.testing.assert_array_equal(y, np.where(np.arange(5010) < n, 2 * x + 1, 1))


def sum_of_a_thread(out, x):
    total = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    out[cuda.grid(1)] = total


def slot_of_a_thread(out, x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i % cuda.gridsize(1)] += x[i]


def thread_of_an_element(out, x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = cuda.threadIdx.x + x[i]


def block_of_an_element(out, x):
    block = cuda.blockIdx.x
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = block


def thread_decides(out, x):
    mine = cuda.threadIdx.x < 5
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if mine:
            out[i] = x[i]


def one_round_after_another(out, x):
    for i in range(cuda.grid(1), x.size - cuda.gridsize(1), cuda.gridsize(1)):
        out[i + cuda.gridsize(1)] = out[i] + x[i]


def range_of_a_block(out, x):
    for i in range(cuda.grid(1), x.size - cuda.blockIdx.x * 7, cuda.gridsize(1)):
        out[i] = x[i]


def sum_of_a_block(out, x):
    s = cuda.shared.array(1, int32)
    s[0] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(s, 0, int32(x[i]))
    cuda.syncthreads()
    out[cuda.blockIdx.x] = s[0]


def last_of_a_thread(out, x):
    i = cuda.grid(1)
    while i < x.size:
        out[i] = x[i]
        i += cuda.gridsize(1)
    out[cuda.grid(1)] = i


OBSERVED = [
    sum_of_a_thread,
    slot_of_a_thread,
    thread_of_an_element,
    block_of_an_element,
    thread_decides,
    one_round_after_another,
    range_of_a_block,
    sum_of_a_block,
    last_of_a_thread,
]


@pytest.mark.parametrize("dtype", ["f4", "i8"])
@pytest.mark.parametrize("function", OBSERVED, ids=lambda f: f.__name__)
def test_rounds_stay_with_their_thread_where_it_shows(function, dtype):
    x = np.arange(N, dtype=dtype)
    expected, out = np.zeros(N, dtype), np.zeros(N, dtype)
    kernel = cuda.jit(function)
    cuda.jit(width=1)(function)[3, 32](expected, x)
    kernel[3, 32](out, x)
    np.testing.assert_array_equal(out, expected)
    assert expected.any() and not is_shared(kernel)


@pytest.mark.parametrize("checked", [True, False])
def test_atomics_count_what_all_threads_see(monkeypatch, checked):
    monkeypatch.setenv("HEDDLE_BOUNDS", str(int(checked)))

    @cuda.jit
    def histogram(bins, x):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            cuda.atomic.add(bins, x[i], 1)

    x, bins = np.random.default_rng(3).integers(0, 16, N), np.zeros(16, np.int64)
    histogram[3, 64](bins, x)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=16))
    # An element that leads out of the bins would be an error, which names the thread whose round it is.
    assert is_shared(histogram) != checked


def test_an_error_names_the_thread_whose_round_it_is(cpu):
    @cuda.jit
    def histogram(bins, x):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            cuda.atomic.add(bins, x[i], 1)

    x = np.arange(N) % 16
    x[777] = 99
    with pytest.raises(IndexError, match="index 99 is out of bounds") as error:
        histogram[3, 64](np.zeros(16, np.int64), x)
        cuda.synchronize()
    assert 64 * error.value.ctaid[0] + error.value.tid[0] == 777 % 192
    cpu.reset()


def histogram_of_a_block(out, x):
    counts = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y
    if t < 16:
        counts[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, x[i] % 16, 1)
    cuda.syncthreads()
    if t < 16:
        out[cuda.blockIdx.x * 16 + t] = counts[t]


def places_of_a_block(out, x):
    last = cuda.shared.array(1, int64)
    last[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    while i < x.size:
        out[i] = x[i] + cuda.blockIdx.x
        cuda.atomic.max(last, 0, i)
        i += cuda.gridsize(1)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        out[out.size - 1 - cuda.blockIdx.x] = last[0]


@pytest.mark.parametrize("width", [None, 4, 32])
@pytest.mark.parametrize(
    "function",
    [histogram_of_a_block, places_of_a_block, sum_of_a_block, block_of_an_element],
    ids=lambda f: f.__name__,
)
def test_a_block_keeps_its_elements(function, width):
    kernel, plain = cuda.jit(width=width)(function), cuda.jit(width=1)(function)
    for blocks, threads in [*SHAPES, (3, (32, 2))]:
        for n in SIZES:
            x = np.arange(5010)[:n] * 7
            out, expected = np.zeros(5020, np.int64), np.zeros(5020, np.int64)
            kernel[blocks, threads](out, x)
            plain[blocks, threads](expected, x)
            np.testing.assert_array_equal(out, expected, f"{blocks} x {threads}, {n}")
    assert is_shared(kernel, SHARED_IN_BLOCK)
