"""numba.cuda.testing: test cases and skip conditions, so that test suites written for numba.cuda run.

The CPU device runs every kernel, so only tests of GPUs, compute capabilities or NVIDIA libraries themselves are skipped
for lack of them.
"""

import contextlib
import os
import platform
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from heddle import config
from heddle.compat.numba.test_support import HAS_NUMBA, PYVERSION, SerialMixin, TestCase
from heddle.compiler.dispatcher import Dispatcher as CUDADispatcher
from heddle.cuda.devices import close, current_device, synchronize
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "HAS_NUMBA",
    "PYVERSION",
    "CUDADispatcher",
    "CUDATestCase",
    "ContextResettingTestCase",
    "ForeignArray",
    "SerialMixin",
    "TestCase",
    "captured_cuda_stdout",
    "cc_X_or_above",
    "cudadevrt_missing",
    "numba_cuda_dir",
    "skip_if_cuda_includes_missing",
    "skip_if_cudadevrt_missing",
    "skip_if_curand_kernel_missing",
    "skip_if_external_memmgr",
    "skip_if_mvc_enabled",
    "skip_if_mvc_libraries_unavailable",
    "skip_if_nvjitlink_missing",
    "skip_on_arm",
    "skip_on_cudasim",
    "skip_on_nvjitlink_13_1_sm_120",
    "skip_on_standalone_numba_cuda",
    "skip_on_wsl2",
    "skip_under_cuda_memcheck",
    "skip_unless_cc_50",
    "skip_unless_cc_53",
    "skip_unless_cc_60",
    "skip_unless_cc_75",
    "skip_unless_cc_90",
    "skip_unless_conda_cudatoolkit",
    "skip_unless_cudasim",
    "skip_with_cuda_python",
    "skip_with_nvdisasm",
    "skip_without_nvdisasm",
    "test_data_dir",
    "unittest",
    "xfail_unless_cudasim",
]

numba_cuda_dir = Path(__file__).parent
test_data_dir = numba_cuda_dir / "tests" / "data"


class CUDATestCase(TestCase):
    """A test that uses a device. Disables warnings about small grids and copies of host arrays."""

    FLOAT16_RTOL = np.finfo(np.float16).eps

    def setUp(self):
        self._settings = config.CUDA_LOW_OCCUPANCY_WARNINGS, config.CUDA_WARN_ON_IMPLICIT_COPY
        config.CUDA_LOW_OCCUPANCY_WARNINGS = config.CUDA_WARN_ON_IMPLICIT_COPY = 0

    def tearDown(self):
        config.CUDA_LOW_OCCUPANCY_WARNINGS, config.CUDA_WARN_ON_IMPLICIT_COPY = self._settings

    def skip_if_lto(self, reason):
        """Does nothing. In numba, skips a test under link-time optimization, which Heddle does not have."""

    def assertFileCheckAsm(self, *args, **options):
        """In numba, compares the PTX with a pattern. Skips the test, because Heddle's PTX differs."""
        self.skipTest("the test is about the code that numba generates")

    assertFileCheckLLVM = assertFileCheckMatches = assertFileCheckAsm


class ContextResettingTestCase(CUDATestCase):
    """A test that resets the devices afterwards."""

    def tearDown(self):
        super().tearDown()
        close()


class ForeignArray:
    """An array with only the CUDA array interface, as from another library."""

    def __init__(self, arr):
        self._arr = arr
        self.__cuda_array_interface__ = arr.__cuda_array_interface__


def cc_X_or_above(major, minor):
    """True if the current device has at least this compute capability."""
    return tuple(current_device().compute_capability) >= (major, minor)


def cudadevrt_missing():
    """True if the CUDA device runtime library is missing. Heddle's kernels do not need it."""
    return False


def _make_skip_if(condition):
    """Makes a function that takes a reason and returns the decorator, as numba's do."""

    def make_skip_decorator(reason):
        if not isinstance(reason, str):
            raise TypeError(f"the reason for a skip is a string, not {reason!r}")
        return unittest.skipIf(condition(), reason)

    return make_skip_decorator


def _return_unchanged(test):
    return test


def _get_os_release():
    return platform.release().lower()


skip_on_cudasim = _make_skip_if(lambda: config.ENABLE_CUDASIM)
skip_unless_cudasim = _make_skip_if(lambda: not config.ENABLE_CUDASIM)
skip_unless_conda_cudatoolkit = _make_skip_if(lambda: True)
skip_if_external_memmgr = _make_skip_if(lambda: config.CUDA_MEMORY_MANAGER != "default")
skip_under_cuda_memcheck = _make_skip_if(lambda: os.environ.get("CUDA_MEMCHECK") is not None)
skip_without_nvdisasm = _make_skip_if(lambda: shutil.which("nvdisasm") is None)
skip_with_nvdisasm = _make_skip_if(lambda: shutil.which("nvdisasm") is not None)
skip_on_arm = _make_skip_if(lambda: platform.machine().startswith(("arm", "aarch")))
skip_on_wsl2 = _make_skip_if(lambda: "wsl2" in _get_os_release())
skip_if_nvjitlink_missing = _make_skip_if(lambda: True)
skip_on_nvjitlink_13_1_sm_120 = skip_if_mvc_enabled = skip_with_cuda_python = _make_skip_if(
    lambda: False
)
skip_if_mvc_libraries_unavailable = unittest.skip("needs NVIDIA's libraries for older drivers")
skip_on_standalone_numba_cuda = skip_if_cudadevrt_missing = _return_unchanged
skip_if_curand_kernel_missing = skip_if_cuda_includes_missing = _return_unchanged


def _skip_unless_capability(major, minor):
    def skip_test_unless_capability(test):
        reason = f"needs compute capability {major}.{minor}"
        return unittest.skipUnless(cc_X_or_above(major, minor), reason)(test)

    return skip_test_unless_capability


skip_unless_cc_50 = _skip_unless_capability(5, 0)
skip_unless_cc_53 = _skip_unless_capability(5, 3)
skip_unless_cc_60 = _skip_unless_capability(6, 0)
skip_unless_cc_75 = _skip_unless_capability(7, 5)
skip_unless_cc_90 = _skip_unless_capability(9, 0)


def xfail_unless_cudasim(test):
    """Marks a test that fails if kernels are compiled."""
    return test if config.ENABLE_CUDASIM else unittest.expectedFailure(test)


class _Capture:
    """A file with the output captured so far."""

    def __init__(self, file):
        self._file = file

    def getvalue(self):
        synchronize()
        descriptor = self._file.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode()


@contextlib.contextmanager
def captured_cuda_stdout():
    """Context manager that yields an object whose ``getvalue()`` is the output of kernels inside."""
    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            yield _Capture(file)
        finally:
            synchronize()
            os.dup2(before, 1)
            os.close(before)


def __getattr__(name):
    raise _missing_name("heddle.cuda.testing", name)
