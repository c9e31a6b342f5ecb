"""Array views in kernels: other shapes, axis orders and element types."""

from functools import partial

import in_kernels
import numpy as np
import pytest

from heddle import cuda
from heddle.errors import CompileError, TypingError

check = partial(in_kernels.check, size=64)


def refused(function, *args, match, error=TypingError):
    with pytest.raises(error, match=match):
        cuda.jit(function)[1, 1](np.zeros(64), *args)
        cuda.synchronize()


matrix = np.arange(24.0).reshape(4, 6)
cube = np.arange(24.0).reshape(2, 3, 4)


def test_reshape_takes_integers(device):
    def f(out, a):
        b = a.reshape(2, 3, 4)
        out[0] = b[1, 2, 1]
        out[1] = b.shape[2]

    check(f, matrix)


def test_reshape_takes_a_tuple(device):
    def f(out, a, n):
        b = a.reshape((n, 8))
        out[:8] = b[n - 1]
        out[8] = np.reshape(b, (8, 3))[5, 1]

    check(f, matrix, 3)


@pytest.mark.parametrize("n", [1, 4, 24])
def test_reshape_finds_out_one_extent(device, n):
    def f(out, a, n):
        b = a.reshape(n, -1)
        out[: b.shape[1]] = b[-1]

    check(f, matrix, n)


def test_reshape_writes_to_the_array_itself(device):
    def f(out, a):
        out.reshape(8, 8)[1:7, 2] = a.reshape(-1)[:6]

    check(f, matrix)


def test_reshape_of_a_shared_array(device):
    def f(out):
        s = cuda.shared.array(12, np.float64)
        s[:] = 1
        s.reshape(3, 4)[1] = 5
        out[:12] = s

    out = np.zeros(64)
    cuda.jit(f)[1, 1](out)
    np.testing.assert_array_equal(out[:12], [1] * 4 + [5] * 4 + [1] * 4)


@pytest.mark.parametrize("shape", [(5, 5), (-1, 7), (-1, -1), (-2, -12), (0, -1)], ids=str)
def test_reshape_to_another_size_is_an_error(device, shape):
    def f(out, a, n, m):
        out[0] = a.reshape(n, m)[0, 0]

    refused(f, matrix, *shape, match="different numbers of elements", error=ValueError)


@pytest.mark.parametrize("a", [matrix.T, matrix[:, ::2]], ids=["F", "strided"])
@pytest.mark.parametrize("method", ["reshape", "ravel"])
def test_views_that_would_be_copies_are_refused(device, a, method):
    functions = {
        "reshape": lambda out, a: a.reshape(-1)[0],
        "ravel": lambda out, a: a.ravel()[0],
    }
    refused(functions[method], a, match="contiguous")


def test_flatten_is_refused_by_name(device):
    def f(out, a):
        out[:24] = a.flatten()

    refused(f, matrix, match="ravel")


def test_ravel_and_flat_are_the_elements_in_a_row(device):
    def f(out, a):
        a.flat[3] = 77
        out[:24] = a.ravel()
        out[24:48] = a.flat
        out[50] = np.ravel(a)[3] + len(a.flat)

    check(f, np.arange(24.0).reshape(4, 6))


def test_transpose_reverses_the_axes(device):
    def f(out, a, b):
        out[0] = a.transpose()[5, 1]
        out[1] = np.transpose(a)[1, 3]
        out[2] = b.T[3, 0, 1] + b.transpose().shape[0]

    check(f, matrix, cube)


def test_transpose_takes_the_order_of_the_axes(device):
    def f(out, b):
        out[0] = b.transpose(1, 2, 0)[2, 3, 1]
        out[1] = b.transpose((0, -1, 1))[1, 3, 2]
        out[2] = np.transpose(b, (2, 0, 1))[3, 1, 0]
        out[3] = np.swapaxes(b, 0, 2)[3, 2, 1]

    check(f, cube)


@pytest.mark.parametrize(
    "transpose, match",
    [
        (lambda out, a: a.transpose(0, 0), "once"),
        (lambda out, a: a.transpose(0), "once"),
        (lambda out, a: a.transpose(0, 2), "axis 2 is out of bounds"),
        (lambda out, a: a.transpose(a.size, 0), "constant integers"),
    ],
    ids=["twice", "too few", "out of bounds", "not constant"],
)
def test_wrong_axes_are_refused(device, transpose, match):
    refused(transpose, matrix, match=match)


def test_flags_tell_the_layout(device):
    def f(out, a):
        out[0] = a.flags.c_contiguous
        out[1] = a.flags.f_contiguous
        out[2] = a.T.flags.f_contiguous
        out[3] = a[:, 1].flags.c_contiguous
        out[4] = a[1].flags.contiguous

    check(f, matrix)


def test_new_axes_have_one_element(device):
    def f(out, a):
        b = a[:, None, 1]
        out[0] = b.ndim * 100 + b.shape[0] * 10 + b.shape[1]
        out[1] = b[2, 0]
        out[2] = a[np.newaxis, ..., None].shape[3] + a[None].shape[1]
        out[3] = np.expand_dims(a, 1)[3, 0, 2]
        out[4] = np.expand_dims(a, -1)[3, 2, 0]

    check(f, matrix)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 100, -1, -2, -5, -100])
@pytest.mark.parametrize(
    "lower, upper", [(0, 6), (1, 5), (5, 1), (-2, -6), (100, -100), (-100, 100)]
)
def test_slices_with_steps_known_at_run_time(device, lower, upper, step):
    def f(out, a, lower, upper, step):
        b = a[1, lower:upper:step]
        out[: b.size] = b
        out[20] = b.size
        out[21] = a[0, ::step].size
        out[22] = a[0, lower::step].size

    check(f, matrix, lower, upper, step)


def test_a_step_of_zero_is_an_error_in_debug_mode(device):
    @cuda.jit(debug=True, opt=False)
    def k(out, step):
        out[0] = out[::step].size

    with pytest.raises(ValueError, match="slice step cannot be zero"):
        k[1, 1](np.zeros(4), 0)
        cuda.synchronize()


def test_flip_turns_the_axes_round(device):
    def f(out, a):
        out[:6] = np.flip(a)[1]
        out[6:12] = np.flipud(a)[0]
        out[12:18] = np.fliplr(a)[0]

    check(f, matrix)


def test_broadcast_to_repeats_rows(device):
    def f(out, a):
        b = np.broadcast_to(a[0], (3, 6))
        out[:18] = 0
        out[:6] = b[2]
        out[6] = b.shape[0] + np.size(b) + np.ndim(b) + np.shape(b)[1]

    check(f, matrix)


def test_broadcast_to_a_shape_that_does_not_fit_is_an_error(device):
    def f(out, a, n):
        out[0] = np.broadcast_to(a, (4, n)).size

    refused(f, matrix, 5, match="cannot broadcast", error=ValueError)


def test_view_reads_the_same_bytes(device):
    def f(out, a):
        np.right_shift(a[1].view(np.int64), 40, out[:6])
        out[6] = a.view(np.uint8).shape[1]
        out[7] = a.view(np.int32)[2, 3]

    check(f, matrix)


def test_view_writes_the_same_bytes(device):
    def f(out):
        out.view(np.uint32)[1::2] = 0x3FF00000

    check(f)


def test_view_takes_elements_of_a_larger_type(device):
    def f(out, a):
        b = a.view(np.float64)
        out[: b.size] = b

    check(f, matrix.ravel()[:8].view(np.float32).copy())


@pytest.mark.parametrize("start, stop", [(0, 3), (1, 3)], ids=["size", "alignment"])
def test_view_of_memory_that_does_not_fit_is_an_error(device, start, stop):
    def f(out, a):
        out[0] = a[start:stop].view(np.float64).size

    refused(f, np.zeros(8, np.float32), match=r"view\(\)", error=ValueError)


def test_real_is_the_array_itself(device):
    def f(out, a):
        out[:6] = a[1].real
        out.real[7] = 3

    check(f, matrix)


def test_real_and_imag_are_views_of_complex_arrays(device):
    @cuda.jit
    def k(a):
        a.real[1:] = 5
        a.T.imag[0] += a.real[:, 2]

    a = np.arange(6).reshape(2, 3) * (1 + 2j)
    expected = a.copy()
    expected.real[1:] = 5
    expected.T.imag[0] += expected.real[:, 2]
    k[1, 1](a)
    np.testing.assert_array_equal(a, expected)


@pytest.mark.parametrize(
    "attribute, match",
    [
        (lambda out, a: a.imag, "no imaginary part"),
        (lambda out, a: a.data, "data"),
        (lambda out, a: a.flags.writeable, "writeable"),
    ],
    ids=["imag", "data", "writeable"],
)
def test_attributes_that_kernels_do_not_have_are_refused_by_name(device, attribute, match):
    refused(attribute, matrix, match=match)


def test_a_method_that_is_not_called_where_it_is_named_is_refused(device):
    def f(out, a, flag):
        method = a.reshape if flag else out.reshape
        out[0] = method(-1)[0]

    refused(f, matrix, True, match="must be called where it is named", error=CompileError)


def test_a_method_that_is_not_called_is_refused():
    def f(out):
        out.view  # noqa: B018

    refused(f, match="array.view is named here, but not called")
