"""Launches with keyword, default and keyword-only arguments."""

import numpy as np
import pytest

from heddle import cuda


@cuda.jit
def affine(out, x, scale=2, offset=None):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] * scale
        if offset is not None:
            out[i] += offset


def launch(*args, **named):
    out = np.zeros(3)
    affine[1, 4](out, np.array([1.0, 2.0, 3.0]), *args, **named)
    return list(out)


def test_default_values_stand_in_for_arguments_left_out(device):
    assert launch() == [2, 4, 6]
    assert launch(3) == [3, 6, 9]


def test_arguments_are_given_by_keyword(device):
    assert launch(offset=1) == [3, 5, 7]
    assert launch(offset=0.5, scale=10) == [10.5, 20.5, 30.5]
    assert launch(3, offset=1) == [4, 7, 10]
    out = np.zeros(1)
    affine[1, 1](x=np.ones(1), out=out)
    assert out[0] == 2


def test_keyword_only_parameters_are_given_by_keyword(device):
    @cuda.jit
    def k(out, *, n, m=5):
        out[0] = n * 10 + m

    out = np.zeros(1)
    k[1, 1](out, n=3)
    assert out[0] == 35
    k[1, 1](out, m=1, n=2)
    assert out[0] == 21
    with pytest.raises(TypeError, match=r"k\(\) takes 1 positional arguments, 2 were given"):
        k[1, 1](out, 3)
    with pytest.raises(TypeError, match=r"k\(\) needs an argument for 'n'"):
        k[1, 1](out)


def test_a_rest_parameter_of_a_kernel_is_a_tuple(device):
    @cuda.jit
    def k(out, *rest, scale=1):
        for i, x in enumerate(rest):
            out[i] = x[0] * scale

    out = np.zeros(3)
    k[1, 1](out, np.array([1]), np.array([2.5]), scale=2)
    np.testing.assert_array_equal(out, [2, 5, 0])
    k[1, 1](out)


def test_arrays_in_a_rest_parameter_can_be_written(device):
    @cuda.jit
    def k(*rest):
        for a in rest:
            a[0] = 7

    a, b = np.zeros(1), np.zeros(1, np.int32)
    k[1, 1](a, b)
    assert a[0] == 7 and b[0] == 7


@pytest.mark.parametrize(
    "args, named, message",
    [
        ((), {"scael": 1}, r"affine\(\) has no parameter 'scael'"),
        ((1,), {"scale": 1}, r"affine\(\) was given 'scale' twice"),
        ((1, 2, 3), {"offset": 1}, r"affine\(\) takes 4 positional arguments, 5 were given"),
    ],
)
def test_keywords_that_do_not_fit_are_refused(device, args, named, message):
    with pytest.raises(TypeError, match=message):
        launch(*args, **named)


def test_an_argument_missing_in_a_launch_by_keyword_is_named(device):
    with pytest.raises(TypeError, match=r"affine\(\) needs an argument for 'x'"):
        affine[1, 1](out=np.zeros(1))


def test_forall_passes_keywords_on(device):
    out = np.zeros(3)
    affine.forall(3)(out, np.ones(3), offset=1)
    assert list(out) == [3, 3, 3]
