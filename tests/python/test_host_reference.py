"""docs/api: the pages match docstrings and tables, list every public name, and their examples print what they show."""

import doctest
import importlib.util
import inspect
from pathlib import Path

import pytest

import heddle
from heddle import cuda, types
from heddle.compiler import intrinsics
from heddle.cuda import algorithms
from heddle.support.environment_variables import INTERNAL_VARIABLES, list_documented_names

ROOT = Path(__file__).parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load("make_host_reference")
EXAMPLES = dict(reference.list_examples())
# These need a second process and memory of a GPU. tests/python/test_ipc*.py have programs.
NOT_RUN = {"cuda.open_ipc_array", "cuda.IpcArrayHandle", "cuda.IpcHandle"}


def test_the_pages_are_what_docstrings_and_tables_say():
    assert reference.find_stale() == [], "run `make reference` and commit what it changes"


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - NOT_RUN))
def test_an_example_prints_what_it_shows(only_cpu, capsys, name):
    names = {"__name__": "__main__"}
    exec(compile(reference.PREAMBLE, "<preamble>", "exec"), names)
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], names, name, None, 0)
    rules = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    threads = heddle.get_num_threads()
    try:
        failed = doctest.DocTestRunner(optionflags=rules).run(test).failed
    finally:
        heddle.set_num_threads(threads)
    assert failed == 0, capsys.readouterr().out


def list_public_names(module, prefix):
    """The names of a module that are neither types nor operations of kernels, which docs/reference lists."""
    names = [f"{prefix}.{name}" for name in dir(module) if not name.startswith("_")]
    operations = (intrinsics.Intrinsic, intrinsics.Namespace)
    return [
        name
        for name in names
        if name.partition(".")[2] not in types.type_names
        and not (isinstance(reference.find_object(name), operations) and prefix == "cuda")
    ]


# Modules that group names, and the modules for kernels.
MODULES = {
    *("bf16", "cg", "config", "cuda", "cudadrv", "devicearray", "driver", "fp16", "libdevice"),
    *("experimental", "extending", "random", "typed", "wgmma", "wmma", "Dim3", "GridGroup"),
}


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in [
            *list_public_names(heddle, "heddle"),
            *list_public_names(cuda, "cuda"),
            *(f"cuda.algorithms.{name}" for name in algorithms.__all__),
        ]
        if name.partition(".")[2] not in MODULES
    ],
)
def test_every_public_name_is_on_a_page(name):
    name = reference.OTHER_NAMES.get(name, name)
    assert name in reference.list_pages_of_names()


@pytest.mark.parametrize("path", [path for page in reference.PAGES for path in page.classes])
def test_every_public_member_of_a_class_has_a_docstring(path):
    members = reference.list_members(reference.find_object(path))
    assert [name for name, text in members if not text] == []


def test_items_of_a_docstring_become_a_list():
    text = "Copies.\n\nary: the ``array``. to: where.\nRaises TypeError."
    shown = reference.format_docstring(text, ["ary", "to"])
    items = ["- `ary`: the `array`.", "- `to`: where.", ""]
    assert shown == ["Copies.", "", *items, "Raises TypeError.", ""]


def test_a_colon_in_a_sentence_does_not_make_an_item():
    assert reference.format_docstring("Two kinds: a and b.", ["a"]) == ["Two kinds: a and b.", ""]


def test_every_command_has_its_help_text():
    page = (ROOT / "docs" / "api" / "command_line.md").read_text()
    assert "## heddle compile\n\n```\nusage: heddle compile kernel.cu" in page
    assert "## heddle doctor\n\n```\nusage: heddle doctor\n" in page


def test_the_settings_page_lists_every_setting_that_heddle_reads():
    ignored = {"DEBUGINFO", "CUDA_MAX_PENDING_DEALLOCS_COUNT", "CUDA_MAX_PENDING_DEALLOCS_RATIO"}
    sources = heddle.config._read_here.values()
    read = {f"HEDDLE_{source[0]}" for source in sources if not callable(source)}
    assert read - {f"HEDDLE_{name}" for name in ignored} <= list_documented_names()
    assert not list_documented_names() & set(INTERNAL_VARIABLES)


def test_the_stub_has_the_parameters_of_a_function():
    stubs = reference.read_stub_signatures()
    shown = reference.format_signature("cuda.to_device", cuda.to_device, stubs)
    assert shown == "(obj, stream=0, copy=True, to=None)"
    assert list(inspect.signature(cuda.to_device).parameters) == ["obj", "stream", "copy", "to"]
