"""Removes Heddle's frames from tracebacks, so that users see only frames of their program."""

import ast
import functools
import linecache
import os
import re
import sys
import types

from heddle import config
from heddle.errors import InternalError

_own_folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def drop_own_frames(error, is_own=None):
    """Removes Heddle's frames from the tracebacks of an exception and of the exceptions that led to it.

    is_own: a predicate of file names that selects the frames to remove, by default those of Heddle's files. Does
    nothing for an InternalError, or if the setting FULL_TRACEBACKS is on.
    """
    if not _wants_full_tracebacks():
        _drop_frames(error, is_own or is_heddle_file, set())


def is_heddle_file(file):
    """True if a file belongs to this package."""
    return file.startswith(_own_folder)


def _is_internal_file(file):
    """True if a file belongs to this package, or is one of Python's that it calls through."""
    return is_heddle_file(file) or file.startswith("<frozen ")


def find_program_line():
    """The file, line number and source line of the program's call into this package."""
    frame = sys._getframe()
    while frame.f_back is not None and _is_internal_file(frame.f_code.co_filename):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    return file, line, linecache.getline(file, line, frame.f_globals).rstrip("\n")


def _wants_full_tracebacks():
    return str(config.FULL_TRACEBACKS) not in ("0", "")


def _drop_frames(error, is_own, seen):
    if error is None or id(error) in seen or isinstance(error, InternalError):
        return
    seen.add(id(error))
    frames = []
    step = error.__traceback__
    while step is not None:
        if not is_own(step.tb_frame.f_code.co_filename):
            frames.append(step)
        step = step.tb_next
    kept = None
    for frame in reversed(frames):
        kept = types.TracebackType(kept, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    error.__traceback__ = kept
    _drop_frames(error.__cause__, is_own, seen)
    _drop_frames(error.__context__, is_own, seen)


def raise_at(error_class, arguments, file, line, function):
    """Raises an exception as if a line of the program did: the last frame of its traceback is at that line."""
    # An exception of an objmode block is raised itself.
    pop_pending_exception = getattr(error_class, "pop_pending_exception", None)
    error = pop_pending_exception() if pop_pending_exception else error_class(*arguments)
    exec(_make_raising_code(file, line, function), {"error": error})


@functools.lru_cache(maxsize=256)
def _make_raising_code(file, line, function):
    """Code that raises ``error`` at a line of a function, without column information."""
    first = _find_def_line(file, line, function)
    definition = ast.parse("def f():\n raise error")
    for node in ast.walk(definition):
        if isinstance(node, (ast.stmt, ast.expr)):
            node.lineno = node.end_lineno = first if isinstance(node, ast.FunctionDef) else line
            node.col_offset = node.end_col_offset = -1
    constants = compile(definition, file, "exec").co_consts
    code = next(constant for constant in constants if isinstance(constant, types.CodeType))
    return code.replace(co_name=function, co_qualname=function, co_firstlineno=first)


def _find_def_line(file, line, function):
    """The line of the function's ``def``, from which IPython numbers lines; ``line`` if there is no ``def`` above."""
    definition = re.compile(rf"\s*(async\s+)?def\s+{re.escape(function)}\b")
    above = range(line, 0, -1)
    return next((n for n in above if definition.match(linecache.getline(file, n))), line)
