"""Reads labelled programs: README.md describes the format."""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
_only_wrong = re.compile(r"\s*(?:#|//)-$")
_only_fixed = re.compile(r"^(\s*)(?:#|//)\+ ")
_mark = re.compile(r"\s*(?:#|//)([!?]) (\w+)( note)?$")
_start_of_cpp = re.compile(r'SOURCE = r"""$')


@dataclass(frozen=True)
class Mark:
    """A line that a finding of a kind may name; required: at least one must."""

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
            if is_marked:
                severity = "note" if found[3] else "error"
                marks[number].append(Mark(found[2], severity, found[1] == "!"))
        if _start_of_cpp.match(line):
            cpp_offset = number - 1
        texts.append(line)
    return Variant("\n".join(texts) + "\n", marks, cpp_offset)


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
    """The lines of the variant's text that a finding names."""
    return [
        access.line + (0 if access.file == str(file) else variant.cpp_offset)
        for access in finding.accesses
    ]


def disagreements(findings, file, variant):
    """Sentences about findings that no mark allows, and marks that no finding names. file: holds the text."""
    problems, named = [], set()
    for finding in findings:
        kind = (finding.kind, finding.severity)
        lines = lines_of(finding, file, variant)
        if not lines:
            problems.append(f"{' '.join(kind)} without a line")
        for line in lines:
            if any((mark.kind, mark.severity) == kind for mark in variant.marks.get(line, ())):
                named.add((line, *kind))
            else:
                problems.append(f"{' '.join(kind)} of lines {lines}: line {line} is not marked")
    problems += [
        f"line {line}: no finding of kind {mark.kind} names it"
        for line, marks in variant.marks.items()
        for mark in marks
        if mark.required and (line, mark.kind, mark.severity) not in named
    ]
    return problems
