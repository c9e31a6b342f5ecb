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


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_setting_is_as_if_it_were_not_there(monkeypatch, reread_settings, text):
    monkeypatch.setenv("NUMBA_OPT", text)
    assert reread_settings().OPT == 3


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("NUMBA_OPT", "many", "a whole number from 0 to 3\n  hint: set NUMBA_OPT to"),
        ("HEDDLE_OPT", "4", "a whole number from 0 to 3"),
        ("HEDDLE_NUM_THREADS", "abc", "a whole number from 1"),
        ("HEDDLE_NUM_THREADS", "4 ", "a whole number from 1\n  hint: did you mean"),
        ("HEDDLE_WIDTH", "7", "1, 4, 8, 16 or 32"),
        ("HEDDLE_CACHE_MAXSIZE", "1X", "a number of bytes, or a number with the suffix K, M or G"),
        ("HEDDLE_CACHE_MAXSIZE", "-1", "a number of bytes"),
        ("HEDDLE_PROGRESS", "nan", "a number of seconds"),
        ("HEDDLE_CHECK", "yes", "0 or 1\n  hint: did you mean HEDDLE_CHECK=1?"),
        ("HEDDLE_BOUNDS", "false", "0 or 1\n  hint: did you mean HEDDLE_BOUNDS=0?"),
    ],
)
def test_a_wrong_value_is_ignored_with_a_warning_before_any_launch(
    monkeypatch, reread_settings, name, text, expected
):
    monkeypatch.setenv(name, text)
    with pytest.warns(errors.HeddleWarning) as warned:
        assert reread_settings().OPT == 3
    assert len(warned) == 1
    assert str(warned[0].message).startswith(
        f"{name}={text} is ignored: the value must be {expected}"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("NUMBA_OPT", "max"),
        ("HEDDLE_WIDTH", "16"),
        ("HEDDLE_CACHE_MAXSIZE", "1.5G"),
        ("HEDDLE_CACHE_MAXSIZE", "500MB"),
        ("HEDDLE_CACHE_MAXSIZE", "2GiB"),
        ("HEDDLE_CACHE_MAXSIZE", "1000"),
        ("HEDDLE_EXIT_TIMEOUT", "0.5"),
        ("HEDDLE_REPLAY", "/tmp/records"),
        ("NUMBA_WIDTH", "no variable of Heddle"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_value_that_is_accepted_causes_no_warning(monkeypatch, reread_settings, name, text):
    monkeypatch.setenv(name, text)
    assert reread_settings().find_wrong_values() == []


LAUNCH = """
import numpy as np
from heddle import cuda
@cuda.jit(cache=True)
def k(x): x[0] = 1
k[1, 1](np.zeros(1))
"""


def _stderr_of_a_launch(**environment):
    command = [sys.executable, "-c", LAUNCH]
    environment = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=environment).stderr


def test_a_program_with_a_wrong_setting_runs_and_shows_the_warning_once():
    shown = _stderr_of_a_launch(HEDDLE_WIDTH="7")
    assert shown == (
        "environment:1: NumbaSystemWarning: HEDDLE_WIDTH=7 is ignored: the value must be 1, 4, 8, 16 or 32\n"
        "  hint: set HEDDLE_WIDTH to 1, 4, 8, 16 or 32, or unset it\n"
    )


def test_a_device_in_capital_letters_gets_a_suggestion():
    shown = _stderr_of_a_launch(HEDDLE_DEVICE="CPU")
    assert shown.endswith(
        "ValueError: HEDDLE_DEVICE=CPU: a device is cpu, cuda or cuda:<number>\n"
        "  hint: did you mean HEDDLE_DEVICE=cpu?\n"
    )


def test_a_cache_that_cannot_be_written_causes_a_warning(tmp_path):
    (tmp_path / "file").write_text("")
    shown = _stderr_of_a_launch(HEDDLE_CACHE_DIR=str(tmp_path / "file"))
    assert (
        "NumbaSystemWarning: compiled code is not kept on disk: this process cannot create "
        f"{tmp_path}/file/kernels\n  hint: set HEDDLE_CACHE_DIR to a directory that you can write\n"
    ) in shown


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
