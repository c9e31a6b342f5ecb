"""``heddle inspect``: runs a program and shows what became of its kernels."""

import gc
import os
import sys

from heddle.command_line.run_program import run_script
from heddle.command_line.usage import wrong_use
from heddle.compiler.dispatcher import Dispatcher
from heddle.inspection.html_page import html_page
from heddle.inspection.report import report

_usage = "inspect takes a program, its arguments, and before those --html out.html"


def run(arguments):
    """``heddle inspect script.py [--html out.html] [arguments]``. Returns the program's exit code."""
    rest = list(arguments)
    page = None
    if "--html" in rest[:2]:
        at = rest.index("--html")
        if at + 1 == len(rest):
            return wrong_use("--html needs the name of a file")
        page = rest[at + 1]
        del rest[at : at + 2]
    if not rest or rest[0].startswith("-"):
        return wrong_use(_usage)
    code = run_script(rest[0], rest[1:])
    kernels = _compiled_kernels()
    if not kernels:
        print("heddle inspect: the program launched no kernel written in Python", file=sys.stderr)
        return code
    if page is None:
        print("\n\n".join(report(dispatcher, variant) for dispatcher, variant in kernels))
        return code
    try:
        with open(page, "w", encoding="utf-8") as file:
            file.write(html_page(os.path.basename(rest[0]), kernels))
    except OSError as error:
        print(f"heddle inspect: cannot write {page!r}: {error.strerror}", file=sys.stderr)
        return 1
    return code


def _compiled_kernels():
    """The program's kernels that were compiled, in the order of their definitions; those of Heddle are left out."""
    found = [
        kernel
        for kernel in gc.get_objects()
        if isinstance(kernel, Dispatcher)
        and not kernel.targetoptions.get("device")
        and not (kernel.py_func.__module__ or "").startswith("heddle.")
    ]
    found.sort(key=lambda kernel: kernel.py_func.__code__.co_firstlineno)
    return [(kernel, variant) for kernel in found for variant in kernel.variants()]
