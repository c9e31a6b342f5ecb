"""The source of kernels next to PTX, SIMT IR and remarks, as one self-contained HTML file."""

from html import escape

from heddle.compiler.compile_ahead import default_capability
from heddle.compiler.inspection.code_lines import (
    find_remark_line,
    pair_ptx_with_source_lines,
    pair_simt_ir_with_source_lines,
)
from heddle.compiler.inspection.named_gpu import compile_ptx_or_describe_error
from heddle.compiler.inspection.report import (
    format_title,
    get_first_line_and_source,
    get_remarks,
    list_plan_and_resource_lines,
)
from heddle.support.html_document import format_html_document

_style = """
body { font: 14px/1.4 sans-serif; margin: 1em; color: #222; background: #fff; }
h2 { font-size: 16px; margin: 2em 0 0.3em; font-family: monospace; overflow-wrap: anywhere; }
pre.facts { margin: 0 0 0.6em; }
.columns { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px; }
.columns > div { border: 1px solid #bbb; overflow: auto; max-height: 75vh; font: 12px/1.45 monospace; }
h3 { position: sticky; top: 0; margin: 0; padding: 2px 6px; background: #eee; font-size: 12px; }
.code p { margin: 0; padding: 0 6px; white-space: pre; min-height: 1.45em; }
.code p[data-line] { cursor: pointer; }
.code p.remark { white-space: normal; color: #8a4b00; background: #fff4e0; }
.code p.chosen { background: #cfe4fb; }
.number { color: #999; user-select: none; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #1b1b1b; }
  h3 { background: #333; }
  .code p.remark { color: #ffc36b; background: #3a2e1a; }
  .code p.chosen { background: #24476b; }
}
"""

_script = """
for (const kernel of document.querySelectorAll('.columns')) {
  kernel.addEventListener('click', event => {
    const clicked = event.target.closest('[data-line]');
    if (!clicked) return;
    for (const line of kernel.querySelectorAll('[data-line]'))
      line.classList.toggle('chosen', line.dataset.line === clicked.dataset.line);
    for (const column of kernel.children) {
      const first = column.querySelector('.chosen');
      if (first && !column.contains(clicked))
        column.scrollTop = first.offsetTop - column.offsetTop - column.clientHeight / 3;
    }
  });
}
"""


def format_html_page(title, kernels, gpu=None):
    """The page for kernels: a list of (dispatcher, variant). gpu: a compute capability to include, or None."""
    sections = "\n".join(
        _format_section(dispatcher, variant, gpu) for dispatcher, variant in kernels
    )
    body = f"""\
<h1>{escape(title)}</h1>
<p>Click a line to highlight the matching lines in the other columns.</p>
{sections}
<script>{_script}</script>"""
    return format_html_document(title, _style, body)


def _format_section(dispatcher, variant, gpu):
    remarks = get_remarks(dispatcher, variant)
    told = list_plan_and_resource_lines(dispatcher, variant)
    if gpu is not None:
        remarks += get_remarks(dispatcher, variant, gpu)
        told += ["", *list_plan_and_resource_lines(dispatcher, variant, gpu)]
    elif variant.device.uses_host_memory:
        gpu = default_capability
    heading = f"PTX of sm_{gpu[0]}{gpu[1]}" if gpu else "PTX"
    columns = [
        ("source and remarks", _format_source(dispatcher.py_func, remarks)),
        (
            heading,
            _format_code(
                pair_ptx_with_source_lines(compile_ptx_or_describe_error(dispatcher, variant, gpu))
            ),
        ),
        ("SIMT IR", _format_code(pair_simt_ir_with_source_lines(variant.simt_ir))),
    ]
    shown = "\n".join(
        f'<div class="code"><h3>{title}</h3>{content}</div>' for title, content in columns
    )
    return (
        f"<section><h2>{escape(format_title(dispatcher, variant))}</h2>\n"
        f'<pre class="facts">{escape(chr(10).join(told))}</pre>\n'
        f'<div class="columns">\n{shown}\n</div></section>'
    )


def _format_source(function, remarks):
    first, lines = get_first_line_and_source(function)
    by_line = {}
    for remark in remarks:
        by_line.setdefault(find_remark_line(remark), []).append(remark)
    parts = []
    for number, line in enumerate(lines, first):
        parts.append(
            _format_line(f'<span class="number">{number:4d}</span> {escape(line)}', number)
        )
        parts += [_format_remark(remark) for remark in by_line.get(number, ())]
    return "".join(parts)


def _format_remark(text):
    return f'<p class="remark">{escape(text)}</p>'


def _format_code(lines):
    return "".join(_format_line(escape(text.expandtabs(4)), line) for text, line in lines)


def _format_line(content, line):
    place = f' data-line="{line}"' if line else ""
    return f"<p{place}>{content}</p>"
