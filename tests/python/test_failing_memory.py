"""A lack of memory raises an exception, even during a compiler fault, and the process continues."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import heddle._heddle

FAILING = Path(heddle._heddle.__file__).parents[2] / "tests" / "failing"
PROGRAM = Path(__file__).with_name("failing_memory.py")

pytestmark = pytest.mark.skipif(
    not (FAILING / "heddle").exists(), reason="this build has no extension whose memory can fail"
)


def ends_of(tmp_path, scenario, hows, numbers=()):
    """The outcomes that failing_memory.py prints."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(FAILING),
        "HEDDLE_CACHE_DIR": str(tmp_path),
        "HEDDLE_DEVICE": "cpu",
    }
    done = subprocess.run(
        [sys.executable, PROGRAM, scenario, hows, *map(str, numbers)],
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


LAUNCHES = ["launch", "barriers", "warps", "print", "cooperative", "stream", "error"]


@pytest.mark.parametrize("scenario", [*LAUNCHES, "first launch"])
def test_each_allocation_of_a_launch_may_fail(tmp_path, scenario):
    assert "success" in ends_of(tmp_path, scenario, "one,from")


def sample(allocations, stride):
    """Numbers of allocations spread over a compilation, including its first ones."""
    chosen = random.Random(stride)
    first = chosen.randrange(1, stride)
    return [*chosen.sample(range(1, 300), 8), *range(first, allocations, stride)]


@pytest.mark.parametrize("how", ["one", "from", "fault"])
@pytest.mark.parametrize(
    "scenario, allocations", [("python kernel", 16000), ("CUDA program", 19000)]
)
def test_an_allocation_of_a_compilation_may_fail(tmp_path, scenario, allocations, how):
    numbers = sample(allocations, stride=499)
    ends = ends_of(tmp_path, scenario, how, numbers)
    assert ("crashed" if how == "fault" else "MemoryError") in ends
