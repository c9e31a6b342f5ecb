"""``guvectorize``: functions of small arrays applied to arrays of them, on the host and on devices."""

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, float64, guvectorize, int64, njit, prange, stencil
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.ufuncs.layouts import Layout

TARGETS = ["cpu", "parallel", "cuda"]


@pytest.fixture(params=TARGETS)
def target(request, device):
    return request.param


@pytest.fixture(params=[False, True], ids=["host", "device"])
def place(request, target):
    """(a function that puts an array where the test wants its arguments, one that reads a result)"""
    if request.param and target != "cuda":
        pytest.skip("device arrays are for the target cuda")
    to = cuda.to_device if request.param else np.asarray
    kind = DeviceNDArray if request.param else (np.ndarray, np.generic)

    def read(found):
        assert isinstance(found, kind)
        return found.copy_to_host() if request.param else found

    return to, read


def make_matmul(target):
    @guvectorize(
        [(t[:, :], t[:, :], t[:, :]) for t in (float32, float64)],
        "(m,n),(n,p)->(m,p)",
        target=target,
    )
    def matmul(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                c[i, j] = 0
                for k in range(a.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]

    return matmul


def make_sum(target):
    @guvectorize(["void(int64[:], int64[:])"], "(n)->()", target=target)
    def total(row, out):
        out[0] = 0
        for x in row:
            out[0] += x

    return total


def make_saxpy(target):
    @guvectorize(
        ["void(float32, float32[:], float32[:], float32[:])"], "(),(t),(t)->(t)", target=target
    )
    def saxpy(a, x, y, out):
        for i in range(out.shape[0]):
            out[i] = a * x[i] + y[i]

    return saxpy


def matrices(*shape, dtype="f8"):
    return (np.arange(np.prod(shape)) % 7).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("first", "second"), [((), ()), ((5,), (5,)), ((5,), ()), ((3, 1), (2,)), ((2, 1, 2), (3, 1))]
)
def test_loop_dimensions_are_broadcast(target, place, first, second, dtype):
    to, read = place
    a, b = matrices(*first, 3, 4, dtype=dtype), matrices(*second, 4, 2, dtype=dtype)
    found = read(make_matmul(target)(to(a), to(b)))
    np.testing.assert_array_equal(found, a @ b)
    assert found.dtype == a.dtype


def test_many_rounds(target, place):
    to, read = place
    rows = matrices(40_000, 3, dtype="i8")
    np.testing.assert_array_equal(read(make_sum(target)(to(rows))), rows.sum(axis=1))


def test_views(target, place):
    to, read = place
    rows = to(matrices(6, 8, dtype="i8"))
    expected = matrices(6, 8, dtype="i8")
    for part in (np.s_[::2, ::3], np.s_[:, ::-1], np.s_[::-1], np.s_[1:, 1:]):
        np.testing.assert_array_equal(
            read(make_sum(target)(rows[part])), expected[part].sum(axis=-1)
        )
    cubes = to(matrices(4, 5, 6, dtype="i8"))
    np.testing.assert_array_equal(
        read(make_sum(target)(cubes[::2, ::2])),
        matrices(4, 5, 6, dtype="i8")[::2, ::2].sum(axis=-1),
    )


def test_a_result_that_is_a_number(target):
    assert make_sum(target)(np.arange(5)) == 10


def test_numbers_as_inputs(target, place):
    to, read = place
    x = matrices(5, 2, dtype="f4")
    saxpy = make_saxpy(target)
    np.testing.assert_array_equal(read(saxpy(np.float32(2), to(x), to(x))), 3 * x)
    factors = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(
        read(saxpy(to(factors), to(x), to(x[0]))), factors[:, None] * x + x[0]
    )


def test_results_that_are_given(target, place):
    to, read = place
    rows, out = matrices(10, 4, dtype="i8"), to(np.zeros(10, np.int64))
    total = make_sum(target)
    assert total(to(rows), out=out) is out
    np.testing.assert_array_equal(read(out), rows.sum(axis=1))
    assert total(to(rows + 1), out) is out
    np.testing.assert_array_equal(read(out), rows.sum(axis=1) + 4)


def test_several_results(target, place):
    to, read = place

    @guvectorize(["void(float64[:], float64[:], float64[:])"], "(n)->(),()", target=target)
    def limits(row, low, high):
        low[0] = row[0]
        high[0] = row[0]
        for x in row:
            low[0] = min(low[0], x)
            high[0] = max(high[0], x)

    rows = matrices(5, 9)
    low, high = limits(to(rows))
    np.testing.assert_array_equal(read(low), rows.min(axis=1))
    np.testing.assert_array_equal(read(high), rows.max(axis=1))


def test_without_signatures_a_call_names_its_results(target, place):
    to, read = place

    @guvectorize("(n),()->(n)", target=target)
    def scale(row, factor, out):
        for i in range(row.shape[0]):
            out[i] = row[i] * factor

    out = to(np.zeros((2, 3)))
    scale(to(matrices(2, 3)), 2.0, out)
    np.testing.assert_array_equal(read(out), matrices(2, 3) * 2)
    assert scale.types == ["dd->d"]
    with pytest.raises(TypeError, match="Too few arguments for function 'scale'"):
        scale(to(matrices(2, 3)), 2.0)


@pytest.mark.parametrize("named", [0, "totals"])
def test_inputs_that_are_written(named):
    @guvectorize(
        ["void(float64[:], float64[:], float64[:])"], "(n),(n)->(n)", writable_args=(named,)
    )
    def accumulate(totals, row, out):
        for i in range(row.shape[0]):
            totals[i] += row[i]
            out[i] = totals[i]

    for dtype in ("f8", "f4"):
        totals = np.ones(3, dtype)
        assert accumulate(totals, np.arange(3.0)).tolist() == totals.tolist() == [1, 2, 3]


def test_an_input_of_one_number_as_an_array(target):
    @guvectorize([(int64[:], int64[:], int64[:])], "(),(n)->(n)", target=target)
    def shift(offset, row, out):
        for i in range(row.shape[0]):
            out[i] = row[i] + offset[0]

    np.testing.assert_array_equal(shift(10, np.arange(3)), [10, 11, 12])


def test_a_number_with_arrays_on_the_device(device):
    @guvectorize([(int64, int64[:], int64[:])], "(),(n)->(n)", target="cuda")
    def shift(offset, row, out):
        for i in range(row.shape[0]):
            out[i] = row[i] + offset

    found = shift(10, cuda.to_device(np.arange(3)))
    assert found.copy_to_host().tolist() == [10, 11, 12]


def test_kernels_call_it_as_it_was_written(device):
    total = make_sum("cpu")

    @cuda.jit
    def kernel(rows, out):
        i = cuda.grid(1)
        if i < out.size:
            total(rows[i], out[i : i + 1])

    rows, out = matrices(5, 4, dtype="i8"), np.zeros(5, np.int64)
    kernel[1, 32](rows, out)
    np.testing.assert_array_equal(out, rows.sum(axis=1))


def test_the_facts_of_a_generalized_ufunc():
    matmul = make_matmul("cpu")
    assert (matmul.nin, matmul.nout, matmul.ntypes, matmul.types) == (2, 1, 2, ["ff->f", "dd->d"])
    assert matmul.signature == matmul.ufunc.signature == "(m,n),(n,p)->(m,p)"
    assert repr(matmul) == "<heddle generalized ufunc 'matmul', (m,n),(n,p)->(m,p)>"


def test_axes_and_axis_are_numpys():
    rows = matrices(4, 5, dtype="i8")
    total = make_sum("cpu")
    np.testing.assert_array_equal(total(rows, axis=0), rows.sum(axis=0))
    np.testing.assert_array_equal(
        make_matmul("cpu")(rows * 1.0, rows * 1.0, axes=[(1, 0), (0, 1), (0, 1)]), rows.T @ rows
    )


def test_a_stream_and_fewer_threads(device):
    stream, total = cuda.stream(), make_sum("cuda")
    total.max_blocksize = 32
    rows = matrices(1000, 3, dtype="i8")
    found = total(cuda.to_device(rows, stream=stream), stream=stream)
    np.testing.assert_array_equal(found.copy_to_host(stream=stream), rows.sum(axis=1))


def test_large_results_use_all_threads():
    rows = matrices(300_000, 2, dtype="i8")
    np.testing.assert_array_equal(make_sum("parallel")(rows), rows.sum(axis=1))


def test_a_result_that_is_an_input_too(target):
    x = matrices(4, 3, dtype="f4")
    expected = 2 * x + x
    make_saxpy(target)(np.float32(2), x, x, out=x)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("layout", ["(n", "n->n", "(n),->(n)", "(n)->", "(n->(n)", "->"])
def test_what_is_no_layout(layout):
    with pytest.raises(ValueError, match="is not a layout of a generalized ufunc"):
        Layout(layout)


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("void(float64[:])", "has 2 arguments, but the signature .* 1"),
        ("void(float64[:, :], float64[:])", "argument 1 is an array of rank 1 in the layout"),
        ("void(float64, float64[:])", "argument 1 is an array of rank 1 in the layout"),
        ("void(float64[:], float64)", "argument 2 is an array of rank 1 in the layout"),
        ("int32(float64[:], float64[:])", "cannot return values: .* specifies int32 return type"),
    ],
)
def test_signatures_that_do_not_fit_the_layout(signature, message):
    with pytest.raises(TypeError, match=message):

        @guvectorize([signature], "(n)->()")
        def total(row, out):
            out[0] = row[0]


def test_a_function_with_other_parameters_than_its_layout():
    def total(row):
        pass

    with pytest.raises(TypeError, match=r"total\(\) and its layout \(n\)->\(\) have .*: 1 and 2"):
        guvectorize(["void(int64[:], int64[:])"], "(n)->()")(total)


def test_a_function_that_does_not_compile_is_told_at_once():
    with pytest.raises(heddle.TypingError, match="nowhere"):

        @guvectorize(["void(int64[:], int64[:])"], "(n)->()")
        def wrong(row, out):
            out[0] = nowhere  # noqa: F821 - that is the mistake


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ((2, 3), (4, 2), "'n' of the layout .* is 4 here and 3 before"),
        ((3,), (3, 2), "argument 1 has 1 dimensions, but the layout .* needs 2"),
        ((2, 2, 3), (3, 3, 2), "broadcast"),
    ],
)
def test_device_arrays_of_shapes_that_do_not_fit(device, first, second, message):
    with pytest.raises(ValueError, match=message):
        make_matmul("cuda")(cuda.device_array(first), cuda.device_array(second))


def test_a_device_array_of_another_dtype_is_refused(device):
    with pytest.raises(TypeError, match="dtype int32 is not converted to int64"):
        make_sum("cuda")(cuda.device_array(3, np.int32))


def test_a_result_of_another_shape_is_refused(device):
    with pytest.raises(
        ValueError, match=r"a result has shape \(5,\), but out has \(4,\)|broadcast"
    ):
        make_sum("cuda")(cuda.device_array((5, 3), np.int64), out=cuda.device_array(4, np.int64))


def test_out_twice_is_refused(device):
    array = np.zeros(3, np.int64)
    with pytest.raises(
        ValueError, match="cannot specify argument 'out' as both positional and keyword"
    ):
        make_sum("cuda")(array, array, out=array)


def test_prange_is_range():
    @guvectorize(["f8[:],f8[:]"], "(n)->(n)", nopython=True)
    def doubled(a, out):
        for i in prange(a.size):
            out[i] = 2 * a[i]

    np.testing.assert_array_equal(doubled(np.arange(3.0)), [0, 2, 4])


def test_what_a_parallel_loop_of_a_called_function_writes_is_there():
    @njit(parallel=True)
    def double_into(a, out):
        for i in prange(a.size):
            out[i] = 2 * a[i]

    @guvectorize(["f8[:],f8[:]"], "(n)->(n)", nopython=True)
    def doubled(a, out):
        double_into(a, out)

    np.testing.assert_array_equal(doubled(np.arange(3.0)), [0, 2, 4])


def plus(x, y, result):
    for i in range(x.size):
        result[i] = x[i] + y


def test_jitted_functions_call_it_over_further_dimensions():
    add = guvectorize(["void(f8[:], f8, f8[:])"], "(n),()->(n)")(plus)

    @njit
    def added(x, y, result):
        add(x, y, result)

    x, y, result = np.arange(6.0).reshape(2, 3), np.array([10.0, 20.0]), np.zeros((2, 3))
    added(x, y, result)
    np.testing.assert_array_equal(result, x + y[:, None])


def test_a_jitted_function_gets_the_result_as_a_new_array():
    add = guvectorize(["void(f8[:], f8, f8[:])"], "(n),()->(n)")(plus)
    added = njit(lambda x: add(x, 2.0))
    np.testing.assert_array_equal(added(np.arange(6.0).reshape(2, 3)), [[2, 3, 4], [5, 6, 7]])


def test_a_result_that_is_a_number_is_an_element_for_jitted_functions():
    @guvectorize("(n)->()")
    def total(x, result):
        result[0] = x.sum()

    @njit
    def totals(x):
        result = np.zeros(2)
        total(x, result)
        return result

    np.testing.assert_array_equal(totals(np.arange(6.0).reshape(2, 3)), [3, 12])


def test_a_result_that_is_too_small_for_a_call_in_a_jitted_function_is_an_error():
    add = guvectorize(["void(f8[:], f8, f8[:])"], "(n),()->(n)")(plus)
    added = njit(lambda x, y, result: add(x, y, result))
    with pytest.raises(ValueError, match="result x2 does not have the shape of the loop"):
        added(np.ones((2, 3)), np.ones(2), np.ones((1, 3)))


def test_extents_that_differ_in_a_call_of_a_jitted_function_are_an_error():
    @guvectorize(["void(f8[:], f8[:], f8[:])"], "(n),(n)->(n)")
    def product(x, y, result):
        result[:] = x * y

    multiplied = njit(lambda x, y: product(x, y))
    with pytest.raises(ValueError, match=r"'n' of the layout \(n\),\(n\)->\(n\) has different"):
        multiplied(np.ones(3), np.ones(2))


def sum_to(x, sums):
    sums[0] = x.sum()


def test_a_layout_without_results_writes_to_its_arguments():
    ufunc = guvectorize(["void(f8[:], f8[:])"], "(n),(k)")(sum_to)
    sums = np.zeros((2, 1))
    assert ufunc(np.arange(6.0).reshape(2, 3), sums) == ()
    np.testing.assert_array_equal(sums, [[3], [12]])


def test_jitted_functions_call_one_without_results():
    ufunc = guvectorize(["void(f8[:], f8[:])"], "(n),(k)")(sum_to)
    summed = njit(lambda x, sums: ufunc(x, sums))
    sums = np.zeros((2, 1))
    summed(np.arange(6.0).reshape(2, 3), sums)
    np.testing.assert_array_equal(sums, [[3], [12]])


def test_a_function_that_makes_arrays_is_one_of_the_host():
    @guvectorize(["void(f8[:], f8[:])", "void(f4[:], f4[:])"], "(n)->(n)")
    def in_order(x, result):
        result[:] = np.sort(x)

    np.testing.assert_array_equal(in_order([[3.0, 1, 2], [5, 4, 9]]), [[1, 2, 3], [4, 5, 9]])
    reversed_rows = np.array([[3, 1, 2], [5, 4, 9]], np.float32)[::-1, ::-1]
    np.testing.assert_array_equal(in_order(reversed_rows), [[4, 5, 9], [1, 2, 3]])


def test_what_a_function_of_the_host_raises_ends_the_call():
    @guvectorize(["void(f8[:], f8[:])"], "(n)->(n)")
    def in_order(x, result):
        if x[0] < 0:
            raise ValueError("negative")
        result[:] = np.sort(x)

    with pytest.raises(ValueError, match="negative"):
        in_order([-1.0, 2.0])
    np.testing.assert_array_equal(in_order([2.0, 1.0]), [1, 2])


def test_the_function_may_call_a_stencil():
    is_peak = stencil(lambda x: (x[0] > x[-1]) & (x[0] >= x[1]))

    @guvectorize(["void(i2[:], b1[:])", "void(f8[:], b1[:])"], "(n)->(n)")
    def peaks(x, result):
        result[:] = is_peak(x)

    np.testing.assert_array_equal(peaks([1.0, 3, 2, 5, 4, 4]), np.array([0, 1, 0, 1, 0, 0], bool))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.float64])
def test_elements_of_a_result_that_no_function_writes_stay(dtype):
    @guvectorize(["void(f8[:], u1[:])"], "(n)->(n)")
    def mark_even(x, out):
        for i in range(0, x.size, 2):
            out[i] = 1

    out = np.full((2, 3), 7, dtype)
    mark_even(np.zeros((2, 3)), out)
    np.testing.assert_array_equal(out, [[1, 7, 1]] * 2)
    assert mark_even(np.zeros(4)).dtype == np.uint8
