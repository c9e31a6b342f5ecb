"""Findings of the checker, made from the dicts that the runtime returns, and their form in JSON."""

import dataclasses
import re

from heddle.checking.hints import suggest_fix
from heddle.checking.lints import is_lint_intended, move_access_to_float64_literal
from heddle.checking.messages import describe_finding
from heddle.checking.sources import find_array_and_index_count


@dataclasses.dataclass(frozen=True)
class Operation:
    """A launch, copy or memset in a stream. kernel, grid, block: of a launch; "" and None for others.

    file and line: the caller's; "" and 0 if they are unknown.
    """

    kind: str
    stream: str
    kernel: str
    grid: tuple | None
    block: tuple | None
    file: str
    line: int


@dataclasses.dataclass(frozen=True)
class Access:
    """An access to memory. op: "read", "write" or "atomic". column: from 1, or 0 if it is unknown.

    thread, block: indices (x, y, z), or None for a thread or block that the checker does not know.
    operation: the operation that it belongs to, for a race between streams. text: the file's text, if it is only in
    memory, as for CUDA C++ programs.
    """

    op: str
    file: str
    line: int
    column: int
    function: str
    thread: tuple | None
    block: tuple | None
    operation: Operation | None = None
    text: str | None = None


@dataclasses.dataclass(frozen=True)
class Launch:
    """The launch of a kernel. file and line: the caller's; "" and 0 if they are unknown."""

    grid: tuple
    block: tuple
    file: str
    line: int


@dataclasses.dataclass(frozen=True)
class Finding:
    """A mistake in a kernel, or a note about it.

    severity: "error" or "note". accesses: two for a race, the earlier one first. element: its index along the axes of
    the array, or None. count: the number of occurrences; for a race, the number of pairs of threads.
    """

    kind: str
    severity: str
    space: str
    lint: str
    accesses: tuple[Access, ...]
    array: str
    element: tuple | None
    kernel: str
    launch: Launch
    count: int
    message: str
    hint: str


def make_finding(raw):
    """A Finding from a dict of ``_heddle.take_findings``, also one that was stored as JSON.

    None for a lint about something that the program wants.
    """
    accesses = tuple(map(_make_access, raw["accesses"]))
    loaded = raw.get("loaded")
    if raw["kind"] == "lint":
        if is_lint_intended(raw, accesses):
            return None
        accesses = tuple(move_access_to_float64_literal(raw, access) for access in accesses)
    raw = _fill_in_array_name(raw, accesses if loaded is None else (_make_access(loaded),))
    return Finding(
        **{key: raw[key] for key in ("kind", "severity", "space", "array", "element", "kernel")},
        lint=raw.get("lint", ""),
        accesses=accesses,
        launch=Launch(
            tuple(raw["grid"]), tuple(raw["block"]), raw["launch_file"], raw["launch_line"]
        ),
        count=raw["count"],
        message=describe_finding(raw, accesses),
        hint=suggest_fix(raw, accesses),
    )


def _make_access(access):
    operation = access.get("operation")
    made = (
        None
        if operation is None
        else Operation(**_convert_lists_to_tuples(operation, "grid", "block"))
    )
    return Access(**{**_convert_lists_to_tuples(access, "thread", "block"), "operation": made})


def _convert_lists_to_tuples(values, *keys):
    return {**values, **{key: _to_tuple(values[key]) for key in keys}}


def _fill_in_array_name(raw, accesses):
    """The finding's dict with the array's name from the source or the message if the compiler has none.

    The element of such an array is an index in the memory's order. It is dropped if the source has several indices.
    """
    element = _to_tuple(raw["element"])
    if raw["array"] or not accesses:
        return {**raw, "element": element}
    array, indices = next(filter(None, map(find_array_and_index_count, accesses)), ("", 0))
    if (
        not array
        and raw["kind"] == "bounds"
        and (named := re.search(r"of '(\w+)'(?! or )", raw["why"]))
    ):
        array = named[1]
    return {
        **raw,
        "array": array,
        "element": element if element and len(element) == indices else None,
    }


def _to_tuple(value):
    return None if value is None else tuple(value)


def to_json(findings):
    """The findings as an object for ``json.dump``."""
    listed = [dataclasses.asdict(finding) for finding in findings]
    for finding in listed:
        for access in finding["accesses"]:
            del access["text"]
    return {"heddle_check": 1, "findings": listed}
