"""Indigo's graph kernels, as the artifact of HiRace has them: planted races and out-of-bounds accesses."""

import re

import numpy as np
from suites import Mistake, Program

from heddle.compat import cupy as cp

NODES = 12
# Blocks and threads for kernels that give a node to a thread, a warp or a block.
SHAPES = {"thread": (2, 32), "warp": (6, 64), "block": (NODES, 64)}


def list_programs(folder):
    """The programs of a copy of the artifact. The file's name holds the labels."""
    for path in sorted(folder.glob("indigo/indigo_sources/*/*.cu")):
        text = path.read_text()
        unit = path.parent.name.rpartition("_")[2]
        shape = SHAPES.get(unit, SHAPES["thread"])
        yield Program(
            path.stem, lambda text=text, shape=shape: run(text, shape), find_mistakes(path, text)
        )


def find_mistakes(path, text):
    """A mistake for each word in the name that ends in Bug. Comments of the source mark their lines."""
    lines = text.splitlines()
    return tuple(
        Mistake("bounds" if bug == "boundsBug" else "race", frozenset(find_lines(lines, bug)))
        for bug in sorted(set(re.findall(r"[a-z]+Bug", path.stem)))
    )


def find_lines(lines, bug):
    """The lines that take part in a mistake."""
    marks = [number for number, line in enumerate(lines) if f"// {bug} here" in line]
    if bug in ("guardBug", "boundsBug"):  # the marks enclose the lines
        marked, accesses = range(*marks), r"\bdata1\b" if bug == "guardBug" else r"\["
    elif bug == "syncBug":  # has no marks
        marked, accesses = range(len(lines)), r"s_carry\[tid\] = val|s_carry\[tid \+ stride\]"
    elif (
        bug == "atomicBug"
    ):  # a position from a counter without an atomic operation is used in the next line
        marked, accesses = (
            (m + step for m in marks for step in (1, 2)),
            r"= max|= min|\+\+|\+=|\bdata1\[pos\]",
        )
    else:
        marked, accesses = (mark + 1 for mark in marks), r"\["
    return (number + 1 for number in marked if re.search(accesses, lines[number]))


def make_graph():
    """The first neighbor of each node in a list, and the list. The first and the last node have no neighbors.

    Two nodes share a larger neighbor, which comes first and last in their lists, so that their threads meet, in order
    of increasing neighbors.
    """
    neighbors = [[]]
    for node in range(1, NODES - 1):
        larger = min(node // 2 * 2 + 2, NODES - 1)
        neighbors.append([larger, *range(node % 3, node, 3), larger])
    neighbors.append([])
    return np.cumsum([0, *map(len, neighbors)]), np.concatenate(neighbors)


def run(text, shape):
    device_code = re.sub(
        r'^#include "indigo_cuda.h"$', "", text.split("void serial_code")[0], flags=re.M
    )
    module = cp.RawModule(code=device_code.replace("__global__", 'extern "C" __global__'))
    first, neighbors = make_graph()
    size = len(neighbors)
    parents = np.append(0, np.arange(1, size) % NODES // 2)
    arrays = (first, neighbors, parents, np.arange(size))
    arrays = [cp.asarray(array.astype(np.int32)) for array in arrays]
    module.get_function("test_kernel")((shape[0],), (shape[1],), (*arrays, np.int32(NODES)))
    arrays[2].get()
