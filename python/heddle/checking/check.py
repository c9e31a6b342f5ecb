"""``heddle.check()``: checks the kernels that a program launches and collects the findings."""

import functools
import json
import os
import sys
import threading

from heddle import _heddle
from heddle.checking.findings import make_finding, to_json
from heddle.checking.html_report import format_page, format_table
from heddle.checking.text_report import format_report, wants_color
from heddle.cuda.native_devices import find_native_device, pop_native, push_native
from heddle.errors import CheckError

_running = []  # from the outermost to the innermost
_guard = threading.RLock()  # guards _running and the reports in it


class Report:
    """The findings of checked kernels. ``str(report)`` is the text that a terminal shows.

    findings: a list of Finding, in the order in which they first occurred. Findings with the same kind, source
    positions, array and kernel are merged. launches: the number of launches that were checked, complete when the check
    has ended.
    """

    def __init__(self):
        self.launches = 0
        self.raw = []  # as the runtime returned them
        self._place = {}  # the positions in these lists
        self.findings = []

    @property
    def errors(self):
        """The findings that are errors. The others are notes."""
        return [finding for finding in self.findings if finding.severity == "error"]

    def add(self, raw):
        """Adds findings in the runtime's form. Counts those that it already has from other calls or processes."""
        for found in raw:
            place = self._place.get(_make_finding_key(found), len(self.raw))
            if place < len(self.raw):
                found = {**self.raw[place], "count": self.raw[place]["count"] + found["count"]}
            if finding := make_finding(found):
                self._place[_make_finding_key(found)] = place
                self.raw[place : place + 1] = [found]
                self.findings[place : place + 1] = [finding]

    def print(self):
        """Prints the report to standard error, in color if that is a terminal."""
        if sys.stdout is not None:
            sys.stdout.flush()
        if sys.stderr is not None:
            text = format_report(self.findings, wants_color(sys.stderr), self.launches > 0)
            print(text, file=sys.stderr, flush=True)

    def write_json(self, path):
        """Writes the findings to a JSON file. Raises OSError."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(to_json(self.findings), file, indent=1)
            file.write("\n")

    def write_html(self, path):
        """Writes a page that shows the findings in the source. Raises OSError."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(format_page(self.findings, self.launches > 0))

    def __str__(self):
        return format_report(self.findings, has_launches=self.launches > 0)

    def _repr_html_(self):
        return format_table(self.findings, self.launches > 0)


def _make_finding_key(raw):
    positions = [(a["op"], a["file"], a["text"], a["line"], a["column"]) for a in raw["accesses"]]
    return raw["kind"], raw.get("lint"), raw["severity"], raw["array"], raw["kernel"], *positions


class Check(Report):
    """A report that is filled while its ``with`` block runs, or from ``start`` to ``stop``.

    Checks nest: a finding belongs to the innermost one. Kernels are checked on all threads of the process.
    """

    def __init__(self, prints=False, raises=False, lints=None):
        super().__init__()
        self._prints = prints
        self._raises = raises
        self._lints = _are_lints_enabled() if lints is None else lints

    def start(self):
        _move_findings_to_innermost_check()
        with _guard:
            self._launches_before = _heddle.count_checked_launches()
            self._allocations = _heddle.count_allocations()
            self._checked_before = _heddle.set_checking(True)
            self._linted_before = _heddle.begin_linting(self._lints)
            _running.append(self)

    def stop(self):
        """Waits for the launched kernels and completes the report. Memory that they have not freed is leaked."""
        _move_findings_to_innermost_check(self._allocations)
        with _guard:
            self.launches += _heddle.count_checked_launches() - self._launches_before
            place = _running.index(self)
            del _running[place]
            if place == len(_running):
                _heddle.end_linting(self._linted_before)
                _heddle.set_checking(self._checked_before)
            else:  # a check that another thread started later is still running
                later = _running[place]
                later._linted_before = self._linted_before
                later._checked_before = self._checked_before

    def __enter__(self):
        self.start()
        push_native(find_native_device("cpu"))
        return self

    def __exit__(self, error_class, error, traceback):
        pop_native()
        self.stop()
        if self._prints:
            self.print()
        if self._raises and self.errors and error is None:
            raise CheckError(str(self))

    def __call__(self, function):
        """Decorates a function: each call has a report on the kernels that it launches."""

        @functools.wraps(function)
        def run_checked(*arguments, **keywords):
            with Check(self._prints, self._raises, self._lints):
                return function(*arguments, **keywords)

        return run_checked


def _are_lints_enabled():
    return os.environ.get("HEDDLE_CHECK_LINTS", "1") not in ("", "0")


def _move_findings_to_innermost_check(leaks_since=None):
    """Gives the findings so far to the innermost check. leaks_since: the number of allocations before its start."""
    raw = _heddle.take_findings(leaks_since)
    with _guard:
        if _running:
            _running[-1].add(raw)


def check(function=None, *, print=True, raise_errors=False, lints=None):
    """Checks the kernels launched in a ``with`` block, or in calls of a decorated function.

    The kernels run on the CPU device. At the end, prints the report to standard error, unless ``print`` is False.
    raise_errors: raises CheckError if there are findings of severity "error".
    lints: also looks for slow code. The default, None, means True unless HEDDLE_CHECK_LINTS=0 is set.

    >>> with heddle.check(print=False) as report:
    ...     kernel[4, 256](x)
    >>> report.findings
    []
    """
    made = Check(print, raise_errors, lints)
    return made if function is None else made(function)


def add_findings_to_enclosing_check(report):
    """Adds the findings of a check that has ended to the check around it."""
    with _guard:
        if _running:
            _running[-1].add(report.raw)
