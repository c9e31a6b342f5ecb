"""NumPy functions on whole arrays as views, and on numbers without being ufuncs, compared with NumPy."""

import numpy as np
import pytest
from in_kernels import check, run

from heddle import cuda, types
from heddle.compiler.compile_ahead import compile_ptx
from heddle.errors import TypingError


def as_arrays(out, x, matrix):
    np.asarray(x)[0] = 5
    np.ascontiguousarray(matrix)[1, 0] = 6
    np.asfortranarray(x)[1] = 7
    out[0] = np.atleast_1d(x)[1]
    out[1] = np.atleast_2d(x)[0, 1]
    out[2] = np.atleast_3d(x)[0, 1, 0]
    out[3] = np.atleast_3d(matrix)[1, 0, 0]
    out[4] = np.real(x)[0] + np.imag(x[0])
    out[5] = np.lib.stride_tricks.as_strided(x, (2,), (16,))[1]
    out[6] = np.frombuffer(x)[2]
    out[7] = np.frombuffer(x, np.int64)[2]


def test_views_are_numpys(device):
    arrays = [np.arange(4.0), np.arange(6.0).reshape(2, 3)]
    check(as_arrays, *arrays)


def test_what_would_be_a_copy_is_refused():
    def f(out):
        out[0] = np.ascontiguousarray(out[::2])[0]

    with pytest.raises(TypingError, match="would be a copy"):
        run(f)


def test_a_buffer_of_another_size_is_an_error(device):
    @cuda.jit
    def k(x):
        x[0] = np.frombuffer(x)[0]

    with pytest.raises(ValueError, match="not a whole number of elements"):
        k[1, 1](np.zeros(3, np.int32))
        cuda.synchronize()


def numbers(out, x):
    out[0] = np.nan_to_num(x)
    out[1] = np.nan_to_num(x, nan=2.5)
    out[2] = np.nan_to_num(x, posinf=7, neginf=-8)
    out[3] = np.sinc(x)
    out[4] = np.isscalar(x)
    out[5] = np.isrealobj(x)
    out[6] = np.iscomplexobj(x)
    out[7] = np.any(x) + 2 * np.all(x)


@pytest.mark.parametrize("x", [0.0, 1.25, np.nan, np.inf, -np.inf])
def test_functions_of_numbers_are_numpys(device, x):
    with np.errstate(invalid="ignore"):
        expected = np.zeros(8)
        numbers(expected, np.float64(x))
    np.testing.assert_allclose(run(numbers, x), expected, rtol=1e-14)


def test_integers_have_nothing_to_replace(device):
    def f(out):
        out[0] = np.nan_to_num(7)

    assert run(f)[0] == 7


def complex_reductions(out, z):
    out[0] = np.var(z)
    out[1] = np.std(z)
    out[2] = z.max().imag
    out[3] = np.min(z).real
    out[4] = np.nanmin(z).imag
    out[5] = np.maximum(z[0], z[1]).imag
    out[6] = np.less(z[0], z[1])
    out[7] = np.logical_and(z[0], z[1] * 0)


def test_complex_numbers_are_ordered_as_numpys(device):
    z = np.array([1 + 2j, 1 + 3j, 0.5 - 1j, 1 - 9j])
    check(complex_reductions, z)


def test_a_nan_wins_among_complex_numbers(device):
    @cuda.jit
    def k(z, out):
        out[0] = z.max()
        out[1] = np.nanmax(z)
        out[2] = np.minimum(z[0], z[1])
        out[3] = np.fmin(z[0], z[1])

    out = np.zeros(4, complex)
    k[1, 1](np.array([1 + 2j, complex(0, np.nan), 3]), out)
    assert np.isnan(out).tolist() == [True, False, True, False]
    assert out[1] == 3 and out[3] == 1 + 2j


def sums(out, x):
    out[0] = x.sum(dtype=np.float64)
    out[1] = x.argmax(axis=0)
    out[2] = np.argmin(x, 0)
    out[3] = np.average(x)
    out[4] = x.mean()


def test_sums_and_places_are_numpys(device):
    check(sums, np.array([1, 7, 4], np.float32))


def test_a_reduction_along_an_axis_is_refused():
    @cuda.jit
    def k(x, out):
        out[0] = x.argmax(axis=0)[0]

    with pytest.raises(TypingError, match="along an axis makes a new array"):
        k[1, 1](np.zeros((2, 2)), np.zeros(1))


def test_a_mean_of_narrow_floats_is_divided_in_64_bits(device):
    @cuda.jit
    def k(x, out):
        out[0] = x.mean()

    out = np.zeros(1)
    k[1, 1](np.array([1, 1, 2], np.float32), out)
    assert out[0] == 4 / 3


def signature_of(function, *arguments):
    return compile_ptx(function, arguments, device=True, cc=(9, 0))[1]


def test_signatures_have_optional_types():
    def shown(x):
        return x

    assert str(signature_of(shown, types.Optional(types.int64))) == "OptionalType(int64)"
    assert isinstance(types.Optional(types.int64), types.Optional)


def test_signatures_have_types_of_ranges():
    def count(r, n):
        total = n
        for i in r:
            total += i
        return total

    assert signature_of(count, types.RangeType(types.int64), types.int64) == types.int64


@pytest.mark.parametrize("declared", [types.Optional(types.int64), types.RangeType(types.int64)])
def test_a_kernel_declares_no_parameter_that_no_launch_passes(declared):
    with pytest.raises(TypeError, match="leave out the signature"):

        @cuda.jit((declared,))
        def k(x):
            pass

    with pytest.raises(TypeError, match="leave out the signature"):

        @cuda.jit((types.UniTuple(declared, 2),))
        def k2(x):
            pass
