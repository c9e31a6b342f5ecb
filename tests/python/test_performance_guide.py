"""docs/performance.md: the code is that of benchmarks/performance_guide.py, whose pairs compute the same."""

import importlib.util
import re
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "performance_guide.py"
PAGE = (ROOT / "docs" / "performance.md").read_text()


def load_guide():
    spec = importlib.util.spec_from_file_location("performance_guide", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["performance_guide"] = module  # for its dataclass
    sys.path.insert(0, str(SCRIPT.parent))  # for the modules beside it
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(SCRIPT.parent))
    return module


guide = load_guide()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("measured", guide.PAIRS, ids=lambda pair: pair.name.replace(" ", "-"))
def test_a_pair_computes_the_same_before_and_after(device, measured):
    before, after = guide.measure_pair(measured, runs=1, quick=True)
    assert before > 0 and after > 0


@pytest.mark.parametrize("block", BLOCKS)
def test_the_code_of_the_page_is_in_the_script(block):
    text = SCRIPT.read_text()
    assert any(textwrap.indent(block, " " * depth) in text for depth in (0, 4, 8))


def test_each_pair_has_a_section():
    titles = {title.lower() for title in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)}
    assert titles == {pair.name for pair in guide.PAIRS}


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_each_pair_has_times_of_each_device(kind):
    table = re.search(rf"<!-- times: {kind} -->(.*?)<!-- end -->", PAGE, re.DOTALL)[1]
    rows = re.findall(r"^\| ([^|]+) \| .*x \|$", table, re.MULTILINE)
    assert rows == [pair.name for pair in guide.PAIRS]


def test_results_that_differ_are_an_error(device):
    def prepare(n):
        return lambda: None, lambda: None, *guide.np.array([[1.0, 2.0], [1.0, 2.5]])

    wrong = guide.Pair("wrong", prepare, {}, 8)
    with pytest.raises(AssertionError, match="wrong"):
        guide.measure_pair(wrong, runs=1, quick=True)


def test_a_table_replaces_that_of_the_same_device(cpu, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "a\n<!-- times: cpu -->\nold\n<!-- end -->\n<!-- times: cuda -->\n<!-- end -->\n"
    )
    guide.write_table(page, ["new"])
    assert page.read_text() == (
        "a\n<!-- times: cpu -->\n\nnew\n\n<!-- end -->\n<!-- times: cuda -->\n<!-- end -->\n"
    )
