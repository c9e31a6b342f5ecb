"""Races between streams: tests/check has labelled programs, which run in both forms of checked kernels."""

import json
import os
import runpy
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import heddle
from heddle import cuda

sys.path.append(str(Path(__file__).parents[1] / "check"))

from cases import FOLDER, names, read_trap, read_wrong  # noqa: E402

pytestmark = pytest.mark.usefixtures("cpu")


@cuda.jit
def add(x, value):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += value


@cuda.jit
def add_from(x, start, count, value):
    i = cuda.grid(1)
    if i < count:
        x[start + i] += value


@pytest.fixture
def two():
    return cuda.stream(), cuda.stream()


def find_races(work):
    with heddle.check(print=False, lints=False) as report:
        work()
    return report.findings


def describe_program(name, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(read_wrong(FOLDER / "mistakes" / f"{name}.py").text)
    with heddle.check(print=False, lints=False) as report:
        runpy.run_path(str(file))
    return str(report).replace(f"{tmp_path}/", "")


def test_the_report_of_two_launches(tmp_path):
    text = describe_program("streams_without_an_event", tmp_path)
    assert text == (
        """\
error: race on global memory: `x[0]` is written in stream 1 and read in stream 2, and nothing orders the two
  program.py:11: thread (0, 0, 0) of block (0, 0, 0) writes
   11 |     y[i] = 2 * x[i]
      |     ^^^^
  program.py:11: thread (0, 0, 0) of block (0, 0, 0) reads
   11 |     y[i] = 2 * x[i]
      |                ^^^^
  63 further pairs of threads
  hint: record an event in stream 1 after line 17 and let stream 2 wait for it before line 18, or synchronize stream 1
  kernel double, launched in stream 1 with grid (2, 1, 1) and block (32, 1, 1) at program.py:17
  kernel double, launched in stream 2 with grid (2, 1, 1) and block (32, 1, 1) at program.py:18

heddle check: 1 error"""
    )


def test_the_report_of_a_launch_and_a_memset(tmp_path):
    text = describe_program("streams_cleared_while_read", tmp_path)
    assert "is updated by an atomic operation in stream 1 and written in stream 2" in text
    assert "\n  program.py:17: a memset in stream 2 writes\n" in text
    assert "\n  3 further threads\n" in text
    assert "kernel histogram, launched in stream 1 with grid (1, 1, 1)" in text


def test_the_report_of_branches_of_a_graph(tmp_path):
    text = describe_program("streams_of_a_graph", tmp_path)
    assert "is written in the first branch of the graph in stream 1 and in another branch" in text
    assert "hint: let one branch of the graph wait for an event that the other one records" in text


def test_the_json_form_has_both_operations(two, tmp_path):
    x = cuda.to_device(np.zeros(32, np.int32))
    values = cuda.pinned_array(32, np.int32)

    def work():
        add[1, 32, two[0]](x, 1)
        x.copy_to_device(values, stream=two[1])

    with heddle.check(print=False, lints=False) as report:
        work()
    report.write_json(tmp_path / "found.json")
    (finding,) = json.loads((tmp_path / "found.json").read_text())["findings"]
    launch, copy = (access["operation"] for access in finding["accesses"])
    assert (launch["kind"], launch["kernel"], launch["block"]) == ("launch", "add", [32, 1, 1])
    assert (copy["kind"], copy["kernel"], copy["block"]) == ("copy", "", None)
    assert (launch["stream"], copy["stream"]) == ("stream 1", "stream 2")
    assert copy["file"] == __file__ and finding["accesses"][1]["thread"] is None
    assert finding["kernel"] == "add" and finding["launch"]["grid"] == [1, 1, 1]


def test_a_race_names_the_first_common_element(two):
    x = cuda.to_device(np.zeros((10, 10)))

    @cuda.jit
    def fill_row(x, row):
        x[row, cuda.threadIdx.x] = 1

    @cuda.jit
    def fill_column(x, column):
        x[cuda.threadIdx.x, column] = 2

    def work():
        fill_row[1, 10, two[0]](x, 3)
        fill_column[1, 10, two[1]](x, 7)

    (finding,) = find_races(work)
    assert (finding.element, finding.count) == ((3, 7), 1)
    assert [access.thread for access in finding.accesses] == [(7, 0, 0), (3, 0, 0)]


def test_the_default_stream_waits_for_blocking_streams_only():
    x = cuda.to_device(np.zeros(64, np.int32))
    blocking, other = cuda.stream(), heddle.cuda.streams.create_stream(blocking=False)

    def work():
        add[2, 32, blocking](x, 1)
        add[2, 32](x, 1)
        add[2, 32, blocking](x, 1)
        cuda.synchronize()
        add[2, 32](x, 1)
        add[2, 32, other](x, 1)

    (finding,) = find_races(work)
    streams = [access.operation.stream for access in finding.accesses]
    assert streams == ["the default stream", "stream 2"]


def test_an_event_orders_only_work_before_it(two):
    x, event = cuda.to_device(np.zeros(64, np.int32)), cuda.event()

    def work():
        add[1, 32, two[0]](x[:32], 1)
        event.record(two[0])
        add[1, 32, two[0]](x[32:], 1)
        event.wait(two[1])
        add[2, 32, two[1]](x, 1)

    (finding,) = find_races(work)
    assert (finding.element, finding.count) == ((32,), 32)


def test_order_is_transitive():
    x = cuda.to_device(np.zeros(64, np.int32))
    streams, event = [cuda.stream() for _ in range(5)], cuda.event()

    def work():
        for stream in streams:
            event.wait(stream)
            add[2, 32, stream](x, 1)
            event.record(stream)

    assert find_races(work) == []


def test_a_stream_of_another_check_is_forgotten(two):
    x = cuda.to_device(np.zeros(64, np.int32))
    assert find_races(lambda: add[2, 32, two[0]](x, 1)) == []
    assert find_races(lambda: add[2, 32, two[1]](x, 1)) == []


def test_launches_of_many_elements_that_touch_at_one(two):
    x = cuda.to_device(np.zeros(100_000, np.float32))

    def work():
        add_from[200, 256, two[0]](x, 0, 50_001, 1)
        add_from[200, 256, two[1]](x, 50_000, 50_000, 1)

    findings = find_races(work)
    assert {finding.element for finding in findings} == {(50_000,)}
    assert {finding.count for finding in findings} == {1}


def test_memory_that_the_other_stream_has_not_written_yet(two):
    x, zeros = cuda.device_array(32, np.int32), np.zeros(32, np.int32)
    y, z = cuda.to_device(zeros), cuda.to_device(zeros)
    may_start = threading.Event()

    @cuda.jit
    def copy(x, y):
        i = cuda.grid(1)
        y[i] = x[i] + 1

    def work():
        two[0].add_callback(lambda *_: may_start.wait())
        copy[1, 32, two[0]](y, x)
        copy[1, 32, two[1]](x, z)
        two[1].synchronize()
        may_start.set()

    assert {finding.kind for finding in find_races(work)} == {"race"}


def test_programs_have_races_after_many_launches(two):
    x, y = (cuda.to_device(np.zeros(64, np.int32)) for _ in range(2))

    def work():
        for _ in range(200):
            add[2, 32, two[0]](y, 1)
        add[2, 32, two[0]](x, 1)
        for _ in range(10):
            add[2, 32, two[0]](y, 1)
        add[2, 32, two[1]](x, 1)

    (finding,) = find_races(work)
    assert finding.array == "x"


def check_in_process(file):
    environment = {key: value for key, value in os.environ.items() if key != "HEDDLE_VERIFY"}
    command = [sys.executable, "-m", "heddle", "check", str(file)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


# The tests set HEDDLE_VERIFY, with which launches also run in the exact form. Without it they are repeated on demand.


@pytest.mark.parametrize("name", [n for n in names("mistakes") if n.startswith("streams_")][::3])
def test_a_launch_in_the_filter_form_is_repeated_to_find_its_races(name, tmp_path):
    file = tmp_path / f"{name}.py"
    file.write_text(read_wrong(FOLDER / "mistakes" / f"{name}.py").text)
    done = check_in_process(file)
    assert done.returncode == 1 and "error: race on global memory: `" in done.stderr


@pytest.mark.parametrize("name", ["streams_halves_by_offset", "streams_strided_halves"])
def test_a_launch_in_the_filter_form_is_repeated_without_a_false_alarm(name, tmp_path):
    file = tmp_path / f"{name}.py"
    file.write_text(read_trap(FOLDER / "traps" / f"{name}.py").text)
    assert check_in_process(file).stderr == "heddle check: no findings\n"
