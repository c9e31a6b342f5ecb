"""All tests here run on the first GPU; without one they are skipped with a reason."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import heddle
from heddle import cuda

sys.path.append(str(Path(__file__).parents[1] / "python"))  # tables that tests of both folders use


@pytest.fixture(autouse=True)
def gpu():
    """The first GPU, current while the test runs."""
    if cuda.all_devices()[0].type != "cuda":
        pytest.skip(f"no GPU: {cuda.cuda_error()}")
    with cuda.gpus[0] as device:
        yield device


@pytest.fixture
def run_python(tmp_path):
    """A function that runs a program in a process of its own; what it returns has stdout, stderr and returncode."""
    package = str(Path(heddle.__file__).parent.parent)

    def run(source, *arguments, timeout=100, start_only=False, **env):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(source))
        command = [sys.executable, str(path), *map(str, arguments)]
        paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        everything = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **env}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        if start_only:
            return subprocess.Popen(command, env=everything, **pipes)
        return subprocess.run(command, env=everything, timeout=timeout, check=False, **pipes)

    return run


@pytest.fixture
def run_heddle(tmp_path):
    """A function that runs ``heddle run`` with arguments on GPUs; what it returns has stdout, stderr and returncode."""
    package = str(Path(heddle.__file__).parent.parent)

    def run(*arguments, timeout=140, **env):
        paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        everything = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "HEDDLE_DEVICE": "cuda"}
        everything.pop("PYTEST_CURRENT_TEST", None)  # where it is set, Jupyter leaves out output
        return subprocess.run(
            [sys.executable, "-m", "heddle", "run", *map(str, arguments)],
            env={**everything, **env},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@pytest.fixture
def two_gpus():
    """Two GPUs; the test is skipped where there are fewer."""
    if len(cuda.gpus) < 2 or cuda.gpus[1].type != "cuda":
        pytest.skip("this machine has one GPU")
    return cuda.gpus[0], cuda.gpus[1]
