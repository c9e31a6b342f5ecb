"""The blocks of a function in LLVM IR and the ways between them, in the language of Graphviz."""

import re
import shutil
import subprocess

_label = re.compile(r'^("[^"]*"|[-\w$.]+):')
_target = re.compile(r'label %("[^"]*"|[-\w$.]+)')


class ControlFlow:
    """What ``inspect_cfg`` returns: ``dot`` is the graph's text; notebooks draw it where Graphviz is installed."""

    def __init__(self, llvm_ir, name):
        self.dot = _graph_of(_blocks_in(llvm_ir), name)

    def display(self, filename=None, format="pdf", view=False):
        """Write the picture to ``filename`` and its format's ending, and return the path.

        view: show it with the program of the desktop. Raises RuntimeError where Graphviz's ``dot`` is not installed.
        """
        path = f"{filename or 'cfg'}.{format}"
        with open(path, "wb") as file:
            file.write(_drawn(self.dot, format))
        if view:
            subprocess.run(["xdg-open", path], check=False)
        return path

    def _repr_svg_(self):
        return _drawn(self.dot, "svg").decode() if shutil.which("dot") else None

    def __repr__(self):
        return self.dot


def _blocks_in(llvm_ir):
    """By label the lines of each block of the functions that are defined."""
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


def _graph_of(blocks, name):
    lines = [f'digraph "{name}" {{', "  node [shape=box, fontname=monospace];"]
    for label, code in blocks.items():
        text = "\\l".join(_escaped(line) for line in [f"{label}:", *code])
        lines.append(f'  "{label}" [label="{text}\\l"];')
        targets = [found.strip('"') for line in code for found in _target.findall(line)]
        lines += [f'  "{label}" -> "{target}";' for target in dict.fromkeys(targets)]
    return "\n".join([*lines, "}"]) + "\n"


def _escaped(line):
    return line.replace("\\", "\\\\").replace('"', '\\"')


def _drawn(dot, format):
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(
            "a control-flow graph is drawn by Graphviz's dot, which is not installed\n"
            "  hint: inspect_cfg(signature).dot is its text"
        )
    return subprocess.run(
        [program, f"-T{format}"], input=dot.encode(), capture_output=True, check=True
    ).stdout
