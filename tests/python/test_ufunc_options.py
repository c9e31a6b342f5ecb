"""Options of ``vectorize``, ``guvectorize`` and ``cuda.reduce`` without a meaning are refused."""

import numpy as np
import pytest

from heddle import cuda, guvectorize, vectorize
from heddle.errors import OptionError


def copy_row(a, b, out):
    for i in range(a.size):
        out[i] = a[i] + b[i]


def make(layout="(n),(n)->(n)", **options):
    return guvectorize(["void(float64[:], float64[:], float64[:])"], layout, **options)(copy_row)


@pytest.mark.parametrize("target", ["cpu", "parallel", "cuda"])
@pytest.mark.parametrize(
    "writable", [(0, 5), (2,), (-1,), ("out",), ("c",), (1.5,), (True,), (2**70,), (None,), [0, 3]]
)
def test_writable_args_names_inputs(target, writable):
    with pytest.raises(OptionError, match=r"not an input: the inputs are 'a' \(0\), 'b' \(1\)"):
        make(target=target, writable_args=writable)


@pytest.mark.parametrize("writable", [None, 0, True, 2.5])
def test_writable_args_is_a_tuple(writable):
    with pytest.raises(OptionError, match="takes a tuple of numbers or names"):
        make(writable_args=writable)


@pytest.mark.parametrize("writable", [(0,), ("a",), "a", (0, 0), ("a", 0), [np.int64(0)], {0}])
def test_an_input_that_is_writable_is_written(writable):
    @guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", writable_args=writable)
    def halve(a, out):
        for i in range(a.size):
            out[i] = a[i]
            a[i] /= 2

    a = np.arange(4.0)
    np.testing.assert_array_equal(halve(a), [0, 1, 2, 3])
    np.testing.assert_array_equal(a, [0, 0.5, 1, 1.5])


@pytest.mark.parametrize("layout", [None, 5, b"(n),(n)->(n)", ("(n)", "(n)")])
def test_a_layout_is_a_string(layout):
    with pytest.raises(TypeError, match="layout of a generalized ufunc is a string"):
        make(layout)


@pytest.mark.parametrize("layout", ["(n),(n)", "(n)->(n)", "(n),(n)->(n),(n)"])
def test_a_layout_has_a_group_for_each_argument(layout):
    with pytest.raises(TypeError, match="different numbers of arguments"):
        make(layout)


@pytest.mark.parametrize("identity", [5, "zero", [], {}, 1.5, (0,)])
@pytest.mark.parametrize("decorate", [make, lambda **o: vectorize([], **o)(lambda a, b: a + b)])
def test_an_identity_is_none_0_1_or_reorderable(identity, decorate):
    with pytest.raises(ValueError, match="identity is None, 0, 1 or 'reorderable'"):
        decorate(identity=identity)


@pytest.mark.parametrize("size", [0, 4, 1000])
@pytest.mark.parametrize("shape", [(0,), (), (1, 1), (0, 3)])
def test_the_result_of_a_reduction_has_an_element(device, size, shape):
    total = cuda.reduce(lambda a, b: a + b)
    with pytest.raises(ValueError, match="rank 1 with an element for the result"):
        total(np.ones(size), res=cuda.to_device(np.zeros(shape)))


def test_the_result_of_a_reduction_is_an_array(device):
    with pytest.raises(TypeError, match="res takes a device array"):
        cuda.reduce(lambda a, b: a + b)(np.ones(4), res=5)
