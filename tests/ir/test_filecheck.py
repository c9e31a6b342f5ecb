"""Runs the `; RUN:` lines of every .ll file here, as LLVM's lit would.

%s is the file, and %four-lanes a value of HEDDLE_CPU with vectors of four lanes. A line `; REQUIRES: aarch64` or
`; REQUIRES: x86_64` skips the file if heddle-opt is for another machine. heddle-opt is $HEDDLE_OPT_TOOL, or else the
newest one in a build folder of this checkout.
If ptxas is installed, the PTX of files in nvptx/ is assembled for an old, a current and a new GPU.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
LLVM_BIN = pathlib.Path("/usr/lib/llvm-22/bin")
GPUS = [75, 90, 120]


def find_heddle_opt():
    named = os.environ.get("HEDDLE_OPT_TOOL")
    if named:
        return named
    built = [p for p in ROOT.glob("build*/**/heddle-opt") if p.is_file()]
    return str(max(built, key=lambda p: p.stat().st_mtime)) if built else None


def find_filecheck():
    beside_llvm = LLVM_BIN / "FileCheck"
    return str(beside_llvm) if beside_llvm.exists() else shutil.which("FileCheck")


def read_lines_about(word, path):
    lines = path.read_text().splitlines()
    return [line.split(":", 1)[1].strip() for line in lines if line.startswith(f"; {word}:")]


def read_run_lines(path):
    return read_lines_about("RUN", path)


def read_machine(program):
    """The machine that an ELF file is for."""
    with open(program, "rb") as file:
        return {62: "x86_64", 183: "aarch64"}.get(file.read(20)[18])


def find_ptxas():
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def list_ptx_options(path):
    """The options of each RUN line that generates PTX, without the target; excludes expected errors."""
    commands = [re.match(r"heddle-opt (-ptx.*?) %s", line) for line in read_run_lines(path)]
    options = {re.sub(r" -(sm|ptx-version)=\d+", "", m.group(1)) for m in commands if m}
    return sorted(options)


def get_test_name(path):
    return str(path.relative_to(HERE).with_suffix(""))


def list_files_that_make_ptx():
    return [
        pytest.param(path, options, id=f"{get_test_name(path)}{options.removeprefix('-ptx')}")
        for path in sorted(HERE.glob("nvptx/*.ll"))
        for options in list_ptx_options(path)
    ]


@pytest.mark.parametrize("path", sorted(HERE.glob("**/*.ll")), ids=get_test_name)
def test_ir(path, tmp_path):
    heddle_opt, filecheck = find_heddle_opt(), find_filecheck()
    if not filecheck:
        pytest.skip("FileCheck is missing: install Debian's llvm-22-tools")
    if not heddle_opt:
        pytest.skip("heddle-opt is not built: configure with -DHEDDLE_TOOLS=ON")
    machine = read_machine(heddle_opt)
    required = read_lines_about("REQUIRES", path)
    if required and machine not in required:
        pytest.skip(f"this is about {required[0]}, and heddle-opt is for {machine}")
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    for name, target in {
        "heddle-opt": heddle_opt,
        "FileCheck": filecheck,
        "not": LLVM_BIN / "not",
    }.items():
        (bin_dir / name).symlink_to(target)
    env = dict(os.environ, PATH=f"{bin_dir}:{os.environ['PATH']}")

    commands = read_run_lines(path)
    assert commands, f"{path.name} has no RUN line"
    four_lanes = "generic" if machine == "aarch64" else "x86-64-v2"
    for command in commands:
        script = "set -o pipefail; " + command.replace("%s", str(path)).replace(
            "%four-lanes", four_lanes
        )
        done = subprocess.run(
            ["bash", "-c", script], env=env, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("gpu", GPUS, ids=lambda sm: f"sm_{sm}")
@pytest.mark.parametrize(("path", "options"), list_files_that_make_ptx())
def test_ptx_assembles(path, options, gpu, tmp_path):
    heddle_opt, ptxas = find_heddle_opt(), find_ptxas()
    if not ptxas:
        pytest.skip("ptxas is missing: it comes with a CUDA toolkit")
    if not heddle_opt:
        pytest.skip("heddle-opt is not built: configure with -DHEDDLE_TOOLS=ON")
    ptx = tmp_path / "kernel.ptx"
    command = [heddle_opt, *options.split(), f"-sm={gpu}", str(path), "-o", str(ptx)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    command = [ptxas, f"-arch=sm_{gpu}", str(ptx), "-o", str(tmp_path / "kernel.cubin")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
