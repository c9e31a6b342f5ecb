"""A kernel's source is read completely, whatever its last line."""

import numpy as np
import pytest

from heddle import cuda, njit

ENDS = {
    "an else without code": "    if x[0] < 0:\n        x[0] = 1\n    else:\n        pass\n",
    "an annotation": "    x[0] += 1\n    x: int\n",
    "a statement of several lines": "    x[0] = max(\n        x[0],\n        2,\n    )\n",
    "a string": "    x[0] += 1\n    'the end'\n",
    "code after return": "    x[0] += 1\n    return\n    x[0] = 7\n",
    "a branch that never runs": "    x[0] += 1\n    if 0:\n        x[0] = 7\n",
    "a comment": "    x[0] += 1\n    # the end\n",
    "a loop that goes on": "    for i in range(2):\n        if i:\n            x[0] += 1\n            continue\n",
}


def function_of(body, tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(f"def k(x):\n{body}\n\ndef other(x):\n    x[0] = -1\n")
    names = {"cuda": cuda}
    exec(compile(path.read_text(), path, "exec"), names)
    return names["k"]


@pytest.mark.parametrize("body", ENDS.values(), ids=ENDS)
def test_a_kernel_may_end_with(device, tmp_path, body):
    function = function_of(body, tmp_path)
    x, expected = np.ones(1), np.ones(1)
    cuda.jit(function)[1, 1](x)
    function(expected)
    np.testing.assert_array_equal(x, expected)


def test_many_branches_do_not_change_how_a_variable_is_typed(device, tmp_path):
    # More branches than the rounds after which inference would keep what it thought of a variable's type.
    branches = "".join(f"    if x[0] > {i}:\n        n += {i}\n" for i in range(100))
    k = cuda.jit(
        function_of(
            f"    n = 0\n{branches}    for i in range(2):\n        n = n + 0.5\n    x[0] = n\n",
            tmp_path,
        )
    )
    x = np.full(1, 3.5)
    k[1, 1](x)
    assert x[0] == 0 + 1 + 2 + 3 + 1.0


HEADS = {
    "a decorator of several lines": "@cuda.jit(\n    'void(float64[:])'\n)\ndef k(x):\n    x[0] = 3\n",
    "parameters on their own lines": "@cuda.jit\ndef k(\n    x,\n):\n    x[0] = 3\n",
    "a comment at the margin": "@cuda.jit\ndef k(x):\n# why\n    x[0] = 3\n",
    "text at the margin": "@cuda.jit\ndef k(x):\n    '''\nText.\n'''\n    x[0] = 3\n",
    "a line that goes on at the margin": "@cuda.jit\ndef k(x):\n    x[0] = \\\n3\n",
    "an indented definition": "if True:\n    @cuda.jit\n    def k(x):\n        x[0] = 3\n    y = 1\n",
}


@pytest.mark.parametrize("text", HEADS.values(), ids=HEADS)
def test_a_kernel_may_have(device, tmp_path, text):
    path = tmp_path / "kernel.py"
    path.write_text(text + "z = 2\n")
    names = {"cuda": cuda}
    exec(compile(path.read_text(), path, "exec"), names)
    x = np.ones(1)
    names["k"][1, 1](x)
    assert x[0] == 3


def test_the_inner_of_two_functions_on_one_line_is_compiled():
    outer = lambda: njit(lambda: 5)() + 1  # noqa: E731 - it is about two on one line
    assert outer() == 6


_LabeledBox__scale = 3
__scale = 100


class LabeledBox:
    __weight = 4

    @staticmethod
    @njit
    def scaled(__x):
        return __x * __scale

    def make_function(self):
        __offset = self.__weight

        @njit
        def add(x):
            def shift(__step):
                return x + __offset + __step

            return shift(__step=10)

        return add

    def make_lambda(self):
        __factor = 5
        return njit(lambda __x: __x * __factor)

    def make_kernel(self):
        __value = 6

        @cuda.jit
        def k(out):
            __i = cuda.grid(1)
            out[__i] = __value + __scale

        return k


class _:
    def make_lambda(self):
        __factor = 5
        return njit(lambda x: x * __factor)


def test_private_names_in_a_class_are_those_of_python():
    box = LabeledBox()
    assert LabeledBox.scaled(2) == 6
    assert box.make_function()(1) == 15
    assert box.make_lambda()(2) == _().make_lambda()(2) == 10


def test_private_names_in_a_kernel_are_those_of_python(device):
    out = np.zeros(2, np.int64)
    LabeledBox().make_kernel()[1, 2](out)
    assert out.tolist() == [9, 9]
