"""Test cases with parameters, and tests that run under conditions only."""

import contextlib
import importlib.metadata
import itertools
import random
import sys
import unittest
import warnings

import numpy as np

from heddle.compat.cupy import runtime
from heddle.compat.cupy.testing.loops import without_parameters

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
    """Every combination of the values in a dict of lists, as dicts; of the elements in a list of lists, as lists."""
    if not isinstance(parameters, dict):
        return [list(chosen) for chosen in itertools.product(*parameters)]
    return [
        dict(zip(parameters, chosen, strict=True))
        for chosen in itertools.product(*parameters.values())
    ]


def product_dict(*parameters):
    """Every combination of dicts, one out of each list, merged."""
    return [
        {name: value for part in chosen for name, value in part.items()}
        for chosen in itertools.product(*parameters)
    ]


def parameterize(*parameters):
    """A decorator: the class is replaced by a subclass for each dict, whose entries are the subclass's attributes."""

    def decorate(case):
        module = sys.modules[case.__module__]
        for number, values in enumerate(parameters):
            name = f"{case.__name__}_{number}"
            made = type(case)(name, (case,), {**values, "__module__": case.__module__})
            made.__doc__ = ", ".join(f"{key}={value!r}" for key, value in values.items())
            setattr(module, name, made)
        case.__test__ = False  # pytest's sign that a class holds no tests of its own
        for made in (getattr(module, f"{case.__name__}_{n}") for n in range(len(parameters))):
            made.__test__ = True

    return decorate


def gpu(test):
    """The test itself: a device is always there."""
    return test


slow = gpu


def multi_gpu(count):
    """Skips the test where there are fewer devices."""
    return unittest.skipUnless(runtime.getDeviceCount() >= count, f"needs {count} devices")


def installed(*requirements):
    """Whether packages are installed, such as "numpy>=1.26"."""
    return not any(_missing(requirement) for requirement in requirements)


def _missing(requirement):
    name = requirement
    for sign in "<>=!~;[ ":
        name = name.partition(sign)[0]
    conditions = [c.strip() for c in requirement[len(name) :].split(",") if c.strip()]
    try:
        version = _numbers(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return True
    return not all(_fulfils(version, condition) for condition in conditions)


def _numbers(version):
    return [int(part) for part in version.split(".")[:3] if part.isdigit()]


def _fulfils(version, condition):
    sign = condition[:2] if condition[1] == "=" else condition[:1]
    wanted = _numbers(condition[len(sign) :])
    return {
        "<": version < wanted,
        "<=": version[: len(wanted)] <= wanted,
        ">": version[: len(wanted)] > wanted,
        ">=": version >= wanted,
        "==": version[: len(wanted)] == wanted,
        "!=": version[: len(wanted)] != wanted,
    }[sign]


def with_requires(*requirements):
    """Skips the test where a package is not installed, or of another version."""
    return unittest.skipUnless(installed(*requirements), f"needs {', '.join(requirements)}")


@contextlib.contextmanager
def assert_warns(expected):
    """Context manager that fails unless a warning of this class was given."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        yield
    if not any(issubclass(warning.category, expected) for warning in given):
        raise AssertionError(f"no {expected.__name__} was given")


def generate_seed():
    """A seed, which fix_random() makes the same in each run."""
    return int(np.random.randint(0x7FFFFFFF))


def fix_random():
    """A decorator: each test of the class, or the function, begins with the same random numbers."""

    def seed():
        random.seed(0)
        np.random.seed(0)
        sys.modules["heddle.compat.cupy"].random.seed(0)

    def decorate(test):
        if isinstance(test, type):
            before = getattr(test, "setUp", None)

            def setUp(self):
                seed()
                if before is not None:
                    before(self)

            test.setUp = setUp
            return test

        @without_parameters(test, ())
        def run(*args, **keywords):
            seed()
            return test(*args, **keywords)

        return run

    return decorate
