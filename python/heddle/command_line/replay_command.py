"""``heddle check FILE.replay``: runs the launch that a program recorded when it failed on a GPU."""

from heddle import compat
from heddle.command_line.run_program import report_exception
from heddle.command_line.source_files import UnusableFile
from heddle.compiler.kept_texts import stop_keeping_source_texts
from heddle.replay.record import RecordError, file_ending
from heddle.replay.replayed_launch import replay

_unknown_memory = """\
An address in no memory may also be one that the record does not contain: of memory from malloc or new in an earlier
launch, or of another process."""
_nothing_found = """\
The replay found nothing. Possible reasons:
- the kernel uses memory of the GPU that is uninitialized, which a record does not tell;
- the threads ran in another order than on the GPU;
- an earlier launch, or work in another stream, caused the failure;
- the launch exceeded a time limit, or there is a mistake in Heddle or in the driver."""


def is_record_command(program):
    """True if a command line names a recorded launch."""
    return bool(program) and program[0].endswith(file_ending)


def replay_record(program):
    """Runs the launch. Returns the exit code: 1 if the kernel raises an exception. Raises UnusableFile."""
    path, *others = program
    if others:
        raise UnusableFile(f"a recorded launch takes no arguments, such as {others[0]!r}")
    compat.install()  # the kernel may name modules of numba
    stop_keeping_source_texts()  # a record has the texts of its kernel
    try:
        replay(path)
    except RecordError as error:
        raise UnusableFile(str(error)) from None
    except Exception as error:
        report_exception(error)
        return 1
    return 0


def explain_replay_report(report):
    """Explains the report of a replay: why it is empty, or may contain a false error. Empty for other reports."""
    if not report.findings:
        return _nothing_found
    is_unmapped = any("no memory is mapped" in finding.message for finding in report.errors)
    return _unknown_memory if is_unmapped else ""
