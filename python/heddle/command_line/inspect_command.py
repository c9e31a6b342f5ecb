"""``heddle inspect``: runs a program and shows how its kernels were compiled."""

import gc
import os
import sys

from heddle.command_line.html_page import format_html_page
from heddle.command_line.run_program import run_script
from heddle.command_line.usage import report_wrong_use
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.inspection.gpus import parse_gpu_capability
from heddle.compiler.inspection.report import format_report

_usage = "name a program, after the options --html FILE and --gpu NAME"
_values = {"--html": "the name of a file", "--gpu": "the name of a GPU"}


def run(arguments):
    """Runs ``heddle inspect script.py [--html out.html] [--gpu H100] [arguments]``. Returns the program's exit code."""
    try:
        script, options, rest = _split_arguments(arguments)
        gpu = parse_gpu_capability(options["--gpu"]) if "--gpu" in options else None
    except ValueError as error:
        return report_wrong_use(str(error), "inspect")
    page = options.get("--html")
    code = run_script(script, rest)
    kernels = _list_compiled_kernels()
    if not kernels:
        print(f"heddle inspect: {script!r} launched no Python kernel", file=sys.stderr)
        return code
    if page is None:
        print(
            "\n\n".join(format_report(dispatcher, variant, gpu) for dispatcher, variant in kernels)
        )
        return code
    try:
        with open(page, "w", encoding="utf-8") as file:
            file.write(format_html_page(os.path.basename(script), kernels, gpu))
    except OSError as error:
        print(f"heddle inspect: cannot write {page!r}: {error.strerror}", file=sys.stderr)
        return 1
    return code


def _split_arguments(arguments):
    """Returns the program, the options before or right after it, and the program's arguments."""
    script, options, rest = None, {}, list(arguments)
    while rest:
        if rest[0] in _values:
            name = rest.pop(0)
            if not rest:
                raise ValueError(f"{name} needs {_values[name]}")
            options[name] = rest.pop(0)
        elif script is None and not rest[0].startswith("-"):
            script = rest.pop(0)
        else:
            break
    if script is None:
        raise ValueError(_usage)
    return script, options, rest


def _list_compiled_kernels():
    """The compiled kernels of the program, in source order, as (dispatcher, variant). Omits Heddle's kernels."""
    found = [
        kernel
        for kernel in gc.get_objects()
        if isinstance(kernel, Dispatcher)
        and not kernel.targetoptions.get("device")
        and not (kernel.py_func.__module__ or "").startswith("heddle.")
    ]
    found.sort(key=lambda kernel: kernel.py_func.__code__.co_firstlineno)
    return [(kernel, variant) for kernel in found for variant in kernel.variants()]
