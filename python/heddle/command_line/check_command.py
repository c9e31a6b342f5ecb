"""``heddle check``: runs a program and reports the races and invalid accesses of its kernels."""

import os
import sys

from heddle.checking.process import check_process_tree
from heddle.command_line.replay_command import (
    explain_replay_report,
    is_record_command,
    replay_record,
)
from heddle.command_line.usage import report_wrong_use

_usage = "name a program, after the options --json FILE, --html FILE and --no-lints"


def run(arguments, run_program):
    """Runs ``heddle check [--json FILE] [--html FILE] [--no-lints] program [arguments]``.

    run_program: runs a program from its command line, as ``heddle run`` does, and returns the exit code. Returns that
    code, or 1 if that is 0 and there are errors.
    """
    try:
        files, lints, program = _split_arguments(arguments)
    except ValueError as error:
        return report_wrong_use(str(error), "check")
    with check_process_tree(lints) as report:
        code = replay_record(program) if is_record_command(program) else run_program(program)
    report.print()
    if is_record_command(program) and not code and (explanation := explain_replay_report(report)):
        print(explanation, file=sys.stderr)
    try:
        if "--json" in files:
            report.write_json(files["--json"])
        if "--html" in files:
            report.write_html(files["--html"])
    except OSError as error:
        print(f"heddle check: cannot write {error.filename!r}: {error.strerror}", file=sys.stderr)
        return code or 1
    return code or (1 if report.errors else 0)


def _split_arguments(arguments):
    """Returns the files to write, by option, whether to look for lints, and the program's command line."""
    files, lints, rest = {}, True, list(arguments)
    while rest and rest[0].partition("=")[0] in ("--json", "--html", "--no-lints"):
        name, _, path = rest.pop(0).partition("=")
        if name == "--no-lints":
            if path:
                raise ValueError("--no-lints takes no value")
            lints = False
            continue
        if not path:
            if not rest:
                raise ValueError(f"{name} needs the name of a file")
            path = rest.pop(0)
        files[name] = os.path.abspath(path)  # the program may change the working folder
    if not rest:
        raise ValueError(_usage)
    if rest[0].startswith("-") and rest[0] not in ("-", "-c", "-m"):
        raise ValueError(f"there is no option {rest[0]!r}")
    return files, lints, rest
