"""Compares kernels of public repositories, compiled by Heddle and by NVRTC or numba-cuda: see README.md."""

import argparse
import json
import math
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from tables import SUITES, list_kernels  # noqa: E402

OUT_OF_TIME = "not run: out of time"
HEADS = ("kernel", "Heddle", "peer", "ratio", "first call", "peer's", "note")


class Child:
    """A process that measures kernels. A thread reads its lines."""

    def __init__(self, job, device, cache):
        env = {**os.environ, "CUDA_CACHE_DISABLE": "1", "CUPY_CACHE_IN_MEMORY": "1"}
        env |= {f"{name}_CACHE_DIR": cache for name in ("CUPY", "HEDDLE", "NUMBA")}
        env |= {"NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0", "HEDDLE_DEVICE": device}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "measure_kernels.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            text=True,
        )
        self.process.stdin.write(json.dumps(job))
        self.process.stdin.close()
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def read_line(self, seconds):
        """The next line; None at the end. Raises queue.Empty after that time."""
        return self.lines.get(timeout=max(0.01, seconds))

    def stop(self):
        self.process.kill()
        return self.process.wait()


def measure_all(kernels, folders, options, machine):
    """Yields a dict for each kernel, and fills the dict ``machine``.

    A kernel that hangs or crashes ends its process; the next kernels get another.
    """
    end = time.monotonic() + options.seconds
    left = [kernel.name for kernel in kernels]
    while left and time.monotonic() < end:
        with tempfile.TemporaryDirectory() as cache:
            job = {"kernels": left, "folders": folders, "small": options.small}
            job["peers"] = options.device == "cuda" and not options.no_peers
            child = Child(job, options.device, cache)
            finished = yield from _read_results(child, left[0], end, options.each, machine)
            child.stop()
        left = [name for name in left if name not in finished]
    for name in left:
        yield {"done": name, "failure": OUT_OF_TIME}


def _read_results(child, first, end, each, machine):
    """Yields the results of a child. Returns the names of the finished kernels."""
    finished, current = [], first
    limit = each + 60  # the first line comes after imports and the creation of contexts
    while True:
        seconds = min(limit, end - time.monotonic())
        try:
            line = child.read_line(seconds)
        except queue.Empty:
            reason = f"stopped after {each:.0f} s" if seconds == limit else OUT_OF_TIME
            yield {"done": current, "failure": reason}
            return [*finished, current]
        limit = each
        if line is None:
            code = child.process.wait()
            if not machine:
                sys.exit("The process that measures does not start; see its error above.")
            if current not in finished:
                yield {"done": current, "failure": f"the process ended with exit code {code}"}
                return [*finished, current]
            return finished
        found = json.loads(line)
        if "machine" in found:
            machine.update(found["machine"])
        elif "start" in found:
            current = found["start"]
        elif "done" in found:
            finished.append(found["done"])
            yield found
        elif "missing" in found:
            print(f"without {found['missing']}: {found['failure']}", flush=True)


# Output


def format_time(microseconds):
    if microseconds is None:
        return "-"
    if microseconds < 1000:
        return f"{microseconds:.3g} us" if microseconds < 100 else f"{microseconds:.0f} us"
    return f"{microseconds / 1000:,.2f} ms"


def compute_ratio(row):
    """Heddle's time divided by the peer's; None without a peer."""
    return row["heddle_us"] / row["peer_us"] if "peer_us" in row else None


def format_cells(row):
    if "failure" in row:
        return (row["done"], "-", "-", "-", "-", "-", row["failure"])
    ratio = compute_ratio(row)
    first, peer_first = (row.get(f"{who}_first_ms") for who in ("heddle", "peer"))
    if "peer_failure" in row:
        note = f"peer: {row['peer_failure']}"
    else:
        note = "" if row.get("ok", True) else f"results differ by {row['difference']:.1e}"
    return (
        row["done"],
        format_time(row["heddle_us"]),
        format_time(row.get("peer_us")),
        "-" if ratio is None else f"{ratio:.2f}",
        f"{first:.0f} ms",
        "-" if peer_first is None else f"{peer_first:.0f} ms",
        note,
    )


def format_row(cells):
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def summarize(rows):
    """A table of the ratios by suite, and the number of kernels that agree."""
    compared = [row for row in rows if "peer_us" in row and row["ok"]]
    if compared:
        yield format_row(("suite", "peer", "kernels", "geometric mean", "worst", "first calls"))
        yield "|" + " --- |" * 6
    for peer in sorted({row["peer"] for row in compared}):
        of_peer = [row for row in compared if row["peer"] == peer]
        suites = dict.fromkeys(row["done"].partition(":")[0] for row in of_peer)
        for suite in suites:
            of_suite = [row for row in of_peer if row["done"].startswith(f"{suite}:")]
            yield format_row((suite, peer, *_summarize_ratios(of_suite)))
        yield format_row(("all", peer, *_summarize_ratios(of_peer))) + "\n"
    finished = [row for row in rows if row.get("failure") != OUT_OF_TIME]
    agree = sum(not is_bad(row) for row in finished)
    yield f"{agree} of {len(finished)} kernels agree or passed their check"
    if finished != rows:
        yield f"not run for lack of time: {len(rows) - len(finished)}"


def _summarize_ratios(rows):
    ratios = {row["done"]: compute_ratio(row) for row in rows}
    worst = max(ratios, key=ratios.get)
    firsts = [row["heddle_first_ms"] / row["peer_first_ms"] for row in rows]
    return (
        str(len(rows)),
        f"{compute_mean(ratios.values()):.3f}",
        f"{ratios[worst]:.2f} ({worst.partition(': ')[2]})",
        f"{compute_mean(firsts):.2f}",
    )


def compute_mean(ratios):
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


def is_bad(row):
    if row.get("failure") == OUT_OF_TIME:
        return False
    return "failure" in row or "peer_failure" in row or not row.get("ok", True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--suites",
        type=Path,
        default=os.environ.get("HEDDLE_PUBLIC_SUITES") or None,
        help="folder with a folder for each suite (default: $HEDDLE_PUBLIC_SUITES)",
    )
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--small", action="store_true", help="small sizes, for the CPU device")
    parser.add_argument("--no-peers", action="store_true", help="measure Heddle alone")
    parser.add_argument("--only", default="", help="kernels whose names contain one of these words")
    parser.add_argument("--seconds", type=float, default=240, help="stop after that time")
    parser.add_argument("--each", type=float, default=20, help="stop a kernel after that time")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument(
        "--compile-only",
        metavar="TOOLKIT",
        help="compare the processor time of Heddle and ptxas with NVRTC's; needs a CUDA toolkit, such as "
        "/usr/local/cuda, and no GPU",
    )
    parser.add_argument("--files", action="store_true", help="print the files that are needed")
    return parser.parse_args()


def main():
    options = parse_arguments()
    words = options.only.split(",")
    kernels = [k for k in list_kernels() if any(word in k.name for word in words)]
    if options.files:
        print("\n".join(sorted({f"{k.suite}/{file}" for k in kernels for file in k.files})))
        return 0
    if not options.suites:
        sys.exit("Name the folder of the suites: --suites FOLDER. See docs/benchmarks.md.")
    if not options.suites.is_dir():
        sys.exit(f"There is no folder {options.suites}.")
    folders = {suite: str(options.suites / suite) for suite in SUITES}
    if options.compile_only:
        from compile_only import compile_all

        return compile_all(kernels, folders, options.compile_only)
    print(format_row(HEADS) + "\n|" + " --- |" * len(HEADS), flush=True)
    rows, machine = [], {}
    for row in measure_all(kernels, folders, options, machine):
        rows.append(row)
        print(format_row(format_cells(row)), flush=True)
        if options.json:
            table = {"machine": machine, "rows": rows}
            options.json.write_text(json.dumps(table, indent=1) + "\n")
    print("\n" + ", ".join(f"{name}: {value}" for name, value in machine.items()))
    print("\n" + "\n".join(summarize(rows)), flush=True)
    return 1 if any(map(is_bad, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
