"""Settings from environment variables, and the classes of exceptions."""

import importlib
import os
import pty
import subprocess
import sys

import pytest
from sanitizers import not_under_the_thread_sanitizer

from heddle import config, cuda, errors


@pytest.fixture
def reread_settings(monkeypatch):
    """A function that reads the settings again; at the end they are restored with the environment."""
    yield lambda: importlib.reload(config)
    monkeypatch.undo()
    importlib.reload(config)


def test_a_setting_comes_from_the_environment(monkeypatch, reread_settings):
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert reread_settings().OPT == 1


def test_a_setting_of_heddle_goes_before_numbas(monkeypatch, reread_settings):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/numba")
    monkeypatch.setenv("HEDDLE_CACHE_DIR", "/heddle")
    assert reread_settings().CACHE_DIR == "/heddle"


@pytest.mark.parametrize("text", ["", " ", "many"])
def test_a_setting_that_is_no_number_is_as_if_it_were_not_there(monkeypatch, reread_settings, text):
    monkeypatch.setenv("NUMBA_OPT", text)
    assert reread_settings().OPT == 3


def test_no_program_is_told_that_it_is_simulated():
    assert not config.ENABLE_CUDASIM
    assert not config.DISABLE_CUDA


def test_a_setting_that_does_not_exist_is_refused():
    with pytest.raises(AttributeError, match="heddle has no 'config.WARP_SPEED'"):
        _ = config.WARP_SPEED


def test_settings_and_errors_are_reached_through_cuda():
    assert cuda.config is config
    assert cuda.errors is errors


def test_an_error_of_the_driver_shows_its_code():
    error = errors.CudaAPIError(700, "illegal address")
    assert (str(error), error.code) == ("[700] illegal address", 700)


def test_an_error_of_a_kernel_tells_thread_and_block():
    error = errors.KernelRuntimeError("stopped", tid=(1, 0, 0), ctaid=(2, 0, 0))
    assert (str(error), error.tid, error.ctaid) == ("stopped", (1, 0, 0), (2, 0, 0))


SLOW = """
import numpy as np
from heddle import njit

@njit
def sorted_twice(x):
    return np.sort(2 * x)

sorted_twice(np.ones(3))
"""


def shown_on_a_terminal(**environment):
    """The output of the program above to a terminal."""
    ours, its = pty.openpty()
    command = [sys.executable, "-c", SLOW]
    subprocess.run(command, stderr=its, env={**os.environ, **environment}, timeout=60, check=True)
    os.write(its, b".")
    shown = ""
    while not shown.endswith("."):
        shown += os.read(ours, 4096).decode()
    os.close(ours)
    os.close(its)
    return shown


@not_under_the_thread_sanitizer("it warns of the small stack of the thread that shows progress")
def test_a_compile_that_takes_longer_than_the_setting_says_so_once():
    shown = shown_on_a_terminal(HEDDLE_PROGRESS="0.001")
    assert shown == "heddle: compiling sorted_twice\r\n."


@not_under_the_thread_sanitizer("it warns of the small stack of the thread that shows progress")
@pytest.mark.parametrize("seconds", ["0", "600"])
def test_other_compiles_are_silent(seconds):
    assert shown_on_a_terminal(HEDDLE_PROGRESS=seconds) == "."


def _printed_under_run(tmp_path, text):
    script = tmp_path / "script.py"
    script.write_text(text)
    environment = {k: v for k, v in os.environ.items() if "NUM_THREADS" not in k}
    command = [sys.executable, "-m", "heddle", "run", str(script)]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout


def test_a_program_sets_the_number_of_threads_before_it_imports_numba(tmp_path):
    text = """
import os
os.environ["NUMBA_NUM_THREADS"] = "9"
import numba
from numba import njit, prange
@njit(parallel=True)
def ids(n):
    total = 0
    for i in prange(n):
        total += 1 << numba.get_thread_id()
    return total
print(numba.config.NUMBA_NUM_THREADS, numba.get_num_threads(), ids(9))
numba.set_num_threads(7)
print(numba.get_num_threads(), ids(7))
"""
    assert _printed_under_run(tmp_path, text) == "9 9 511\n7 127\n"


@pytest.mark.parametrize(
    ("variable", "value", "shown", "expected"),
    [
        ("NUMBA_DISABLE_JIT", "1", "type(njit(lambda x: x)).__name__", "function"),
        ("NUMBA_BOUNDSCHECK", "1", "config.BOUNDSCHECK", "1"),
        ("NUMBA_DISABLE_CUDA", "1", "cuda.is_available()", "False"),
        ("NUMBA_OPT", "0", "config.OPT", "0"),
    ],
)
def test_a_program_sets_a_variable_before_it_imports_numba(
    tmp_path, variable, value, shown, expected
):
    text = f"""
import os
os.environ["{variable}"] = "{value}"
from numba import config, cuda, njit
print({shown})
"""
    assert _printed_under_run(tmp_path, text) == expected + "\n"


def test_reading_settings_anew_keeps_what_a_program_has_assigned(monkeypatch, reread_settings):
    config.WARNINGS = 3
    monkeypatch.setenv("NUMBA_WARNINGS", "1")
    monkeypatch.setenv("NUMBA_FULL_TRACEBACKS", "1")
    config.reload_config()
    assert (config.WARNINGS, config.FULL_TRACEBACKS) == (3, 1)
