"""``heddle trace``: runs a program and shows how one block of a kernel runs, warp by warp."""

import os
import sys

from heddle.command_line.usage import report_wrong_use
from heddle.tracing.html_page import format_page
from heddle.tracing.process import LaunchTracer
from heddle.tracing.summary import format_summary

_default_steps = 1000
_most_steps = 1_000_000
_largest_index = 2**31 - 1
_usage = "name a program, after the options"
_values = {
    "--kernel": "the name of a kernel",
    "--launch": "a number",
    "--block": "an index, such as 2 or 0,1,0",
    "--steps": "a number",
}


def run(arguments, run_program):
    """Runs ``heddle trace [options] program [arguments]``.

    run_program: runs a program from its command line, as ``heddle run`` does, and returns the exit code. Returns that
    code, or 1 if that is 0 and there is no trace.
    """
    try:
        options, program = _split_arguments(arguments)
        kernel, launch, block, steps = _read_options(options)
    except ValueError as error:
        return report_wrong_use(str(error), "trace")
    page = options.get("--html")
    page = page and os.path.abspath(page)  # the program may change the working folder
    with LaunchTracer(kernel, launch, block, steps) as tracer:
        code = run_program(program)
    if not tracer.trace:
        print(f"heddle trace: {_explain_missing_trace(tracer.launches, options)}", file=sys.stderr)
        return code or 1
    try:
        if page:
            with open(page, "w", encoding="utf-8") as file:
                file.write(format_page(tracer.trace))
        else:
            print(format_summary(tracer.trace), flush=True)
    except OSError as error:
        print(f"heddle trace: cannot write {page!r}: {error.strerror}", file=sys.stderr)
        return code or 1
    for note in _list_trace_notes(tracer, options, steps):
        print(f"heddle trace: {note}", file=sys.stderr)
    return code


def _split_arguments(arguments):
    """Returns the options, which are before or right after the program, and the program's command line."""
    options, program, rest = {}, [], list(arguments)
    while rest:
        name, equals, value = rest[0].partition("=")
        if name == "--html":
            del rest[0]
            if not equals:
                value = rest.pop(0) if rest and rest[0].endswith((".html", ".htm")) else ""
            options[name] = value
        elif name in _values:
            del rest[0]
            if not equals:
                if not rest:
                    raise ValueError(f"{name} needs {_values[name]}")
                value = rest.pop(0)
            options[name] = value
        elif program:
            break
        elif rest[0] in ("-c", "-m"):
            program, rest = rest, []
        elif rest[0].startswith("-") and rest[0] != "-":
            raise ValueError(f"there is no option {rest[0]!r}")
        else:
            program = [rest.pop(0)]
    if not program:
        raise ValueError(_usage)
    if options.get("--html") == "":
        stem = os.path.splitext(os.path.basename(program[0]))[0]
        options["--html"] = f"{stem if program[0][0] != '-' else 'trace'}.html"
    return options, [*program, *rest]


def _read_options(options):
    launch = _parse_number_option(options, "--launch", 1, sys.maxsize)
    steps = _parse_number_option(options, "--steps", _default_steps, _most_steps)
    return options.get("--kernel", ""), launch, _parse_block_index(options), steps


def _parse_block_index(options):
    text = options.get("--block", "0")
    parts = text.strip("()").split(",")
    if len(parts) > 3 or not all(part.strip().isdecimal() for part in parts):
        raise ValueError(f"--block needs {_values['--block']}, not {text!r}")
    block = tuple(int(part) for part in parts)
    if max(block) > _largest_index:
        raise ValueError(f"--block needs {_values['--block']}, not {text!r}")
    return (*block, 0, 0)[:3]


def _parse_number_option(options, name, default, most):
    text = options.get(name, str(default))
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(f"{name} needs a number from 1 to {most}, not {text!r}")
    return int(text)


def _explain_missing_trace(launches, options):
    """Says why there is no trace."""
    if not launches:
        return "the program launched no kernel on the CPU device"
    all_counts = _count_launches_by_kernel(launches)
    launched = ", ".join(
        f"{kernel} {_format_repetitions(count)}" for kernel, count in all_counts.items()
    )
    wanted = [one for one in launches if one.is_wanted]
    if not wanted:
        return f"the program did not launch {options['--kernel']}. It launched {launched}"
    left = int(options.get("--launch", 1))
    if left > sum(one.count for one in wanted):
        return f"there is no launch {left}. The program launched {launched}"
    for one in wanted:
        left -= one.count
        if left <= 0:
            break
    if any(n >= extent for n, extent in zip(_parse_block_index(options), one.grid, strict=True)):
        return f"block {options['--block']} is not in the grid {tuple(one.grid)} of {one.kernel}"
    return f"the launch of {one.kernel} did not finish"


def _count_launches_by_kernel(launches):
    counts = {}
    for one in launches:
        counts[one.kernel] = counts.get(one.kernel, 0) + one.count
    return counts


def _format_repetitions(count):
    return "once" if count == 1 else f"{count} times"


def _list_trace_notes(tracer, options, steps):
    """Remarks about the trace."""
    others = _count_launches_by_kernel(tracer.launches)
    if "--kernel" not in options and len(others) > 1:
        del others[tracer.trace.kernel]
        yield f"--kernel NAME traces another kernel: {', '.join(others)}"
    if "--html" in options:
        yield f"the page is in {options['--html']}"
    if tracer.trace.is_cut:
        yield f"the trace is cut off at --steps {steps}: a larger number records more"
    if tracer.trace.mistakes:
        yield "the traced block makes mistakes, such as invalid accesses: 'heddle check' reports them"
