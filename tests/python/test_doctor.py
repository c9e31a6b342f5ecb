"""``heddle doctor``: kernels on each device, the driver, the cache, the settings and the libraries."""

import os
import re
from pathlib import Path

import pytest

import heddle
from heddle import config
from heddle.command_line import missing_gpu
from heddle.support import environment_variables


@pytest.fixture
def run_doctor(run_heddle, tmp_path):
    """A function that runs ``heddle doctor`` with these variables alone and an empty cache."""

    def run(**variables):
        ours = {name: "" for name in os.environ if name.startswith(("HEDDLE_", "NUMBA_"))}
        env = {"HEDDLE_CACHE_DIR": str(tmp_path / "cache"), **variables}
        return run_heddle("doctor", env={**ours, **env})

    return run


def test_a_machine_without_problems_runs_kernels_and_succeeds(run_doctor):
    result = run_doctor()
    assert (result.returncode, result.stderr) == (0, "")
    assert f"heddle {heddle.__version__} (LLVM 22." in result.stdout
    assert "(cpu) runs kernels in Python\n" in result.stdout
    assert "(cpu) runs kernels in CUDA C++\n" in result.stdout
    assert "functions run on the CPU" in result.stdout
    assert re.search(r"\b[12] compiled kernels?, ", result.stdout)  # of the CPU, and of a GPU
    assert result.stdout.endswith("\nNo problems found.\n")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("HEDDLE_DEVCE", "did you mean HEDDLE_DEVICE?"),
        ("HEDLE_BOUNDS", "did you mean HEDDLE_BOUNDS?"),
        ("NUMBA_NUM_THREDS", "did you mean NUMBA_NUM_THREADS?"),
        ("HEDDLE_SPEED_OF_LIGHT", "heddle has no such setting"),
    ],
)
def test_a_variable_that_heddle_does_not_read_is_a_problem(run_doctor, name, advice):
    result = run_doctor(**{name: "1"})
    assert result.returncode == 1
    assert f"PROBLEM  {name}=1 has no effect\n           {advice}" in result.stdout
    assert result.stdout.endswith("\n1 problem found.\n")


def test_a_known_variable_is_listed(run_doctor):
    result = run_doctor(HEDDLE_DEVICE="cpu")
    assert result.returncode == 0
    assert "HEDDLE_DEVICE=cpu\n" in result.stdout
    assert "no GPU: HEDDLE_DEVICE=cpu leaves the GPUs out" in result.stdout


def test_a_device_that_there_is_not_is_a_problem(run_doctor):
    result = run_doctor(HEDDLE_DEVICE="gpu")
    assert result.returncode == 1
    assert "PROBLEM  HEDDLE_DEVICE=gpu: a device is cpu, cuda or cuda:<number>" in result.stdout


WRONG_SETTINGS = [
    ("HEDDLE_DEVICE", "CPU", "did you mean HEDDLE_DEVICE=cpu?"),
    ("HEDDLE_DEVICE", "gpu", "did you mean HEDDLE_DEVICE=cuda?"),
    ("HEDDLE_DEVICE", "cuda:", "set HEDDLE_DEVICE to cpu, cuda or cuda:<number>, or unset it"),
    ("HEDDLE_DEVICE", "CUDA:7", "did you mean HEDDLE_DEVICE=cuda:7?"),
    ("HEDDLE_DEVICE", "cuda:x", "set HEDDLE_DEVICE to cpu, cuda or cuda:<number>, or unset it"),
    ("HEDDLE_CPU", "foo", "set HEDDLE_CPU to x86-64, x86-64-v2"),
    ("HEDDLE_NUM_THREADS", "abc", "set HEDDLE_NUM_THREADS to a whole number from 1, or unset it"),
    ("NUMBA_NUM_THREADS", "0", "set NUMBA_NUM_THREADS to a whole number from 1, or unset it"),
    ("HEDDLE_WIDTH", "7", "set HEDDLE_WIDTH to 1, 4, 8, 16 or 32, or unset it"),
    ("HEDDLE_CACHE_MAXSIZE", "1X", "set HEDDLE_CACHE_MAXSIZE to a number of bytes, or a number"),
    ("HEDDLE_EXIT_TIMEOUT", "soon", "set HEDDLE_EXIT_TIMEOUT to a number of seconds, or unset it"),
    ("HEDDLE_PTX_OPTIMIZATION", "9", "set HEDDLE_PTX_OPTIMIZATION to a whole number from 0 to 4"),
    ("HEDDLE_DISABLE_JIT", "true", "did you mean HEDDLE_DISABLE_JIT=1?"),
]


@pytest.mark.parametrize(("name", "text", "advice"), WRONG_SETTINGS)
def test_a_value_that_a_variable_does_not_accept_is_one_problem(run_doctor, name, text, advice):
    result = run_doctor(**{name: text})
    assert result.returncode == 1
    assert re.search(
        rf"PROBLEM  {name}={text}[: ].*\n           {re.escape(advice)}", result.stdout
    )
    assert result.stdout.endswith("\n1 problem found.\n")


def test_a_driver_library_that_does_not_load_is_explained(run_doctor):
    result = run_doctor(HEDDLE_LIBCUDA="/nothing/libcuda.so")
    assert result.returncode == 0
    assert "HEDDLE_LIBCUDA names no library that can be loaded" in result.stdout


def test_a_cache_that_others_can_write_is_a_problem(run_doctor, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    result = run_doctor()
    assert result.returncode == 1
    assert "it is not used: " in result.stdout and "run 'chmod go-w'" in result.stdout


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("HEDDLE_DEVICE=cpu leaves the GPUs out", "unset the variable"),
        ("there is no NVIDIA driver: libcuda.so.1: Permission denied", "change its permissions"),
        (
            "the NVIDIA driver supports CUDA 11.4; heddle needs a driver for CUDA 12.0 or newer",
            "install a driver for CUDA 12.0 or later",
        ),
        ("cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", "restart the machine"),
        ("the NVIDIA driver does not start: cuInit: CUDA_ERROR_UNKNOWN (999)", "run nvidia-smi"),
    ],
)
def test_each_reason_for_a_missing_gpu_has_advice(monkeypatch, reason, advice):
    monkeypatch.delenv("HEDDLE_LIBCUDA", raising=False)
    monkeypatch.setattr(missing_gpu.glob, "glob", lambda pattern: [])
    assert advice in missing_gpu.advise_without_gpu(reason)


def test_a_device_file_that_the_user_must_not_open_is_explained(monkeypatch):
    monkeypatch.setattr(missing_gpu.glob, "glob", lambda pattern: ["/dev/nvidia0"])
    monkeypatch.setattr(missing_gpu.os, "access", lambda path, mode: False)
    advice = missing_gpu.advise_without_gpu("the NVIDIA driver does not start: cuInit")
    assert "this user must not open /dev/nvidia0" in advice


def test_a_gpu_without_a_driver_is_found_on_the_bus(monkeypatch):
    monkeypatch.delenv("HEDDLE_LIBCUDA", raising=False)
    monkeypatch.setattr(missing_gpu.glob, "glob", lambda pattern: ["/x"] * ("pci" in pattern))
    lines = {"/x/vendor": "0x10de", "/x/class": "0x030200"}
    monkeypatch.setattr(missing_gpu, "_read_line", lines.get)
    advice = missing_gpu.advise_without_gpu("there is no NVIDIA driver: libcuda.so.1")
    assert advice.startswith("this machine has an NVIDIA GPU: install the driver")


def test_every_variable_that_heddle_reads_is_known():
    root = Path(__file__).parents[2]
    files = [*root.glob("src/**/*.cpp"), *root.glob("src/**/*.h"), *root.glob("python/**/*.py")]
    texts = [file.read_text() for file in files]
    read = {name for text in texts for name in re.findall(r'"(HEDDLE_[A-Z_]+)"', text)}
    assert "HEDDLE_DEVICE" in read and read <= config.list_environment_variables()


def test_the_page_that_doctor_names_lists_the_settings():
    page = (Path(__file__).parents[2] / "docs" / "api" / "settings.md").read_text()
    named = environment_variables.list_documented_names()
    assert [name for name in sorted(named) if f"| `{name}` |" not in page] == []
