"""Traces a launch in this process or, as for notebooks, in one that it starts."""

import atexit
import json
import os
import tempfile
from typing import NamedTuple

from heddle import _heddle
from heddle.checking.sources import display_name, get_lines
from heddle.support.left_files import read_process_results, write_process_result
from heddle.tracing.trace import Place, make_trace

# The request for processes that the program starts, as JSON. They leave their traces in its folder.
_variable = "HEDDLE_TRACE"


class Launched(NamedTuple):
    """Consecutive launches of a kernel. is_wanted: the request names the kernel."""

    kernel: str
    grid: tuple
    block: tuple
    count: int
    is_wanted: bool


class LaunchTracer:
    """Traces one block of a launch while its ``with`` block runs, also in processes that start there.

    kernel: its name, or "" for the first one. launch: the number of the launch among those of the kernel, from 1.
    block: (x, y, z). max_steps: the number of steps that are recorded of each thread.

    After the block, trace is a Trace or None. launches: a list of Launched for the process that has the trace, or for
    all processes if none has it.
    """

    trace = None

    def __init__(self, kernel, launch, block, max_steps):
        self._request = {"kernel": kernel, "launch": launch, "block": block, "max_steps": max_steps}
        self.launches = []

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="heddle-trace-")
        os.environ["HEDDLE_DEVICE"] = "cpu"
        os.environ[_variable] = json.dumps({**self._request, "folder": self._folder.name})
        _heddle.request_trace(**self._request)
        return self

    def __exit__(self, error_class, error, traceback):
        del os.environ[_variable]
        with self._folder:
            self._collect_trace_or_launches(*_heddle.take_trace())
            for left in read_process_results(self._folder.name):
                self._collect_trace_or_launches(*left)

    def _collect_trace_or_launches(self, raw, launches):
        if self.trace:
            return
        if raw:
            self.trace = make_trace(_add_source_texts(raw))
            self.launches = []
        self.launches += [Launched(*launched) for launched in launches]


def start_tracing_this_process():
    """Traces a launch of this process, and leaves the trace to ``heddle trace`` at exit."""
    request = json.loads(os.environ[_variable])
    folder = request.pop("folder")
    os.environ["HEDDLE_DEVICE"] = "cpu"
    _heddle.request_trace(**request)
    atexit.register(_write_trace_at_exit, folder, os.getpid())


def _write_trace_at_exit(folder, process):
    if os.getpid() != process or not os.path.isdir(folder):  # a fork, or it has outlived its parent
        return
    raw, launches = _heddle.take_trace()
    write_process_result(folder, [raw and _add_source_texts(raw), launches])


def _add_source_texts(raw):
    """Adds the source that only this process knows, such as that of notebook cells and of CUDA C++ programs."""
    if "texts" in raw:
        return raw
    texts, names = {}, {}
    for file, line, column, function, _ in raw["sites"]:
        if file in names or os.path.exists(file):
            continue
        names[file] = display_name(file)
        text = raw["program_text"] if file == raw["program_file"] else None
        place = Place(file, line, column, function, text)
        texts[names[file]] = "".join(get_lines(place))
    sites = [(names.get(file, file), *rest) for file, *rest in raw["sites"]]
    launch_file = raw["launch_file"]
    if not os.path.exists(launch_file):
        launch_file = display_name(launch_file)
    return {**raw, "sites": sites, "texts": texts, "launch_file": launch_file}
