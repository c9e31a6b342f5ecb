"""Parametrized test cases, and tests that run only under certain conditions."""

import contextlib
import importlib.metadata
import itertools
import random
import sys
import unittest
import warnings

import numpy as np

from heddle.compat.cupy import runtime
from heddle.compat.cupy.testing.loops import wrap_without_parameters

__all__ = [
    "assert_warns",
    "fix_random",
    "generate_seed",
    "gpu",
    "installed",
    "multi_gpu",
    "parameterize",
    "product",
    "product_dict",
    "slow",
    "with_requires",
]


def product(parameters):
    """All combinations of the values: dicts for a dict of lists, lists for a list of lists."""
    if not isinstance(parameters, dict):
        return [list(chosen) for chosen in itertools.product(*parameters)]
    return [
        dict(zip(parameters, chosen, strict=True))
        for chosen in itertools.product(*parameters.values())
    ]


def product_dict(*parameters):
    """All combinations of one dict from each list, merged into one dict."""
    return [
        {name: value for part in chosen for name, value in part.items()}
        for chosen in itertools.product(*parameters)
    ]


def parameterize(*parameters):
    """Decorator that replaces a class by one subclass per dict, with the dict's entries as class attributes."""

    def make_parameterized_classes(case):
        module = sys.modules[case.__module__]
        for number, values in enumerate(parameters):
            name = f"{case.__name__}_{number}"
            made = type(case)(name, (case,), {**values, "__module__": case.__module__})
            made.__doc__ = ", ".join(f"{key}={value!r}" for key, value in values.items())
            setattr(module, name, made)
        case.__test__ = False  # tells pytest that the class itself holds no tests
        for made in (getattr(module, f"{case.__name__}_{n}") for n in range(len(parameters))):
            made.__test__ = True

    return make_parameterized_classes


def gpu(test):
    """Returns the test unchanged: there is always a device."""
    return test


def slow(*args, **keywords):
    """``pytest.mark.slow``, for tests and for the ``marks`` of ``pytest.param``."""
    import pytest  # late: for test suites only

    return pytest.mark.slow(*args, **keywords)


def multi_gpu(count):
    """Decorator that skips the test if there are fewer than ``count`` devices."""
    return unittest.skipUnless(runtime.getDeviceCount() >= count, f"needs {count} devices")


def installed(*requirements):
    """True if all these packages are installed, such as "numpy>=1.26"."""
    return not any(_is_requirement_unmet(requirement) for requirement in requirements)


def _is_requirement_unmet(requirement):
    name = requirement
    for sign in "<>=!~;[ ":
        name = name.partition(sign)[0]
    conditions = [c.strip() for c in requirement[len(name) :].split(",") if c.strip()]
    try:
        version = _parse_version(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return True
    return not all(_satisfies_version_condition(version, condition) for condition in conditions)


def _parse_version(version):
    return [int(part) for part in version.split(".")[:3] if part.isdigit()]


def _satisfies_version_condition(version, condition):
    sign = condition[:2] if condition[1] == "=" else condition[:1]
    wanted = _parse_version(condition[len(sign) :])
    return {
        "<": version < wanted,
        "<=": version[: len(wanted)] <= wanted,
        ">": version[: len(wanted)] > wanted,
        ">=": version >= wanted,
        "==": version[: len(wanted)] == wanted,
        "!=": version[: len(wanted)] != wanted,
    }[sign]


def with_requires(*requirements):
    """Decorator that skips the test unless all these packages are installed in a suitable version."""
    return unittest.skipUnless(installed(*requirements), f"needs {', '.join(requirements)}")


@contextlib.contextmanager
def assert_warns(expected):
    """Context manager that raises AssertionError unless a warning of this class was raised."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        yield
    if not any(issubclass(warning.category, expected) for warning in given):
        raise AssertionError(f"no {expected.__name__} was given")


def generate_seed():
    """A random seed, which fix_random() makes reproducible."""
    return int(np.random.randint(0x7FFFFFFF))


def fix_random():
    """Decorator: each test of the class, or the function, starts with the same random state."""

    def seed_generators():
        random.seed(0)
        np.random.seed(0)
        sys.modules["heddle.compat.cupy"].random.seed(0)

    def seed_before_tests(test):
        if isinstance(test, type):
            before = getattr(test, "setUp", None)

            def setUp(self):
                seed_generators()
                if before is not None:
                    before(self)

            test.setUp = setUp
            return test

        @wrap_without_parameters(test, ())
        def run_with_fixed_seed(*args, **keywords):
            seed_generators()
            return test(*args, **keywords)

        return run_with_fixed_seed

    return seed_before_tests
