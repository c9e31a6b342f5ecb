"""Reads labelled programs: README.md describes the format."""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
LINTS = {"uncoalesced", "bank-conflict", "float64", "divergence", "occupancy", "local-array"}
_only_wrong = re.compile(r"\s*(?:#|//)-$")
_only_fixed = re.compile(r"^(\s*)(?:#|//)\+ ")
_mark = re.compile(r"\s*(?:#|//)([!?]) ([\w-]+)( note)?$")
_start_of_cpp = re.compile(r'SOURCE = r"""$')


@dataclass(frozen=True)
class Mark:
    """A line that a finding of a kind may name; required: at least one must. kind: also the name of a lint."""

    kind: str
    severity: str
    required: bool


@dataclass(frozen=True)
class Variant:
    """A program. marks: of each line of its text. cpp_offset: add it to a line of the CUDA C++ source.

    Lines count from 1.
    """

    text: str
    marks: dict[int, list[Mark]]
    cpp_offset: int


def _read(lines):
    """The variant with these lines, each as (text, whether its mark holds)."""
    marks, texts, cpp_offset = {}, [], 0
    for number, (line, is_marked) in enumerate(lines, 1):
        marks[number] = []
        while found := _mark.search(line):
            line = line[: found.start()]
            severity = "note" if found[3] else "error"
            mark = Mark(found[2], severity, found[1] == "!")
            if is_marked or _is_other_lint(mark):
                marks[number].append(mark)
        if _start_of_cpp.match(line):
            cpp_offset = number - 1
        texts.append(line)
    return Variant("\n".join(texts) + "\n", marks, cpp_offset)


def _is_other_lint(mark):
    """True for a lint that is not the program's mistake: the fix does not remove it."""
    return not mark.required and mark.kind in LINTS


def read_wrong(path):
    """The program with its mistake."""
    lines = path.read_text().splitlines()
    kept = (line for line in lines if not _only_fixed.match(line))
    return _read((_only_wrong.sub("", line), True) for line in kept)


def read_fixed(path):
    """The program with the fix. Only lines that the fix adds keep their marks."""
    lines = path.read_text().splitlines()
    kept = (line for line in lines if not _only_wrong.search(line))
    return _read((_only_fixed.sub(r"\1", line), bool(_only_fixed.match(line))) for line in kept)


def read_trap(path):
    """A correct program. Its marks are notes."""
    return _read((line, True) for line in path.read_text().splitlines())


def names(folder):
    """The programs of a folder of this one."""
    return sorted(path.stem for path in (FOLDER / folder).glob("*.py"))


def lines_of(finding, file, variant):
    """The lines of the variant's text that a finding names; for a lint about the launch, that of the launch."""
    if finding.kind == "lint" and not finding.accesses:
        return [finding.launch.line]
    return [
        access.line + (0 if access.file == str(file) else variant.cpp_offset)
        for access in finding.accesses
    ]


def disagreements(findings, file, variant):
    """Sentences about findings that no mark allows, and marks that no finding names. file: holds the text."""
    problems, named = [], set()
    for finding in findings:
        kinds, severity = {finding.kind, finding.lint}, finding.severity
        lines = lines_of(finding, file, variant)
        if not lines:
            problems.append(f"{finding.kind} {severity} without a line")
        for line in lines:
            marks = [m for m in variant.marks.get(line, ()) if m.severity == severity]
            found = {(line, m.kind, severity) for m in marks if m.kind in kinds}
            if not found:
                name = finding.lint or finding.kind
                problems.append(f"{name} {severity} of lines {lines}: line {line} is not marked")
            named |= found
    problems += [
        f"line {line}: no finding of kind {mark.kind} names it"
        for line, marks in variant.marks.items()
        for mark in marks
        if mark.required and (line, mark.kind, mark.severity) not in named
    ]
    return problems
