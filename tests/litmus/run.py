"""Runs litmus tests of the memory model: python tests/litmus/run.py --runs 1000000 --devices cpu,cuda.

Prints a line for each test and device: its kernels, how often they ran, how many outcomes the model forbids, and how
many different outcomes there were. Exits with 1 when there was a forbidden one.
"""

import argparse
import concurrent.futures
import multiprocessing
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=int, default=1_000_000, help="of each test, over all its kernels (1000000)"
    )
    parser.add_argument("--each", type=int, help="of each kernel instead")
    parser.add_argument("--devices", default="cpu", help="of each type the first: cpu,cuda")
    parser.add_argument("--tests", help="names, separated by commas; all by default")
    parser.add_argument(
        "--without-fences", action="store_true", help="forbidden outcomes may appear then"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    return parser.parse_args()


def run(shape, device_type, options):
    """How many outcomes of a test were forbidden on a device."""
    from outcomes import count_forbidden, count_outcomes

    from heddle import cuda
    from kernels import list_configurations

    device = next(device for device in cuda.all_devices() if device.type == device_type)
    begin = time.monotonic()
    kernels = [replace(c, fences=not options.without_fences) for c in list_configurations(shape)]
    each = options.each or -(-options.runs // len(kernels))
    wrong, runs, different = 0, 0, set()
    for configuration in kernels:
        found = count_outcomes(configuration, device, each)
        bad = count_forbidden(shape, found)
        if bad:
            print(f"  {configuration}: {bad} of {found.total()}", flush=True)
        wrong += bad
        runs += found.total()
        different |= set(found)
    seconds = time.monotonic() - begin
    print(
        f"{device.type:5} {shape.name:8} {len(kernels):3} kernels {runs:11} runs "
        f"{wrong:6} forbidden {len(different):4} outcomes {seconds:6.1f} s",
        flush=True,
    )
    return wrong


def main():
    options = parse_arguments()
    from shapes import SHAPES

    from heddle import cuda

    wanted = options.tests.split(",") if options.tests else [shape.name for shape in SHAPES]
    unknown = set(wanted) - {shape.name for shape in SHAPES}
    if unknown:
        raise SystemExit(f"no test {', '.join(sorted(unknown))}")
    types = options.devices.split(",")
    if missing := set(types) - {device.type for device in cuda.all_devices()}:
        raise SystemExit(f"there is no device of type {', '.join(sorted(missing))} here")
    spawn = multiprocessing.get_context("spawn")  # CUDA does not work in a forked process
    with concurrent.futures.ProcessPoolExecutor(options.jobs, spawn) as pool:
        runs = [
            pool.submit(run, shape, device_type, options)
            for device_type in types
            for shape in SHAPES
            if shape.name in wanted
        ]
        wrong = sum(each.result() for each in runs)
    print(f"{wrong} forbidden outcomes")
    return 1 if wrong and not options.without_fences else 0


if __name__ == "__main__":
    sys.exit(main())
