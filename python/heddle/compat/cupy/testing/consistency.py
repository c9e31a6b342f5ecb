"""Decorators for tests that run with NumPy and with CuPy and compare the two results.

@numpy_cupy_allclose()       a = test(self, xp=cupy)
def test(self, xp)           b = test(self, xp=numpy)
                             assert_allclose(a, b), of the same dtype
"""

import functools
import importlib
import sys

import numpy as np

from heddle.compat.cupy.testing import comparisons
from heddle.compat.cupy.testing.loops import is_skip_exception, wrap_without_parameters


def _import_modules_of_names(name, scipy_name, sp_name):
    """The test's arguments for CuPy, and those for NumPy: dicts of modules."""
    with_cupy, with_numpy = {name: sys.modules["heddle.compat.cupy"]}, {name: np}
    for parameter, module in ((scipy_name, "scipy"), (sp_name, "scipy.sparse")):
        if parameter:
            # late: only tests with SciPy need it
            with_cupy[parameter] = importlib.import_module(f"cupyx.{module}")  # late: as above
            with_numpy[parameter] = importlib.import_module(module)  # late: as above
    return with_cupy, with_numpy


def _run_with_cupy_and_numpy(test, names, args, keywords):
    """Run the test with CuPy and with NumPy; return a list of two pairs (result, exception)."""
    outcomes = []
    for modules in _import_modules_of_names(*names):
        try:
            outcomes.append((test(*args, **keywords, **modules), None))
        except Exception as error:
            if is_skip_exception(error):
                raise
            outcomes.append((None, error))
    return outcomes


def _require_matching_errors(errors, accepted):
    """Check that both versions raised an exception and that they are of an accepted, matching class."""
    with_cupy, with_numpy = errors
    if with_cupy is None or with_numpy is None:
        who = "NumPy" if with_cupy is None else "CuPy"
        raise AssertionError(f"only {who} raised an exception") from (with_cupy or with_numpy)
    accepted = {True: Exception, False: ()}.get(accepted, accepted)
    for error, other in (errors, errors[::-1]):
        if not isinstance(error, accepted) or not (
            isinstance(error, type(other)) or isinstance(other, type(error))
        ):
            raise AssertionError(
                f"CuPy raised {with_cupy!r}, NumPy raised {with_numpy!r}"
            ) from with_cupy


def _make_comparing_decorator(compare):
    """Make a decorator that compares the two results, or the items of two tuples or lists, with ``compare``."""

    def numpy_cupy(
        *args,
        name="xp",
        type_check=True,
        accept_error=False,
        sp_name=None,
        scipy_name=None,
        **keywords,
    ):
        names = name, scipy_name, sp_name
        keywords.pop("contiguous_check", None)
        keywords.pop("strides_check", None)

        def compare_results_of_test(test):
            @wrap_without_parameters(test, set(names))
            def run_and_compare(*run_args, **run_keywords):
                (found, error), (expected, expected_error) = _run_with_cupy_and_numpy(
                    test, names, run_args, run_keywords
                )
                if error or expected_error:
                    _require_matching_errors((error, expected_error), accept_error)
                    return
                for x, y in _pair_results_on_host(found, expected):
                    if type_check and x.dtype != y.dtype:
                        raise AssertionError(f"CuPy's dtype is {x.dtype}, NumPy's {y.dtype}")
                    compare(x, y, *args, **_choose_tolerances(keywords, x.dtype))

            return run_and_compare

        return compare_results_of_test

    return functools.wraps(compare, assigned=("__doc__",), updated=())(numpy_cupy)


def _choose_tolerances(keywords, dtype):
    """The keywords with the tolerance for the dtype in place of a dict of tolerances such as
    ``{numpy.float16: 1e-3, "default": 1e-7}``."""
    chosen = dict(keywords)
    for name in {"rtol", "atol"} & chosen.keys():
        if isinstance(chosen[name], dict):
            tolerances = {k if k == "default" else np.dtype(k): v for k, v in chosen[name].items()}
            if dtype not in tolerances and "default" not in tolerances:
                raise TypeError(f"{name} has no tolerance for {dtype}, and no 'default'")
            chosen[name] = tolerances.get(dtype, tolerances.get("default"))
    return chosen


def _pair_results_on_host(found, expected):
    if not isinstance(found, (tuple, list)):
        found, expected = [found], [expected]
    if len(found) != len(expected):
        raise AssertionError(f"CuPy gives {len(found)} results, NumPy {len(expected)}")
    return [
        (np.asarray(comparisons.to_host(x)), np.asarray(y))
        for x, y in zip(found, expected, strict=True)
    ]


numpy_cupy_allclose = _make_comparing_decorator(comparisons.assert_allclose)
numpy_cupy_array_almost_equal = _make_comparing_decorator(comparisons.assert_array_almost_equal)
numpy_cupy_array_almost_equal_nulp = _make_comparing_decorator(
    comparisons.assert_array_almost_equal_nulp
)
numpy_cupy_array_equal = _make_comparing_decorator(comparisons.assert_array_equal)
numpy_cupy_array_list_equal = numpy_cupy_array_equal
numpy_cupy_array_less = _make_comparing_decorator(comparisons.assert_array_less)
numpy_cupy_array_max_ulp = _make_comparing_decorator(comparisons.assert_array_max_ulp)


def numpy_cupy_equal(name="xp", sp_name=None, scipy_name=None):
    """Decorator that compares the two results, of any type, with ``==``."""
    names = name, scipy_name, sp_name

    def compare_results_of_test(test):
        @wrap_without_parameters(test, set(names))
        def run_and_compare(*args, **keywords):
            (found, error), (expected, expected_error) = _run_with_cupy_and_numpy(
                test, names, args, keywords
            )
            if error or expected_error:
                _require_matching_errors((error, expected_error), False)
            elif found != expected:
                raise AssertionError(f"CuPy gives {found}, NumPy {expected}")

        return run_and_compare

    return compare_results_of_test


__all__ = [name for name in globals() if name.startswith("numpy_cupy_")]
