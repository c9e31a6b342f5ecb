"""Random numbers in host functions: numba's numbers for a seed, which are those of NumPy's legacy generator or made
from the same bits as in Python's random."""

import random
import threading

import numpy as np
import pytest

from heddle import njit
from heddle.errors import TypingError

NUMPY = {
    "rand": lambda: (np.random.rand(), np.random.rand(700), np.random.rand(2, 3)),
    "random": lambda: (np.random.random(), np.random.random_sample(5), np.random.ranf((2, 2))),
    "uniform": lambda: (
        np.random.uniform(2, 5),
        np.random.uniform(-1.0, 1.0, 9),
        np.random.uniform(),
    ),
    "normal": lambda: (
        np.random.normal(1, 2),
        np.random.normal(0, 1, size=(3, 3)),
        np.random.normal(),
    ),
    "randn": lambda: (np.random.randn(), np.random.randn(700), np.random.standard_normal((2, 2))),
    "randint": lambda: (
        np.random.randint(10),
        np.random.randint(-5, 5, 20),
        np.random.randint(0, 2**40, 5),
        np.random.randint(3, 4),
    ),
    "exponential": lambda: (np.random.exponential(3.0), np.random.standard_exponential(50)),
    "lognormal": lambda: np.random.lognormal(0.5, 0.25, 20),
    "triangular": lambda: np.random.triangular(-1, 0, 3, 20),
    "poisson": lambda: (np.random.poisson(3), np.random.poisson(50.5, 100), np.random.poisson(0.0)),
    "of exponentials": lambda: (
        np.random.weibull(1.5, 20),
        np.random.power(2.0, 20),
    ),
    "of one uniform": lambda: (
        np.random.laplace(0.0, 1.0, 20),
        np.random.gumbel(1.0, 2.0, 20),
        np.random.logistic(1.0, 2.0, 20),
        np.random.rayleigh(2.0, 20),
    ),
    "geometric": lambda: (np.random.geometric(0.5, 20), np.random.geometric(0.1, 20)),
    "permutation": lambda: (np.random.permutation(40), np.random.permutation(np.arange(9.0))),
    "choice": lambda: (
        np.random.choice(10),
        np.random.choice(np.arange(5.0), 12),
        np.random.choice(30, 5, replace=False),
        np.random.choice(np.arange(30), size=(2, 3), replace=False),
    ),
}
PYTHON = {
    "random": lambda: (random.random(), random.uniform(2, 5), random.random()),
    "integers": lambda: (
        random.randint(1, 6),
        random.randrange(100),
        random.randrange(5, 50, 7),
        random.randint(0, 2**40),
        random.getrandbits(40),
    ),
    "others": lambda: (
        random.expovariate(1.5),
        random.triangular(0, 2, 1),
        random.paretovariate(2),
        random.weibullvariate(1, 2),
        random.gammavariate(2.5, 2.0),
        random.betavariate(0.5, 2.0),
        random.vonmisesvariate(1.0, 2.0),
    ),
}


def seed_as_numba(seed):
    """Make Python's random draw the same bits as NumPy's generator for the seed."""
    _, words, used, *_ = np.random.RandomState(seed & 0xFFFFFFFF).get_state()
    random.setstate((3, (*map(int, words), used), None))


def check(got, want):
    if not isinstance(want, tuple):
        got, want = (got,), (want,)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_max_ulp(np.asarray(one, float), np.asarray(other, float), maxulp=2)
        assert np.asarray(one).dtype.kind == np.asarray(other).dtype.kind


@pytest.mark.parametrize("name", NUMPY)
def test_numpys_numbers_follow_from_the_seed(name, seed=12345):
    @njit
    def start(seed):
        np.random.seed(seed)

    start(seed)
    np.random.seed(seed)
    check(njit(NUMPY[name])(), NUMPY[name]())


AS_PYTHON = {
    "gamma": (lambda: np.random.gamma(2.5, 2), lambda: random.gammavariate(2.5, 2)),
    "gamma of a small shape": (lambda: np.random.gamma(0.3), lambda: random.gammavariate(0.3, 1)),
    "standard_gamma": (lambda: np.random.standard_gamma(1), lambda: random.gammavariate(1, 1)),
    "beta": (lambda: np.random.beta(2, 0.5), lambda: random.betavariate(2, 0.5)),
    "chisquare": (lambda: np.random.chisquare(3), lambda: 2 * random.gammavariate(1.5, 1)),
    "vonmises": (lambda: np.random.vonmises(0.5, 3), lambda: random.vonmisesvariate(0.5, 3)),
}


@pytest.mark.parametrize(("draw", "as_python"), AS_PYTHON.values(), ids=AS_PYTHON)
def test_some_numbers_of_numpy_are_drawn_as_python_draws_them(draw, as_python):
    njit(lambda: np.random.seed(7))()
    seed_as_numba(7)
    compiled = njit(draw)
    check(tuple(compiled() for _ in range(20)), tuple(as_python() for _ in range(20)))


OF_NUMBA = {  # two numbers of numba 0.68.1 after the seed 7
    "f": (lambda: np.random.f(3.0, 4.0), 0.19784421112245, 1.7896064115780566),
    "standard_t": (lambda: np.random.standard_t(4.0), 1.6883399122939557, -0.6223262708981642),
    "noncentral_chisquare": (
        lambda: np.random.noncentral_chisquare(0.5, 2.0),
        1.0521317851706535,
        2.1860372479705106,
    ),
    "pareto": (lambda: np.random.pareto(3.0), 0.026812116132444164, 0.656300042860005),
    "shapes of dirichlet": (
        lambda: np.random.dirichlet(np.array([1.0, 2.0, 3.0]), 2)[1, 2],
        0.4081456,
        0.51835713,
    ),
    "dirichlet": (lambda: np.random.dirichlet((1.0, 2.0, 3.0))[0], 0.00897559, 0.16471792),
    "hypergeometric": (lambda: np.random.hypergeometric(100, 20, 50), 43, 42),
    "negative_binomial": (lambda: np.random.negative_binomial(5, 0.4), 5, 4),
}


@pytest.mark.parametrize(("draw", "first", "second"), OF_NUMBA.values(), ids=OF_NUMBA)
def test_numbas_numbers_follow_from_the_seed(draw, first, second):
    njit(lambda: np.random.seed(7))()
    compiled = njit(draw)
    np.testing.assert_allclose((compiled(), compiled()), (first, second), rtol=1e-6)


@pytest.mark.parametrize("name", PYTHON)
@pytest.mark.parametrize("seed", [0, -7, 2**40 + 1])
def test_pythons_numbers_follow_from_the_seed(name, seed):
    @njit
    def start(seed):
        random.seed(seed)

    start(seed)
    seed_as_numba(seed)
    check(njit(PYTHON[name])(), PYTHON[name]())


def test_normal_numbers_of_random_are_those_that_numpy_draws():
    @njit
    def draw():
        random.seed(5)
        first = random.gauss(0, 1), random.gauss(1.0, 2.0), random.normalvariate(-1.0, 0.5)
        return *first, random.lognormvariate(0.0, 1.0)

    numpy = np.random.RandomState(5)
    a, b, c, d = numpy.normal(size=4)
    check(draw(), (a, 1 + 2 * b, -1 + 0.5 * c, np.exp(d)))


def test_arrays_are_shuffled():
    @njit
    def shuffled(a, m):
        np.random.seed(3)
        np.random.shuffle(a)
        np.random.shuffle(m)
        random.seed(3)
        random.shuffle(a)

    a, m = np.arange(20), np.arange(12).reshape(6, 2)
    own, rows = a.copy(), m.copy()
    shuffled(own, rows)
    np.random.seed(3)
    seed_as_numba(3)
    np.random.shuffle(a)
    np.random.shuffle(m)
    in_order = list(range(20))
    random.shuffle(in_order)
    np.testing.assert_array_equal(own, a[in_order])
    np.testing.assert_array_equal(rows, m)


def test_a_seed_is_that_of_functions_of_the_host_and_of_the_thread():
    @njit
    def draw(seed, count):
        if seed >= 0:
            np.random.seed(seed)
        return np.random.rand(count)

    first = draw(5, 3)
    np.random.seed(99)  # NumPy's own generator is another
    in_thread = []
    thread = threading.Thread(target=lambda: in_thread.append(draw(5, 6)))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(np.concatenate([first, draw(-1, 3)]), in_thread[0])


def test_without_a_seed_numbers_differ_between_threads():
    draw = njit(lambda: np.random.rand(4))
    found = []
    for _ in range(2):
        thread = threading.Thread(target=lambda: found.append(draw()))
        thread.start()
        thread.join()
    assert not np.array_equal(found[0], found[1])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: np.random.randint(3, 3), "low >= high"),
        (lambda: np.random.seed(-1), "Seed must be"),
        (lambda: np.random.normal(0, -1), "scale < 0"),
        (lambda: np.random.choice(3, 4, False), "larger sample"),
        (lambda: random.randrange(0), "empty range"),
    ],
)
def test_a_wrong_parameter_is_a_value_error(function, message):
    with pytest.raises(ValueError, match=message):
        njit(function)()


def test_a_method_of_another_generator_is_not_numpys_function():
    draw = np.random.RandomState(3).random_sample

    @njit
    def wrong():
        return draw()

    with pytest.raises(TypingError, match="cannot call (method )?'random_sample'"):
        wrong()


CHOICES = {
    "one": lambda p: np.random.choice(5, p=p),
    "numbers": lambda p: np.random.choice(5, 6, True, p),
    "elements in a shape": lambda p: np.random.choice(np.arange(5) * 10, size=(2, 3), p=p),
    "different ones": lambda p: np.random.choice(5, size=4, replace=False, p=p),
}


@pytest.mark.parametrize("choose", CHOICES.values(), ids=CHOICES)
def test_choices_by_probabilities_are_numpys(choose):
    p = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    seed = njit(lambda: np.random.seed(3))
    seed()
    np.random.seed(3)
    np.testing.assert_array_equal(njit(choose)(p), choose(p))


def test_probabilities_that_do_not_sum_to_one_are_an_error():
    with pytest.raises(ValueError, match="probabilities do not sum to 1"):
        njit(CHOICES["one"])(np.full(5, 0.1))


NANS = {
    "noncentral_chisquare": lambda x: np.random.noncentral_chisquare(2.0, x),
    "standard_gamma": lambda x: np.random.standard_gamma(x),
    "gamma": lambda x: np.random.gamma(x, 1.0),
    "chisquare": lambda x: np.random.chisquare(x),
    "beta": lambda x: np.random.beta(x, 1.0),
    "vonmises": lambda x: np.random.vonmises(0.0, x),
    "gammavariate": lambda x: random.gammavariate(x, 1.0),
    "vonmisesvariate": lambda x: random.vonmisesvariate(0.0, x),
}


@pytest.mark.parametrize("draw", NANS.values(), ids=NANS)
def test_a_draw_that_depends_on_a_nan_ends(draw):
    assert np.isnan(njit(draw)(np.nan))


@pytest.mark.parametrize(
    "draw",
    [
        lambda: np.random.poisson(np.nan),
        lambda: np.random.poisson(np.inf),
        lambda: np.random.negative_binomial(np.nan, 0.5),
    ],
)
def test_counts_that_cannot_be_drawn_are_an_error(draw):
    with pytest.raises(ValueError):  # noqa: PT011  what NumPy says differs from function to function
        njit(draw)()


def test_draws_at_the_ends_of_the_parameters_end():
    draw = njit(lambda: (np.random.zipf(np.inf), np.random.beta(1e-200, 1e-200)))
    one, end = draw()
    assert one == 1
    assert end in (0.0, 1.0)


def test_lists_of_generators():
    @njit
    def draw(generators):
        total = 0.0
        for generator in generators:
            total += generator.random()
        for i in range(len(generators)):
            total += generators[i].uniform(1.0, 2.0)
        return total

    @njit
    def turn(generators):
        generators.reverse()
        generators.pop()

    def generators():
        return [np.random.default_rng(seed) for seed in range(3)]

    assert draw(generators()) == draw.py_func(generators())
    first, second, third = listed = generators()
    turn(listed)
    assert len(listed) == 2
    assert listed[0] is third
    assert listed[1] is second
    assert first.random() == np.random.default_rng(0).random()


def test_lists_of_generators_stay_what_they_are():
    @njit
    def put(generators, generator):
        generators.append(generator)

    @njit
    def give(generators):
        return generators

    listed = [np.random.default_rng(0)]
    with pytest.raises(TypeError, match="a random generator was put into a list"):
        put(listed, np.random.default_rng(1))
    assert len(listed) == 1
    with pytest.raises(TypingError, match="a jitted function cannot return this to Python"):
        give(listed)


def test_a_generator_is_a_result():
    generator = np.random.default_rng(0)
    assert njit(lambda g: g)(generator) is generator
    first, (number, second) = njit(lambda g, h: (h, (1, g)))(generator, np.random.default_rng(1))
    assert second is generator and number == 1
    assert first.random() == np.random.default_rng(1).random()
