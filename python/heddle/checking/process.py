"""Checks a whole process: ``HEDDLE_CHECK=1``, and the processes that a program under ``heddle check`` starts."""

import atexit
import contextlib
import os
import tempfile

from heddle import _heddle
from heddle.checking.check import Check
from heddle.checking.sources import display_name, get_lines
from heddle.support.left_files import read_process_results, write_process_result

# Names the folder in which a process leaves its findings for `heddle check`.
_folder_variable = "HEDDLE_CHECK_FOLDER"


def check_this_process():
    """Checks all kernels of this process. Reports at exit, or leaves the findings to ``heddle check``."""
    os.environ["HEDDLE_DEVICE"] = "cpu"
    check = Check()
    check.start()
    _heddle.fail_at_exit(False)  # the exit handler runs after those that the program registers
    atexit.register(_report_findings_at_exit, check, os.getpid())


def _report_findings_at_exit(check, process):
    if os.getpid() != process:  # a fork: its parent reports
        return
    check.stop()
    folder = os.environ.get(_folder_variable)
    if folder and os.path.isdir(folder):
        write_process_result(folder, _serialize_findings(check))
    elif check.findings:
        check.print()
        _heddle.fail_at_exit(bool(check.errors))


def _serialize_findings(check):
    """The findings with the source that only this process knows, such as notebook cells."""
    for finding, raw in zip(check.findings, check.raw, strict=True):
        for access, raw_access in zip(finding.accesses, raw["accesses"], strict=True):
            if access.file and not os.path.exists(access.file):
                raw_access["file"] = display_name(access.file)
                raw_access["text"] = "".join(get_lines(access))
            if access.operation and not os.path.exists(access.operation.file):
                raw_access["operation"]["file"] = display_name(access.operation.file)
        if not os.path.exists(finding.launch.file):
            raw["launch_file"] = display_name(finding.launch.file)
    return {"findings": check.raw, "launches": check.launches}


@contextlib.contextmanager
def check_process_tree(lints):
    """Checks the kernels of this process and of those that it starts. Yields the report, complete after the block.

    lints: False turns them off.
    """
    if not lints:
        os.environ["HEDDLE_CHECK_LINTS"] = "0"
    check = Check()
    with tempfile.TemporaryDirectory(prefix="heddle-check-") as folder:
        os.environ.update({"HEDDLE_CHECK": "1", "HEDDLE_DEVICE": "cpu", _folder_variable: folder})
        check.start()
        try:
            yield check
        finally:
            check.stop()
            for left in read_process_results(folder):
                check.add(left["findings"])
                check.launches += left["launches"]
