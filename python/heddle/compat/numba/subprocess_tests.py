"""Tests that run in a separate Python process, as numba's ``TestCase`` supports."""

import functools
import os
import subprocess
import sys
import types
import unittest

_variable = "SUBPROC_TEST"  # in a child process: the name of its test


def needs_subprocess(test):
    """Skips a test outside a child process of ``subprocess_test_runner``."""
    return unittest.skipUnless(os.environ.get(_variable), "runs in a separate process")(test)


class SubprocessTests:
    """Mixin for a TestCase with tests that run in a separate process."""

    @staticmethod
    def run_test_in_subprocess(maybefunc=None, timeout=60, envvars=None):
        """Decorates a test to run in another Python process. envvars: added to its environment."""

        def move_test_to_subprocess(test):
            @functools.wraps(test)
            def run_or_start_subprocess(self):
                if os.environ.get(_variable) == test.__name__:
                    test(self)
                    return
                self.subprocess_test_runner(
                    self.__module__,
                    type(self).__qualname__,
                    test.__name__,
                    envvars=envvars,
                    timeout=timeout,
                    _subproc_test_env=test.__name__,
                )

            return run_or_start_subprocess

        return (
            move_test_to_subprocess(maybefunc)
            if isinstance(maybefunc, types.FunctionType)
            else move_test_to_subprocess
        )

    def subprocess_test_runner(
        self,
        test_module,
        test_class=None,
        test_name=None,
        envvars=None,
        timeout=60,
        flags=None,
        _subproc_test_env="1",
    ):
        """Runs the tests of a module, a class or one test in another Python process. flags: Python flags, with
        values."""
        parts = [part for part in (test_module, test_class, test_name) if part]
        options = [str(word) for pair in (flags or {}).items() for word in pair]
        command = [sys.executable, *options, "-m", "unittest", ".".join(parts)]
        if test_module == "__main__":
            command = [sys.executable, *options, sys.argv[0], ".".join(parts[1:])]
        environment = {**os.environ, **(envvars or {}), _variable: str(_subproc_test_env)}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
        self.assertEqual(
            done.returncode,
            0,
            msg=f"process failed with code {done.returncode}: stderr follows\n{done.stderr}\n",
        )
        return done.stdout, done.stderr
