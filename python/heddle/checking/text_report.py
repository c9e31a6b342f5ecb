"""The report in a terminal: both source lines of a finding with carets, its threads, its launch and a hint."""

import os

from heddle.checking.sources import display_name, find_expression_span, get_line

_codes = {"error": "\x1b[1;31m", "note": "\x1b[1;36m", "caret": "\x1b[31m", "hint": "\x1b[36m"}
_verbs = {"read": "reads", "write": "writes", "atomic": "updates", "wait": "waits"}
_verbs |= {"call": "calls", "divide": "divides", "allocate": "allocates", "free": "frees"}


def wants_color(stream):
    """True if a stream is a terminal that shows colors."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def format_report(findings, color=False, has_launches=True):
    """The findings as text, lints last; one line if there are none. has_launches: kernels were checked."""
    parts = [_format_finding(finding, color) for finding in put_lints_last(findings)]
    return "\n\n".join([*parts, f"heddle check: {format_finding_counts(findings, has_launches)}"])


def put_lints_last(findings):
    """The findings with lints last."""
    return sorted(findings, key=lambda finding: finding.kind == "lint")


def format_finding_counts(findings, has_launches=True):
    """The numbers of errors, notes and lints: "1 error, 2 notes". has_launches: kernels were checked."""
    if not findings:
        return "no findings" if has_launches else "no findings, because no kernel was checked"
    counts = {"error": 0, "note": 0, "lint": 0}
    for finding in findings:
        counts["lint" if finding.kind == "lint" else finding.severity] += 1
    return ", ".join(_format_count(number, name) for name, number in counts.items() if number)


def _format_finding(finding, color):
    lines = [f"{_add_color(finding.severity, finding.severity, color)}: {finding.message}"]
    for access in list_accesses_to_show(finding):
        lines.append(f"  {describe_access(finding, access)}")
        lines += _format_source_lines(finding, access, color)
    if further := describe_further_occurrences(finding):
        lines.append(f"  {further}")
    if finding.hint:
        lines.append(f"  {_add_color('hint', 'hint:', color)} {finding.hint}")
    lines += [f"  {launch}" for launch in describe_launches(finding)]
    return "\n".join(lines)


def list_accesses_to_show(finding):
    """The accesses of a finding; one for each line of a lint."""
    if finding.kind != "lint":
        return finding.accesses
    return list({(access.file, access.line): access for access in finding.accesses}.values())


def describe_access(finding, access):
    """The place and the thread of an access: "tile.py:12: thread (1, 0, 0) of block (0, 0, 0) writes"."""
    if access.operation is not None and access.operation.kind != "launch":
        what = f"a {access.operation.kind} in {access.operation.stream} {_verbs[access.op]}"
        return f"{format_place(access.file, access.line)}: {what}" if access.file else what
    if finding.kind == "lint":
        return f"{format_place(access.file, access.line)} in {access.function}"
    who = "another thread" if access.thread is None else f"thread {access.thread}"
    if access.block is not None:
        who += f" of block {access.block}"
    is_in_kernel = _strip_namespaces_and_templates(access.function) in (
        "",
        _strip_namespaces_and_templates(finding.kernel),
    )
    inside = "" if is_in_kernel else f" in {access.function}"
    verb = "uses the value" if finding.kind == "uninit" else _verbs[access.op]
    return f"{format_place(access.file, access.line)}: {who} {verb}{inside}"


def _strip_namespaces_and_templates(function):
    """A function's name without namespaces and template arguments: "scale" of "ns::scale<float>"."""
    return function.split("<")[0].rpartition("::")[2]


def format_place(file, line):
    """A file and line as reports write them."""
    return f"{display_name(file)}:{line}"


def describe_further_occurrences(finding):
    """The number of occurrences that the report does not show; empty if there are none, and for lints."""
    if finding.count < 2 or finding.kind == "lint":
        return ""
    if finding.kind != "race":
        return _format_count(finding.count - 1, "further occurrence")
    if any(access.thread is None for access in finding.accesses):  # a race with a copy
        return _format_count(finding.count - 1, "further thread")
    return f"{_format_count(finding.count - 1, 'further pair')} of threads"


def describe_launches(finding):
    """The kernel, its grid and block, and the line that launched it. Races between streams may have two."""
    operations = [access.operation for access in finding.accesses if access.operation]
    if not operations:
        return [_describe_launch(finding.kernel, "", finding.launch)]
    return [
        _describe_launch(operation.kernel, f" in {operation.stream}", operation)
        for operation in operations
        if operation.kind == "launch"
    ]


def _describe_launch(kernel, stream, launch):
    where = f" at {format_place(launch.file, launch.line)}" if launch.file else ""
    return (
        f"kernel {kernel}, launched{stream} with grid {launch.grid} and block {launch.block}{where}"
    )


def _format_source_lines(finding, access, color):
    line = get_line(access)
    if not line:
        return []
    margin = " " * len(str(access.line))
    shown = [f"   {access.line} | {line}"]
    span = find_expression_span(line, access.column, finding.array)
    if span and access.op != "branch":
        indent = "".join(c if c == "\t" else " " for c in line[: span[0]])
        carets = _add_color("caret", "^" * (span[1] - span[0]), color)
        shown.append(f"   {margin} | {indent}{carets}")
    return shown


def _add_color(kind, text, color):
    return f"{_codes[kind]}{text}\x1b[0m" if color else text


def _format_count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"
