"""The memory order of arrays that host functions make from others, which is numba's."""

import numpy as np
import pytest

from heddle import njit


@pytest.mark.parametrize(
    "function",
    [
        lambda a: a + 1,
        lambda a: np.sin(a) * 2 - a,
        lambda a: np.add(a, a),
        lambda a: -a,
        lambda a: a > 2,
    ],
    ids=["plus", "expression", "function", "minus", "compared"],
)
@pytest.mark.parametrize("parallel", [False, True], ids=["one", "all"])
def test_an_array_in_f_order_makes_one_in_f_order(function, parallel):
    a = np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))
    result = njit(function, parallel=parallel)(a)
    np.testing.assert_allclose(result, function(a), rtol=1e-15)
    assert result.flags.f_contiguous


def test_an_array_in_f_order_beside_one_in_c_order_makes_one_in_c_order():
    a = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    result = njit(lambda a, b: a + b)(a, np.ones((2, 3)))
    assert result.flags.c_contiguous
    np.testing.assert_array_equal(result, a + 1)


def test_arrays_in_f_order_are_broadcast_and_assigned():
    @njit
    def f(a, b):
        c = a * b
        c[:] = c + a
        return c

    a = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    b = np.asfortranarray(np.arange(2.0).reshape(2, 1))
    np.testing.assert_array_equal(f(a, b), a * b + a)


def test_numpy_copy_keeps_f_order_and_the_method_makes_c_order():
    a = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    kept, made = njit(lambda a: (np.copy(a), a.copy()))(a)
    assert (kept.flags.f_contiguous, made.flags.c_contiguous) == (True, True)
    assert kept.tolist() == made.tolist() == a.tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("length", [6, 600])
def test_zeros_of_both_signs_keep_their_order(dtype, length):
    a = np.resize(np.array([0.0, -0.0, 1.0, -0.0, -1.0, 0.0]), length).astype(dtype)
    order = njit(lambda a: np.argsort(a, kind="mergesort"))(a)
    np.testing.assert_array_equal(order, np.argsort(a, kind="stable"))
