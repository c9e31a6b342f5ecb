"""Litmus tests of the memory model: no outcome that the PTX ISA forbids. tests/litmus/run.py runs more of them."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "litmus"))

from outcomes import count_forbidden, count_outcomes  # noqa: E402
from shapes import SHAPES  # noqa: E402

from kernels import PLACES, WAYS, list_configurations  # noqa: E402

_by_name = {shape.name: shape for shape in SHAPES}
# Every access, place, scope and memory is in some test.
_one_in = 7


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_no_outcome_is_forbidden(device, shape):
    first = SHAPES.index(shape) % _one_in
    for configuration in list_configurations(shape)[first::_one_in]:
        found = count_outcomes(configuration, device, 30_000)
        assert count_forbidden(shape, found) == 0, f"{configuration}: {found}"


@pytest.mark.parametrize("way", ["volatile", "atomic", "python"])
def test_threads_of_different_blocks_meet_in_every_order(device, way):
    """Store buffering: either thread may be first."""
    shape = _by_name["SB"]
    (configuration,) = (
        c
        for c in list_configurations(shape)
        if (c.way, c.place, c.scope) == (way, PLACES[2], "device")
    )
    seen = set()
    for _ in range(10):  # a busy GPU starts the blocks far apart
        found = count_outcomes(configuration, device, 500_000)
        assert count_forbidden(shape, found) == 0
        seen |= {(r0, r1) for r0, r1, *_ in found}
        if (0, 1) in seen:
            break
    assert (0, 1) in seen


@pytest.mark.parametrize("way", WAYS)
def test_a_lost_store_is_found(cpu, way):
    shape = _by_name["MP"]
    wrong = replace(shape, threads=("y=1", shape.threads[1]))
    for configuration in list_configurations(wrong):
        if (configuration.way, configuration.place) == (way, PLACES[1]):
            assert count_forbidden(wrong, count_outcomes(configuration, cpu, 60_000)) > 0, str(
                configuration
            )


@pytest.mark.parametrize(
    "name, wrong, right",
    [
        ("MP", (1, 0, 1, 1, 0), (0, 1, 1, 1, 0)),
        ("SB", (0, 0, 1, 1, 0), (1, 0, 1, 1, 0)),
        ("2+2W", (1, 1, 0), (2, 1, 0)),
        ("IRIW", (1, 0, 1, 0, 1, 1, 0), (1, 1, 1, 0, 1, 1, 0)),
        ("CoRW2", (1, 1, 0, 0), (1, 2, 0, 0)),
        ("RMW", (0, 0, 1, 0, 0), (0, 1, 2, 0, 0)),
    ],
)
def test_a_forbidden_outcome_is_counted(name, wrong, right):
    assert count_forbidden(_by_name[name], Counter({wrong: 3, right: 5})) == 3
    assert count_forbidden(_by_name[name], Counter({right: 5})) == 0


def test_every_way_place_and_memory_is_in_some_kernel():
    made = [c for shape in SHAPES for c in list_configurations(shape)]
    assert {c.way for c in made} == set(WAYS)
    assert {(c.place, c.scope, c.space) for c in made} == {
        (place, scope, space)
        for place in PLACES
        for scope in ("block", "device", "system")
        for space in ("global", "shared")
        if place != "two blocks" or (scope != "block" and space == "global")
    }
