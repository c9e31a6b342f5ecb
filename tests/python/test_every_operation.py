"""Each row of heddle.cuda has a function in plain Python and a name in the stub; each operation has a Python name."""

import ast
import fnmatch
import re
from pathlib import Path

import pytest
from library_rows import ROWS

from heddle.compiler.plain import operations

ROOT = Path(__file__).parents[2]

# Rows without a function in plain Python. HEDDLE_DISABLE_JIT=1 raises UnsupportedError for them.
NOT_IN_PLAIN_PYTHON = {
    "cuda.libdevice.*": "Python's floats round differently",
    "cuda.fp16.*": "NumPy's float16 rounds differently",
    "cuda.bf16.*": "NumPy has no bfloat16",
    "cuda.cg.GridGroup.sync": "a method of the object that this_grid() returns",
}

# Rows of other modules, which have no stub.
NOT_IN_STUB = ("cuda.libdevice.*", "cuda.fp16.*", "cuda.bf16.*", "cuda.cg.*", "jit.*")

# Operations that no row of the library emits.
NOT_IN_PYTHON = {
    "simt.trap": "checks in the generated code raise",
    "simt.trap.index": "checks in the generated code raise",
    "simt.check.index": "checks in the generated code raise",
    "simt.check.access": "a pass of `heddle check` inserts it",
    "simt.check.sync": "a pass of `heddle check` inserts it",
    "simt.check.report": "a pass of `heddle check` inserts it",
    "simt.check.forget": "a pass of `heddle check` inserts it",
    "simt.check.load": "a pass of `heddle check` inserts it",
    "simt.check.store": "a pass of `heddle check` inserts it",
    "simt.check.copy": "a pass of `heddle check` inserts it",
    "simt.check.use": "a pass of `heddle check` inserts it",
    "simt.check.block": "a pass of `heddle check` inserts it",
    "simt.filter.access": "a pass of `heddle check` inserts it",
    "simt.wrap": "indexing emits it",
    "simt.yield": "the CPU back end inserts it into loops that wait",
    "simt.named.barrier": "numba.cuda has none; C++ uses inline PTX",
    "simt.named.barrier.count": "numba.cuda has none; C++ uses inline PTX",
    "simt.named.barrier.arrive": "numba.cuda has none; C++ uses inline PTX",
    "simt.clock": "numba.cuda has no clock; C++ and inline PTX read it",
}


def is_among(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


DEVICE_ROWS = [row["name"] for row in ROWS if row["name"].startswith(("cuda.", "jit."))]


def names_in_stub():
    """The full names that the stub declares, such as "cuda.atomic.add"."""
    tree = ast.parse((ROOT / "python/heddle/cuda/__init__.pyi").read_text())
    members = {
        node.name: [
            m.name if isinstance(m, ast.FunctionDef) else m.target.id
            for m in node.body
            if isinstance(m, (ast.FunctionDef, ast.AnnAssign))
        ]
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield f"cuda.{node.name}"
        elif isinstance(node, ast.Assign):
            yield from (f"cuda.{target.id}" for target in node.targets)
        elif isinstance(node, ast.AnnAssign):
            name = node.target.id
            yield f"cuda.{name}"
            yield from (f"cuda.{name}.{m}" for m in members.get(ast.unparse(node.annotation), ()))


def functions_in_stub_of(module):
    tree = ast.parse((ROOT / f"python/heddle/cuda/{module}/__init__.pyi").read_text())
    return {f"cuda.{module}.{n.name}" for n in tree.body if isinstance(n, ast.FunctionDef)}


STUB = set(names_in_stub()) | functions_in_stub_of("wmma") | functions_in_stub_of("wgmma")


@pytest.mark.parametrize(
    "name", [name for name in DEVICE_ROWS if not is_among(name, NOT_IN_PLAIN_PYTHON)]
)
def test_a_device_function_exists_in_plain_python(name):
    assert name in operations.list_operation_names()


@pytest.mark.parametrize("name", [name for name in DEVICE_ROWS if not is_among(name, NOT_IN_STUB)])
def test_a_device_function_is_in_the_stub(name):
    assert name in STUB


def operations_of_simt_ir():
    """Pairs (id, name) of the rows of ops.def."""
    text = (ROOT / "src/simt/ir/ops.def").read_text()
    return re.findall(r'^SIMT_(?:WARP_)?OP\((\w+), "([^"]+)"', text, re.MULTILINE)


def emitted_ids():
    """The words in the sources of the library. A macro makes ids such as AddDown from parts."""
    files = (ROOT / "src/frontend/python/library").rglob("*.cpp")
    words = set(re.findall(r"\w+", "\n".join(file.read_text() for file in files)))
    return words | {word + end for word in words for end in ("Down", "Up", "ToZero")}


IDS = emitted_ids()


@pytest.mark.parametrize(
    ("id", "name"),
    [(id, name) for id, name in operations_of_simt_ir() if name not in NOT_IN_PYTHON],
    ids=lambda value: value,
)
def test_a_python_function_uses_the_operation(id, name):
    assert id in IDS, f"no row of src/frontend/python/library emits {name}"


@pytest.mark.parametrize("pattern", NOT_IN_PLAIN_PYTHON)
def test_an_exception_of_plain_python_is_needed(pattern):
    missing = set(DEVICE_ROWS) - set(operations.list_operation_names())
    assert fnmatch.filter(missing, pattern)


@pytest.mark.parametrize("pattern", NOT_IN_STUB)
def test_an_exception_of_the_stub_is_needed(pattern):
    assert fnmatch.filter(set(DEVICE_ROWS) - STUB, pattern)


@pytest.mark.parametrize("name", NOT_IN_PYTHON)
def test_an_operation_without_a_row_is_needed(name):
    assert name in [other for id, other in operations_of_simt_ir() if id not in IDS]
