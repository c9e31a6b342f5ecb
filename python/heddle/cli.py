"""The command ``heddle``: dispatches to its subcommands, which are in the folder ``command_line``."""

import os
import sys

from heddle.command_line.source_files import UnusableFile
from heddle.command_line.usage import HELP, USAGE, print_help, report_wrong_use
from heddle.support.missing_names import find_nearest_name


def main(arguments=None):
    """Runs the command with these arguments, by default those of the process, without the program name.

    Returns the exit code: 2 for a usage error or an unusable file, else that of the subcommand or program.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = _run_subcommand(arguments)
        if sys.stdout is not None:  # cProfile sets it to None when its reader closes the pipe
            sys.stdout.flush()
        return code
    except UnusableFile as error:
        print(f"heddle {arguments[0]}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader closed the pipe, as in "heddle info | head -1"
        _discard_output()
        return 1
    except OSError as error:
        if error.filename is not None or arguments[:1] in (["run"], ["check"], ["trace"]):
            raise  # not an error of writing; or one that the program has raised
        _discard_output()
        print(f"heddle: cannot write the output: {error.strerror}", file=sys.stderr)
        return 1


def _discard_output():
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run_subcommand(arguments):
    if arguments[:1] == ["help"] and len(arguments) == 2:
        arguments = [arguments[1], "--help"]
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    command, rest = arguments[0], arguments[1:]
    commands = {
        "run": _run_program,
        "check": _run_check,
        "trace": _run_trace,
        "compile": _run_compile,
        "inspect": _run_inspect,
        "info": _run_info,
        "doctor": _run_doctor,
        "cache": _run_cache,
        "--version": _print_version,
        "-V": _print_version,
    }
    if command not in commands:
        near = find_nearest_name(command, commands)
        hint = f": heddle {near}?" if near else ""
        hint = f": heddle run {command}?" if command.endswith((".py", ".ipynb")) else hint
        return report_wrong_use(f"there is no command {command!r}{hint}")
    if rest[:1] in (["-h"], ["--help"]) and command in HELP:
        return print_help(command)
    return commands[command](rest)


def _run_check(arguments):
    from heddle.command_line import check_command  # late: loads the compiler

    return check_command.run(arguments, lambda program: _run_program(program, "check"))


def _run_trace(arguments):
    from heddle.command_line import trace_command  # late: loads the compiler

    return trace_command.run(arguments, lambda program: _run_program(program, "trace"))


def _run_program(arguments, command="run"):
    from heddle.command_line import run_program  # late: a command loads only its own file

    if not arguments:
        return report_wrong_use("name a script, or -m and a module", command)
    if arguments[0] == "-m":
        if len(arguments) < 2:
            return report_wrong_use("-m needs the name of a module", command)
        return run_program.run_module(arguments[1], arguments[2:])
    if arguments[0] == "-c":
        if len(arguments) < 2:
            return report_wrong_use("-c needs the text of a program", command)
        return run_program.run_program_text(arguments[1], arguments[2:])
    if arguments[0].startswith("-") and len(arguments[0]) > 1:
        return report_wrong_use(f"there is no option {arguments[0]!r}", command)
    if arguments[0].endswith(".replay"):
        return report_wrong_use(
            f"a recorded launch is checked: heddle check {arguments[0]}", command
        )
    if arguments[0].endswith(".ipynb"):
        from heddle.command_line import run_notebook  # late: a command loads only its own file

        return run_notebook.run_notebook(arguments[0], arguments[1:])
    return run_program.run_script(arguments[0], arguments[1:])


def _run_compile(arguments):
    from heddle.command_line import compile_command  # late: a command loads only its own file

    return compile_command.run(arguments)


def _run_inspect(arguments):
    from heddle.command_line import inspect_command  # late: loads the compiler

    return inspect_command.run(arguments)


def _run_info(arguments):
    from heddle.command_line import information  # late: loads the compiler

    return information.show_devices_and_versions(arguments)


def _run_doctor(arguments):
    from heddle.command_line import doctor  # late: loads the compiler

    return doctor.run(arguments)


def _run_cache(arguments):
    if arguments[-1:] in (["-h"], ["--help"]):  # heddle cache list --help
        return print_help("cache")
    from heddle.command_line import information  # late: loads the compiler

    return information.show_or_clear_cache(arguments)


def _print_version(arguments):
    if arguments:
        return report_wrong_use("--version takes no arguments")
    from heddle._heddle import __version__  # late: loads the compiler

    print(f"heddle {__version__}")
    return 0
