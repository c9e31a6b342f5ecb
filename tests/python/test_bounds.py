"""Indices out of bounds on the CPU device raise IndexError by default, and no other memory changes."""

import numpy as np
import pytest

from heddle import cuda, float32, int32

WIDTHS = [1, 4, None]


def guarded(shape, dtype=np.float64):
    """(an array of ones between 100 numbers on each side, all of these numbers)"""
    count = int(np.prod(shape))
    memory = np.full(count + 200, 7, dtype)
    array = np.frombuffer(memory.data, dtype, count, 100 * memory.itemsize).reshape(shape)
    array[...] = 1
    return array, memory


def error_of(kernel, grid, block, *arguments):
    with pytest.raises(IndexError) as error:
        kernel[grid, block](*arguments)
        cuda.synchronize()
    return error.value


@pytest.mark.parametrize("width", WIDTHS)
def test_swapped_axes_of_an_image_are_told_with_shape_and_guard(cpu, width):
    @cuda.jit(width=width)
    def brighten(img):
        x, y = cuda.grid(2)
        img[x, y] *= 1.1

    img, memory = guarded((1080, 1920), np.float32)
    error = error_of(brighten, (120, 68), (16, 16), img)
    line = brighten.py_func.__code__.co_firstlineno + 3
    text = str(error)
    index = error.ctaid[0] * 16 + error.tid[0]
    assert index >= 1080  # of whichever block comes first
    assert f"test_bounds.py:{line}: index {index} is out of bounds for axis 0 of 'img'" in text
    assert "img has shape (1080, 1920)" in text
    assert "hint: guard the access: if x < img.shape[0] and y < img.shape[1]" in text
    assert (memory[:100] == 7).all() and (memory[-100:] == 7).all()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_first_index_of_a_loop_is_told(cpu, width):
    @cuda.jit(width=width)
    def sums(a, out, n):
        total = 0.0
        for k in range(cuda.threadIdx.x, n, 3):
            total += a[k]
        out[cuda.threadIdx.x] = total

    out = np.zeros(40)
    sums[1, 40](np.ones(100), out, 100)
    assert out[0] == 34
    error = error_of(sums, 1, 1, np.ones(100), out, 1000)
    assert "index 102 is out of bounds" in str(error)


@pytest.mark.parametrize("width", WIDTHS)
def test_what_comes_before_the_access_has_happened(cpu, width):
    @cuda.jit(width=width)
    def fill(a, n):
        for k in range(n):
            a[k] = k

    a = np.zeros(10)
    error_of(fill, 1, 1, a, 20)
    np.testing.assert_array_equal(a, np.arange(10))


@pytest.mark.parametrize("width", WIDTHS)
def test_lanes_that_do_not_run_may_have_any_index(cpu, width):
    @cuda.jit(width=width)
    def gather(a, i, out):
        t = cuda.grid(1)
        if t % 3 == 0:
            out[t] = a[i[t]]

    i = np.full(96, 10**6)
    i[::3] = np.arange(32)
    out = np.zeros(96)
    gather[2, 48](np.arange(32.0), i, out)
    np.testing.assert_array_equal(out[::3], np.arange(32))
    i[93] = 32
    error = error_of(gather, 2, 48, np.arange(32.0), i, out)
    assert error.ctaid[0] == 1 and error.tid[0] == 45


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_the_rows_of_a_sparse_matrix(cpu, width, kind):
    @cuda.jit(width=width)
    def product(starts, columns, values, x, y):
        row = cuda.grid(1)
        if row < y.size:
            total = 0.0
            for k in range(starts[row], starts[row + 1]):
                total += values[k] * x[columns[k]]
            y[row] = total

    rows = 70
    lengths = np.arange(rows) % 5
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(kind)
    columns = (np.arange(starts[-1]) % 60 - 20).astype(kind)  # some from the end
    values, x, y = np.arange(starts[-1]) + 0.5, np.arange(40.0), np.zeros(rows)
    product[2, 48](starts, columns, values, x, y)
    terms = values * x[columns]
    expected = [terms[a:b].sum() for a, b in zip(starts, starts[1:], strict=False)]
    np.testing.assert_allclose(y, expected)

    # From the end, over the start, and none at all where a row has no elements, wherever it begins.
    beyond, columns_beyond = starts.copy(), columns.copy()
    beyond[0] = -2
    product[2, 48](beyond, columns, values, x, y)
    np.testing.assert_allclose(y[0], terms[-2] + terms[-1])
    beyond[:2] = 10**9, 10**9
    beyond[1] = 0
    product[2, 48](beyond, columns, values, x, y)
    assert y[0] == 0
    np.testing.assert_allclose(y[1:], expected[1:])
    beyond[-1] += 3
    beyond[0] = 0
    error = error_of(product, 2, 48, beyond, columns, values, x, y)
    assert f"index {starts[-1]} is out of bounds" in str(error)
    assert (error.ctaid[0], error.tid[0]) == (1, 21)
    columns_beyond[starts[33]] = 40
    error = error_of(product, 2, 48, starts, columns_beyond, values, x, y)
    assert "index 40 is out of bounds" in str(error) and "'x'" in str(error)
    assert (error.ctaid[0], error.tid[0]) == (0, 33)


def test_an_empty_loop_checks_nothing(cpu):
    @cuda.jit
    def k(a, out, n):
        t = cuda.grid(1)
        for j in range(n):
            out[t] += a[j, 0]

    out = np.zeros(64)
    k[1, 64](np.zeros((0, 1)), out, 0)
    assert (out == 0).all()


@pytest.mark.parametrize("index", [-4, 3, 2**40])
@pytest.mark.parametrize("kind", ["shared", "local", "const", "record", "view", "atomic"])
def test_every_kind_of_array_is_checked(cpu, kind, index):
    table = np.arange(3)

    @cuda.jit
    def k(a, records, out, i):
        if kind == "shared":
            cuda.shared.array(3, int32)[i] = 1
        elif kind == "local":
            cuda.local.array(3, float32)[i] = 1
        elif kind == "const":
            out[0] = cuda.const.array_like(table)[i]
        elif kind == "record":
            records[i].x = 1
        elif kind == "view":
            a[1:4][i] = 1
        else:
            cuda.atomic.add(out, i, 1)

    records = np.zeros(3, [("x", "i4"), ("y", "f4")])
    error_of(k, 1, 1, np.zeros(6), records, np.zeros(3), index)
    k[1, 1](np.zeros(6), records, np.zeros(3), 2)
    k[1, 1](np.zeros(6), records, np.zeros(3), -3)


@pytest.mark.parametrize("index", [np.uint64(2**63), np.uint64(2**64 - 1), np.uint32(2**32 - 1)])
@pytest.mark.parametrize(
    "line",
    ["a[i] = 1", "a.flat[i] = 1", "cuda.atomic.add(a, i, 1)", "a[0] = a.take(i)", "a[of] = 1"],
)
def test_an_unsigned_index_is_told_as_it_is(cpu, line, index):
    scope = {"cuda": cuda}
    exec(f"def k(a, i, of):\n    {line}\n", scope)
    error = error_of(cuda.jit(scope["k"]), 1, 1, np.zeros(4), index, np.array([index]))
    assert f" {index}" in str(error)


def test_the_first_unsigned_index_of_a_loop_is_told(cpu):
    @cuda.jit
    def k(a, begin, end):
        for i in range(begin, end):
            a[i] = 1

    error = error_of(k, 1, 1, np.zeros(4), np.uint64(2**64 - 9), np.uint64(2**64 - 1))
    assert f"index {2**64 - 9} is out of bounds" in str(error)


def test_a_grid_stride_loop_names_the_thread(cpu):
    @cuda.jit
    def scale(n, x, y):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            y[i] = 2 * x[i]

    x, y = np.ones(1000), np.zeros(1000)
    scale[2, 64](1000, x, y)
    assert (y == 2).all()
    error = error_of(scale, 2, 64, 1000, x[:700], y)
    index = int(str(error).split("index ")[1].split()[0])
    assert index % 128 == 64 * error.ctaid[0] + error.tid[0] and index >= 700


def test_a_setting_turns_checks_off(run_python):
    program = """
import numpy as np
from heddle import cuda
memory = np.zeros(100)
@cuda.jit
def write(a):
    a[cuda.grid(1)] = 1
write[1, 60](memory[:50])
print(int(memory.sum()))
"""
    unchecked = run_python(program, HEDDLE_BOUNDS="0", HEDDLE_DEVICE="cpu")
    checked = run_python(program, HEDDLE_DEVICE="cpu")
    assert unchecked.returncode == 0, unchecked.stderr
    assert "IndexError: program.py:7: index 50 is out of bounds" in checked.stderr


@pytest.mark.parametrize("width", WIDTHS)
def test_the_first_element_of_an_empty_array_is_not_swapped(cpu, width):
    @cuda.jit(width=width)
    def swap(a, at):
        cuda.atomic.compare_and_swap(a[at:], 1, 9)

    array, memory = guarded(4, np.int32)
    error = error_of(swap, 1, 1, array, 4)
    assert "index 0 is out of bounds for axis 0 of an array with size 0" in str(error)
    assert (memory[:100] == 7).all() and (memory[-100:] == 7).all() and (array == 1).all()
    swap[1, 1](array, 3)
    assert array.tolist() == [1, 1, 1, 9]


ASSIGNMENTS = {
    "a row": ("a[0] = b", (2, 4), 5),
    "a row of nothing": ("a[0] = b", (2, 4), 0),
    "a column": ("a[:, 0] = b", (2, 4), 4),
    "a slice": ("a[0, 1:3] = b", (2, 4), 3),
    "a sum": ("a[0] += b", (2, 4), 3),
    "a ufunc's output": ("np.add(a[1], b, a[1])", (2, 4), 0),
    "a function's output": ("np.sqrt(b, a[1])", (2, 4), 7),
}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_shapes_that_do_not_fit_are_refused(cpu, name):
    line, shape, count = ASSIGNMENTS[name]
    scope = {"np": np}
    exec(f"def k(a, b):\n    {line}\n", scope)
    array, memory = guarded(shape)
    with pytest.raises(ValueError, match="do not match|could not be broadcast"):
        cuda.jit(scope["k"])[1, 1](array, np.arange(float(count)))
    assert (memory[:100] == 7).all() and (memory[-100:] == 7).all() and (array == 1).all()


def test_a_slice_needs_a_step(cpu):
    @cuda.jit
    def k(a, step):
        a[::step] = 3

    with pytest.raises(ValueError, match="slice step cannot be zero"):
        k[1, 1](np.zeros(4), 0)
