"""scripts/check_python_imports.py finds imports of higher layers, and layers that miss a file."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_python_imports.py"
README = "1. `errors`, `types/`: classes\n2. `cuda/`,\n   `__init__`: `names`\n"


@pytest.fixture(scope="module")
def check():
    spec = importlib.util.spec_from_file_location("check_python_imports", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def problems(check, **imports):
    """The problems of a package p with the layers of README, and these imports besides."""
    graph = {"p": set(), "p.errors": set(), "p.types": set(), "p.cuda.arrays": set()}
    graph.update({f"p.{name}": set(imported) for name, imported in imports.items()})
    return list(check.find_layer_problems("p", check.read_layers(README), graph))


def test_a_list_gives_each_name_its_layer(check):
    assert check.read_layers(README) == {"errors": 1, "types": 1, "cuda": 2, "__init__": 2}


def test_an_import_of_a_higher_layer_is_a_problem(check):
    found = problems(check, types={"p.cuda.arrays"})
    assert found == ["p.types, in layer 1 of p, imports p.cuda.arrays in layer 2"]


def test_an_import_of_the_whole_package_is_one_of_its_names(check):
    assert problems(check, errors={"p"}) == ["p.errors, in layer 1 of p, imports p in layer 2"]


def test_imports_of_the_same_layer_of_lower_ones_and_of_others_are_allowed(check):
    assert problems(check, types={"p.errors", "other.cuda"}, cuda={"p.types", "p"}) == []


def test_a_file_that_the_list_lacks_is_a_problem(check):
    assert problems(check, streams=set()) == ["p: README.md and the folder differ: streams"]


def test_a_late_import_is_found_by_its_place_and_by_its_name(check):
    tree = check.ast.parse("import a\ndef f():\n    import b\n    import_module('c')\n")
    assert [node.lineno for node in check.find_late_imports(tree)] == [3, 4]


def test_a_call_of_import_module_with_a_constant_is_an_import(check):
    call = check.ast.parse("import_module('p.types')").body[0].value
    assert check.find_imported_modules(call, {"p.types"}) == {"p.types"}
