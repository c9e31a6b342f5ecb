"""The control-flow graph of a function in LLVM IR, in Graphviz's language."""

import re
import shutil
import subprocess

_label = re.compile(r'^("[^"]*"|[-\w$.]+):')
_target = re.compile(r'label %("[^"]*"|[-\w$.]+)')


class ControlFlow:
    """The result of ``inspect_cfg``. ``dot`` is the graph's text; notebooks draw it if Graphviz is installed."""

    def __init__(self, llvm_ir, name):
        self.dot = _format_graph(_collect_block_lines(llvm_ir), name)

    def display(self, filename=None, format="pdf", view=False):
        """Writes the image to ``filename`` plus the format's extension. Returns the path.

        view: opens the image in the desktop's viewer. Raises RuntimeError if Graphviz's ``dot`` is not installed.
        """
        path = f"{filename or 'cfg'}.{format}"
        with open(path, "wb") as file:
            file.write(_render_image(self.dot, format))
        if view:
            subprocess.run(["xdg-open", path], check=False)
        return path

    def _repr_svg_(self):
        return _render_image(self.dot, "svg").decode() if shutil.which("dot") else None

    def __repr__(self):
        return self.dot


def _collect_block_lines(llvm_ir):
    """Maps the labels of all blocks of the defined functions to their lines."""
    blocks, current = {}, None
    for line in llvm_ir.splitlines():
        if line.startswith("define "):
            current = None
        elif found := _label.match(line):
            current = blocks.setdefault(found[1].strip('"'), [])
        elif line.startswith("}"):
            current = None
        elif current is not None and line.strip():
            current.append(line.strip())
    return blocks


def _format_graph(blocks, name):
    lines = [f'digraph "{name}" {{', "  node [shape=box, fontname=monospace];"]
    for label, code in blocks.items():
        text = "\\l".join(_escape_for_graphviz(line) for line in [f"{label}:", *code])
        lines.append(f'  "{label}" [label="{text}\\l"];')
        targets = [found.strip('"') for line in code for found in _target.findall(line)]
        lines += [f'  "{label}" -> "{target}";' for target in dict.fromkeys(targets)]
    return "\n".join([*lines, "}"]) + "\n"


def _escape_for_graphviz(line):
    return line.replace("\\", "\\\\").replace('"', '\\"')


def _render_image(dot, format):
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(
            "control-flow graphs need Graphviz's dot, which is not installed\n"
            "  hint: inspect_cfg(signature).dot is the text of the graph"
        )
    return subprocess.run(
        [program, f"-T{format}"], input=dot.encode(), capture_output=True, check=True
    ).stdout
