"""Reports of heddle.check(), ``heddle check``, HEDDLE_CHECK=1 and ``pytest --heddle-check``.

The findings are made up: the runtime's functions are replaced, also in processes that tests start (FAKE_RUNTIME).
"""

import json
import os
import re

import pytest

import heddle
from heddle import _heddle
from heddle.checking.findings import make_finding, to_json
from heddle.checking.html_report import format_page
from heddle.checking.sources import find_expression_span
from heddle.checking.text_report import format_report

TILE = """\
@cuda.jit
def reverse(x, out):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    out[t] = s[63 - t]
    for half in (32, 16, 8, 4, 2, 1):
        if t < half:
            s[t] += s[t + half]
    out[0] += 1
    if t < 4: out[t, 0] = max(out[t, 0], s[t])
    s[0] = t
    while t > 0:
        s[t] = t
        cuda.syncthreads()
        out[t] = s[0]
"""
CPP = """\
__global__ void k(int *h, const int *x, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    h[x[i]] += f(s[i], 2);
    h[s[63 - i]]++;
    *h -= x[0] + 1;
    s[i] = i;
    __syncthreads();
    h[0] = s[0];
  }
}
"""

# A module `sitecustomize` in the path of a program: the program itself adds findings to `_heddle.found`.
FAKE_RUNTIME = """\
import os
on = os.environ.pop("HEDDLE_CHECK", None)
from heddle import _heddle
_heddle.found = []
_heddle.set_checking = lambda on: False
def take_findings(leaks_since=None):
    taken = _heddle.found[:]
    _heddle.found.clear()
    return taken
_heddle.take_findings = take_findings
if on is not None:
    os.environ["HEDDLE_CHECK"] = on
    from heddle.checking.process import check_this_process
    check_this_process()
"""
ADD_RACE = "from heddle import _heddle\n_heddle.found.append({raw!r})\n"


def access(
    op, line, column=0, file="tile.py", thread=(1, 0, 0), block=(0, 0, 0), function="reverse"
):
    names = ("op", "line", "column", "file", "thread", "block", "function", "text")
    return dict(zip(names, (op, line, column, file, thread, block, function, None), strict=True))


def race(*accesses, **changes):
    return {
        "kind": "race",
        "severity": "error",
        "space": "shared",
        "accesses": accesses or (access("write", 5, 5), access("read", 6, 14, thread=(62, 0, 0))),
        "array": "s",
        "element": (33,),
        "kernel": "reverse",
        "grid": (1, 1, 1),
        "block": (64, 1, 1),
        "launch_file": "tile.py",
        "launch_line": 20,
        "count": 32,
        "why": "barrier",
        **changes,
    }


def in_cpp(op, line, column=0, **changes):
    return access(op, line, column, file="k.cu", function="k", **changes)


def bounds(column, why, **changes):
    return race(access("read", *column), kind="bounds", why=why, array="out", count=1, **changes)


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """The files of the findings, in the working folder."""
    (tmp_path / "tile.py").write_text(TILE)
    (tmp_path / "k.cu").write_text(CPP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.fixture
def runtime(monkeypatch, sources):
    """The list of findings that the runtime has."""
    found = []

    def take_findings(leaks_since=None):
        taken = found[:]
        found.clear()
        return taken

    monkeypatch.setattr(_heddle, "set_checking", lambda on: False, raising=False)
    monkeypatch.setattr(_heddle, "take_findings", take_findings, raising=False)
    return found


@pytest.fixture
def fake_runtime(tmp_path, monkeypatch, sources):
    """Makes processes that the test starts take the findings that they add to _heddle.found."""
    folder = tmp_path / "fake"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(FAKE_RUNTIME)
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), known]))


def test_a_race_shows_both_lines_threads_launch_and_hint(sources):
    assert format_report([make_finding(race())]) == (
        "error: race on shared memory: `s[33]` is written and read without a barrier in between\n"
        "  tile.py:5: thread (1, 0, 0) of block (0, 0, 0) writes\n"
        "   5 |     s[t] = x[t]\n"
        "     |     ^^^^\n"
        "  tile.py:6: thread (62, 0, 0) of block (0, 0, 0) reads\n"
        "   6 |     out[t] = s[63 - t]\n"
        "     |              ^^^^^^^^^\n"
        "  31 further pairs of threads\n"
        "  hint: insert `cuda.syncthreads()` between lines 5 and 6\n"
        "  kernel reverse, launched with grid (1, 1, 1) and block (64, 1, 1) at tile.py:20\n"
        "\n"
        "heddle check: 1 error"
    )


def test_unknown_threads_functions_and_sources_are_left_out(sources):
    other = access("read", 3, thread=None, block=None, file="gone.py", function="load")
    raw = race(access("write", 5), other, array="", element=None, count=1, launch_file="")
    text = format_report([make_finding(raw)])
    assert "an element is written and read" in text
    assert "  gone.py:3: another thread reads in load\n  hint: insert" in text
    assert "between the two accesses" in text and "further" not in text
    assert "kernel reverse, launched with grid (1, 1, 1) and block (64, 1, 1)\n" in text


def test_a_terminal_shows_colors(sources):
    text = format_report([make_finding(race(severity="note", why="same value"))], color=True)
    assert text.startswith("\x1b[1;36mnote\x1b[0m: race") and "\x1b[31m^^^^\x1b[0m" in text


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ("warp", "by threads of a warp without a `syncwarp` in between"),
        ("blocks", "`s[33]` is written and read by different blocks, which nothing orders"),
        ("fence", "by threads that hold the same lock, but a fence is missing"),
        ("same value", "by several threads, with the same value each time"),
        ("in two streams", "by threads that nothing orders: in two streams"),
    ],
)
def test_messages_of_races(sources, why, expected):
    assert make_finding(race(why=why)).message.endswith(expected)


def test_messages_of_atomics_and_of_elements_with_two_indices(sources):
    raw = race(access("atomic", 5), access("atomic", 6), why="scope", element=(1, 2), space="")
    assert make_finding(raw).message == (
        "race: `s[1, 2]` is updated by an atomic operation twice with a scope that does not include both threads"
    )
    raw = race(in_cpp("write", 3), in_cpp("read", 6), element=(1, 2))
    assert "`s[1][2]`" in make_finding(raw).message


REDUCTION = (access("write", 9, 13), access("read", 9, 21))
OTHER_BLOCK = (access("write", 10, 5), access("read", 10, 5, block=(1, 0, 0)))


@pytest.mark.parametrize(
    ("raw", "hint"),
    [
        (race(why="warp"), "insert `cuda.syncwarp()` between lines 5 and 6"),
        (race(access("read", 6), access("write", 5)), "between lines 5 and 6"),
        (race(access("write", 14), access("read", 16)), "end of the body of the loop in line 13"),
        (
            race(*REDUCTION),
            "insert `cuda.syncthreads()` at the end of the body of the loop in line 7;",
        ),
        (race(*OTHER_BLOCK, why="fence"), "call `cuda.threadfence()` after taking the lock and"),
        (race(*REDUCTION, why="fence"), "call `cuda.threadfence_block()` after taking the lock"),
        (race(*OTHER_BLOCK, why="blocks", array="out"), "use `cuda.atomic.add(out, 0, 1)`"),
        (race(access("write", 11), access("write", 11), array="out"), "max(out, (t, 0), s[t])`"),
        (
            race(access("write", 12), access("write", 12)),
            "let one thread write the element: `if cuda",
        ),
        (
            race(access("write", 5), access("read", 6), why="blocks"),
            "use two launches or a grid barrier",
        ),
        (
            race(access("atomic", 5), access("read", 6), why="atomic"),
            "atomic, or insert `cuda.sync",
        ),
        (race(why="scope"), "use a wider scope: `cuda.threadfence()`"),
        (race(why="compare"), "harmless"),
        (
            race(in_cpp("write", 3), in_cpp("read", 6)),
            "insert `__syncthreads()` between lines 3 and 6",
        ),
        (race(in_cpp("write", 6), in_cpp("read", 5)), "between lines 5 and 6"),
        (race(in_cpp("write", 3), in_cpp("read", 5), why="warp"), "insert `__syncwarp()` between"),
        (race(in_cpp("write", 8), in_cpp("read", 10)), "end of the body of the loop in line 4"),
        (
            race(in_cpp("write", 5, 13), in_cpp("read", 5, 5)),
            "use `atomicAdd(&h[x[i]], f(s[i], 2))`",
        ),
        (race(in_cpp("write", 6, 17), in_cpp("read", 6, 5)), "use `atomicAdd(&h[s[63 - i]], 1)`"),
        (race(in_cpp("write", 7, 8), in_cpp("read", 7, 5)), "use `atomicAdd(h, -(x[0] + 1))`"),
        (bounds((6, 5), "index 64 is out of bounds for axis 0"), "only if `t < out.shape[0]`"),
        (
            bounds((11, 31), "index -9 is out of bounds for axis 0"),
            "only if `0 <= t < out.shape[0]`",
        ),
        (bounds((99, 0), "index 64 is out of bounds"), "compare the index with `out.shape` before"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hints(sources, raw, hint):
    assert hint in make_finding(raw).hint


@pytest.mark.parametrize(
    ("line", "column", "array", "found"),
    [
        ("out[i] = cuda.atomic.add(h, (i, j), f(1))", 10, "", "cuda.atomic.add(h, (i, j), f(1))"),
        ("x = p->rows[i].y * 2;", 5, "", "p->rows[i].y"),
        ("grid.s[f(i)][2] = 3;", 17, "", "grid.s[f(i)][2]"),
        ("xs[i] = s[i]", 0, "s", "s[i]"),
        ("s[i + (", 1, "", "s[i + ("),
    ],
)
def test_the_expression_at_a_column(line, column, array, found):
    assert line[slice(*find_expression_span(line, column, array))] == found


def test_the_json_form(sources):
    written = json.loads(json.dumps(to_json([make_finding(race())])))
    (finding,) = written["findings"]
    assert written["heddle_check"] == 1
    assert " ".join(finding) == (
        "kind severity space lint accesses array element kernel launch count message hint"
    )
    assert " ".join(finding["accesses"][0]) == (
        "op file line column function thread block operation"
    )
    assert finding["launch"] == {
        "grid": [1, 1, 1],
        "block": [64, 1, 1],
        "file": "tile.py",
        "line": 20,
    }
    assert (finding["element"], finding["lint"], finding["count"]) == ([33], "", 32)


def test_the_page_lists_findings_at_their_lines(sources):
    page = format_page([make_finding(race())])
    assert (
        '<p class="marked"><span class="number">   5</span>     s[t] = x[t]</p>\n<p class="m'
        in page
    )
    assert 's[63 - t]</p>\n<div class="error"><b>race on shared memory: `s[33]`' in page


def copy_in(stream, op, file="", line=0):
    """An access by a copy; the call's place is unknown by default."""
    operation = {"kind": "copy", "stream": stream, "kernel": "", "grid": None, "block": None}
    operation |= {"file": file, "line": line}
    return access(op, line, file=file, thread=None, block=None) | {"operation": operation}


def test_copies_of_unknown_place(sources):
    raw = race(copy_in("stream 1", "write"), copy_in("stream 2", "read"), why="streams", kernel="")
    text = format_report([make_finding(raw)])
    assert "\n  a copy in stream 1 writes\n  a copy in stream 2 reads\n" in text
    assert "hint: record an event in stream 1 and let stream 2 wait for it, or" in text
    assert "launched" not in text
    assert "is written in stream 1 and read in stream 2" in format_page([make_finding(raw)])


def test_the_page_lists_a_race_at_its_last_known_place(sources):
    known = copy_in("stream 1", "write", "tile.py", 5)
    raw = race(known, copy_in("stream 2", "read"), why="streams")
    assert "s[t] = x[t]</p>\n<div class=" in format_page([make_finding(raw)])


def test_a_block_is_checked_and_its_report_printed(runtime, capsys):
    with heddle.check() as report:
        runtime.append(race())
    assert [f.kind for f in report.findings] == ["race"] and report.errors == report.findings
    assert capsys.readouterr().err == f"{report}\n"
    assert "<td>error</td><td>race on shared memory" in report._repr_html_()


def test_findings_belong_to_the_innermost_check(runtime, capsys):
    with heddle.check(print=False) as outer:
        runtime.append(race())
        with heddle.check(print=False) as inner:
            runtime.append(race(kind="misaligned", why="no"))
    assert [f.kind for f in outer.findings] == ["race"]
    assert [f.kind for f in inner.findings] == ["misaligned"]
    assert capsys.readouterr().err == ""


def test_a_finding_of_several_calls_is_listed_once(runtime):
    with heddle.check(print=False) as report:
        runtime += [race(), race(array="x"), race(count=3)]
    assert [(f.array, f.count) for f in report.findings] == [("s", 35), ("x", 32)]


def test_errors_are_raised_on_request_but_notes_are_not(runtime):
    with heddle.check(print=False, raise_errors=True):
        runtime.append(race(severity="note"))
    with pytest.raises(heddle.CheckError, match="race on shared memory"):
        with heddle.check(print=False, raise_errors=True):
            runtime.append(race())
    with pytest.raises(KeyError):
        with heddle.check(print=False, raise_errors=True):
            runtime.append(race())
            raise KeyError


def test_decorated_functions_are_checked_in_each_call(runtime, capsys):
    @heddle.check
    def step(n):
        runtime.append(race())
        return n + 1

    assert (step(1), step(2)) == (2, 3)
    assert capsys.readouterr().err.count("heddle check: 1 error\n") == 2


@pytest.mark.parametrize(
    ("end", "status", "shown"),
    [("", 1, ""), ("import sys; sys.exit(3)", 3, ""), ("1 / 0", 1, "ZeroDivisionError")],
)
def test_heddle_check_reports_after_the_program(
    fake_runtime, run_heddle, tmp_path, end, status, shown
):
    (tmp_path / "p.py").write_text(ADD_RACE.format(raw=race()) + end)
    result = run_heddle("check", "--json", "f.json", "--html=f.html", tmp_path / "p.py", "x")
    assert (result.returncode, result.stdout) == (status, "")
    assert shown in result.stderr and result.stderr.endswith("\nheddle check: 1 error\n")
    assert json.loads((tmp_path / "f.json").read_text())["findings"][0]["kind"] == "race"
    assert "tile.py" in (tmp_path / "f.html").read_text()


def test_heddle_check_of_a_clean_program_and_of_notes_succeeds(fake_runtime, run_heddle, tmp_path):
    (tmp_path / "p.py").write_text(
        "import numba.cuda, sys\nprint(numba.cuda.__name__, sys.argv[1])"
    )
    result = run_heddle("check", tmp_path / "p.py", "--json")
    assert (result.returncode, result.stdout) == (0, "heddle.cuda --json\n")
    assert result.stderr == "heddle check: no findings, because no kernel was checked\n"
    (tmp_path / "p.py").write_text(ADD_RACE.format(raw=race(severity="note")))
    assert run_heddle("check", tmp_path / "p.py").returncode == 0


KERNEL = "from numba import cuda\nimport numpy\ncuda.jit('(f8[:],)')(lambda x: None)[1, 1](numpy.ones(1))"


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        (KERNEL, "", "no findings"),
        ("", KERNEL, "no findings"),
        ("", "", "no findings, because no kernel was checked"),
    ],
)
def test_the_report_tells_if_no_kernel_was_checked(run_heddle, tmp_path, parent, child, expected):
    (tmp_path / "child.py").write_text("import heddle\n" + child)
    start = "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'heddle', 'run', 'child.py'])\n"
    (tmp_path / "p.py").write_text(start + parent)
    result = run_heddle("check", "--html", "report.html", "p.py")
    assert (result.returncode, result.stderr) == (0, f"heddle check: {expected}\n")
    assert f"<h1>heddle check: {expected}</h1>" in (tmp_path / "report.html").read_text()


def test_a_check_without_launches_is_shown_as_such_in_a_notebook(cpu):
    with heddle.check(print=False) as report:
        pass
    assert report.launches == 0
    expected = "heddle check: no findings, because no kernel was checked"
    assert (str(report), report._repr_html_()) == (expected, f"<p>{expected}</p>")


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--json", "f"], ["--wrong", "p.py"]])
def test_a_wrong_use_of_heddle_check_shows_the_usage(fake_runtime, run_heddle, arguments):
    result = run_heddle("check", *arguments)
    assert result.returncode == 2 and "usage: heddle check" in result.stderr


def test_processes_that_a_program_starts_are_checked(fake_runtime, run_heddle, tmp_path):
    (tmp_path / "child.py").write_text(ADD_RACE.format(raw=race()))
    program = (
        "import subprocess, sys\nprint(subprocess.run([sys.executable, 'child.py']).returncode)"
    )
    (tmp_path / "p.py").write_text(program)
    result = run_heddle("check", tmp_path / "p.py")
    assert (result.returncode, result.stdout) == (1, "0\n")
    assert result.stderr.count("error: race") == 1


def test_cells_of_notebooks_are_checked_and_shown(fake_runtime, run_heddle, tmp_path):
    pytest.importorskip("nbclient")
    raw = race(access("write", 1), access("read", 2))
    source = (
        "x = 'written here'\ny = 'read here'\ncode = compile('', get_ipython().user_ns['__name__'], 'exec')\n"
        "import sys\nraw = "
        + repr(raw)
        + "\nfor a in raw['accesses']: a['file'] = sys._getframe().f_code.co_filename\n"
        "from heddle import _heddle; _heddle.found.append(raw)"
    )
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": source, "outputs": []}
    notebook = {"cells": [{**cell, "execution_count": None}], "metadata": {}}
    (tmp_path / "n.ipynb").write_text(json.dumps({**notebook, "nbformat": 4, "nbformat_minor": 5}))
    result = run_heddle("check", tmp_path / "n.ipynb", env={"IPYTHONDIR": str(tmp_path / "i")})
    assert "  Cell In[1]:2: thread (1, 0, 0) of block (0, 0, 0) reads\n   2 | y =" in result.stderr
    assert result.returncode == 1


@pytest.mark.parametrize(
    ("end", "status"),
    [("", 1), ("import sys; sys.exit(3)", 3), ("raise SystemExit(0)", 1), ("1 / 0", 1)],
)
def test_the_environment_turns_checking_on(fake_runtime, run_python, end, status):
    known = {"HEDDLE_CHECK": "1", "PYTHONPATH": os.environ["PYTHONPATH"]}
    result = run_python(ADD_RACE.format(raw=race()) + end, **known)
    assert result.returncode == status
    assert result.stderr.endswith("\nheddle check: 1 error\n")


def test_the_environment_turns_checking_on_at_import(run_python):
    program = (
        "import importlib, os, heddle\n"
        "from heddle import _heddle\n"
        "_heddle.set_checking = lambda on: print('checking', on)\n"
        "_heddle.take_findings = lambda leaks_since=None: []\n"
        "os.environ['HEDDLE_CHECK'] = '1'\n"
        "importlib.reload(heddle)\n"
    )
    result = run_python(program)
    assert (result.stdout, result.stderr) == ("checking True\nchecking None\n", "")


TESTS = """\
import pytest
from heddle import _heddle
@pytest.fixture
def launched():
    _heddle.found.append(RACE)
def test_race(): _heddle.found.append(RACE)
def test_note(): _heddle.found.append({**RACE, "severity": "note"})
def test_fixture(launched): pass
def test_clean(): pass
"""


@pytest.mark.parametrize("option", [["--heddle-check"], []])
def test_findings_fail_the_test_that_launched_the_kernel(
    fake_runtime, run_heddle, tmp_path, plugin_options, option
):
    (tmp_path / "test_it.py").write_text(f"RACE = {race()!r}\n{TESTS}")
    result = run_heddle("run", "-m", "pytest", "-q", *plugin_options, *option, "test_it.py")
    counts = re.findall(r"\d+ (?:failed|passed|error)", result.stdout.splitlines()[-1])
    assert counts == (["1 failed", "2 passed", "1 error"] if option else ["4 passed"])
    # pytest repeats whole reports in its summary where it runs under CI.
    reports, _, _ = result.stdout.partition("short test summary info")
    hints = reports.count("hint: insert `cuda.syncthreads()` between lines 5 and 6")
    assert hints == (2 if option else 0)  # in the two reports, once in each


def test_heddle_check_of_pytest_has_the_findings_of_the_plugin(
    fake_runtime, run_heddle, tmp_path, plugin_options
):
    (tmp_path / "test_it.py").write_text(f"RACE = {race()!r}\n{TESTS}")
    result = run_heddle(
        "check", "-m", "pytest", "-q", *plugin_options, "--heddle-check", "test_it.py"
    )
    assert result.stderr.endswith("heddle check: 1 error, 1 note\n")
