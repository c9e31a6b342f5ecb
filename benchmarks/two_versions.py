"""Compares two versions of Heddle on the CPU device: kernels of cpu.py and programs of host.py, and their first calls.

    python benchmarks/two_versions.py OLD NEW [--json FILE] [WORD...]

OLD and NEW are folders with one version each, installed by ``pip install --no-deps --target FOLDER WHEEL``. WORD
selects the rows that contain it. Each version has a separate process. The two alternate. A ratio is the median time of
NEW divided by that of OLD. "First call" is the time to compile a function and to run it: kernels run one block.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 2.0  # per row, for both versions together
TURN = 0.003  # calls shorter than this are repeated for as long in each turn
FIRST_CALLS = 9
COLUMNS = ["old", "new", "ratio", "first call, old", "first call, new", "ratio of first calls"]


class KernelRow:
    """A kernel of cpu.py."""

    def __init__(self, row):
        from heddle import cuda

        self.name, self.row, self.cuda = row.name, row, cuda
        self.kernel = cuda.jit(row.kernel)

    def call(self):
        self.kernel[self.row.launch](*self.row.arguments)
        self.cuda.synchronize()

    def call_first(self):
        self.cuda.jit(self.row.kernel)[1, self.row.launch[1]](*self.row.arguments)
        self.cuda.synchronize()


class HostRow:
    """A program of host.py; its own call is the first one of its function, so that `call_first` compiles it again."""

    def __init__(self, name, function, make_arguments):
        self.name, self.function, self.arguments = name, function, make_arguments()

    def call(self):
        self.function(*self.arguments)

    def call_first(self):
        if hasattr(self.function, "recompile"):
            self.function.recompile()
        self.call()


def make_rows():
    import heddle
    from cpu_rows import select_rows
    from host_programs import make_programs

    programs = make_programs(heddle)
    return itertools.chain(
        (KernelRow(row) for row in select_rows([], None)),
        (HostRow(name, *program) for name, program in programs.items()),
    )


def measure_seconds(call, calls=1):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def serve():
    """Answer the requests of Version on standard input, one per line."""
    from heddle import cuda

    cuda.select_device("cpu")
    rows = make_rows()
    row = None
    for line in sys.stdin:
        request, *numbers = line.split()
        if request == "next":
            row = next(rows, None)
            answer = row and row.name
        elif request == "first":
            answer = measure_seconds(row.call_first)
        else:
            answer = measure_seconds(row.call, int(numbers[0]))
        print(json.dumps(answer), flush=True)


class Version:
    """A process with one version of Heddle, which keeps one row at a time."""

    def __init__(self, folder):
        if not (Path(folder) / "heddle").is_dir():
            sys.exit(
                f"{folder}: no installed version of Heddle; run pip install --no-deps --target {folder} WHEEL"
            )
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            env={**os.environ, "PYTHONPATH": str(Path(folder).resolve())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, request):
        print(request, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("the process of one version has ended; its error is above")
        return json.loads(answer)

    def start_row(self):
        """The name of the next row, or None after the last one."""
        return self.ask("next")


def measure_medians(versions, request, turns):
    """The median answer of each version. The versions take turns to begin."""
    answers = {version: [] for version in versions}
    for turn in range(turns):
        for version in versions[:: -1 if turn % 2 else 1]:
            answers[version].append(version.ask(request))
    return [statistics.median(answers[version]) for version in versions]


def measure_row(versions):
    """The row's values for COLUMNS, times in milliseconds."""
    first = measure_medians(versions, "first", FIRST_CALLS)
    once = max(version.ask("call 3") for version in versions)
    calls = max(1, int(TURN / once))
    turns = int(min(300, max(9, SECONDS / 2 / (once * calls))))
    times = measure_medians(versions, f"call {calls}", turns)
    values = []
    for old, new in (times, first):
        values += [1e3 * old, 1e3 * new, new / old]
    return values


def compare(arguments):
    sys.path.append(arguments.new)  # cpu_timing imports heddle
    from cpu_timing import Table, is_chosen

    versions = [Version(arguments.old), Version(arguments.new)]
    table = Table(COLUMNS, markdown=False)
    rows = {}
    while name := versions[0].start_row():
        if versions[1].start_row() != name:
            sys.exit(f"{name}: the two versions have different rows")
        if is_chosen(name, arguments.words):
            rows[name] = measure_row(versions)
            table.print_row(name, rows[name])
    for which in (2, 5):
        ratios = [values[which] for values in rows.values()]
        mean, worst = statistics.geometric_mean(ratios), max(rows, key=lambda n: rows[n][which])
        print(f"{COLUMNS[which]}: geometric mean {mean:.3f}, worst {max(ratios):.3f} ({worst})")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", help="a folder with the old version")
    parser.add_argument("new", help="a folder with the new version")
    parser.add_argument("words", nargs="*", metavar="WORD", help="run the rows that contain it")
    parser.add_argument("--json", help="write all values to this file")
    compare(parser.parse_args())


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main()
