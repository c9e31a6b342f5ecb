"""numba.tests.support: what numba's test suites, and those written after them, share."""

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
from heddle.compat.numba.precise_comparison import difference_of
from heddle.compat.numba.subprocess_tests import SubprocessTests, needs_subprocess
from heddle.compat.numba.test_marks import *  # noqa: F403 - all marks are names here, too
from heddle.compat.numba.test_marks import PYVERSION, _32bit, _is_armv7l  # noqa: F401 - the same
from heddle.errors import TypingError
from heddle.missing_names import missing_name as _missing_name

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
    """The memory of the machine that is free, in bytes; None where nothing tells."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


@contextlib.contextmanager
def create_temp_module(source_lines, **jit_options):
    """Context manager that gives a module of those lines, in which ``{jit_options}`` stands for the options."""
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
    """Context manager that gives what is written to ``sys.stdout`` or ``sys.stderr`` inside, a StringIO."""
    original = getattr(sys, stream_name)
    setattr(sys, stream_name, io.StringIO())
    try:
        yield getattr(sys, stream_name)
    finally:
        setattr(sys, stream_name, original)


def captured_stdout():
    """``captured_output`` of sys.stdout."""
    return captured_output("stdout")


def captured_stderr():
    """``captured_output`` of sys.stderr."""
    return captured_output("stderr")


@contextlib.contextmanager
def override_config(name, value):
    """Context manager in which the setting ``name`` of numba.config has another value."""
    before = getattr(config, name)
    setattr(config, name, value)
    try:
        yield
    finally:
        setattr(config, name, before)


@contextlib.contextmanager
def override_env_config(name, value):
    """Context manager in which an environment variable has another value."""
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
    """The function ``name`` that the text ``code`` defines, with the globals ``globs``."""
    defined = {}
    exec(code, globs, defined)
    return defined[name]


def run_in_subprocess(code, flags=(), env=None, timeout=30):
    """Run a program's text in another Python. Returns what it wrote to stdout and stderr, bytes; AssertionError when
    it fails."""
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
    """Import a module that a test wrote just now."""
    importlib.invalidate_caches()
    importlib.import_module(modname)  # late: the test's module
    return sys.modules[modname]


def ignore_internal_warnings():
    """numba hides the deprecations that it makes itself; heddle makes none."""


class TestCase(SubprocessTests, unittest.TestCase):
    """A test case with numba's comparisons."""

    longMessage = True

    @property
    def random(self):
        """NumPy's random numbers from a fixed seed."""
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
        """Fails where values differ in kind (int, float, complex, bool, array dtype), shape or value; NaNs are equal.

        prec: "exact"; "single" or "double" for floats ``ulps`` of that precision apart. abs_tol: another distance that
        is close enough; "eps" is that of the type.
        """
        difference = difference_of(first, second, prec, ulps, ignore_sign_on_zero, abs_tol)
        if difference:
            self.fail(self._formatMessage(msg, difference))

    def assertStridesEqual(self, first, second):
        """Fails where arrays differ in shape or strides; those of axes of extent 1 are no difference."""
        self.assertEqual(first.shape, second.shape)
        for extent, one, other in zip(first.shape, first.strides, second.strides, strict=True):
            if extent > 1:
                self.assertEqual(one, other)

    @contextlib.contextmanager
    def assertTypingError(self):
        """Context manager: something inside must raise TypingError, which it gives."""
        with self.assertRaises(TypingError) as raised:
            yield raised

    @contextlib.contextmanager
    def assertRefCount(self, *objects):
        """Context manager: nothing inside may keep or lose a reference to the objects."""
        before = [sys.getrefcount(one) for one in objects]
        yield
        self.assertEqual([sys.getrefcount(one) for one in objects], before)

    def assertRefCountEqual(self, *objects):
        """Fails where the objects have different numbers of references."""
        self.assertEqual(len({sys.getrefcount(one) for one in objects}), 1)

    @contextlib.contextmanager
    def assertNoNRTLeak(self):
        """numba counts what its kernels allocate; heddle's allocate nothing."""
        yield

    def reset_module_warnings(self, module):
        """Let warnings of a module, given by its name, be shown again."""
        if isinstance(module, str):
            module = sys.modules[module]
        getattr(module, "__warningregistry__", {}).clear()


class SerialMixin:
    """numba's mark for tests that run alone."""


class CheckWarningsMixin:
    """A check of which warnings there were."""

    @contextlib.contextmanager
    def check_warnings(self, messages, category=RuntimeWarning):
        """Context manager: the warnings inside must have these texts, in any order."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            self.assertIs(warning.category, category)
        self.assertEqual({str(warning.message) for warning in caught}, set(messages))


class EnableNRTStatsMixin:
    """numba counts what its kernels allocate; heddle's allocate nothing."""


class MemoryLeak(EnableNRTStatsMixin):
    """As EnableNRTStatsMixin."""

    def disable_leak_check(self):
        """Nothing to do: nothing is checked."""

    def memory_leak_setup(self):
        """As disable_leak_check."""

    def memory_leak_teardown(self):
        """As disable_leak_check."""

    @contextlib.contextmanager
    def assert_no_memory_leak(self):
        """As disable_leak_check."""
        yield


MemoryLeakMixin = MemoryLeak


def __getattr__(name):
    raise _missing_name("heddle.cuda.tests.support", name)
