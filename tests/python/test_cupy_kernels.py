"""ElementwiseKernel and ReductionKernel on the CPU device."""

import numpy as np
import pytest

import heddle.compat.cupy as cp
from heddle.errors import HeddleWarning, TypingError

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
    with pytest.raises(TypeError, match="y is an array of float64, expected float32 because T"):
        add(cp.ones(2, "f"), cp.ones(2))


def test_a_numpy_array_is_refused():
    with pytest.raises(TypeError, match="x takes a cupy.ndarray or a number, not a ndarray"):
        square(np.ones(3))


def test_a_wrong_number_of_arguments_is_refused():
    with pytest.raises(TypeError, match="square takes 1 arguments, or 2 with the outputs, not 3"):
        square(1, 2, 3)


def test_a_call_without_a_size_is_refused():
    kernel = cp.ElementwiseKernel("raw T x", "T y", "y = x[i]", "copy")
    with pytest.raises(ValueError, match="the number of elements is unknown"):
        kernel(cp.ones(3))


def test_an_output_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"shapes \(3,\), \(2,\) cannot be broadcast"):
        square(cp.ones(3), cp.ones(2))
    with pytest.raises(ValueError, match=r"Out shape is mismatched.* y has shape \(1,\)"):
        square(cp.ones(3), cp.ones(1))


def test_an_output_that_is_given_takes_part_in_the_broadcast():
    y = cp.empty((2, 3))
    np.testing.assert_array_equal(square(cp.arange(2.0)[:, None], y), [[0, 0, 0], [1, 1, 1]])


def test_the_number_of_an_element_is_in_c_order():
    number = cp.ElementwiseKernel("T x", "int64 y", "y = i", "number")
    for x in (cp.zeros((2, 3)), cp.zeros((3, 2)).T, cp.zeros((2, 3, 4))):
        np.testing.assert_array_equal(number(x), np.arange(x.size).reshape(x.shape))
    pick = cp.ElementwiseKernel("T x, raw T b", "T y", "y = x + b[i % 3]", "pick")
    np.testing.assert_array_equal(
        pick(cp.zeros((2, 3)), cp.asarray([1.0, 2, 4])), [[1, 2, 4], [1, 2, 4]]
    )


def test_a_raw_array_is_indexed_by_axes():
    x = cp.arange(24).reshape(2, 3, 4)
    for index in (
        "ptrdiff_t at[] = {i / 12, i / 4 % 3, i % 4}",
        "int at[] = {i / 12, i / 4 % 3, i % 4}",
    ):
        k = cp.ElementwiseKernel("raw T x", "T y", index + "; y = x[at]", "axes")
        np.testing.assert_array_equal(k(x, cp.empty_like(x)), x)
    k = cp.ElementwiseKernel("raw T x", "T y", "y = x[_ind.get()] + _ind.shape()[1]", "places")
    np.testing.assert_array_equal(k(x.transpose(2, 1, 0), cp.empty((4, 3, 2), int)), x.T + 3)


def test_an_operation_asks_for_the_shape_of_an_array():
    width = cp.ElementwiseKernel("T x", "int64 y", "y = _raw_y.shape()[1] + _raw_x.ndim", "width")
    assert width(cp.zeros((2, 3))).tolist() == [[5] * 3] * 2


def test_an_operation_chooses_types_by_cupys_traits():
    half = cp.ElementwiseKernel(
        "T x",
        "float64 y",
        "typedef cupy::type_traits::is_same<T, int> narrow;"
        "typedef typename cupy::type_traits::conditional<narrow::value, float, double>::type real; y = real(x) / 2",
        "half_of_it",
    )
    assert half(cp.array([5])).tolist() == half(cp.array([5], "i4")).tolist() == [2.5]


def test_an_operation_finds_the_least_float_atomically():
    least = cp.full(1, np.inf, "f")
    find = cp.ElementwiseKernel("float32 x", "raw float32 y", "atomicMin(&y[0], x)", "least")
    find(cp.array([3, -2, 5], "f"), least)
    assert least[0] == -2


def test_a_function_takes_a_raw_array():
    k = cp.ElementwiseKernel(
        "raw T x",
        "T y",
        "y = last(x) * T(M_PI)",
        "whole",
        preamble="""template <class T, int n, bool c, bool w> __device__ T last(const CArray<T, n, c, w> &x) {
          return x[x.size() - 1];
        }""",
    )
    assert k(cp.arange(4.0), size=2).tolist() == [3 * np.pi] * 2


def test_a_raw_output_has_the_size_that_is_given():
    k = cp.ElementwiseKernel("raw T x", "raw T z", "z[i] = x[i] + 1", "manual")
    assert k(cp.arange(4), size=4).tolist() == [1, 2, 3, 4]


def test_names_of_parameters_may_be_any_but_i():
    k = cp.ElementwiseKernel("T n, T _x, T x", "T data", "data = n + 10 * _x + 100 * x", "names")
    assert k(1, 2, cp.asarray([3])).tolist() == [321]
    with pytest.raises(ValueError, match="'i' is the number"):
        cp.ElementwiseKernel("T i", "T y", "y = i", "names")


def test_a_number_is_converted_to_its_parameters_type():
    k = cp.ElementwiseKernel("T x, int32 m, bool b", "T y", "y = x * m + b", "converts")
    assert k(cp.ones(1), 2.7, 3).tolist() == [3]


def test_a_block_without_threads_is_refused():
    with pytest.raises(ValueError, match="block_size must be greater than 0"):
        square(cp.ones(3), block_size=0)


def test_a_name_that_is_none_of_cpp_is_refused():
    for make in (
        lambda: cp.ElementwiseKernel("T x", "T y", "y = x", "1"),
        lambda: cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "1"),
    ):
        with pytest.raises(ValueError, match="Invalid kernel name"):
            make()
    assert square.__name__ == "square" and total.__name__ == "total"


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


def test_a_reduction_starts_from_its_identity():
    k = cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "5", "atleast")
    assert float(k(cp.arange(3.0))) == 5 and float(k(cp.arange(9.0))) == 8


def test_what_is_no_element_is_seen_behind_the_reduction():
    x = cp.arange(6.0).reshape(2, 3)
    scaled = cp.ReductionKernel(
        "T x, T p, raw T q", "T y", "x", "a + b", "y = a * p + q[i]", "0", "s"
    )
    np.testing.assert_array_equal(
        scaled(x, 2, cp.asarray([10.0, 20]), axis=1), 2 * x.sum(1) + np.array([10, 20])
    )


def test_an_element_has_a_number_in_its_reduction():
    place = cp.ReductionKernel("T x", "int64 y", "_J", "max(a, b)", "y = a", "0", "place")
    assert place(cp.zeros((2, 3, 4)), axis=1).tolist() == [[2] * 4] * 2
    weighted = cp.ReductionKernel("T x, raw T w", "T y", "x * w[_j]", "a + b", "y = a", "0", "w")
    x = cp.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(weighted(x, x, axis=0), (x * x).sum(0))


def test_a_reduction_may_have_several_outputs():
    both = cp.ReductionKernel("T x", "T y, int64 z", "x", "a + b", "y = a; z = 2 * a", "0", "both")
    y, z = both(cp.arange(6).reshape(2, 3), axis=[1])
    assert y.tolist() == [3, 12] and z.tolist() == [6, 24]


def test_an_output_that_is_given_twice_is_refused():
    y = cp.zeros(())
    with pytest.raises(ValueError, match="twice"):
        total(cp.ones(3), y, out=y)


def test_nothing_cannot_be_reduced_without_an_identity():
    with pytest.raises(ValueError, match="there are no elements to reduce and no identity"):
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


BOXES = """struct Box { float v[4]; };
extern "C" __global__ void k(const Box* boxes, float* out) { out[0] = boxes[0].v[1]; out[1] = gridDim.x; }"""


def test_a_pointer_takes_an_array_of_any_type():
    out = cp.zeros(2, "f")
    for kernel in cp.RawKernel(BOXES, "k"), cp.RawModule(code=BOXES).get_function("k"):
        kernel((3,), (1,), (cp.arange(8, dtype="f"), out))
        assert out.tolist() == [1, 3] and kernel.__name__ == "k"
    counts = cp.zeros(1, "i8")
    cp.RawKernel("__global__ void k(unsigned long long* n) { atomicAdd(n, 7); }", "k")(
        (1,), (1,), (counts,)
    )
    assert counts[0] == 7


def test_arguments_beyond_the_parameters_are_dropped():
    kernel = cp.RawKernel('extern "C" __global__ void k(int* x) { x[0] = 3; }', "k")
    x = cp.zeros(1, "i4")
    with pytest.warns(HeddleWarning, match="1 parameter, 3 arguments were given") as warned:
        kernel((1,), (1,), (x, 5, None))
    assert x.item() == 3 and warned[0].filename == __file__
    with pytest.raises(TypeError, match="1 parameter, 0 arguments were given"):
        kernel((1,), (1,), ())


def pass_as(pointer, array):
    kernel = cp.RawKernel(f"__global__ void k({pointer} x) {{ }}", "k")
    kernel((1,), (1,), (array,))


@pytest.mark.parametrize(
    "pointer, dtype",
    [
        ("float*", "f8"),
        ("double*", "f4"),
        ("int*", "i8"),
        ("double*", "i8"),
        ("const int*", "f4"),
        ("float*", "c16"),
        ("unsigned*", "u8"),
    ],
)
def test_an_array_of_other_numbers_is_warned_of(pointer, dtype):
    with pytest.warns(
        HeddleWarning, match=r"parameter 1 \(x\).* reads an array of .*\n.*astype"
    ) as warned:
        pass_as(pointer, cp.zeros(4, dtype))
    assert warned[0].filename == __file__


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "pointer, dtype",
    [
        ("float*", "u1"),
        ("unsigned char*", "f8"),
        ("bool*", "u1"),
        ("unsigned long long*", "f8"),
        ("float*", "u4"),
        ("int*", "u4"),
        ("float2*", "c8"),
        ("float*", "c8"),
        ("int4*", "f8"),
        ("void*", "f8"),
    ],
)
def test_an_array_of_the_same_bits_or_of_bytes_is_not_warned_of(pointer, dtype):
    pass_as(pointer, cp.zeros(16, dtype))


@pytest.mark.parametrize("shape", [(), 1, 4, (2, 2)])
def test_a_pointer_takes_no_numpy_array(shape):
    with pytest.raises(TypeError, match="takes a cupy.ndarray, not a NumPy array\n.*cupy.asarray"):
        pass_as("float*", np.zeros(shape, "f"))


def test_a_pointer_takes_an_address_in_a_numpy_array():
    x = cp.zeros(1, "f")
    pass_as("float*", np.array([x.data.ptr], np.uint64))


def test_a_number_may_be_in_a_numpy_array():
    x = cp.zeros(2, "i4")
    kernel = cp.RawKernel("__global__ void k(int* x, int i, float v) { x[i] = v; }", "k")
    kernel((1,), (1,), (x, np.array([1]), np.array(7, "f")))
    assert x.tolist() == [0, 7]


def test_a_launch_takes_a_stream_and_a_grid_of_nothing():
    out = cp.zeros(2, "f")
    kernel = cp.RawKernel(BOXES, "k")
    for stream in None, cp.cuda.Stream():
        kernel((0, 0), (1,), (cp.arange(8, dtype="f"), out), stream=stream)
        assert out.tolist() == [1, 1]


def test_names_are_not_for_nvcc():
    with pytest.raises(ValueError, match="nvrtc"):
        cp.RawModule(code=BOXES, backend="nvcc", name_expressions=["k"])


@pytest.mark.parametrize("number, cut", [(2**32 + 5, 5), (-1, -1), (2**63 - 1, -1), (200, -56)])
def test_a_python_int_is_cut_to_the_type(number, cut):
    add = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    np.testing.assert_array_equal(add(cp.zeros(2, cp.int8), number).get(), [cut, cut])


def test_cudas_constants_are_there_without_a_header():
    least = cp.ReductionKernel("T x", "T y", "x", "min(a, b)", "y = a", "CUDART_INF_F", "least")
    turns = cp.ElementwiseKernel("T x", "T y", "y = x / T(CUDART_PI)", "turns")
    assert float(least(cp.asarray([2.0, 1.0]))) == 1
    assert float(turns(cp.asarray(np.pi))) == 1


@pytest.mark.parametrize("shape", [(4,), (3, 4)], ids=str)
def test_an_array_for_the_tuple_of_arguments_passes_its_address(shape):
    kernel = cp.RawKernel("__global__ void k(int* x) { x[threadIdx.x] += 1; }", "k")
    x = cp.zeros(shape, np.int32)
    with pytest.warns(HeddleWarning, match=r"each argument is a row.*\n  hint: .* \(x,\)"):
        kernel(1, 4, x)
    np.testing.assert_array_equal(x.ravel()[:4], [1, 1, 1, 1])


def test_a_matrix_for_the_tuple_of_arguments_passes_its_rows():
    kernel = cp.RawKernel("__global__ void k(int* a, int* b) { *a = 5; *b = 6; }", "k")
    x = cp.zeros((2, 3), np.int32)
    with pytest.warns(HeddleWarning, match="each argument is a row"):
        kernel(1, 1, x)
    np.testing.assert_array_equal(x, [[5, 0, 0], [6, 0, 0]])
