"""The functions of the ``operator`` module in kernels."""

import operator

import numpy as np
import pytest
from library_rows import names_in

from heddle import cuda, njit
from heddle.errors import TypingError

binary = "add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor".split()
in_place = "iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor".split()
comparisons = "eq ne lt le gt ge is_ is_not".split()
unary = "neg pos invert inv not_ truth".split()


def test_every_row_has_a_test():
    on_containers = {"getitem", "setitem", "delitem", "contains", "matmul"}
    assert set(names_in("operator")) == {*binary, *in_place, *comparisons, *unary, *on_containers}


@pytest.mark.parametrize("name", [*binary, *in_place, *comparisons[:6]])
def test_a_function_of_two_numbers_is_its_operator(device, name):
    function = getattr(operator, name)

    @cuda.jit
    def k(x, y, out):
        i = cuda.grid(1)
        out[i] = function(x[i], y[i])

    x, y, out = np.array([7, -7, 12]), np.array([3, 2, 5]), np.zeros(3)
    k[1, 3](x, y, out)
    assert out.tolist() == [function(a, b) for a, b in zip(x.tolist(), y.tolist())]


def test_matmul_is_the_product_of_matrices():
    a = np.arange(6.0).reshape(2, 3)
    product = njit(lambda a: (operator.matmul(a, a.T), operator.matmul(a[0], a[1])))(a)
    np.testing.assert_array_equal(product[0], a @ a.T)
    assert product[1] == 14.0


@pytest.mark.parametrize("name", unary)
def test_a_function_of_one_number_is_its_operator(device, name):
    function = getattr(operator, name)

    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        out[i] = function(x[i])

    x, out = np.array([7, -7, 0]), np.zeros(3, np.int64)
    k[1, 3](x, out)
    assert out.tolist() == [function(a) for a in x.tolist()]


def test_elements_are_set_and_looked_for(device):
    @cuda.jit
    def k(out):
        operator.setitem(out, 1, 5)
        out[0] = operator.contains((3, 5), out[1])
        out[2] = operator.contains((3, 4), out[1])

    out = np.zeros(3)
    k[1, 1](out)
    assert out.tolist() == [1, 5, 0]


def test_tuples_are_joined_and_compared(device):
    @cuda.jit
    def k(a, out):
        both = operator.add((a, 2), (3,))
        out[0] = both[2]
        out[1] = operator.lt((a, 1), (a, 2))

    out = np.zeros(2)
    k[1, 1](1, out)
    assert out.tolist() == [3, 1]


def test_an_element_is_taken(device):
    @cuda.jit
    def k(a, out):
        out[0] = operator.getitem(a, (1, -1))

    out = np.zeros(1)
    k[1, 1](np.arange(6.0).reshape(2, 3), out)
    assert out[0] == 5


def test_identity_is_of_constants(device):
    @cuda.jit
    def k(out):
        out[0] = operator.is_(None, None)
        out[1] = operator.is_not(out, None)

    out = np.zeros(2)
    k[1, 1](out)
    assert out.tolist() == [1, 1]


def test_an_array_on_the_left_is_changed(device):
    @cuda.jit
    def k(a):
        operator.iadd(a[cuda.threadIdx.x], 2)
        operator.imul(a[cuda.threadIdx.x], a[cuda.threadIdx.x])

    a = np.arange(6).reshape(2, 3)
    k[1, 2](a)
    np.testing.assert_array_equal(a, (np.arange(6).reshape(2, 3) + 2) ** 2)


def test_what_a_function_of_the_host_gets_is_changed():
    @njit
    def change(a):
        operator.isub(a, 1.5)
        return operator.iadd(2, 3)

    a = np.ones(3)
    assert change(a) == 5
    np.testing.assert_array_equal(a, [-0.5] * 3)


def test_a_device_function_takes_an_operator(device):
    @cuda.jit(device=True)
    def combine(a, b, operation):
        return operation(a, b)

    @cuda.jit
    def k(a, out):
        out[0] = combine(a, 3, operator.mul)
        out[1] = combine(a, 3, operator.sub)

    out = np.zeros(2)
    k[1, 1](5, out)
    assert out.tolist() == [15, 2]


def test_bad_operands_are_told_as_the_operators_are(device):
    @cuda.jit
    def k(a, out):
        out[0] = operator.and_(a, 1.5)

    with pytest.raises(TypingError, match="bad operands for &"):
        k[1, 1](1, np.zeros(1))


def without_some():
    listed, found = [1, 2, 3], {1: 2.0, 3: 4.0}
    operator.delitem(listed, 1)
    operator.delitem(found, 3)
    return listed, [key for key in found]


def test_items_of_lists_and_dicts_are_deleted():
    assert njit(without_some)() == without_some()


def test_an_array_has_no_elements_to_delete():
    @cuda.jit
    def without_first(a):
        operator.delitem(a, 0)

    with pytest.raises(TypingError, match="no element of .* can be deleted"):
        without_first[1, 1](np.zeros(3))
