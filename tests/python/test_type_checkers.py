"""mypy --strict on programs that use Heddle's public names: the stubs are complete and their types fit."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import heddle
from heddle import cuda

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "typing" / "public_names.py"


@pytest.fixture(scope="session")
def check_types(tmp_path_factory):
    """A function that runs mypy --strict on a program. Returns what it prints."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.mktemp("mypy")

    def check(path):
        options = ["--strict", "--follow-imports=silent", "--cache-dir", str(cache)]
        result = subprocess.run(
            [sys.executable, "-m", "mypy", *options, str(path)],
            env={"MYPYPATH": str(ROOT / "python"), "PATH": ""},
            cwd=cache,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return result.stdout + result.stderr

    return check


@pytest.mark.timeout(300)
def test_a_program_with_two_hundred_public_names_is_correct(check_types):
    assert check_types(PROGRAM).startswith("Success: no issues found")


@pytest.mark.parametrize(
    "function", ["use_host_functions", "use_memory", "use_algorithms", "use_devices"]
)
def test_the_program_runs(device, monkeypatch, function):
    monkeypatch.syspath_prepend(PROGRAM.parent)
    program = importlib.import_module("public_names")
    getattr(program, function)()


def test_the_program_has_two_hundred_public_names():
    text = PROGRAM.read_text()
    names = {f"cuda.{name}" for name in re.findall(r"\bcuda\.((?:atomic\.)?\w+)", text)}
    names |= {name for name in heddle.__dir__() if re.search(rf"\b{name}\b", text)}
    assert len(names) >= 200


@pytest.mark.timeout(300)
def test_every_public_name_is_known_to_type_checkers(check_types, tmp_path):
    of_heddle = [f"heddle.{name}" for name in heddle.__all__ + heddle.types.type_names]
    names = [*of_heddle, *(f"cuda.{name}" for name in cuda.__all__)]
    lines = ["from typing import Any", "import heddle", "from heddle import cuda"]
    lines += ["names: list[Any] = [", *(f"    {name}," for name in names), "]"]
    (tmp_path / "names.py").write_text("\n".join(lines) + "\n")
    assert check_types(tmp_path / "names.py").startswith("Success: no issues found")


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("scale.forall('ten')(x)", 'expected "int"'),
        ("x: int = cuda.to_device(np.ones(3))", "Incompatible types in assignment"),
        ("i, j = cuda.grid(1)", '"int" object is not iterable'),
        ("cuda.syncthread()", 'has no attribute "syncthread"; maybe "syncthreads"?'),
    ],
)
def test_a_mistake_is_found(check_types, tmp_path, line, message):
    program = (
        "import numpy as np\nfrom typing import Any\nfrom heddle import cuda\n\n"
        f"@cuda.jit\ndef scale(x: Any) -> None:\n    x[0] = 1\n\n{line}\n"
    )
    (tmp_path / "mistake.py").write_text(program)
    assert message in check_types(tmp_path / "mistake.py")


def test_the_package_says_that_it_has_types():
    assert (Path(heddle.__file__).parent / "py.typed").is_file()
