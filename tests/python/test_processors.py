"""HEDDLE_CPU: code for older processors than this machine's."""

import platform
from pathlib import Path

import pytest

# The number of 32-bit lanes, and the feature that an x86-64 machine must have.
PROCESSORS = {
    "x86_64": {"x86-64-v2": (4, "sse4_2"), "x86-64-v3": (8, "avx2")},
    "aarch64": {"generic": (4, None)},
}.get(platform.machine(), {})

pytestmark = pytest.mark.skipif(not PROCESSORS, reason="the processors are of x86-64 and AArch64")

VECTORS_OF = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
from heddle import cuda
import test_threads_as_vectors as cases
"""

COMPARE_WIDTHS = """
x = np.random.default_rng(1).integers(1, 1000, cases.N)
for function in cases.KERNELS:
    expected = cases.result(cuda.jit(width=1)(function), 20, x)
    for width in (None, 16):
        got = cases.result(cuda.jit(width=width)(function), 20, x)
        assert np.array_equal(got, expected), (function.__name__, width)
x = np.random.default_rng(7).integers(0, 100, 1024)
for function, block in [
    (cases.every_thread, (100,)), (cases.every_thread, (4, 8)), (cases.every_thread, (3, 5)),
    (cases.shuffles, (64,)), (cases.votes, (5, 9)), (cases.votes, (32,)),
]:
    outs = np.zeros((2, 1024), x.dtype)
    for out, width in zip(outs, (1, None)):
        cuda.jit(width=width)(function)[1, block](out, x)
    assert np.array_equal(*outs), (function.__name__, block)
"""

WALKS_THROUGH_ROWS = """
@cuda.jit
def product(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total

@cuda.jit
def rows_times_vector(a, v, out):
    i = cuda.grid(1)
    if i < out.size:
        for k in range(v.size):
            out[i] += a[i, k] * v[k]

rng = np.random.default_rng(3)
a, b = (rng.integers(0, 9, shape).astype(np.float32) for shape in [(37, 50), (50, 93)])
for block in [(32, 4), (16, 2), (24, 3), (48, 2), (7, 5), (32, 4)]:
    for _ in range(11):
        c = np.zeros((37, 93), np.float32)
        product[(-(-93 // block[0]), -(-37 // block[1])), block](a, b, c)
        assert np.array_equal(c, a @ b), block
out = np.zeros(37, np.float32)
rows_times_vector[2, 32](a, b[:, 0].copy(), out)
assert np.array_equal(out, a @ b[:, 0])
print(*product.inspect_remarks().values(), *rows_times_vector.inspect_remarks().values())
"""

ELEMENTS_OF_EVERY_SIZE = """
@cuda.jit
def kernel(out, x):
    i = cuda.grid(1)
    for k in range(x.size // 64):
        if i % 3 == k:
            out[i] = x[i] + x[i // 2]
        if i > 5 and i < 60:
            out[i] += x[i - 1]

for dtype in "i1 u2 i4 u8 f2 f4 f8".split():
    x = np.arange(64).astype(dtype)
    out = np.zeros_like(x)
    kernel[1, 64](out, x)
    i = np.arange(64)
    expected = np.where(i % 3 == 0, x + x[i // 2], 0)
    expected += np.where((i > 5) & (i < 60), np.roll(x, 1), 0).astype(expected.dtype)
    assert np.array_equal(out, expected.astype(dtype)), dtype
print(*kernel.inspect_remarks().values())
"""

EXPONENTIALS_NEAR_LIMITS = """
import math

@cuda.jit
def exponentials(out, x):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i], out[1, i], out[2, i] = math.exp(x[i]), math.expm1(x[i]), math.cosh(x[i])

limits = np.array([709.782712893384, 710.4758600739439, -708.3964185322641, -745.13321910])
x = (limits[:, None] + np.linspace(-4e-6, 4e-6, 1001)).ravel()
outs = []
for width in (1, 4, None):
    outs.append(np.zeros((3, x.size)))
    cuda.jit(width=width)(exponentials.py_func)[-(-x.size // 100), 100](outs[-1], x)
with np.errstate(over="ignore"):
    expected = np.array([np.exp(x), np.expm1(x), np.cosh(x)])
np.testing.assert_array_max_ulp(outs[0], expected, 3)
assert np.array_equal(outs[0], outs[1]) and np.array_equal(outs[0], outs[2])
"""


@pytest.fixture(autouse=True)
def on_the_cpu(device):
    if device.type != "cpu":
        pytest.skip("vectors are the CPU device's")


@pytest.fixture(params=PROCESSORS)
def processor(request):
    _, feature = PROCESSORS[request.param]
    if feature and feature not in Path("/proc/cpuinfo").read_text().split():
        pytest.skip(f"this machine is older than {request.param}")
    return request.param


def run(run_python, processor, program):
    ran = run_python(VECTORS_OF + program, HEDDLE_CPU=processor, HEDDLE_DEVICE="cpu")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_its_vectors_give_the_same_as_one_thread_at_a_time(run_python, processor):
    run(run_python, processor, COMPARE_WIDTHS)


def test_exponentials_near_limits_do_not_depend_on_the_width(run_python, processor):
    run(run_python, processor, EXPONENTIALS_NEAR_LIMITS)


def test_its_vectors_have_elements_of_every_size(run_python, processor):
    lanes, _ = PROCESSORS[processor]
    assert f"runs {lanes} threads along x" in run(run_python, processor, ELEMENTS_OF_EVERY_SIZE)


@pytest.mark.parametrize(
    "name, why",
    [("pentium-pro-max", "LLVM knows no such processor"), ("i686", "LLVM knows no such processor")],
)
def test_a_processor_that_code_cannot_be_made_for(run_python, name, why):
    program = "from heddle import cuda\n@cuda.jit('void()')\ndef k(): pass\nk[1, 1]()"
    ran = run_python(program, HEDDLE_CPU=name, HEDDLE_DEVICE="cpu")
    assert ran.returncode == 1
    assert f"ValueError: HEDDLE_CPU={name}: {why}\n  hint: set HEDDLE_CPU to " in ran.stderr
    assert next(iter(PROCESSORS)) in ran.stderr


def test_loops_that_walk_through_rows_have_twice_the_lanes(run_python, processor):
    lanes, _ = PROCESSORS[processor]
    printed = run(run_python, processor, WALKS_THROUGH_ROWS)
    assert f"product: runs {2 * lanes} threads along x at a time" in printed
    assert f"rows_times_vector: runs {lanes} threads along x at a time" in printed
