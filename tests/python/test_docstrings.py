"""Documentation in Python and IPython: every public name has a docstring with an example, and completion shows it."""

import inspect
import subprocess
import sys

import pytest

import heddle
from heddle import cuda

# Constants of numba.cuda that only exist for programs that read them.
CONSTANTS = {"HAS_NUMBA", "alias", "implementation"}
PUBLIC = [(heddle, name) for name in dir(heddle) if not name.startswith("_")]
PUBLIC += [(cuda, name) for name in dir(cuda) if not name.startswith("_")]
OF_GROUPS = [
    (group, name) for group in (cuda.atomic, cuda.shared, cuda.local) for name in vars(group)
]
OF_GROUPS = [(group, name) for group, name in OF_GROUPS if hasattr(getattr(group, name), "name")]


def ids(pairs):
    return [f"{owner.__name__}.{name}" for owner, name in pairs]


@pytest.mark.parametrize("owner, name", PUBLIC + OF_GROUPS, ids=ids(PUBLIC + OF_GROUPS))
def test_every_public_name_has_a_docstring_with_an_example(owner, name):
    text = inspect.getdoc(getattr(owner, name))
    assert text, "no docstring"
    assert "\n>>> " in text, "no example"


def test_completion_shows_the_public_names_only():
    shown = {name for name in dir(cuda) if not name.startswith("_")}
    assert set(cuda.__all__) - CONSTANTS <= shown
    assert not shown & {"array_indexing", "contexts", "copy_kernels", "host_transfers", "alias"}
    assert not {name for name in dir(heddle)} & {"importlib", "os", "compiler", "support"}


@pytest.mark.parametrize("name", ["alias", "HAS_NUMBA", "implementation", "devices", "streams"])
def test_names_that_completion_hides_are_attributes(name):
    assert name not in dir(cuda) and hasattr(cuda, name)


def test_an_index_is_documented_with_its_use():
    text = inspect.getdoc(cuda.threadIdx)
    assert text.startswith("The index of the thread in its block")
    assert "i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x" in text


def test_help_shows_an_operation_with_its_example():
    code = "from heddle import cuda; help(cuda.atomic.add)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd="/"
    )
    assert ">>> old = cuda.atomic.add(counts, bin, 1)" in result.stdout
