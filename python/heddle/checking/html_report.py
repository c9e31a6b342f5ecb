"""The findings in HTML: a table for notebooks, and a page that shows them in the source."""

from html import escape

from heddle.checking.sources import display_name, get_lines
from heddle.checking.text_report import (
    describe_access,
    describe_further_occurrences,
    describe_launches,
    format_finding_counts,
    format_place,
    list_accesses_to_show,
    put_lints_last,
)
from heddle.support.html_document import format_html_document

_style = """
body { font: 14px/1.4 sans-serif; margin: 1em; color: #222; background: #fff; }
h2 { font: bold 16px monospace; margin: 2em 0 0.3em; }
.code { border: 1px solid #bbb; overflow: auto; font: 12px/1.45 monospace; }
.code p { margin: 0; padding: 0 6px; white-space: pre; min-height: 1.45em; }
.code p.marked { background: #fde3e0; }
.code div { margin: 0.2em 1em 0.6em 5em; padding: 4px 8px; font-family: sans-serif; background: #f4f4f4; }
.code div.error { border-left: 4px solid #c62828; }
.code div.note { border-left: 4px solid #2878c6; }
.number { color: #999; user-select: none; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #1b1b1b; }
  .code p.marked { background: #4a2622; }
  .code div { background: #2c2c2c; }
}
"""


def format_table(findings, has_launches=True):
    """The findings as an HTML table with a row for each. has_launches: kernels were checked."""
    if not findings:
        return f"<p>heddle check: {format_finding_counts(findings, has_launches)}</p>"
    rows = "".join(_format_row(finding) for finding in put_lints_last(findings))
    head = "<tr><th></th><th>finding</th><th>accesses</th><th>kernel</th><th>hint</th></tr>"
    return f'<table style="text-align: left">{head}{rows}</table>'


def _format_row(finding):
    accesses = [describe_access(finding, access) for access in list_accesses_to_show(finding)]
    launch = finding.launch
    place = format_place(launch.file, launch.line) if launch.file else ""
    cells = [
        [finding.severity],
        [finding.message],
        [*accesses, describe_further_occurrences(finding)],
        [finding.kernel, place],
        [finding.hint],
    ]
    joined = ["<br>".join(escape(text) for text in cell if text) for cell in cells]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in joined) + "</tr>"


def format_page(findings, has_launches=True):
    """The page: each source file with findings, its lines marked, each finding at the line of its last access.

    has_launches: kernels were checked.
    """
    files = {}
    for finding in findings:
        for access in _list_accesses_with_lines(finding):
            files.setdefault((access.file, access.text), []).append((access, finding))
    sections = "\n".join(
        _format_file_with_findings(file, found) for (file, _), found in files.items()
    )
    placeless = "".join(_format_finding(f) for f in findings if not _list_accesses_with_lines(f))
    title = f"heddle check: {format_finding_counts(findings, has_launches)}"
    body = f"""\
<h1>{escape(title)}</h1>
{sections}
<div class="code">{placeless}</div>"""
    return format_html_document(title, _style, body)


def _list_accesses_with_lines(finding):
    """The accesses whose lines are known. Copies of C++ programs have none."""
    return [access for access in finding.accesses if access.file]


def _format_file_with_findings(file, found):
    """A file with its findings: (access, finding) for each access in the file."""
    marked = {access.line for access, _ in found}
    listed = {}
    for access, finding in found:
        if access is _list_accesses_with_lines(finding)[-1]:
            listed.setdefault(access.line, []).append(finding)
    lines = get_lines(found[0][0]) or [""] * max(marked)
    parts = [f'<h2>{escape(display_name(file))}</h2>\n<div class="code">']
    for number, line in enumerate(lines, 1):
        mark = ' class="marked"' if number in marked else ""
        text = escape(line.rstrip("\r\n"))
        parts.append(f'<p{mark}><span class="number">{number:4d}</span> {text}</p>')
        parts += map(_format_finding, listed.get(number, ()))
    return "\n".join([*parts, "</div>"])


def _format_finding(finding):
    texts = [
        *(describe_access(finding, access) for access in list_accesses_to_show(finding)),
        describe_further_occurrences(finding),
        finding.hint and f"hint: {finding.hint}",
        *describe_launches(finding),
    ]
    details = "<br>\n".join(escape(text) for text in texts if text)
    return f'<div class="{finding.severity}"><b>{escape(finding.message)}</b><br>\n{details}</div>'
