"""The command ``heddle``: info, cache, version, help, and its messages for wrong use."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import heddle
from heddle import cuda
from heddle.cli import main


def test_the_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"heddle {heddle.__version__}\n"


def test_the_version_is_a_number():
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", heddle.__version__)


@pytest.mark.parametrize("option", ["--help", "-h", "help"])
def test_help_shows_the_commands(capsys, option):
    assert main([option]) == 0
    assert "heddle run script.py" in capsys.readouterr().out


commands = ["run", "check", "trace", "inspect", "compile", "info", "doctor", "cache"]


@pytest.mark.parametrize("arguments", [["{}", "--help"], ["{}", "-h"], ["help", "{}"]])
@pytest.mark.parametrize("command", commands)
def test_each_command_has_help_with_a_sentence_and_an_example(capsys, command, arguments):
    assert main([part.format(command) for part in arguments]) == 0
    usage, sentence, *_, examples = capsys.readouterr().out.split("\n\n")
    assert usage.startswith(f"usage: heddle {command}")
    assert re.match(r"[A-Z].*\.", sentence, re.S)
    assert examples.startswith(f"  heddle {command}")


def test_the_parts_of_the_cache_command_have_its_help(capsys):
    assert main(["cache", "list", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: heddle cache [list | size | clear]")


def test_the_overview_lists_every_command(capsys):
    main(["--help"])
    assert re.findall(r"^  (\w+)   ", capsys.readouterr().out, re.M) == commands


@pytest.mark.parametrize("command", commands)
def test_an_unknown_option_of_a_command_is_told_with_its_usage(capsys, command):
    assert main([command, "--colour"]) == 2
    assert f"usage: heddle {command}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fly"], "there is no command 'fly'"),
        (["run"], "heddle run: name a script"),
        (["chek"], "there is no command 'chek': heddle check?"),
        (["run", "-m"], "-m needs the name of a module"),
        (["run", "-c"], "-c needs the text of a program"),
        (["run", "--fast", "x.py"], "heddle run: there is no option '--fast'"),
        (["cache", "burn"], "heddle cache: takes one of"),
        (["cache", "list", "all"], "heddle cache: takes one of"),
        (["info", "all"], "heddle info: takes no arguments"),
        (["--version", "x"], "--version takes no arguments"),
    ],
)
def test_a_wrong_use_is_told_with_the_usage(capsys, arguments, message):
    assert main(arguments) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert "usage: heddle" in printed


def test_the_command_alone_shows_the_usage(capsys):
    assert main([]) == 2
    assert "usage: heddle" in capsys.readouterr().err


def test_info_tells_devices_versions_and_the_cache(capsys):
    assert main(["info"]) == 0
    printed = capsys.readouterr().out
    assert f"heddle {heddle.__version__}, LLVM 22." in printed
    assert all(device.name in printed for device in cuda.all_devices())
    assert "cache" in printed


def test_the_cache_can_be_listed_measured_and_cleared(run_heddle, tmp_path):
    script = (
        "import numpy as np\n"
        "from numba import cuda\n"
        "@cuda.jit(cache=True)\n"
        "def triple(x):\n"
        "    x[cuda.grid(1)] *= 3\n"
        "triple[1, 4](np.ones(4))\n"
    )
    (tmp_path / "script.py").write_text(script)
    env = {"HEDDLE_CACHE_DIR": str(tmp_path / "cache")}
    assert run_heddle("run", "script.py", env=env).returncode == 0
    assert "1 compiled kernel," in run_heddle("cache", "size", env=env).stdout
    listed = run_heddle("cache", "list", env=env).stdout.splitlines()
    assert listed[0].split() == ["kernel", "device", "size", "last", "used"]
    assert re.fullmatch(r"triple  (cpu|sm_\d+) +[\d.]+ (bytes|KiB) +now", listed[1])
    assert len(listed) == 2
    assert run_heddle("cache", "clear", env=env).stdout == "removed 1 compiled kernel\n"
    assert "0 compiled kernels" in run_heddle("cache", env=env).stdout


def test_an_empty_cache_is_told(run_heddle, tmp_path):
    env = {"HEDDLE_CACHE_DIR": str(tmp_path / "none")}
    result = run_heddle("cache", "list", env=env)
    assert (result.returncode, result.stdout) == (0, "")
    assert "0 compiled kernels" in run_heddle("cache", "size", env=env).stdout


def test_the_command_ends_quietly_when_nobody_reads():
    command = f"{sys.executable} -m heddle --help | true"
    root = Path(heddle.__file__).parent.parent
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=root,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in result.stderr


def test_importing_heddle_does_not_load_the_compiler():
    code = "import sys, heddle; print('heddle._heddle' in sys.modules)"
    root = Path(heddle.__file__).parent.parent
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert result.stdout == "False\n"


@pytest.mark.parametrize("arguments", [["compile", "--help"], ["run", "nothing.py"]])
def test_a_command_that_compiles_nothing_does_not_load_the_compiler(
    run_python, tmp_path, arguments
):
    (tmp_path / "nothing.py").write_text("")
    code = "import os, sys\nfrom heddle.cli import main\nos.chdir(sys.path[0])\n"
    code += f"main({arguments})\nprint('heddle._heddle' in sys.modules)"
    assert run_python(code).stdout.endswith("False\n")


@pytest.mark.parametrize("command", ["info", "--version", "compile"])
def test_a_full_disk_is_a_message(tmp_path, command):
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(int* p) { *p = 1; }")
    arguments = [command, source, "--device", "cpu"] if command == "compile" else [command]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "heddle", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "heddle: cannot write the output: No space left on device\n"
