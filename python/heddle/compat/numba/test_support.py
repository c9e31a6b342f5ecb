"""numba.tests.support: helpers for numba's test suites and similar ones."""

import contextlib
import importlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

from heddle import config
from heddle.compat.numba.precise_comparison import describe_difference
from heddle.compat.numba.subprocess_tests import SubprocessTests, needs_subprocess
from heddle.compat.numba.test_marks import *  # noqa: F403 - all marks are names here, too
from heddle.compat.numba.test_marks import PYVERSION, _32bit, _is_armv7l  # noqa: F401 - the same
from heddle.errors import TypingError
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "HAS_NUMBA",
    "CheckWarningsMixin",
    "EnableNRTStatsMixin",
    "MemoryLeak",
    "MemoryLeakMixin",
    "SerialMixin",
    "TestCase",
    "available_memory_bytes",
    "captured_output",
    "captured_stderr",
    "captured_stdout",
    "compile_function",
    "create_temp_module",
    "ignore_internal_warnings",
    "import_dynamic",
    "needs_subprocess",
    "override_config",
    "override_env_config",
    "run_in_subprocess",
    "temp_directory",
]

HAS_NUMBA = True


def available_memory_bytes():
    """The free memory of the machine in bytes; None if it is unknown."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


@contextlib.contextmanager
def create_temp_module(source_lines, **jit_options):
    """Context manager that yields a module of these source lines. ``{jit_options}`` in them expands to the options."""
    options = ", ".join(f"{name}={value!r}" for name, value in jit_options.items())
    with tempfile.TemporaryDirectory() as directory:
        name = f"test_module_{os.path.basename(directory)}"
        with open(os.path.join(directory, f"{name}.py"), "w") as file:
            file.write(source_lines.format(jit_options=options))
        sys.path.insert(0, directory)
        try:
            yield import_dynamic(name)
        finally:
            sys.path.remove(directory)
            sys.modules.pop(name, None)


@contextlib.contextmanager
def captured_output(stream_name):
    """Context manager that yields a StringIO with the output to ``sys.stdout`` or ``sys.stderr`` inside."""
    original = getattr(sys, stream_name)
    setattr(sys, stream_name, io.StringIO())
    try:
        yield getattr(sys, stream_name)
    finally:
        setattr(sys, stream_name, original)


def captured_stdout():
    """``captured_output`` for sys.stdout."""
    return captured_output("stdout")


def captured_stderr():
    """``captured_output`` for sys.stderr."""
    return captured_output("stderr")


@contextlib.contextmanager
def override_config(name, value):
    """Context manager that sets ``name`` in numba.config temporarily."""
    before = getattr(config, name)
    setattr(config, name, value)
    try:
        yield
    finally:
        setattr(config, name, before)


@contextlib.contextmanager
def override_env_config(name, value):
    """Context manager that sets an environment variable temporarily."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def compile_function(name, code, globs):
    """The function ``name`` that the source ``code`` defines, with the globals ``globs``."""
    defined = {}
    exec(code, globs, defined)
    return defined[name]


def run_in_subprocess(code, flags=(), env=None, timeout=30):
    """Runs source text in another Python process. Returns its stdout and stderr as bytes. Raises AssertionError if it
    fails."""
    command = [sys.executable, *flags, "-c", code]
    done = subprocess.run(command, env=env, timeout=timeout, capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(
            f"the process ended with {done.returncode}:\n{done.stdout.decode()}\n{done.stderr.decode()}"
        )
    return done.stdout, done.stderr


def temp_directory(prefix):
    """A new directory for a test."""
    return tempfile.mkdtemp(prefix=prefix + "-")


def import_dynamic(modname):
    """Imports a module that a test has just written."""
    importlib.invalidate_caches()
    importlib.import_module(modname)  # late: the test's module
    return sys.modules[modname]


def ignore_internal_warnings():
    """Does nothing. numba hides its internal deprecation warnings; Heddle has none."""


class TestCase(SubprocessTests, unittest.TestCase):
    """A test case with numba's assertions."""

    longMessage = True

    @property
    def random(self):
        """A NumPy RandomState with a fixed seed."""
        return np.random.RandomState(42)

    def assertPreciseEqual(
        self,
        first,
        second,
        prec="exact",
        ulps=1,
        msg=None,
        ignore_sign_on_zero=False,
        abs_tol=None,
    ):
        """Fails if values differ in kind (int, float, complex, bool, array dtype), shape or value. NaNs are equal.

        prec: "exact"; or "single" or "double" to allow ``ulps`` units of that precision. abs_tol: an absolute
        tolerance; "eps" is that of the type.
        """
        difference = describe_difference(first, second, prec, ulps, ignore_sign_on_zero, abs_tol)
        if difference:
            self.fail(self._formatMessage(msg, difference))

    def assertStridesEqual(self, first, second):
        """Fails if arrays differ in shape or strides, apart from axes of extent 1."""
        self.assertEqual(first.shape, second.shape)
        for extent, one, other in zip(first.shape, first.strides, second.strides, strict=True):
            if extent > 1:
                self.assertEqual(one, other)

    @contextlib.contextmanager
    def assertTypingError(self):
        """Context manager that fails unless TypingError is raised inside. Yields unittest's context."""
        with self.assertRaises(TypingError) as raised:
            yield raised

    @contextlib.contextmanager
    def assertRefCount(self, *objects):
        """Context manager that fails if reference counts of the objects change inside."""
        before = [sys.getrefcount(one) for one in objects]
        yield
        self.assertEqual([sys.getrefcount(one) for one in objects], before)

    def assertRefCountEqual(self, *objects):
        """Fails unless the objects have equal reference counts."""
        self.assertEqual(len({sys.getrefcount(one) for one in objects}), 1)

    @contextlib.contextmanager
    def assertNoNRTLeak(self):
        """Does nothing: Heddle's kernels do not allocate memory."""
        yield

    def reset_module_warnings(self, module):
        """Lets the warnings of a module, given by name or object, be shown again."""
        if isinstance(module, str):
            module = sys.modules[module]
        getattr(module, "__warningregistry__", {}).clear()


class SerialMixin:
    """numba's mark for tests that run alone."""


class CheckWarningsMixin:
    """A mixin that checks warnings."""

    @contextlib.contextmanager
    def check_warnings(self, messages, category=RuntimeWarning):
        """Context manager that checks that the warnings inside have these texts, in any order."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            self.assertIs(warning.category, category)
        self.assertEqual({str(warning.message) for warning in caught}, set(messages))


class EnableNRTStatsMixin:
    """numba's allocation statistics, which have no effect: Heddle's kernels do not allocate memory."""


class MemoryLeak(EnableNRTStatsMixin):
    """numba's leak check, which has no effect."""

    def disable_leak_check(self):
        """Does nothing."""

    def memory_leak_setup(self):
        """Does nothing."""

    def memory_leak_teardown(self):
        """Does nothing."""

    @contextlib.contextmanager
    def assert_no_memory_leak(self):
        """Does nothing."""
        yield


MemoryLeakMixin = MemoryLeak


def __getattr__(name):
    raise _missing_name("heddle.cuda.tests.support", name)
