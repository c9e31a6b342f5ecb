"""Maps each line of PTX and SIMT IR to a source line, or to None."""

import re

_location = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_metadata = re.compile(r"!(\d+) = (?:distinct )?!DI(?:Location|Subprogram)\(.*?\bline: (\d+)")
_reference = re.compile(r", !dbg !(\d+)$")
_remark = re.compile(r"\bline (\d+)")


def pair_ptx_with_source_lines(text):
    """Returns a list of (text, source line), without the directives that give the lines."""
    lines, current = [], None
    for line in text.splitlines():
        found = _location.match(line)
        if found:
            current = int(found[1]) or None
        elif line.startswith("\t.section"):  # debug information
            break
        elif not re.match(r"\s*(\.file\b|\$L__(tmp|func)\w*:)", line):
            is_instruction = line.startswith("\t") and not line.startswith("\t.")
            lines.append((line, current if is_instruction else None))
    return lines


def pair_simt_ir_with_source_lines(text):
    """As ``pair_ptx_with_source_lines``, for SIMT IR without its metadata."""
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


def find_remark_line(remark):
    """The source line that a remark refers to, or None."""
    found = _remark.search(remark)
    return int(found[1]) if found else None
