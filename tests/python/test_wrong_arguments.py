"""Methods implemented in C++, called with wrong arguments: the messages use Python's terms."""

import numpy as np
import pytest

import heddle
from heddle import cuda


@cuda.jit
def kernel(x):
    x[0] = 1


def test_a_wrong_argument_is_told_with_the_parameters():
    with pytest.raises(TypeError) as caught:
        kernel.declare(3)
    assert str(caught.value) == "declare() takes (signature: Signature), not (int)"


def test_a_method_without_parameters_says_so():
    with pytest.raises(TypeError) as caught:
        kernel.variants(np.zeros(2))
    assert str(caught.value) == "variants() takes (), not (ndarray)"


def test_a_wrong_argument_of_a_class_is_told_with_its_name():
    with pytest.raises(TypeError) as caught:
        heddle._heddle.CudaSource(1, 2)
    assert str(caught.value) == (
        "CudaSource() takes (source: str, name: str, options: Sequence[str], others: str), not (int, int)"
    )


def test_a_keyword_is_told_by_its_name():
    with pytest.raises(TypeError, match=r"^variants\(\) takes \(\), not \(all=bool\)$"):
        kernel.variants(all=True)
