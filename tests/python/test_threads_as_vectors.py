"""Kernels whose threads the CPU device runs as vectors: the same results at every width as one thread at a time."""

import math

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, int32

WIDTHS = [1, 4, 8, 16, 32]
BLOCKS = [32, 96, 20, 7]  # some are multiples of some widths
N = 500


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("vectors are the CPU device's")


def divergent_loop(out, x):
    i = cuda.grid(1)
    if i < x.size:
        n, v = 0, x[i]
        while v > 1:
            v = v // 2 if v % 2 == 0 else 3 * v + 1
            n += 1
        out[i] = n


def uniform_loop_under_a_mask(out, x):
    i = cuda.grid(1)
    if i < x.size:
        total = 0
        for k in range(x.size // 7):
            total += x[k] * (i % 5)
        out[i] = total


def nested_loops(out, x):
    i = cuda.grid(1)
    if i >= x.size:
        return
    total = 0
    for j in range(i % 6):
        for k in range(j, x[i] % 9):
            if k == 5:
                break
            if (j + k) % 3 == 0:
                continue
            total += j * k + 1
    out[i] = total


def neighbours(out, x):
    i = cuda.grid(1)
    for _ in range(3):
        if 0 < i < x.size - 1:
            out[i] = x[i - 1] + x[i + 1] - 2 * x[i]


def strided_and_gathered(out, x):
    i = cuda.grid(1)
    for k in range(2):
        if i < x.size:
            out[(i * 3) % x.size] = x[x.size - 1 - i] + x[(i * 7 + k) % x.size]


def divisions(out, x):
    i = cuda.grid(1)
    total = 0
    for k in range(4):
        if i < x.size and (i + k) % 3:
            total += 1000 // ((i + k) % 3) + x[i] % ((i + k) % 3 + 1)
    if i < x.size:
        out[i] = total


def grid_stride(out, x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = x[i] * 2 + 1


def one_place(out, x):
    i = cuda.grid(1)
    for _ in range(2):
        if i < x.size:
            cuda.atomic.add(out, x[i] % 10, 1)
            cuda.atomic.max(out, 20, x[i])


def early_returns_and_barriers(out, x):
    s = cuda.shared.array(128, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if i >= x.size:
        return
    s[t] = x[i]
    cuda.syncthreads()
    if t > 0:
        out[i] = s[t - 1]
    cuda.syncthreads()
    if t == 3:
        s[0] = 77
    cuda.syncthreads()
    out[i] += s[0]


def votes_of_a_block(out, x):
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if i >= x.size:
        return
    n = cuda.syncthreads_count(x[i] % 2)
    if cuda.syncthreads_and(x[i] > 3) == 0:
        n += 1000
    for _ in range(cuda.syncthreads_or(x[i] > 997)):
        n += t
    out[i] = n


def tree(out, x):
    s = cuda.shared.array(128, int32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        if t % (2 * step) == 0 and t + step < cuda.blockDim.x:
            s[t] += s[t + step]
        cuda.syncthreads()
        step *= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


def values_of_one_lane(out, x):
    """Values that are the same for the lanes of one round and are read after the loop."""
    i = cuda.grid(1)
    last, k = -1, 0
    while k < x.size and k <= i:
        last = k * 10
        k += 1 + x[k] % 4
    if i < x.size:
        out[i] = last + k


def local_arrays(out, x):
    a = cuda.local.array(7, int32)
    i = cuda.grid(1)
    for k in range(7):
        a[(k * 3) % 7] = k
    total = 0
    for k in range(i % 7):
        a[k] += x[(i + k) % x.size] % 100
        total += a[(k + i) % 7]
    if i < x.size:
        out[i] = total


def local_arrays_behind_barriers(out, x):
    a = cuda.local.array((3, 4), float32)
    shared = cuda.shared.array(128, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    for k in range(3):
        for j in range(4):
            a[k, j] = x[(i + k) % x.size] % 16 + j
    for k in range(4):
        shared[t] = a[k % 3, 0]
        cuda.syncthreads()
        a[k % 3, 3] += shared[t ^ 1] if (t ^ 1) < cuda.blockDim.x else 1
        cuda.syncthreads()
        if t % 5 > k:
            a[2, k] += a[t % 3, 3]
    total = 0
    for k in range(3):
        for j in range(4):
            total += int(a[k, j]) * (k + j)
    if i < x.size:
        out[i] = total


def places_in_local_arrays(out, x):
    """The three largest of seven numbers, in order."""
    i = cuda.grid(1)
    best = cuda.local.array(3, int32)
    for k in range(3):
        best[k] = -1
    for k in range(7):
        v, at = x[(i * 7 + k) % x.size], 3
        while at > 0 and best[at - 1] < v:
            if at < 3:
                best[at] = best[at - 1]
            at -= 1
        if at < 3:
            best[at] = v
    if i < x.size:
        out[i] = best[0] + 1000 * best[1] + 1000000 * best[2]


KERNELS = [
    local_arrays,
    local_arrays_behind_barriers,
    places_in_local_arrays,
    divergent_loop,
    uniform_loop_under_a_mask,
    nested_loops,
    neighbours,
    strided_and_gathered,
    divisions,
    grid_stride,
    one_place,
    early_returns_and_barriers,
    votes_of_a_block,
    tree,
    values_of_one_lane,
]


def result(kernel, threads, x):
    out = np.zeros_like(x)
    blocks = -(-N // threads)
    if "strided_and_gathered" in kernel.py_func.__name__:
        blocks, threads = 1, 480  # each element has one writer
        x, out = x[:480], out[:480]
    kernel[blocks, threads](out, x)
    return out


@pytest.mark.parametrize("function", KERNELS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("threads", BLOCKS)
def test_every_width_gives_the_same(function, threads):
    x = np.random.default_rng(1).integers(1, 1000, N)
    expected = result(cuda.jit(width=1)(function), threads, x)
    for width in WIDTHS[1:]:
        kernel = cuda.jit(width=width)(function)
        np.testing.assert_array_equal(result(kernel, threads, x), expected, f"width {width}")


def product_of_a_row(out, a, b, v):
    """v[k] is the same in all lanes of a row, so b[k, x] * v[k] may be computed once for all of them."""
    x, y = cuda.grid(2)
    if x < out.shape[0] and y < out.shape[1]:
        total = a.dtype.type(0)
        for k in range(v.size):
            total += a[x, k] * v[k] + b[k, y] * v[k]
        out[x, y] = total


def product_in_a_branch(out, a, b, v):
    x, y = cuda.grid(2)
    if x < out.shape[0] and y < out.shape[1]:
        total = a.dtype.type(0)
        for k in range(v.size):
            product = a[x, k] * b[k, y]
            if product > v[k]:
                total += product
            total -= product * v[k]
        out[x, y] = total


@pytest.mark.parametrize("function", [product_of_a_row, product_in_a_branch])
@pytest.mark.parametrize("block", [(8, 8), (1, 32), (5, 7), (64, 1)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products_are_fused_alike_at_every_width(function, block, dtype):
    random = np.random.default_rng(5)
    a, b, v = (random.random(shape).astype(dtype) for shape in [(40, 30), (30, 40), 30])
    grid = -(-40 // block[0]), -(-40 // block[1])
    expected = np.zeros((40, 40), dtype)
    cuda.jit(width=1)(function)[grid, block](expected, a, b, v)
    for width in [*WIDTHS[1:], None]:
        out = np.zeros_like(expected)
        cuda.jit(width=width)(function)[grid, block](out, a, b, v)
        np.testing.assert_array_equal(out, expected, f"width {width}")


@pytest.mark.parametrize("function", KERNELS, ids=lambda f: f.__name__)
def test_these_kernels_have_vectors(function):
    kernel = cuda.jit(width=8)(function)
    result(kernel, 32, np.arange(1, N + 1))
    (remarks,) = kernel.inspect_remarks().values()
    assert f"{function.__name__}: runs 8 threads along x at a time, as vectors" in remarks


def test_local_arrays_of_cuda_cpp():
    """Arrays that are set and copied as a whole, arrays of structures, and arrays behind moving pointers."""
    source = r"""
    struct Pair { float sum; int count; };
    extern "C" __global__ void k(int* out, const int* x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      int counts[20] = {};
      int table[6] = {5, 3, 8, 1, 9, 2};
      Pair pairs[4] = {};
      for (int k = 0; k < 12; ++k) {
        int v = x[(i + k) % n];
        counts[v % 20] += 1;
        table[v % 6] += k;
        pairs[k % 4].sum += v;
        if (v % 3) pairs[v % 4].count += 1;
      }
      int total = 0, weight = 1;
      for (int* p = counts; p != counts + 20; ++p) total += *p * weight++;
      for (int* p = table + 5; p >= table; --p) total += *p * weight++;
      for (int k = 0; k < 4; ++k) total += int(pairs[k].sum) * (k + 1) + 7 * pairs[k].count * k;
      out[i] = total;
    }"""
    x = np.random.default_rng(2).integers(0, 1000, 203).astype("i4")
    expected = []
    for i in range(x.size):
        counts, table = [0] * 20, [5, 3, 8, 1, 9, 2]
        sums, numbers = [0] * 4, [0] * 4
        for k in range(12):
            v = int(x[(i + k) % x.size])
            counts[v % 20] += 1
            table[v % 6] += k
            sums[k % 4] += v
            numbers[v % 4] += v % 3 != 0
        weighted = sum(c * w for w, c in enumerate([*counts, *reversed(table)], 1))
        weighted += sum(s * (k + 1) + 7 * c * k for k, (s, c) in enumerate(zip(sums, numbers)))
        expected.append(weighted)
    out = np.zeros_like(x)
    kernel = heddle.RawKernel(source, "k")
    kernel((4,), (64,), (out, x, np.int32(x.size)))
    cuda.synchronize()
    assert out.tolist() == expected
    assert any("as vectors" in remark for remark in kernel.inspect_remarks())


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8"])
def test_elements_of_every_size(dtype):
    @cuda.jit(width=16)
    def kernel(out, x):
        i = cuda.grid(1)
        for k in range(1):
            if i % 2 == k:
                out[i] = x[i] + x[i // 2]

    x = np.arange(64).astype(dtype)
    out = np.zeros_like(x)
    kernel[1, 64](out, x)
    expected = np.where(np.arange(64) % 2 == 0, x + x[np.arange(64) // 2], 0)
    np.testing.assert_array_equal(out, expected.astype(dtype))


def move_columns(a, b):
    i = cuda.grid(1)
    if i < a.shape[0]:
        first, third = a[i, 0], a[i, 2]
        b[i, 1] = first
        b[i, 0] = third
        a[i, 0] = b[i, 1] + a[i, 1]
        b[i, 2] = a[i, 0]


LAYOUTS = {
    "records": lambda a: a[:70, :3].copy(),
    "columns": lambda a: np.asfortranarray(a[:70, :3]),
    "part of a row": lambda a: a[:70, 2:5],
    "every second row": lambda a: a[:140:2, :3],
    "every second column": lambda a: a[:70, 1:6:2],
    "rows backward": lambda a: a[69::-1, :3],
    "columns backward": lambda a: a[:70, 4:1:-1],
}


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_elements_that_are_evenly_apart(layout, dtype):
    for width in WIDTHS:
        a, b = (np.arange(k, 140 * 7 + k).reshape(140, 7) % 100 for k in (3, 40))
        a, b = LAYOUTS[layout](a.astype(dtype)), LAYOUTS[layout](b.astype(dtype))
        before = a.copy()
        cuda.jit(width=width)(move_columns)[3, 32](a, b)
        after = before.copy()
        after[:, 0] = before[:, 0] + before[:, 1]
        expected = np.column_stack([before[:, 2], before[:, 0], after[:, 0]])
        np.testing.assert_array_equal(a, after, err_msg=f"width {width}")
        np.testing.assert_array_equal(b, expected, err_msg=f"width {width}")


def test_a_value_is_read_before_it_is_replaced():
    """Two names for one array, in a loop that the lanes leave in different rounds."""

    @cuda.jit
    def kernel(out, again, factor):
        i = cuda.grid(1)
        if i < out.size:
            v = factor
            for _ in range(i % 4):
                v = again[i]
                out[i] = again[i] * factor
            out[i] = v

    x = np.arange(1.0, 101.0)
    array = cuda.to_device(x)
    kernel[4, 25](array, array, -3.0)
    rounds = np.arange(100) % 4
    expected = np.where(rounds > 0, x * (-3.0) ** np.maximum(rounds - 1, 0), -3.0)
    np.testing.assert_array_equal(array.copy_to_host(), expected)


def test_a_store_that_waits_for_its_neighbours_is_not_passed_by_a_load():
    kernel = heddle.RawKernel(
        """
extern "C" __global__ void k(unsigned* out) {
  unsigned t = threadIdx.x, b = t * 77 + 33, d = t + 8, m[4] = {1, t, 3, 4};
  m[0] = 255;
  m[1] -= d ^ b ^ ((d & 6) ? 255 ^ b : 87 + b);
  unsigned a = 93 ^ (2 * b * (8 + d) * 81);
  m[a & 3] += 87 + m[0];
  out[t] = m[0];
}""",
        "k",
    )
    out = np.zeros(32, np.uint32)
    kernel(1, 32, (out,))
    t = np.arange(32)
    a = 93 ^ (2 * (t * 77 + 33) * (t + 16) * 81)
    np.testing.assert_array_equal(out, np.where(a & 3, 255, 255 + 87 + 255))


def test_a_row_that_is_read_by_all_threads():
    def copy(a, b):
        i = cuda.grid(1)
        if i < a.shape[0]:
            b[i, 0], b[i, 1] = a[i, 1], a[i, 0]

    row = np.array([3.0, 5.0], np.float32)
    for width in WIDTHS:
        b = np.zeros((70, 2), np.float32)
        cuda.jit(width=width)(copy)[3, 32](np.broadcast_to(row, (70, 2)), b)
        assert (b == [5.0, 3.0]).all()


@pytest.mark.parametrize("source", ["f4", "f8"])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_floats_become_integers_as_at_width_1(source, dtype):
    limits = [np.iinfo(dtype).min, np.iinfo(dtype).max, 2**31, -(2**31), 2**32, 2**63]
    edges = [0.0, -0.0, 0.99, -0.99, np.inf, -np.inf, np.nan, 1e30, -1e30]
    x = np.array([*edges, *(v + d for v in limits for d in (-1.5, 0, 1.5))], source)

    def convert(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i]

    found = []
    for width in WIDTHS:
        out = np.zeros(x.size, dtype)
        cuda.jit(width=width)(convert)[2, 32](x, out)
        found.append(out)
    assert all((out == found[0]).all() for out in found), found


def test_blocks_of_two_dimensions():
    @cuda.jit(width=16)
    def kernel(a, b, out):
        x, y = cuda.grid(2)
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        out[y, x] = total

    a, b = np.random.default_rng(2).random((2, 32, 32), dtype=np.float32)
    out = np.zeros_like(a)
    for block in [(16, 16), (32, 4), (8, 8), (1, 32)]:
        kernel[(32 // block[0], 32 // block[1]), block](a, b, out)
        np.testing.assert_allclose(out, a @ b, rtol=1e-5)


SHAPES = [(100,), (10, 10), (8, 8), (4, 64), (3, 5, 7), (1, 200), (20, 3), (2, 2), (1,)]


def every_thread(out, x):
    """Each thread's work depends on its position in the block and, through shared memory, on other threads."""
    s = cuda.shared.array(256, int32)
    w, h = cuda.blockDim.x, cuda.blockDim.y
    t = (cuda.threadIdx.z * h + cuda.threadIdx.y) * w + cuda.threadIdx.x
    threads = w * h * cuda.blockDim.z
    total = cuda.threadIdx.x + 100 * cuda.threadIdx.y + 10000 * cuda.threadIdx.z + cuda.laneid
    for k in range(cuda.threadIdx.x % 5):
        total += x[t + k] * cuda.threadIdx.y
    s[t] = total
    cuda.syncthreads()
    i = cuda.blockIdx.x * threads + t
    if i % 7 != 3:
        out[i] = s[threads - 1 - t] + s[(t + 1) % threads]


@pytest.mark.parametrize("block", SHAPES, ids=str)
def test_blocks_of_every_shape(block):
    x = np.random.default_rng(3).integers(0, 100, 1024)

    def results(width):
        out = np.zeros(2 * int(np.prod(block)), x.dtype)
        cuda.jit(width=width)(every_thread)[2, block](out, x)
        return out

    expected = results(1)
    for width in [None, *WIDTHS[1:]]:
        np.testing.assert_array_equal(results(width), expected, f"width {width}")


ALL = 0xFFFFFFFF


def shuffles(out, x):
    i = (cuda.threadIdx.z * cuda.blockDim.y + cuda.threadIdx.y) * cuda.blockDim.x + cuda.threadIdx.x
    v, f = x[i], float32(x[i]) / 2
    total = cuda.shfl_sync(ALL, v, 3) + 3 * cuda.shfl_sync(ALL, v, x[i])
    total += cuda.shfl_up_sync(ALL, v, 2, width=8) * 5 + cuda.shfl_down_sync(ALL, v, x[i], width=16)
    total += int(cuda.shfl_xor_sync(ALL, f, 5)) + 7 * cuda.shfl_down_sync(ALL, int32(v), 1)
    step = 16
    while step > 0:
        v += cuda.shfl_down_sync(ALL, v, step)
        step //= 2
    out[i] = total * 100 + v
    if x[i] % 3 == 0:
        out[i] += cuda.shfl_xor_sync(ALL, total, 1)  # 0 from lanes that are not here


def votes(out, x):
    i = (cuda.threadIdx.z * cuda.blockDim.y + cuda.threadIdx.y) * cuda.blockDim.x + cuda.threadIdx.x
    v = x[i]
    total = cuda.popc(cuda.ballot_sync(ALL, v % 2 == 0)) + 10 * cuda.all_sync(ALL, v < 99)
    total += 100 * cuda.any_sync(ALL, v > 97) + 1000 * cuda.eq_sync(ALL, v > 50)
    total += cuda.match_any_sync(ALL, v % 4) + cuda.match_all_sync(ALL, v // 90)[0]
    total += cuda.reduce_max_sync(ALL, int32(v)) * 3 + cuda.reduce_add_sync(ALL, int32(v))
    cuda.syncwarp()
    out[i] = total
    if v % 3 == 1:
        return
    out[i] += cuda.activemask() ^ cuda.reduce_xor_sync(ALL, int32(v))
    out[i] -= cuda.ballot_sync(ALL, v < 40)


def sums_of_warps(out, x):
    s = cuda.shared.array(32, int32)
    t, v = cuda.threadIdx.x, int32(0)
    for i in range(cuda.threadIdx.x, x.size, cuda.blockDim.x):
        v += x[i]
    for k in range(5):
        v += cuda.shfl_down_sync(ALL, v, 16 >> k)
    if cuda.laneid == 0:
        s[t // 32] = v
    cuda.syncthreads()
    v = s[cuda.laneid] if t < cuda.blockDim.x // 32 else int32(0)
    if t // 32 == 0:
        for k in range(5):
            v += cuda.shfl_down_sync(ALL, v, 16 >> k)
        if t == 0:
            out[0] = v
    out[1] = 1


@pytest.mark.parametrize("kernel", [shuffles, votes], ids=lambda f: f.__name__)
@pytest.mark.parametrize("block", [(64,), (100,), (8, 12), (16, 3), (1,), (5, 3, 3)], ids=str)
def test_warps_are_vectors_in_blocks_of_every_shape(kernel, block):
    x = np.random.default_rng(7).integers(0, 100, 128)

    def results(width):
        compiled, out = cuda.jit(width=width)(kernel), np.zeros_like(x)
        compiled[1, block](out, x)
        return out, *compiled.inspect_remarks().values()

    out, (remark,) = results(32)
    assert "runs 32 threads" in remark
    np.testing.assert_array_equal(out, results(1)[0])
    np.testing.assert_array_equal(out, results(None)[0])


@pytest.mark.parametrize("threads", [32, 256, 320])
def test_sums_of_warps_are_added(threads):
    x = np.arange(1000)
    for width in [1, 32]:
        out, kernel = np.zeros(2, np.int64), cuda.jit(width=width)(sums_of_warps)
        kernel[1, threads](out, x)
        assert out.tolist() == [x.sum(), 1]
    assert "runs 32 threads" in kernel.inspect_remarks().popitem()[1][0]


def test_a_kernel_serves_blocks_of_every_shape():
    """Each variant is compiled when a launch needs it; variants share the module's variables."""
    module = heddle.RawModule(
        code="""
        __device__ int calls;
        extern "C" __global__ void count(int* out, int rounds) {
          for (int i = 0; i < rounds; ++i) atomicAdd(&calls, 1);
          out[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)] = calls > 0;
        }"""
    )
    kernel, total = module.get_function("count"), 0
    for block in SHAPES + SHAPES:
        out = np.zeros(int(np.prod(block)), np.int32)
        kernel((1,), block, (out, np.int32(3)))
        total += 3 * out.size
        assert out.all()
    assert module.get_global("calls").copy_to_host("i4").tolist() == [total]


@pytest.mark.parametrize("rounds", [1, 12], ids=["seldom", "often"])
def test_a_shape_that_is_launched_often_has_code_of_its_own(rounds):
    @cuda.jit
    def indices(out):
        block, thread = cuda.blockDim, cuda.threadIdx
        size = block.x * block.y * block.z
        number = thread.x + block.x * (thread.y + block.y * thread.z)
        out[number] += size + number + thread.x

    for block in [(33,), *SHAPES, (7, 7), (33,), (64, 1), (1, 64)]:
        x, y, z = (*block, 1, 1)[:3]
        out = np.zeros(x * y * z, np.int32)
        for _ in range(rounds):
            indices[1, block](out)
        number = np.arange(out.size)
        np.testing.assert_array_equal(out, rounds * (out.size + number + number % x), f"{block}")


def test_trees_in_blocks_of_every_size():
    """Loops with barriers have a known number of rounds if the block's shape is known."""

    @cuda.jit
    def total(x, out):
        part = cuda.shared.array(512, int32)
        t, step = cuda.threadIdx.x, cuda.blockDim.x
        part[t] = x[cuda.grid(1)]
        while step > 1:
            cuda.syncthreads()
            half = (step + 1) // 2
            if t + half < step:
                part[t] += part[t + half]
            step = half
        if t == 0:
            out[cuda.blockIdx.x] = part[0]

    x = np.random.default_rng(0).integers(0, 100, 2048).astype(np.int32)
    for threads in (256, 64, 1, 37, 100, 512, 16):
        for _ in range(11):
            out = np.zeros(4, np.int32)
            total[4, threads](x, out)
        np.testing.assert_array_equal(out, x[: 4 * threads].reshape(4, -1).sum(1), f"{threads}")


def test_remarks_tell_of_every_form():
    @cuda.jit
    def kernel(out):
        for k in range(out.size):
            out[k] += 1

    out = np.zeros(4)
    for block in [64, (10, 10), (2, 51), 1, (16, 16)]:
        kernel[1, block](out)
    (remarks,) = kernel.inspect_remarks().values()
    lanes = next((n for n in (4, 8, 16) if f"runs {n} threads" in remarks[0]), None)
    if not lanes:
        pytest.skip("this processor is none of x86-64 or AArch64")
    assert remarks == [
        f"kernel: runs {lanes} threads along x at a time, as vectors",
        f"kernel: runs {lanes} threads along x at a time, as vectors; a row's last group is partial",
        f"kernel: runs {lanes} threads at a time, of one row or several, as vectors; the last group is partial",
        "kernel: runs one thread at a time: its blocks have few threads",
    ]


@pytest.mark.parametrize("block", [(20, 1), (10, 10), (3, 30)], ids=str)
def test_the_thread_that_fails_is_told_in_blocks_of_every_shape(block):
    @cuda.jit(debug=False, width=16)
    def kernel(x):
        for k in range(2):
            assert x[cuda.threadIdx.y, cuda.threadIdx.x] != k

    for y, x in {(0, 0), (block[1] - 1, block[0] - 1), (block[1] // 2, block[0] // 2)}:
        values = np.full(block[::-1], 9)
        values[y, x] = 1
        with pytest.raises(AssertionError, match=rf"thread \({x}, {y}, 0\)"):
            kernel[1, block](values)
            cuda.synchronize()


def test_math_is_each_lanes():
    import math

    @cuda.jit(width=8)
    def kernel(out, x):
        i = cuda.grid(1)
        for k in range(2):
            if i % 3 == k:
                out[i] = math.sin(x[i]) + math.sqrt(x[i]) + math.pow(x[i], 0.3)

    x = np.linspace(0, 9, 64)
    out = np.zeros_like(x)
    kernel[2, 32](out, x)
    value = np.sin(x) + np.sqrt(x) + x**0.3
    np.testing.assert_allclose(out, np.where(np.arange(64) % 3 < 2, value, 0), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_quotients_and_rests(dtype):
    code = """
    template <class T> __global__ void divide(const T* x, const T* y, T* q, T* r, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      __syncthreads();
      if (i < n && y[i] != 0 && !(y[i] == T(-1) && y[i] < 0)) { q[i] = x[i] / y[i]; r[i] = x[i] % y[i]; }
    }"""
    info, rng = np.iinfo(dtype), np.random.default_rng(5)
    few = np.array([info.min, info.min + 1, info.max - 1, info.max, 0, 1, 2, 3, 7, 100], dtype)
    x = np.concatenate([np.repeat(few, 10), rng.integers(info.min, info.max, 924, dtype)])
    y = np.concatenate([np.tile(few, 10), rng.integers(info.min, info.max, 924, dtype)])
    names = {"i1": "signed char", "u1": "unsigned char", "i2": "short", "u2": "unsigned short"}
    names |= {"i4": "int", "u4": "unsigned", "i8": "long long", "u8": "unsigned long long"}
    name = f"divide<{names[dtype]}>"
    kernel = heddle.RawModule(code=code, name_expressions=[name]).get_function(name)
    q, r = np.zeros_like(x), np.zeros_like(x)
    kernel((32,), (32,), (x, y, q, r, np.int32(x.size)))
    divides = (y != 0) & ~((y == np.array(-1).astype(dtype)) & (y < 0))
    quotient = [
        abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1)
        for a, b in zip(x[divides], y[divides], strict=True)
    ]
    np.testing.assert_array_equal(q[divides], np.array(quotient, dtype))
    rest = [int(a) - k * int(b) for a, b, k in zip(x[divides], y[divides], quotient, strict=True)]
    np.testing.assert_array_equal(r[divides], np.array(rest, dtype))


def test_the_first_lane_that_fails_is_reported():
    module = heddle.RawModule(
        code="""
        #include <assert.h>
        extern "C" __global__ void check(const int* x) {
          __shared__ int s[32];
          s[threadIdx.x] = x[threadIdx.x];
          __syncthreads();
          assert(s[threadIdx.x] < 5);
        }"""
    )
    with pytest.raises(AssertionError, match=r"thread \(5, 0, 0\)"):
        module.get_function("check")((1,), (32,), (np.arange(32, dtype=np.int32),))
        cuda.synchronize()


def wait_for_a_lock(out, mutex):
    for _ in range(1):
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
            pass
        out[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(mutex, 0, 0)


def test_lanes_that_wait_for_a_lock_run_one_at_a_time():
    out, mutex = np.zeros(1, np.int64), np.zeros(1, np.int32)
    kernel = cuda.jit(width=16)(wait_for_a_lock)
    kernel[2, 64](out, mutex)
    assert out[0] == 128
    remarks = next(iter(kernel.inspect_remarks().values()))
    assert "a thread may wait for another in a loop at line" in remarks[0]


def test_the_environment_chooses_a_width(run_python):
    program = (
        "import numpy as np\n"
        "from heddle import cuda\n"
        "@cuda.jit\n"
        "def k(a):\n"
        "    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)): a[i] = i\n"
        "k[1, 32](np.zeros(100))\n"
        "print(*k.inspect_remarks().values())"
    )
    assert "runs 8 threads along x" in run_python(program, HEDDLE_WIDTH="8").stdout
    assert "vectors" not in run_python(program, HEDDLE_WIDTH="1").stdout


def test_groups_at_different_barriers_are_counted_as_threads():
    @cuda.jit(width=8)
    def kernel(a):
        if cuda.threadIdx.y == 0:
            cuda.syncthreads()
        else:
            a[0] = 1
            cuda.syncthreads()

    with pytest.raises(
        heddle.KernelRuntimeError, match="8 threads wait there while 24 wait at the barrier"
    ):
        kernel[1, (8, 6)](np.zeros(1))  # three of a warp's four groups at the second barrier
        cuda.synchronize()


@pytest.mark.parametrize("width", [0, 3, 64, -1])
def test_a_width_that_there_is_not_is_refused(width):
    with pytest.raises(ValueError, match="width takes 1, 4, 8, 16 or 32"):
        cuda.jit(width=width)(grid_stride)


MATH = ["sin", "cos", "tan", "asin", "acos", "atan", "tanh", "atanh", "exp", "exp2", "expm1", "log"]
MATH += ["log2", "log10", "log1p", "sinh", "cosh", "erf", "erfc", "pow", "atan2", "hypot", "gamma"]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", [name for name in MATH if hasattr(math, name)])
def test_functions_have_the_same_bits_at_every_width(name, dtype):
    function = getattr(math, name)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, -1e5, 0.5, 1]
    random = np.random.default_rng(len(name))
    x = np.concatenate([special, random.normal(0, 3, 500), random.uniform(-1, 1, 490)]).astype(
        dtype
    )
    y = np.roll(x, 17)

    def one(out, x, y):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i])

    def two(out, x, y):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i], y[i])

    body = two if name in ("pow", "atan2", "hypot") else one
    found = []
    for width in WIDTHS:
        out = np.zeros_like(x)
        cuda.jit(body, width=width)[8, 128](out, x, y)
        found.append(out)
    for width, out in zip(WIDTHS, found, strict=True):
        np.testing.assert_array_equal(out, found[0], err_msg=f"width {width}")
        numbers = ~np.isnan(out)
        assert (np.signbit(out) == np.signbit(found[0]))[numbers].all()


def test_a_sparse_row_a_thread_runs_one_at_a_time():
    @cuda.jit
    def product(starts, columns, values, x, y):
        row = cuda.grid(1)
        if row < y.size:
            total = 0.0
            for k in range(starts[row], starts[row + 1]):
                total += values[k] * x[columns[k]]
            y[row] = total

    starts = np.arange(0, 3 * N + 1, 3)
    columns, values, x = np.arange(3 * N) * 7 % N, np.arange(3.0 * N), np.arange(N) / 3
    y = np.zeros(N)
    product[5, 128](starts, columns, values, x, y)
    np.testing.assert_allclose(y, (values * x[columns]).reshape(N, 3).sum(1))
    (remarks,) = product.inspect_remarks().values()
    assert "one thread at a time" in remarks[0]


def test_threads_that_try_divisors_run_one_at_a_time():
    @cuda.jit
    def smallest_divisor(out):
        n = cuda.grid(1)
        d = 2
        while d * d <= n:
            if n % d == 0:
                break
            d += 1
        out[n] = d if d * d <= n else n

    @cuda.jit
    def smallest_divisor_in_condition(out):
        n = cuda.grid(1)
        d = 2
        while n % d != 0 and d * d <= n:
            d += 1
        out[n] = d if d * d <= n else n

    @cuda.jit
    def common_divisor(out):
        a, b = cuda.grid(1), 360
        while b:
            a, b = b, a % b
        out[a] = 1

    for kernel in smallest_divisor, smallest_divisor_in_condition:
        out = np.zeros(512, np.int64)
        kernel[4, 128](out)
        assert out[[4, 9, 35, 97, 511]].tolist() == [2, 3, 5, 97, 7]
        (remarks,) = kernel.inspect_remarks().values()
        assert "most threads exit a loop of integer divisions early at line" in remarks[0]
    found = np.zeros(512, np.int64)
    common_divisor[4, 128](found)
    assert np.array_equal(np.flatnonzero(found), np.unique(np.gcd(np.arange(512), 360)))
    (remarks,) = common_divisor.inspect_remarks().values()
    assert "one thread at a time" not in remarks[0]


def lane_sums_of_some(out, x):
    """A scan in one side of a branch, over the lanes in the mask."""
    t = cuda.threadIdx.x
    value = x[t]
    if t < 8:
        for distance in (1, 2, 4):
            below = cuda.shfl_up_sync(0xFF, value, distance, 8)
            if t >= distance:
                value += below
    cuda.syncthreads()
    out[t] = value


def test_shuffles_of_some_lanes_in_one_side_of_a_branch_are_vectors():
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    kernel = cuda.jit(lane_sums_of_some)
    kernel[1, 64](out, x)
    np.testing.assert_array_equal(out, [*np.cumsum(x[:8]), *x[8:]])
    assert "runs 32 threads" in kernel.inspect_remarks().popitem()[1][0]


def rows_of_sums(out, x):
    """Barriers in a loop after one that threads leave in different rounds."""
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    total = float32(0)
    for i in range(t, x.size, 64):
        total += x[i]
    part[t] = total
    step = 32
    while step > 0:
        cuda.syncthreads()
        for i in range(t, step, 64):
            part[i] += part[i + step]
        step //= 2
    cuda.syncthreads()
    if t == 0:
        out[0] = part[0]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("size", [1, 63, 64, 1000])
def test_a_loop_that_lanes_leave_early_has_rounds_of_all_lanes(width, size):
    x, out = np.arange(size, dtype=np.float32), np.zeros(1, np.float32)
    cuda.jit(width=width)(rows_of_sums)[1, 64](out, x)
    assert out[0] == x.sum()


def test_barriers_behind_a_loop_that_lanes_leave_early_are_no_reason_against_vectors():
    kernel = cuda.jit(rows_of_sums)
    kernel[1, 64](np.zeros(1, np.float32), np.ones(100, np.float32))
    assert "as vectors" in kernel.inspect_remarks().popitem()[1][0]


def test_rows_of_sparse_matrices_run_one_thread_at_a_time():
    """Gathers are slower in a loop that does little else; handling negative indices does not count as work."""

    def product(starts, columns, values, x, y):
        row = cuda.grid(1)
        if row < y.size:
            total = float32(0)
            for k in range(starts[row], starts[row + 1]):
                total += values[k] * x[columns[k]]
            y[row] = total

    rng = np.random.default_rng(2)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 300))]).astype(np.int32)
    columns = rng.integers(-300, 300, starts[-1]).astype(np.int32)
    values = rng.integers(0, 9, starts[-1]).astype(np.float32)
    x, y = rng.integers(0, 9, 300).astype(np.float32), np.zeros(300, np.float32)
    kernel = cuda.jit(product)
    kernel[5, 64](starts, columns, values, x, y)
    (remarks,) = kernel.inspect_remarks().values()
    assert "gathers dominate a loop" in remarks[0]
    products = values * x[columns]
    np.testing.assert_array_equal(
        y, [products[a:b].sum() for a, b in zip(starts, starts[1:], strict=False)]
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("*(volatile int*)a = 1;", "a volatile access has no vector form at line 3"),
        ('if (n) printf("");', "print has no vector form at line 3"),
        ("__nanosleep(1);", "nanosleep has no vector form at line 3"),
        ("a[0] = f(n);", "a call of f(int) has no vector form at line 3"),
        (
            "a[0] = (__int128)a[t] * a[n] * a[t + 1] >> 70;",
            "an integer of 128 bits has no vector form",
        ),
        ("memcpy(a, a + t, n);", "a copy of unknown length has no vector form"),
        ("int b[9999]; b[n] = 1; a[0] = b[t];", "its local arrays are large at line 3"),
    ],
)
def test_a_remark_names_what_has_no_form_for_vectors(cpu, body, reason):
    source = "__device__ int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); }\n"
    source += 'extern "C" __global__ void k(int* a, int n) { int t = threadIdx.x;\n' + body + "\n}"
    kernel = heddle.RawKernel(source, "k")
    kernel(1, 64, (np.zeros(100, np.int32), 0))
    assert any(reason in remark for remark in kernel.inspect_remarks())


def test_texts_are_read_by_one_thread_at_a_time(cpu):
    """No processor gathers bytes, so a loop that does little with each is faster this way."""

    @cuda.jit
    def hash_texts(texts, starts, hashes):
        i = cuda.grid(1)
        if i < hashes.size:
            h = np.uint32(5381)
            for k in range(starts[i], starts[i + 1]):
                h = np.uint32(h * np.uint32(33) + texts[k])
            hashes[i] = h

    rng = np.random.default_rng(4)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 100))])
    texts = rng.integers(0, 256, starts[-1]).astype(np.uint8)
    hashes = np.zeros(100, np.uint32)
    hash_texts[2, 64](texts, starts, hashes)
    (remarks,) = hash_texts.inspect_remarks().values()
    assert "gathers dominate a loop" in remarks[0]
    for i, value in enumerate(hashes):
        want = 5381
        for byte in texts[starts[i] : starts[i + 1]].tolist():
            want = (want * 33 + byte) % 2**32
        assert value == want


def test_a_filter_along_rows_runs_one_thread_at_a_time():
    """Lanes would access places that are a row apart."""

    def smooth(out, a, factor):
        row = cuda.grid(1)
        if row < a.shape[0]:
            last = a[row, 0]
            for k in range(a.shape[1]):
                last += factor * (a[row, k] - last)
                out[row, k] = last

    a = np.random.default_rng(3).random((130, 50)).astype(np.float32)
    out = np.zeros_like(a)
    kernel = cuda.jit(smooth)
    kernel[3, 64](out, a, np.float32(0.5))
    (remarks,) = kernel.inspect_remarks().values()
    assert "gathers dominate a loop" in remarks[0]
    last = a[:, 0]
    for k in range(50):
        last = last + np.float32(0.5) * (a[:, k] - last)
        np.testing.assert_allclose(out[:, k], last, rtol=1e-6)


@pytest.mark.parametrize("width", WIDTHS)
def test_atomics_of_a_warp_on_rests(width):
    """The first lane's product is known, so nothing is computed for it in the vector."""

    def smallest(out, a):
        t = cuda.threadIdx.x
        least = cuda.shared.array(32, np.uint32)
        least[t] = 300
        cuda.syncthreads()
        other = cuda.shfl_xor_sync(0xFFFFFFFF, a[t], 1)
        cuda.atomic.min(least, (t * other) % 32, t)
        cuda.syncthreads()
        out[t] = least[t]

    a, out = np.arange(3, 35), np.zeros(32, np.uint32)
    cuda.jit(width=width)(smallest)[1, 32](out, a)
    want = np.full(32, 300)
    for t in range(31, -1, -1):
        want[t * a[t ^ 1] % 32] = t
    np.testing.assert_array_equal(out, want)


def test_ranges_that_begin_below_zero():
    """Indices made from the range count from the end while they are negative, for every step and on both sides."""

    def sums(out, a, first, last):
        t = cuda.grid(1)
        total = np.int64(0)
        for k in range(first[t], last[t]):
            total = total * 3 + a[k]
        for k in range(last[t] - 1, first[t] - 1, -1):
            total = total * 3 + a[k]
        for k in range(first[t], last[t], 2):
            total = total * 3 + a[k + 1]
        out[t] = total

    a = np.arange(10, 30)
    first = np.array([-20, -3, 0, 5, -1, 7, -19, 3])
    last = np.array([-5, 4, 19, 5, 0, 3, 18, 19])
    want = np.zeros(8, np.int64)
    for t in range(8):
        total = 0
        for indices in (
            range(first[t], last[t]),
            range(last[t] - 1, first[t] - 1, -1),
            range(first[t] + 1, last[t] + 1, 2),
        ):
            for k in indices:
                total = total * 3 + int(a[k])
        want[t] = (total + 2**63) % 2**64 - 2**63
    for dtype in (np.int32, np.int64, np.int16):
        for width in WIDTHS:
            out = np.zeros(8, np.int64)
            cuda.jit(width=width)(sums)[1, 8](out, a, first.astype(dtype), last.astype(dtype))
            np.testing.assert_array_equal(out, want)
