"""``HEDDLE_DISABLE_JIT=1``: kernels and host functions run as plain Python, for debuggers and coverage."""

import pytest

PLAIN = {"HEDDLE_DISABLE_JIT": "1", "HEDDLE_DEVICE": "cpu"}

START = "import numpy as np\nfrom heddle import cuda, njit\n"


@pytest.fixture
def printed(run_python):
    """A function that runs a program as plain Python and returns what it prints."""

    def run(text):
        result = run_python(START + text, **PLAIN)
        assert (result.stderr, result.returncode) == ("", 0)
        return result.stdout

    return run


def test_threads_run_in_order_from_barrier_to_barrier(printed):
    text = """
@cuda.jit
def k(out):
    i = cuda.threadIdx.x
    tile = cuda.shared.array(4, np.int32)
    tile[i] = i
    print("before", i)
    cuda.syncthreads()
    print("after", i)
    out[cuda.grid(1)] = tile[cuda.blockDim.x - 1 - i] + 10 * cuda.blockIdx.x

out = np.zeros(8, np.int32)
k[2, 4](out)
print(out.tolist())
"""
    block = [f"{when} {i}" for when in ("before", "after") for i in range(4)]
    assert printed(text).splitlines() == [*block, *block, "[3, 2, 1, 0, 13, 12, 11, 10]"]


def test_the_indices_are_those_of_the_device(printed):
    text = """
@cuda.jit
def k(out):
    x, y, z = cuda.grid(3)
    if cuda.threadIdx.z == 0 and cuda.laneid < 30 and 1 + cuda.laneid >= 1:
        out[z, y, x] = x + 10 * y + 100 * cuda.gridDim.y + 1000 * cuda.warpsize

out = np.zeros((2, 2, 4))
k[(2, 1), (2, 2, 2)](out)
print(out.tolist())
"""
    rows = [[32100 + x + 10 * y for x in range(4)] for y in range(2)]
    assert printed(text) == f"{[[[float(v) for v in r] for r in rows], [[0.0] * 4] * 2]}\n"


def test_vectors_have_their_types_components(printed):
    text = """
@cuda.jit
def k(out):
    a = cuda.float32x2(1, 2.5)
    b = cuda.int4(a, 7, cuda.char1(9))
    out[0], out[1], out[2], out[3], out[4] = a.y, b.x, b.y, b.z, b.w

out = np.zeros(5)
k[1, 1](out)
print(out.tolist())
"""
    assert printed(text) == "[2.5, 1.0, 2.0, 7.0, 9.0]\n"


def test_device_functions_atomics_and_device_arrays(printed):
    text = """
@cuda.jit(device=True)
def square(x):
    return x * x

@cuda.jit("void(int64[:], int64[:])")
def k(x, total):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(total, 0, square(x[i]))
        cuda.atomic.max(total, 1, x[i])

total = cuda.to_device(np.zeros(2, np.int64))
k.forall(5)(np.arange(5), total)
print(total.copy_to_host())
"""
    assert printed(text) == "[30  4]\n"


def test_warps_and_votes(printed):
    text = """
@cuda.jit
def k(out):
    i = cuda.threadIdx.x
    value = i
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    out[i] = cuda.shfl_sync(0xFFFFFFFF, value, cuda.shfl_sync(0xFFFFFFFF, cuda.laneid, 0))
    if cuda.syncthreads_count(i % 3 == 0) == 22 and cuda.any_sync(0xFFFFFFFF, i == 40):
        out[i] += cuda.popc(cuda.ballot_sync(0xFFFFFFFF, i < 36))

out = np.zeros(64, np.int64)
k[1, 64](out)
print(out[::16])
"""
    assert printed(text) == "[ 496  496 1524 1524]\n"


def test_a_thread_that_returned_does_not_hold_up_a_barrier(printed):
    text = """
@cuda.jit
def k(out):
    i = cuda.grid(1)
    if i >= out.size:
        return
    cuda.syncthreads()
    out[i] = 1

out = np.zeros(3)
k[1, 8](out)
print(out)
"""
    assert printed(text) == "[1. 1. 1.]\n"


def test_host_functions_are_the_functions_themselves(printed):
    text = """
def f(x):
    return x + "!"

g = njit(parallel=True)(f)
h = njit("f8(f8)")(f)
print(g is f, h is f, g("a"), g.py_func("b"))
"""
    assert printed(text) == "True True a! b!\n"


def test_an_error_names_thread_and_block_and_the_line(run_python):
    text = """
@cuda.jit
def k(x):
    cuda.syncthreads()
    x[cuda.grid(1)] = 1

k[2, 4](np.zeros(6))
"""
    result = run_python(START + text, **PLAIN)
    assert "x[cuda.grid(1)] = 1" in result.stderr
    assert result.stderr.endswith(
        "IndexError: index 6 is out of bounds for axis 0 with size 6\n"
        "in block (1, 0, 0), thread (2, 0, 0)\n"
    )


def test_threads_at_different_barriers_are_an_error(run_python):
    text = """
@cuda.jit
def k():
    if cuda.threadIdx.x < 2:
        cuda.syncwarp(3)
        cuda.syncwarp(7)
    cuda.syncthreads()

k[1, 4]()
"""
    result = run_python(START + text, **PLAIN)
    assert "threads of block (0, 0, 0) wait at different barriers" in result.stderr


def test_what_plain_python_lacks_says_so(run_python):
    text = """
@cuda.jit
def k(x):
    x[0] = cuda.libdevice.sin(1.0)

k[1, 1](np.zeros(1))
"""
    result = run_python(START + text, **PLAIN)
    assert "cuda.libdevice.sin is not available while kernels run as plain Python" in result.stderr


def test_a_program_for_numba_follows_numbas_setting(run_script):
    result = run_script(
        "from numba import cuda, njit\n"
        "@cuda.jit\ndef k(x):\n    x.append(cuda.grid(1))\n"
        "x = []\nk[1, 3](x)\nprint(x)\n",
        env={"NUMBA_DISABLE_JIT": "1"},
    )
    assert (result.stderr, result.stdout) == ("", "[0, 1, 2]\n")


def test_pdb_stops_in_a_kernel(run_script):
    result = run_script(
        "from numba import cuda\nimport numpy as np\n"
        "@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    if i == 2:\n        breakpoint()\n    x[i] = i\n"
        "x = np.zeros(4)\nk[1, 4](x)\nprint(x)\n",
        env=PLAIN,
        input="p i * 100\nc\n",
    )
    assert "(Pdb) 200\n" in result.stdout
    assert result.stdout.endswith("[0. 1. 2. 3.]\n")


def test_a_breakpoint_of_pdb_stops_after_a_barrier(run_heddle, tmp_path):
    (tmp_path / "program.py").write_text(
        "from numba import cuda\nimport numpy as np\n"
        "@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    cuda.syncthreads()\n    x[i] = i + 1\n"
        "x = np.zeros(2)\nk[1, 2](x)\n"
    )
    commands = "b 7\nc\np ('at', i, x)\nc\np ('at', i, x)\nc\nq\n"
    result = run_heddle("run", "-m", "pdb", "program.py", env=PLAIN, input=commands)
    assert "(Pdb) ('at', 0, array([0., 0.]))\n" in result.stdout, result.stderr
    assert "(Pdb) ('at', 1, array([1., 0.]))\n" in result.stdout


def test_device_arrays_are_used_in_place(printed):
    text = """
import heddle.compat.cupy as cp

@cuda.jit
def chain(a, b):
    for i in range(a.size):
        b[i] = a[i] + 1

for x in (cp.zeros(4), cuda.to_device(np.zeros(4)), cuda.mapped_array(4)):
    x[0] = 0
    chain[1, 1](x[:-1], x[1:])
    print(cp.asarray(x).tolist())
"""
    assert printed(text).splitlines() == ["[0.0, 1.0, 2.0, 3.0]"] * 3


def test_a_warp_multiplies_fragments(printed):
    text = """
from heddle.cuda import wmma

@cuda.jit
def k(a, b, c):
    fa = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float16, shape=2)
    fb = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.float16, wmma.col_major)
    sums = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32, shape=(2, 1))
    wmma.fill_fragment(sums, 1)
    wmma.load_matrix_sync(fb, b.T, (0, 0))
    for i in range(2):
        wmma.load_matrix_sync(fa[i], a, (16 * i, 0))
        wmma.mma_sync(sums[i, 0], fa[i], fb, sums[i, 0])
        for e in range(sums[i, 0].num_elements):
            sums[i, 0].x[e] *= 2
        wmma.store_matrix_sync(c, (16 * i, 0), sums[i, 0])

a, b = np.random.default_rng(1).integers(-4, 5, (2, 32, 16)).astype(np.float16)
c = np.zeros((32, 16), np.float32)
k[1, 32](a, b[:16].copy(), c)
print(np.array_equal(c, 2 * (a.astype("f") @ b[:16].T.astype("f") + 1)))
"""
    assert printed(text) == "True\n"


def test_a_warpgroup_multiplies_factors_in_shared_memory(printed):
    text = """
from heddle.cuda import wgmma

@cuda.jit
def k(a, b, c):
    tile = cuda.shared.array((64, 64), np.float16)
    panels = cuda.shared.array((1, 64, 64), np.float16)
    sums = wgmma.accumulator(24, shape=2)
    for i in range(cuda.threadIdx.x, 64 * 64, 128):
        row, column = i // 64, i % 64
        place = wgmma.swizzle(row, column)
        tile[row, place], panels[0, row, place] = a[row, column], b[row, column]
    cuda.syncthreads()
    wgmma.mma(sums[0], tile, panels)
    wgmma.mma(sums[1], tile, panels[0, 8:32])
    wgmma.wait_prior(0, sums)
    for i in range(2):
        for e in range(sums[i].num_elements):
            sums[i].x[e] += 1
        wgmma.store(c, (0, 24 * i), sums[i])

a, b = np.random.default_rng(1).integers(-4, 5, (2, 64, 64)).astype(np.float16)
c = np.zeros((64, 48), np.float32)
k[1, 128](a, b, c)
x, y = a.astype("f"), b.astype("f")
print(np.array_equal(c, np.hstack([x @ y[:, :24], x @ y[8:32].T]) + 1))
"""
    assert printed(text) == "True\n"


def test_int32_sums_of_fragments_saturate_if_asked(printed):
    text = """
from heddle.cuda import wmma

@cuda.jit
def k(c):
    a = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.uint8)
    b = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.uint8)
    sums = wmma.fragment(wmma.accumulator, 16, 16, 16, np.int32)
    for satf in (True, False):
        wmma.fill_fragment(a, 255)
        wmma.fill_fragment(b, 255)
        wmma.fill_fragment(sums, 2**31 - 1)
        wmma.mma_sync(sums, a, b, sums, satf)
        wmma.store_matrix_sync(c[int(satf)], (0, 0), sums)

c = np.zeros((2, 16, 16), np.int32)
k[1, 32](c)
print(c[1].min() == 2**31 - 1, c[0].max() == 2**31 - 1 + 16 * 255 * 255 - 2**32)
"""
    assert printed(text) == "True True\n"


def test_asynchronous_copies_are_immediate(printed):
    text = """
@cuda.jit
def k(x, out):
    tile = cuda.shared.array((2, 8), np.float32)
    i = cuda.threadIdx.x
    cuda.pipeline.memcpy_async(tile, (0, i), x, i)
    if i < 2:
        cuda.pipeline.memcpy_async(tile, (1, 4 * i), x, 4 * i, 4)
    cuda.pipeline.commit()
    cuda.pipeline.wait_prior(0)
    cuda.syncthreads()
    out[i] = tile[0, 7 - i] + tile[1, i]

out = np.zeros(8, np.float32)
k[1, 8](np.arange(8, dtype=np.float32), out)
print(out.tolist())
"""
    assert printed(text) == f"{[7.0] * 8}\n"
