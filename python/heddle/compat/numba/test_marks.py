"""Marks of numba.tests.support for tests that are skipped or expected to fail."""

import importlib.util
import os
import platform
import sys
import unittest

import numpy as np

__all__ = [
    "IS_MACOS",
    "IS_MACOS_ARM64",
    "IS_NUMPY_2",
    "IS_WIN_ARM64",
    "PYVERSION",
    "REDUCED_TESTING",
    "always_test",
    "disabled_test",
    "expected_failure_np2",
    "expected_failure_py311",
    "expected_failure_py312",
    "expected_failure_py313",
    "expected_failure_py314",
    "expected_failure_py315",
    "has_blas",
    "has_lapack",
    "has_setuptools",
    "has_typeguard",
    "is_parfors_unsupported",
    "linux_only",
    "needs_blas",
    "needs_lapack",
    "needs_setuptools",
    "numpy_sincos_low_precision",
    "skip_if_32bit",
    "skip_if_freethreading",
    "skip_if_linux_aarch64",
    "skip_if_numpy_2",
    "skip_if_py313plus_on_windows",
    "skip_if_py314",
    "skip_if_reduced_testing",
    "skip_if_typeguard",
    "skip_if_windows",
    "skip_macos_fenv_errors",
    "skip_parfors_unsupported",
    "skip_ppc64le_invalid_ctr_loop",
    "skip_ppc64le_issue4563",
    "skip_ppc64le_issue6465",
    "skip_unless_cffi",
    "skip_unless_py10",
    "skip_unless_py10_or_later",
    "skip_unless_py312",
    "skip_unless_py314_or_later",
    "skip_unless_scipy",
    "skip_unless_typeguard",
    "skip_win_arm64_unittuple_uimm12",
    "tag",
    "windows_only",
]

PYVERSION = sys.version_info[:2]
IS_NUMPY_2 = int(np.__version__.partition(".")[0]) >= 2
IS_MACOS = sys.platform == "darwin"
IS_MACOS_ARM64 = IS_MACOS and platform.machine() == "arm64"
IS_WIN_ARM64 = sys.platform == "win32" and platform.machine() == "ARM64"
REDUCED_TESTING = bool(int(os.environ.get("_NUMBA_REDUCED_TESTING", 0)))
_32bit = sys.maxsize <= 2**32
_is_armv7l = platform.machine() == "armv7l"
is_parfors_unsupported = _32bit
numpy_sincos_low_precision = tuple(map(int, np.__version__.split(".")[:2])) < (1, 25)
has_typeguard = False


def _is_installed(name):
    return importlib.util.find_spec(name) is not None


has_blas = has_lapack = _is_installed("scipy")
has_setuptools = _is_installed("setuptools")

_linux, _windows = sys.platform.startswith("linux"), sys.platform.startswith("win")
linux_only = unittest.skipUnless(_linux, "for Linux only")
windows_only = unittest.skipUnless(_windows, "for Windows only")
skip_if_windows = unittest.skipIf(_windows, "not for Windows")
skip_if_py313plus_on_windows = unittest.skipIf(
    _windows and PYVERSION >= (3, 13), "not for Python 3.13 and later on Windows"
)
skip_if_linux_aarch64 = unittest.skipIf(_linux and platform.machine() == "aarch64", "not for ARM")
skip_if_numpy_2 = unittest.skipIf(IS_NUMPY_2, "for NumPy 1 only")
skip_if_py314 = unittest.skipIf(PYVERSION == (3, 14), "not for Python 3.14")
skip_unless_py10_or_later = unittest.skipUnless(PYVERSION >= (3, 10), "for Python 3.10 and later")
skip_unless_py10 = unittest.skipUnless(PYVERSION == (3, 10), "for Python 3.10 only")
skip_unless_py312 = unittest.skipUnless(PYVERSION == (3, 12), "for Python 3.12 only")
skip_unless_py314_or_later = unittest.skipUnless(PYVERSION >= (3, 14), "for Python 3.14 and later")
skip_if_freethreading = unittest.skipUnless(
    getattr(sys, "_is_gil_enabled", lambda: True)(), "not for Python without the GIL"
)
skip_if_32bit = unittest.skipIf(_32bit, "not for 32 bits")
skip_parfors_unsupported = unittest.skipIf(is_parfors_unsupported, "not for 32 bits")
skip_if_reduced_testing = unittest.skipIf(REDUCED_TESTING, "tests are reduced")
skip_macos_fenv_errors = unittest.skipIf(IS_MACOS, "not for macOS")
skip_win_arm64_unittuple_uimm12 = unittest.skipIf(IS_WIN_ARM64, "not for Windows on ARM")
skip_unless_cffi = unittest.skipUnless(_is_installed("cffi"), "needs cffi")
skip_unless_scipy = unittest.skipUnless(_is_installed("scipy"), "needs SciPy")
skip_unless_typeguard = unittest.skip("needs numba with typeguard")
needs_blas = unittest.skipUnless(has_blas, "needs SciPy's BLAS")
needs_lapack = unittest.skipUnless(has_lapack, "needs SciPy's LAPACK")
needs_setuptools = unittest.skipUnless(has_setuptools, "needs setuptools")
disabled_test = unittest.skip("the test is disabled")


def skip_if_typeguard(test):
    """Returns the test unchanged. In numba, skips a test under typeguard, which Heddle does not use."""
    return test


# Marks for PowerPC, which Heddle does not target.
skip_ppc64le_issue4563 = skip_ppc64le_issue6465 = skip_if_typeguard
skip_ppc64le_invalid_ctr_loop = skip_if_typeguard


def _make_expected_failure_on_version(version):
    def mark_expected_failure_on_version(test):
        return unittest.expectedFailure(test) if version == PYVERSION else test

    mark_expected_failure_on_version.__doc__ = (
        f"Marks a test that fails on Python {version[0]}.{version[1]}."
    )
    return mark_expected_failure_on_version


expected_failure_py311 = _make_expected_failure_on_version((3, 11))
expected_failure_py312 = _make_expected_failure_on_version((3, 12))
expected_failure_py313 = _make_expected_failure_on_version((3, 13))
expected_failure_py314 = _make_expected_failure_on_version((3, 14))
expected_failure_py315 = _make_expected_failure_on_version((3, 15))


def expected_failure_np2(test):
    """Marks a test that fails with NumPy 2.0."""
    return unittest.expectedFailure(test) if np.__version__.startswith("2.0.") else test


def tag(*labels):
    """Returns a decorator without effect. In numba, it labels tests."""
    return lambda test: test


always_test = tag("always_test")
