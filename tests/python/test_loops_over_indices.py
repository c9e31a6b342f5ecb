"""np.ndindex, np.ndenumerate, np.nditer and a.flat in kernels."""

import numpy as np
import pytest
from in_kernels import check

from heddle import cuda
from heddle.errors import TypingError

LAYOUTS = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "strided": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
}


@pytest.fixture(params=LAYOUTS)
def matrix(request):
    return LAYOUTS[request.param](np.arange(12.0).reshape(3, 4))


def of_a_shape(out, x):
    for i, j in np.ndindex(x.shape):
        x[i, j] += 10 * i + j
    for index in np.ndindex(2, 3):
        x[index] += 100
    for (i,) in np.ndindex(2):
        out[i] = x[i, 0]


def test_the_indices_of_a_shape(device, matrix):
    wanted = matrix.copy()
    of_a_shape(np.zeros(8), wanted)
    cuda.jit(of_a_shape)[1, 1](np.zeros(8), matrix)
    cuda.synchronize()
    np.testing.assert_array_equal(matrix, wanted)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3, 4)], ids=str)
def test_the_number_of_indices(device, shape):
    @cuda.jit
    def k(shape, out):
        for _ in np.ndindex(shape):
            out[0] += 1

    out = np.zeros(1)
    k[1, 1](shape, out)
    assert out[0] == np.prod(shape)


def enumerated(out, x):
    n = 0
    for (i, j), v in np.ndenumerate(x):
        x[i, j] = v * 2 + n
        n += 1
    for index, v in np.ndenumerate(x):
        x[index] = v + 1


def test_the_elements_with_their_indices(device, matrix):
    wanted = matrix.copy()
    enumerated(np.zeros(8), wanted)
    cuda.jit(enumerated)[1, 1](np.zeros(8), matrix)
    np.testing.assert_array_equal(matrix, wanted)


def test_the_elements_as_arrays_without_dimensions(device, matrix):
    @cuda.jit
    def k(x, out):
        for v in np.nditer(x):
            out[0] = out[0] * 3 + v.item()
        for a, b in np.nditer((x, x)):
            b[()] = a.item() + 1

    out, wanted = np.zeros(1), 0.0
    before = matrix.copy()
    for v in before.ravel():
        wanted = wanted * 3 + v
    k[1, 1](matrix, out)
    assert out[0] == wanted
    np.testing.assert_array_equal(matrix, before + 1)


def test_arrays_of_different_shapes_are_an_error(device):
    @cuda.jit
    def k(x, y):
        for a, b in np.nditer((x, y)):
            a[()] = b[()]

    with pytest.raises(ValueError, match="different shapes"):
        k[1, 1](np.zeros(3), np.zeros(4))
        cuda.synchronize()


def flat(out, x):
    for i in range(x.size):
        x.flat[i] = x.flat[i] + i
    x.flat[-1] = 100
    for i, v in enumerate(x.flat):
        out[0] += i * v
    out[1] = len(x.flat)
    x.flat[0] += 5


def test_flat_is_in_the_order_of_the_indices(device, matrix):
    wanted, out, found = matrix.copy(), np.zeros(2), np.zeros(2)
    flat(out, wanted)
    cuda.jit(flat)[1, 1](found, matrix)
    np.testing.assert_array_equal(found, out)
    np.testing.assert_array_equal(matrix, wanted)


def test_flat_is_checked_in_debug_mode(cpu):
    @cuda.jit(debug=True, opt=False)
    def k(x):
        x.T.flat[6] = 1

    with pytest.raises(IndexError):
        k[1, 1](np.zeros((2, 3)))


def ranges(out):
    r = range(3, 17, 4)
    out[0] = r.start
    out[1] = r.step
    out[2] = len(r)
    out[3] = 7 in r
    out[4] = 17 in r
    out[5] = 8 in range(10, 0, -2)
    out[6] = 2.5 in range(4)
    out[7] = 2.0 in range(4)


def test_ranges_tell_what_they_are(device):
    check(ranges)


@pytest.mark.parametrize(
    "body, message",
    [
        (lambda x: np.ndindex(x), "a shape, made of integers"),
        (lambda x: np.ndenumerate((1, 2)), "takes an array"),
        (lambda x: np.nditer((x, 1)), "arrays of one shape"),
        (lambda x: x.T.flat[1.5], "index of a.flat must be an integer"),
    ],
    ids=["ndindex", "ndenumerate", "nditer", "flat"],
)
def test_other_arguments_are_refused(body, message):
    function = cuda.jit(device=True)(body)

    @cuda.jit
    def k(x):
        function(x)

    with pytest.raises(TypingError, match=message):
        k[1, 1](np.zeros((2, 3)))
