"""Methods of numpy.random.Generator that draw from distributions with parameters, by calling NumPy's C functions."""

import functools

import numpy as np

from heddle.compiler.library_registry import implements
from heddle.host_library.random.generators import (
    draw_numbers,
    find_float_letter,
    load_numpy_random_function,
)


def implement_distribution(parameters, result="d", *, names):
    """Implements methods of Generator. parameters, result: NumPy's type letters for what the C function takes and
    returns.

    The decorated function creates the method from the C function. It serves each of ``names``.
    """

    def register_distribution(make):
        @functools.cache
        def make_method(name):
            return make(load_numpy_random_function(name, result, *parameters))

        for name in names:
            implements(f"Generator.{name}")(
                lambda *arguments, _name=name, **named: make_method(_name)
            )
        return make

    return register_distribution


@implement_distribution("dd", names=("normal", "laplace", "gumbel", "logistic"))
def make_location_scale_method(draw):
    def draw_location_scale_numbers(self, loc=0.0, scale=1.0, size=None):
        if scale < 0:
            raise ValueError("scale < 0")
        return draw_numbers(self, draw, (loc, scale), size, np.float64)

    return draw_location_scale_numbers


@implement_distribution("dd", names=("uniform",))
def make_uniform_method(draw):
    def draw_uniform_numbers(self, low=0.0, high=1.0, size=None):
        width = float(high) - float(low)
        if not np.isfinite(width):
            raise OverflowError("high - low range exceeds valid bounds")
        if width < 0:
            raise ValueError("high < low")
        return draw_numbers(self, draw, (low, width), size, np.float64)

    return draw_uniform_numbers


@implement_distribution("d", names=("exponential", "rayleigh"))
def make_scale_method(draw):
    def draw_scaled_numbers(self, scale=1.0, size=None):
        if scale < 0:
            raise ValueError("scale < 0")
        return draw_numbers(self, draw, (scale,), size, np.float64)

    return draw_scaled_numbers


@implements("Generator.standard_gamma")
def _choose_standard_gamma_implementation(self, shape, size=None, dtype=None):
    letter = find_float_letter(dtype)
    return letter and _make_standard_gamma_method(letter)


@functools.cache
def _make_standard_gamma_method(letter):
    draw = load_numpy_random_function(
        "standard_gamma_f" if letter == "f" else "standard_gamma", letter, letter
    )
    element = np.dtype(letter).type

    def draw_standard_gamma_numbers(self, shape, size=None, dtype=np.float64):
        if shape < 0:
            raise ValueError("shape < 0")
        return draw_numbers(self, draw, (shape,), size, element)

    return draw_standard_gamma_numbers


@implement_distribution("dd", names=("gamma",))
def make_gamma_method(draw):
    def draw_gamma_numbers(self, shape, scale=1.0, size=None):
        if shape < 0:
            raise ValueError("shape < 0")
        if scale < 0:
            raise ValueError("scale < 0")
        return draw_numbers(self, draw, (shape, scale), size, np.float64)

    return draw_gamma_numbers


@implement_distribution("dd", names=("beta",))
def make_beta_method(draw):
    def draw_beta_numbers(self, a, b, size=None):
        if a <= 0:
            raise ValueError("a <= 0")
        if b <= 0:
            raise ValueError("b <= 0")
        return draw_numbers(self, draw, (a, b), size, np.float64)

    return draw_beta_numbers


@implement_distribution("d", names=("chisquare", "standard_t"))
def make_degrees_of_freedom_method(draw):
    def draw_numbers_by_degrees_of_freedom(self, df, size=None):
        if df <= 0:
            raise ValueError("df <= 0")
        return draw_numbers(self, draw, (df,), size, np.float64)

    return draw_numbers_by_degrees_of_freedom


@implement_distribution("dd", names=("noncentral_chisquare",))
def make_noncentral_chisquare_method(draw):
    def draw_noncentral_chisquare_numbers(self, df, nonc, size=None):
        if df <= 0:
            raise ValueError("df <= 0")
        if nonc < 0:
            raise ValueError("nonc < 0")
        return draw_numbers(self, draw, (df, nonc), size, np.float64)

    return draw_noncentral_chisquare_numbers


@implement_distribution("dd", names=("f",))
def make_f_method(draw):
    def draw_f_numbers(self, dfnum, dfden, size=None):
        if dfnum <= 0:
            raise ValueError("dfnum <= 0")
        if dfden <= 0:
            raise ValueError("dfden <= 0")
        return draw_numbers(self, draw, (dfnum, dfden), size, np.float64)

    return draw_f_numbers


@implement_distribution("ddd", names=("noncentral_f",))
def make_noncentral_f_method(draw):
    def draw_noncentral_f_numbers(self, dfnum, dfden, nonc, size=None):
        if dfnum <= 0:
            raise ValueError("dfnum <= 0")
        if dfden <= 0:
            raise ValueError("dfden <= 0")
        if nonc < 0:
            raise ValueError("nonc < 0")
        return draw_numbers(self, draw, (dfnum, dfden, nonc), size, np.float64)

    return draw_noncentral_f_numbers


@implement_distribution("", names=("standard_cauchy",))
def make_standard_cauchy_method(draw):
    def draw_standard_cauchy_numbers(self, size=None):
        return draw_numbers(self, draw, (), size, np.float64)

    return draw_standard_cauchy_numbers


@implement_distribution("d", names=("pareto", "power"))
def make_exponent_method(draw):
    def draw_numbers_by_exponent(self, a, size=None):
        if a <= 0:
            raise ValueError("a <= 0")
        return draw_numbers(self, draw, (a,), size, np.float64)

    return draw_numbers_by_exponent


@implement_distribution("d", names=("weibull",))
def make_weibull_method(draw):
    def draw_weibull_numbers(self, a, size=None):
        if a < 0:
            raise ValueError("a < 0")
        return draw_numbers(self, draw, (a,), size, np.float64)

    return draw_weibull_numbers


@implement_distribution("dd", names=("lognormal",))
def make_lognormal_method(draw):
    def draw_lognormal_numbers(self, mean=0.0, sigma=1.0, size=None):
        if sigma < 0:
            raise ValueError("sigma < 0")
        return draw_numbers(self, draw, (mean, sigma), size, np.float64)

    return draw_lognormal_numbers


@implement_distribution("dd", names=("wald",))
def make_wald_method(draw):
    def draw_wald_numbers(self, mean, scale, size=None):
        if mean <= 0:
            raise ValueError("mean <= 0")
        if scale <= 0:
            raise ValueError("scale <= 0")
        return draw_numbers(self, draw, (mean, scale), size, np.float64)

    return draw_wald_numbers


@implement_distribution("ddd", names=("triangular",))
def make_triangular_method(draw):
    def draw_triangular_numbers(self, left, mode, right, size=None):
        if left > mode:
            raise ValueError("left > mode")
        if mode > right:
            raise ValueError("mode > right")
        if left == right:
            raise ValueError("left == right")
        return draw_numbers(self, draw, (left, mode, right), size, np.float64)

    return draw_triangular_numbers
