"""numpy.random.Generator as an argument of host functions: NumPy's numbers, and NumPy's state afterwards."""

import numpy as np
import pytest

from heddle import njit, types
from heddle.errors import TypingError
from heddle.extending import overload

CALLS = [
    *(
        "random()",
        "random(5)",
        "random((2, 3))",
        "random(4, np.float32)",
        "random(dtype=np.float32)",
    ),
    *("standard_normal()", "standard_normal(7)", "standard_normal(7, dtype=np.float32)"),
    *("standard_exponential()", "standard_exponential(9)", "standard_exponential(9, np.float32)"),
    *("standard_exponential(method='inv')", "standard_exponential((2, 2), np.float32, 'inv')"),
    *("integers(0, 2**64 - 1, 4, np.uint64)", "integers(2**63, 2**64 - 1, 2, np.uint64, True)"),
    *("integers(10)", "integers(3, 9, (2, 3))", "integers(-5, 5, size=11, dtype=np.int8)"),
    *(
        "integers(0, 256, 9, np.uint8)",
        "integers(0, 2**62, 4)",
        "integers(0, 2, 9, dtype=np.bool_)",
    ),
    *(
        "integers(1, 7, 5, endpoint=True)",
        "integers(-2**31, 2**31, 7, np.int32)",
        "integers(5, 6, 3)",
    ),
    *("integers(0, 2**40, 3, np.uint64)", "integers(0, 65536, 7, np.uint16)", "integers(2, 9)"),
    *("permutation(7)", "permutation(np.arange(6.0))", "permutation(np.arange(6).reshape(3, 2))"),
    *(
        "permutation(np.arange(12).reshape(3, 4), 1)",
        "normal()",
        "normal(loc=1, scale=2.0, size=4)",
    ),
    *("uniform(2, 5)", "uniform(-1.0, 1.0, 5)", "exponential(2.0, 4)", "standard_gamma(0.5, 4)"),
    *("standard_gamma(2.0, 4, np.float32)", "gamma(2.0, 3.0, (2, 2))", "beta(2, 3.0, 4)"),
    *("chisquare(3, 4)", "standard_t(3.0, 4)", "noncentral_chisquare(3, 1.5, 4)", "f(2, 3, 4)"),
    *("noncentral_f(3, 4.0, 1.0, 3)", "standard_cauchy(3)", "pareto(3.0, 4)", "weibull(2.0, 4)"),
    *("power(3.0, 4)", "laplace(1, 2, 3)", "gumbel(0.0, 1.0, 4)", "logistic(size=4)"),
    *(
        "lognormal(0.5, 1.5, 4)",
        "rayleigh(2.0, 3)",
        "wald(2.0, 3.0, 4)",
        "triangular(0, 1.0, 3, 4)",
    ),
    *("poisson()", "poisson(3.5, 6)", "poisson(100.0, 6)", "negative_binomial(5, 0.3, 6)"),
    *("geometric(0.3, 5)", "zipf(2.5, 5)", "logseries(0.6, 5)", "binomial(10, 0.3)"),
    *("binomial(100, 0.4, 8)", "binomial(7, 0.9, (2, 2))"),
]


def function_of(call):
    return eval(f"lambda rng: rng.{call}", {"np": np})


@pytest.mark.parametrize("call", CALLS)
def test_the_numbers_and_the_state_are_numpys(call):
    compiled, written = njit(function_of(call)), function_of(call)
    ours, numpys = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(2):
        result, expected = compiled(ours), written(numpys)
        np.testing.assert_array_equal(result, expected)
        assert not isinstance(expected, np.ndarray) or result.dtype == expected.dtype
    assert ours.bit_generator.state == numpys.bit_generator.state


@pytest.mark.parametrize("name", ["MT19937", "PCG64DXSM", "Philox", "SFC64"])
def test_every_source_of_bits_is_drawn_from(name):
    @njit
    def drawn(rng):
        return rng.integers(0, 100, 5).sum() + rng.random()

    ours, numpys = (np.random.Generator(getattr(np.random, name)(3)) for _ in range(2))
    assert drawn(ours) == drawn.py_func(numpys)
    assert ours.random() == numpys.random()


@pytest.mark.parametrize("shape, axis", [(9, 0), ((4, 3), 0), ((3, 4), 1), ((3, 4), -1)])
def test_arrays_are_shuffled_as_numpy_shuffles_them(shape, axis):
    @njit
    def shuffled(rng, a, axis):
        rng.shuffle(a, axis)
        return a

    arrays = [np.arange(np.prod(shape)).reshape(shape) for _ in range(2)]
    ours, numpys = np.random.default_rng(8), np.random.default_rng(8)
    numpys.shuffle(arrays[1], axis)
    np.testing.assert_array_equal(shuffled(ours, arrays[0], axis), arrays[1])
    assert ours.random() == numpys.random()


def test_a_generator_goes_to_other_functions_and_in_tuples():
    @njit
    def walked(rng, steps):
        return rng.normal(size=steps).cumsum()

    @njit
    def both(generators, steps):
        first, second = generators
        return walked(first, steps) - walked(second, steps)

    ours, numpys = ([np.random.default_rng(seed) for seed in (1, 2)] for _ in range(2))
    expected = numpys[0].normal(size=4).cumsum() - numpys[1].normal(size=4).cumsum()
    np.testing.assert_array_equal(both(tuple(ours), 4), expected)


@pytest.mark.parametrize(
    "call, message",
    [
        ("normal(0, -1)", "scale < 0"),
        ("integers(5, 5)", "low >= high"),
        ("integers(0, 300, dtype=np.uint8)", "high is out of bounds for uint8"),
        ("integers(-1, 3, dtype=np.uint8)", "low is out of bounds for uint8"),
        ("poisson(-1.0)", "lam < 0"),
        ("binomial(3, 1.5)", "p < 0, p > 1"),
        ("triangular(2, 1, 3)", "left > mode"),
    ],
)
def test_parameters_that_no_distribution_has_are_errors(call, message):
    for function in (njit(function_of(call)), function_of(call)):
        with pytest.raises(ValueError, match=message):
            function(np.random.default_rng(1))


def test_an_overload_asks_for_the_type_of_a_generator():
    def is_generator(value):
        return False

    @overload(is_generator)
    def answer(value):
        found = isinstance(value, types.NumPyRandomGeneratorType)
        return lambda value: found

    asked = njit(lambda value: is_generator(value))
    assert asked(np.random.default_rng(1)) is True
    assert asked(1) is False


def test_other_methods_are_refused():
    with pytest.raises(TypingError, match="has no attribute 'bytes'"):
        njit(function_of("bytes(3)"))(np.random.default_rng(1))
