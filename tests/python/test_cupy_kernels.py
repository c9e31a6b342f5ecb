"""ElementwiseKernel and ReductionKernel on the CPU device."""

import numpy as np
import pytest

import heddle.compat.cupy as cp
from heddle.errors import TypingError

pytestmark = pytest.mark.usefixtures("cpu")

square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square")
total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
largest = cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "largest")


@pytest.mark.parametrize("dtype", "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split())
def test_a_letter_stands_for_the_arguments_type(dtype):
    result = square(cp.arange(5, dtype=dtype))
    assert result.dtype == dtype and result.tolist() == [0, 1, 4, 9, 16]


def test_arrays_are_broadcast():
    outer = cp.ElementwiseKernel("T x, T y", "T z", "z = 10 * x + y", "outer")
    x, y = cp.arange(3.0), cp.arange(4.0)
    np.testing.assert_array_equal(outer(x[:, None], y), 10 * x[:, None] + y)


def test_arrays_have_any_layout():
    x = cp.arange(24.0).reshape(2, 3, 4)
    for view in (x.T, x[:, ::-1], x[..., ::2], x.transpose(1, 0, 2)):
        np.testing.assert_array_equal(square(view), view**2)


def test_an_output_that_is_given_is_written_and_returned():
    y = cp.zeros((3, 8))[:, ::2]
    assert square(cp.ones((3, 4)), y) is y and (y == 1).all()


def test_an_array_of_no_dimensions_is_an_argument():
    result = square(cp.asarray(3.0))
    assert result.shape == () and float(result) == 9


def test_no_elements_are_nothing_to_do():
    assert square(cp.zeros((0, 3))).shape == (0, 3)


def test_numbers_take_the_type_of_the_arrays():
    add = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    assert add(cp.ones(2, "f"), 0.5).dtype == np.float32


@pytest.mark.parametrize("dtype, number", [("e", 0.5), ("F", 0.5), ("F", 1 - 2j), ("D", 2j)])
def test_numbers_take_types_that_are_classes_in_cpp(dtype, number):
    scale = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y; z += T(1)", "scale")
    x = np.arange(4).astype(dtype)
    np.testing.assert_array_equal(scale(cp.asarray(x), number), x * x.dtype.type(number) + 1)


def test_functions_of_complex_numbers_are_there():
    parts = cp.ElementwiseKernel(
        "complex64 z", "float32 size, complex64 w", "size = abs(z); w = exp(z) * conj(z)", "parts"
    )
    z = np.array([1 + 2j, 3j], "F")
    size, w = parts(cp.asarray(z))
    np.testing.assert_allclose(size, abs(z), rtol=1e-6)
    np.testing.assert_allclose(w, np.exp(z) * z.conj(), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["e", "F", "D"])
def test_sums_have_types_that_are_classes_in_cpp(dtype):
    x = np.arange(60).reshape(3, 20).astype(dtype)
    np.testing.assert_array_equal(total(cp.asarray(x), axis=1), x.sum(1))


def test_a_norm_of_complex_numbers_is_real():
    norm2 = cp.ReductionKernel("T x", "float64 y", "norm(x)", "a + b", "y = sqrt(a)", "0", "norm2")
    assert float(norm2(cp.array([3 + 4j, 12]))) == 13


def test_the_largest_half_is_found():
    assert float(largest(cp.asarray(np.arange(50, dtype="e")))) == 49


def test_raw_arrays_are_indexed_by_the_operation():
    gather = cp.ElementwiseKernel("raw T x, int32 j", "T y", "y = x[j] + x.size()", "gather")
    result = gather(cp.arange(9.0).reshape(3, 3).T, cp.array([0, 1, 2], dtype="i4"))
    assert result.tolist() == [9, 12, 15]


def test_size_counts_the_elements_of_raw_arrays():
    y = cp.zeros(4, "i4")
    cp.ElementwiseKernel("", "raw int32 y", "y[i] = i * i", "fill")(y, size=3)
    assert y.tolist() == [0, 1, 4, 0]


def test_several_outputs_are_a_tuple():
    split = cp.ElementwiseKernel("T x", "T q, bool odd", "q = x / 2; odd = x % 2;", "split")
    q, odd = split(cp.arange(4, dtype="i4"))
    assert q.tolist() == [0, 0, 1, 1] and odd.dtype == bool and odd.tolist() == [0, 1, 0, 1]


def test_an_elements_number_is_a_ptrdiff_t():
    kernel = cp.ElementwiseKernel(
        "raw T x",
        "T y",
        "ptrdiff_t last = 2; y = x[min(i, last)] + min(last, _ind.size())",
        "up_to",
    )
    assert kernel(cp.arange(5), cp.zeros(5, int)).tolist() == [2, 3, 4, 4, 4]


def test_a_preamble_and_a_prologue_are_part_of_the_program():
    kernel = cp.ElementwiseKernel(
        "T x",
        "T y",
        "y = twice(x) + offset",
        "with_preamble",
        preamble="template <class T> __device__ T twice(T x) { return 2 * x; }",
        loop_prep="const T offset = 5",
    )
    assert kernel(cp.arange(3)).tolist() == [5, 7, 9]


def test_arrays_of_another_type_are_refused():
    add = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    with pytest.raises(TypeError, match="y is an array of float64, float32 is expected because T"):
        add(cp.ones(2, "f"), cp.ones(2))


def test_a_numpy_array_is_refused():
    with pytest.raises(TypeError, match="x takes a cupy.ndarray or a number, not a ndarray"):
        square(np.ones(3))


def test_a_wrong_number_of_arguments_is_refused():
    with pytest.raises(TypeError, match="square takes 1 arguments, or 2 with the outputs, not 3"):
        square(1, 2, 3)


def test_a_call_without_a_size_is_refused():
    kernel = cp.ElementwiseKernel("raw T x", "T y", "y = x[i]", "copy")
    with pytest.raises(ValueError, match="nothing tells the number of elements"):
        kernel(cp.ones(3))


def test_an_output_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"output y has shape \(2,\), the elements \(3,\)"):
        square(cp.ones(3), cp.ones(2))


def test_a_parameter_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="a parameter is written 'T x'"):
        cp.ElementwiseKernel("T", "T y", "y = 0", "k")


def test_an_error_tells_the_line_of_the_operation():
    with pytest.raises(TypingError, match="wrong:2:5: use of undeclared identifier 'q'"):
        cp.ElementwiseKernel("T x", "T y", "T z = x;\ny = q;", "wrong")(cp.ones(3))


@pytest.mark.parametrize("size", [1, 2, 31, 127, 128, 129, 1023, 1025, 100_003])
def test_everything_is_reduced(size):
    x = cp.arange(size)
    assert int(total(x)) == size * (size - 1) // 2 and int(largest(x - size)) == -1


@pytest.mark.parametrize("axis", [0, 1, 2, -1, (0, 2), (1, 0), ()])
def test_axes_are_reduced(axis):
    x = cp.random.randint(0, 99, (3, 70, 5))
    np.testing.assert_array_equal(total(x, axis=axis), x.get().sum(axis=axis))


def test_reduced_axes_stay_when_they_are_kept():
    assert total(cp.ones((2, 3, 4)), axis=1, keepdims=True).shape == (2, 1, 4)


def test_a_reduction_writes_the_output_that_is_given():
    y = cp.zeros(2)
    assert total(cp.ones((2, 3)), y, axis=1) is y and y.tolist() == [3, 3]
    assert total(cp.ones((2, 4)), axis=1, out=y) is y and y.tolist() == [4, 4]


def test_nothing_reduces_to_the_identity():
    assert total(cp.zeros((0, 2)), axis=0).tolist() == [0, 0]


def test_nothing_cannot_be_reduced_without_an_identity():
    with pytest.raises(ValueError, match="nothing to reduce, and there is no identity"):
        largest(cp.zeros(0))


def test_values_have_a_type_of_their_own():
    argmax = cp.ReductionKernel(
        "T x",
        "int64 at",
        "Best(x, i)",
        "a.value >= b.value ? a : b",
        "at = a.at",
        None,
        "argmax",
        reduce_type="Best",
        preamble="struct Best { double value; long at; __device__ Best(double v, long k) : value(v), at(k) {} };",
    )
    x = cp.random.permutation(1000).astype("d")
    assert int(argmax(x)) == x.get().argmax()


def test_inputs_are_broadcast_and_combined():
    dot = cp.ReductionKernel("T x, T y, T f", "T z", "f * x * y", "a + b", "z = a", "0", "dot")
    x, y = cp.ones((3, 4)), cp.arange(4.0)
    assert dot(x, y, 2, axis=1).tolist() == [12, 12, 12]


def test_a_wrong_axis_is_refused():
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        total(cp.ones((2, 2)), axis=2)
