"""``heddle run notebook.ipynb``: runs a notebook's cells in order, in a kernel process where Heddle replaces numba."""

import importlib.util
import json
import os
import re
import sys

from heddle.command_line.run_program import install_stand_ins_in_children
from heddle.command_line.source_files import UnusableFile, read_nonempty_text
from heddle.command_line.usage import report_wrong_use


def run_notebook(path, arguments):
    """Runs a notebook from the start and prints the output of its cells. Returns the exit code.

    arguments: ``--save FILE`` writes the notebook with its outputs to FILE, even if a cell fails.
    """
    saved = _parse_save_option(arguments)
    if arguments and saved is None:
        return report_wrong_use(
            f"a notebook takes no arguments except --save out.ipynb, not {' '.join(arguments)!r}"
        )
    text = _read_notebook(path)
    try:
        import nbclient  # late: only for notebooks
        import nbformat  # late: only for notebooks
    except ImportError as error:
        return _report_missing_package(error.name)
    if importlib.util.find_spec("ipykernel") is None:
        return _report_missing_package("ipykernel")
    try:
        notebook = nbformat.reads(text, as_version=4)
    except (ValueError, AttributeError, nbformat.ValidationError) as error:
        raise UnusableFile(f"{path!r} is not a notebook: {_first_line(str(error))}") from None
    try:
        code = _execute_notebook(nbclient, notebook, path)
    finally:
        if saved is not None:
            nbformat.write(notebook, saved)
    return code


def _read_notebook(path):
    """Reads a Python notebook. Raises UnusableFile."""
    text = read_nonempty_text(path)
    try:
        language = json.loads(text).get("metadata", {}).get("kernelspec", {}).get("language")
    except (ValueError, AttributeError, RecursionError) as error:
        raise UnusableFile(f"{path!r} is not a notebook: {_first_line(str(error))}") from None
    if language not in (None, "python"):
        raise UnusableFile(f"{path!r} is a notebook in {language}, not in Python")
    return text


def _parse_save_option(arguments):
    if len(arguments) == 2 and arguments[0] == "--save":
        return arguments[1]
    if len(arguments) == 1 and arguments[0].startswith("--save="):
        return arguments[0].removeprefix("--save=")
    return None


def _execute_notebook(nbclient, notebook, path):
    client = _make_printing_client_class(nbclient.NotebookClient)(
        notebook,
        km=_make_kernel_manager(),
        resources={"metadata": {"path": os.path.dirname(os.path.abspath(path))}},
        coalesce_streams=True,
    )
    client.owns_km = True  # the client also ends the process
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError:
        pass  # output() has recorded it
    except nbclient.exceptions.DeadKernelError:
        return _report_failure(f"{path}: the notebook's process died in {client.place}", 1)
    except KeyboardInterrupt:
        return _report_failure(f"{path}: interrupted in {client.place}", 130)
    if client.error is None:
        return 0
    place, error = client.error
    sys.stdout.flush()
    print(_strip_colors_unless_terminal("\n".join(error["traceback"])), file=sys.stderr)
    return _report_failure(
        f"{path}: {place} failed: {error['ename']}: {_first_line(error['evalue'])}", 1
    )


def _make_kernel_manager():
    """Makes a manager that starts kernel processes with this Python under Heddle, not by kernel specs."""
    from jupyter_client.kernelspec import KernelSpec  # late: only for notebooks
    from jupyter_client.manager import AsyncKernelManager  # late: only for notebooks

    install_stand_ins_in_children()
    manager = AsyncKernelManager()
    start = [
        sys.executable,
        "-m",
        "ipykernel_launcher",
        "-f",
        "{connection_file}",
        "--ext=heddle",
        "--log-level=ERROR",
    ]
    manager._kernel_spec = KernelSpec(argv=start, display_name="heddle", language="python")
    return manager


def _make_printing_client_class(base):
    class PrintingClient(base):
        """Prints the outputs of cells as they arrive.

        place: names the running cell. error: the place and content of the first unexpected error, or None.
        """

        place = "no cell"
        error = None

        async def async_execute_cell(self, cell, cell_index, **options):
            self.place = f"cell {cell_index + 1}"
            return await super().async_execute_cell(cell, cell_index, **options)

        def output(self, outs, msg, display_id, cell_index):
            content = msg["content"]
            if msg["msg_type"] == "stream":
                stream = sys.stdout if content["name"] == "stdout" else sys.stderr
                stream.write(content["text"])
                stream.flush()
            elif msg["msg_type"] in ("execute_result", "display_data"):
                print(content["data"].get("text/plain", ""), flush=True)
            elif msg["msg_type"] == "error" and self.error is None:
                tags = self.nb.cells[cell_index].metadata.get("tags", ())
                if "raises-exception" not in tags:
                    self.error = self._format_cell_place(cell_index), content
            return super().output(outs, msg, display_id, cell_index)

        def _format_cell_place(self, cell_index):
            prompt = self.nb.cells[cell_index].get("execution_count")
            return self.place + (f" (In [{prompt}])" if prompt else "")

    return PrintingClient


def _strip_colors_unless_terminal(text):
    """Removes ANSI colors, unless stderr is a terminal."""
    return text if sys.stderr.isatty() else re.sub(r"\x1b\[[0-9;]*m", "", text)


def _first_line(text):
    return text.splitlines()[0] if text else ""


def _report_missing_package(name):
    return _report_failure(
        f"running a notebook needs {name}\n  hint: pip install nbclient ipykernel", 1
    )


def _report_failure(message, code):
    print(f"heddle run: {message}", file=sys.stderr)
    return code
