"""Each line of PTX and SIMT IR with the line of the program that it is of; None for what is of none."""

import re

_location = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_metadata = re.compile(r"!(\d+) = (?:distinct )?!DI(?:Location|Subprogram)\(.*?\bline: (\d+)")
_reference = re.compile(r", !dbg !(\d+)$")
_remark = re.compile(r"\bline (\d+)")


def lines_of_ptx(text):
    """A list of (text, line). The directives that tell the lines are left out."""
    lines, current = [], None
    for line in text.splitlines():
        found = _location.match(line)
        if found:
            current = int(found[1]) or None
        elif line.startswith("\t.section"):  # tables for debuggers
            break
        elif not re.match(r"\s*(\.file\b|\$L__(tmp|func)\w*:)", line):
            is_instruction = line.startswith("\t") and not line.startswith("\t.")
            lines.append((line, current if is_instruction else None))
    return lines


def lines_of_simt_ir(text):
    """The same of SIMT IR, without its metadata."""
    known = {number: int(line) for number, line in _metadata.findall(text)}
    lines = []
    for line in text.splitlines():
        if line.startswith("!"):
            continue
        found = _reference.search(line)
        lines.append((_reference.sub("", line), known.get(found[1]) if found else None))
    while lines and not lines[-1][0]:
        lines.pop()
    return lines


def line_of_remark(remark):
    """The line that a remark speaks of."""
    found = _remark.search(remark)
    return int(found[1]) if found else None
