"""``heddle run``: runs a program as ``python script.py`` does, with Heddle as numba and CuPy."""

import importlib.util
import io
import os
import runpy
import sys
import traceback
import types

from heddle import compat
from heddle.command_line.source_files import read_python_bytes, require_folder_or_zip_program
from heddle.support.tracebacks import drop_own_frames, is_heddle_file


def run_script(path, arguments):
    """Runs a file, or a folder or zip file with a ``__main__.py``. Returns the exit code.

    path: "-" reads the program from standard input. Raises UnusableFile.
    """
    if path == "-":
        return _run_source(sys.stdin.buffer.read(), "<stdin>", ["-", *arguments], "")
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        require_folder_or_zip_program(path)
        _install_stand_ins_and_set_argv([path, *arguments], path)
        return _run_and_get_exit_code(lambda: runpy.run_path(path, run_name="__main__"))
    source = read_python_bytes(path)
    folder = os.path.dirname(os.path.realpath(path))
    return _run_source(source, path, [path, *arguments], folder)


def run_program_text(text, arguments):
    """Runs a program as ``python -c`` does. Returns the exit code."""
    return _run_source(text, "<string>", ["-c", *arguments], "")


def run_module(name, arguments):
    """Runs a module as ``python -m`` does. Returns the exit code."""
    _install_stand_ins_and_set_argv([name, *arguments], os.getcwd())

    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:  # the parent is not a package, or the name is empty
        return _report_missing_module(name, error)
    if found is None:
        return _report_missing_module(name, "it is not on sys.path")
    return _run_and_get_exit_code(
        lambda: runpy.run_module(name, run_name="__main__", alter_sys=True)
    )


def _report_missing_module(name, reason):
    print(f"heddle run: there is no module named {name!r}: {reason}", file=sys.stderr)
    return 1


def _install_stand_ins_and_set_argv(argv, first_path):
    """Sets up a program as Python does (sys.argv and sys.path) and installs Heddle's substitutes."""
    compat.install()
    install_stand_ins_in_children()
    sys.argv = argv
    if sys.flags.safe_path:
        return
    # "python -m heddle" put the working folder first; the installed command, the folder of the command.
    if sys.path:
        sys.path[0] = first_path
    else:
        sys.path.insert(0, first_path)


def install_stand_ins_in_children():
    """Installs the same substitutes in Python processes that the program starts."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child_processes")
    known = os.environ.get("PYTHONPATH")
    paths = known.split(os.pathsep) if known else []
    if folder not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *paths])


def _run_source(source, path, argv, folder):
    _install_stand_ins_and_set_argv(argv, folder)
    main = types.ModuleType("__main__")
    if not path.startswith("<"):
        main.__file__ = path
    main.__builtins__ = __builtins__
    main.__annotations__ = {}
    sys.modules["__main__"] = main

    def execute_source():
        exec(compile(source, path, "exec", dont_inherit=True), vars(main))

    return _run_and_get_exit_code(execute_source)


def _run_and_get_exit_code(run):
    """Runs a program. Reports its exception as Python does, without Heddle's frames."""
    try:
        run()
    except SystemExit as request:
        return _print_message_and_get_exit_code(request)
    except BaseException as error:
        report_exception(error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _print_message_and_get_exit_code(request):
    if request.code is None or isinstance(request.code, int):
        return request.code or 0
    print(request.code, file=sys.stderr)
    return 1


def report_exception(error):
    """Prints an exception as Python does when it ends a program, without Heddle's frames."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    drop_own_frames(error, _is_own_file)
    if sys.excepthook is not sys.__excepthook__:  # the program has an error reporter
        sys.excepthook(type(error), error, error.__traceback__)
        return
    text = io.StringIO()
    traceback.print_exception(error, file=text)
    if sys.stdout is not None:
        sys.stdout.flush()
    print(text.getvalue(), end="", file=sys.stderr)


def _is_own_file(file):
    return (
        is_heddle_file(file)
        or file.startswith(("<frozen importlib", "<frozen runpy"))
        or file == runpy.__file__
    )
