"""The CuPy substitute accepts arrays in the other byte order, objects that describe an array, and structured dtypes."""

import numpy as np
import pytest

from heddle import cuda
from heddle.compat import cupy as cp
from heddle.cuda.native_devices import has_gpu

# Names of cupy are those of the device that is current: parameters of tests look them up while a test runs.
pytestmark = pytest.mark.usefixtures("cpu")
of_the_interface = pytest.mark.skipif(has_gpu(), reason="the interface is of a GPU's memory")

double = cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "double_it")
total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
swapped = np.arange(4, dtype=">f4")


class Told:
    """An array known only by its interface."""

    def __init__(self, values):
        self.values = values

    @property
    def __cuda_array_interface__(self):
        return {**self.values.__array_interface__, "version": 3, "stream": None}


@pytest.mark.parametrize(
    "make",
    [
        lambda a: cp.asarray(a),
        lambda a: cp.array(a),
        lambda a: cp.ascontiguousarray(a),
        lambda a: cp.asfortranarray(a),
        lambda a: cp.asanyarray(a),
        lambda a: cp.asarray(a, dtype=">f4"),
        lambda a: cp.array(list(a), dtype=">f4"),
        lambda a: cp.asarray(a[::-1])[::-1],
        lambda a: cp.frombuffer(a.tobytes(), dtype=">f4"),
        lambda a: cp.arange(4, dtype=np.float32).astype(">f4"),
        lambda a: cp.arange(4, dtype=">f4"),
        lambda a: cp.zeros(4, ">f4") + cp.asarray(a),
    ],
)
def test_arrays_have_this_machines_byte_order(make):
    made = make(swapped)
    assert made.dtype == np.float32 and made.dtype.isnative
    assert made.tolist() == [0, 1, 2, 3]
    assert double(made).tolist() == [0, 2, 4, 6] and float(total(made)) == 6


@pytest.mark.parametrize("kind", [">i2", ">u4", ">i8", ">f8", ">c8", ">c16", ">M8[s]", ">U3"])
def test_every_kind_of_number_is_converted(kind):
    values = np.array([1, 2, 3]).astype(kind)
    made = cp.array(values)
    assert made.dtype.isnative and made.get().tolist() == values.tolist()


def test_fields_of_records_are_converted():
    values = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", ">i4"), ("b", ">f8")])
    made = cp.asarray(values)
    assert made.dtype == np.dtype([("a", "<i4"), ("b", "<f8")])
    assert made["a"].tolist() == [1, 3] and made["b"].tolist() == [2.5, 4.5]


def test_raw_kernels_run_on_what_was_converted():
    k = cp.RawKernel(
        'extern "C" __global__ void k(const double* a, double* o) { o[threadIdx.x] = a[threadIdx.x] + 1; }',
        "k",
    )
    out = cp.zeros(3)
    k((1,), (3,), (cp.asarray(np.array([1, 2, 3], ">f8")), out))
    assert out.tolist() == [2, 3, 4]


def test_numbas_arrays_are_refused_in_the_other_byte_order():
    @cuda.jit
    def k(x):
        x[0] = 1

    with pytest.raises((TypeError, ValueError), match="byte order|>f4|endian"):
        k[1, 1](swapped)


@of_the_interface
def test_objects_that_tell_of_an_array_are_refused_in_the_other_byte_order():
    with pytest.raises(ValueError, match="byte order"):
        cp.asarray(Told(swapped))


@of_the_interface
def test_kernels_take_objects_that_tell_of_an_array():
    values = np.arange(4.0)
    assert double(Told(values)).tolist() == [0, 2, 4, 6]
    assert float(total(Told(values))) == 6
    mixed = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[0]", "mixed")
    assert mixed(cp.ones(4), Told(values + 5)).tolist() == [6] * 4


@of_the_interface
def test_kernels_write_to_objects_that_tell_of_an_array():
    values, sums = np.zeros(4), np.zeros(())
    double(cp.arange(4.0), Told(values))
    total(cp.arange(4.0), out=Told(sums))
    assert values.tolist() == [0, 2, 4, 6] and sums == 6


def test_numbas_device_arrays_are_taken():
    values = cuda.to_device(np.arange(4.0))
    assert double(values).copy_to_host().tolist() == [0, 2, 4, 6]


@of_the_interface
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: cp.sum(x), 6),
        (lambda x: cp.sqrt(x), np.sqrt(np.arange(4.0))),
        (lambda x: cp.concatenate([x, x]), [0, 1, 2, 3] * 2),
        (lambda x: cp.where(cp.asarray(x) > 1, x, 0), [0, 0, 2, 3]),
        (lambda x: cp.linalg.norm(x), np.sqrt(14)),
        (lambda x: cp.add(x, 1, out=cp.zeros(4)), [1, 2, 3, 4]),
        (lambda x: cp.add(cp.ones(4), x), [1, 2, 3, 4]),
        (lambda x: cp.flip(x), [3, 2, 1, 0]),
        (lambda x: cp.zeros_like(x), [0] * 4),
    ],
)
def test_functions_take_objects_that_tell_of_an_array(function, expected):
    made = function(Told(np.arange(4.0)))
    assert isinstance(made, cp.ndarray)
    np.testing.assert_allclose(made.get(), expected)


def test_what_tells_of_an_array_to_cupy_alone_is_taken():
    class Holder:
        def __cupy_get_ndarray__(self):
            return cp.arange(3.0)

    assert double(Holder()).tolist() == [0, 2, 4]


pair = np.dtype([("a", "i4"), ("b", "f8")], align=True)


def test_a_kernel_reaches_fields_by_their_numbers():
    k = cp.ElementwiseKernel(
        "T x",
        "T y, float64 s",
        "y = x; y.at<1>() *= 2; s = x.template at<0>() + x.at<1>();",
        "fields",
    )
    x = cp.array(np.array([(1, 2.5), (3, 4.5)], pair))
    y, s = k(x)
    assert y.dtype == pair and y.get().tolist() == [(1, 5.0), (3, 9.0)]
    assert s.tolist() == [3.5, 7.5]


def test_structs_compare_convert_and_nest():
    inner = cp.make_aligned_dtype([("re", "f4"), ("z", "c16")])
    outer = cp.make_aligned_dtype([("n", "i1"), ("v", inner), ("h", "f2")])
    equal = cp.ElementwiseKernel(
        "T x, T y", "bool e, U o", "e = x == y; o = x; o.at<0>() += 1;", "equal"
    )
    x = cp.zeros(3, outer)
    x["v"]["z"] = cp.asarray([1j, 2j, 3j])
    x["h"] = 1.5
    y = x.copy()
    y["v"]["re"] = cp.asarray([0, 0, 1])
    out = cp.zeros(3, outer)
    e, o = equal(x, y, cp.zeros(3, bool), out)
    assert e.tolist() == [True, True, False]
    assert (
        o["n"].tolist() == [1, 1, 1]
        and o["v"]["z"].tolist() == [1j, 2j, 3j]
        and o["h"].tolist() == [1.5] * 3
    )


def test_a_reduction_of_structs():
    largest = cp.ReductionKernel(
        "T x",
        "float64 y",
        "x.template at<1>()",
        "max(a, b)",
        "y = a",
        "-1e300",
        "largest",
        reduce_type="double",
    )
    x = cp.array(np.array([(1, 2.5), (3, 4.5), (5, -1)], pair))
    assert float(largest(x)) == 4.5


def test_a_struct_with_fields_out_of_place_is_refused():
    k = cp.ElementwiseKernel("T x", "int32 y", "y = 1", "unaligned")
    with pytest.raises(ValueError, match=r"Field b .* byte 1[\s\S]*make_aligned_dtype"):
        k(cp.zeros(2, [("a", "i1"), ("b", "f8")]))


def test_aligned_dtypes_have_cudas_alignment():
    made = cp.make_aligned_dtype([("a", "i1"), ("z", "c16"), ("b", "i1")])
    assert made.fields["z"][1] == 16 and made.fields["b"][1] == 32 and made.itemsize == 48
    assert cp.make_aligned_dtype("i4,i4", alignment=16).itemsize == 16
    assert cp.make_aligned_dtype("i4,i4").itemsize == 8
    with pytest.raises(ValueError, match="only supports structured"):
        cp.make_aligned_dtype("f4")
    with pytest.raises(ValueError, match="alignment=4 is less than 8"):
        cp.make_aligned_dtype("i4,f8", alignment=4)
    with pytest.raises(ValueError, match="power of two"):
        cp.make_aligned_dtype("i4,f8", alignment=3)
