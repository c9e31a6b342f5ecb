"""Runs generated kernels on devices and compares: python tests/fuzz/run.py --count 2000 --devices cpu,cuda --jobs 4.

The workers are separate processes that report each seed as they start it, so that a crash or a hang is reported with
its seed. A failing kernel is made smaller and printed as a program; --save also writes it to tests/fuzz/regressions,
which pytest runs. The exit status is 1 if anything failed.
"""

import argparse
import faulthandler
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS_PER_KERNEL = 60
SECONDS_TO_SHRINK = 40


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000, help="number of kernels (1000)")
    parser.add_argument("--seed", type=int, help="first seed; others follow (default: random)")
    parser.add_argument(
        "--devices",
        default="cpu",
        help="device types: cpu,cuda uses the first device of each; gpu-passes, with --divergence, "
        "interprets what the passes for GPUs make of a kernel",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    parser.add_argument("--seconds", type=float, help="stop after this time, whatever the count")
    parser.add_argument(
        "--watch-races", action="store_true", help="check that no kernel has a race"
    )
    parser.add_argument(
        "--against-numba", action="store_true", help="compare expressions with numba.njit too"
    )
    parser.add_argument(
        "--mistakes",
        action="store_true",
        help="programs with mistakes: each must compile or be refused with an error that describes the mistake",
    )
    parser.add_argument(
        "--control-flow",
        action="store_true",
        help="C++ with goto, case labels inside loops and early returns; compared with Clang's host code",
    )
    parser.add_argument(
        "--divergence",
        action="store_true",
        help="barriers and warp operations in divergent code; compared with the interpreter of SIMT IR",
    )
    parser.add_argument(
        "--interpreter", help="with --divergence: interpret-simt, if not the release build's"
    )
    parser.add_argument(
        "--every-width",
        action="store_true",
        help="with --divergence: run each kernel at every width of the CPU device instead of two",
    )
    parser.add_argument(
        "--processors",
        default="",
        help="values of HEDDLE_CPU for the processes, in turn; an empty one means this machine's: ,x86-64-v3",
    )
    parser.add_argument(
        "--assembler-levels",
        action="store_true",
        help="on a GPU, also compare kernels that the driver assembled with and without optimization",
    )
    parser.add_argument(
        "--bounds",
        action="store_true",
        help="kernels with indices out of bounds, in Python and C++, on the CPU: an error or the same results",
    )
    parser.add_argument(
        "--checks",
        action="store_true",
        help="divergent kernels under `heddle check`: no finding, or a planted mistake at its line",
    )
    parser.add_argument(
        "--save", action="store_true", help="save failures in tests/fuzz/regressions"
    )
    parser.add_argument("--show", action="store_true", help="print the kernel of --seed and stop")
    parser.add_argument(
        "--features", action="store_true", help="print how many correct kernels had each feature"
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


# The worker reads a first seed and a number of seeds per line from stdin and writes each answer as a line of JSON.


def select_judge(options):
    """Selects the function that checks a number of seeds, starting with the first, and returns the answer."""
    if options.against_numba:
        from against_numba import judge_seed
    elif options.mistakes:
        from mistakes import judge_seed
    elif options.bounds:
        from bounds import judge_seed
    elif options.checks:
        from checks import judge_seed
    else:
        from judge import find_devices

        devices = find_devices(options.devices.split(","), options.interpreter)
        if options.control_flow:
            from against_clang import make_judge

            return make_judge(devices, SECONDS_TO_SHRINK)
        if options.divergence:
            from against_interpreter import make_judge
        else:
            from worker import make_judge

        judge_seed = make_judge(devices, options, SECONDS_TO_SHRINK)
    return lambda seed, count: judge_seed(seed)


def run_worker(options):
    judge = select_judge(options)
    print("ready", flush=True)
    for line in sys.stdin:
        # Prints where a hanging kernel is on stderr before the process is killed.
        faulthandler.dump_traceback_later(SECONDS_PER_KERNEL)
        answer = judge(*map(int, line.split()))
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps(answer), flush=True)
        if answer.get("fatal"):
            return


class Worker(threading.Thread):
    """Keeps one process busy with lists of seeds until there are none left."""

    unable = None  # the reason why processes cannot start

    def __init__(self, seeds, report, end, processor, jobs):
        super().__init__(daemon=True)
        self.jobs = jobs
        self.processor = processor
        self.seeds = seeds
        self.report = report
        self.end = end

    def run(self):
        self.process = None
        for seeds in self.seeds:
            if Worker.unable or (self.end and time.monotonic() > self.end):
                break
            answers = [(seeds, self.get_answer(seeds))]
            if len(seeds) > 1 and answers[0][1]["kind"] != "ok":
                alone = [([seed], self.get_answer([seed])) for seed in seeds]
                if any(answer["kind"] != "ok" for _, answer in alone):
                    answers = alone
            if Worker.unable:
                break
            for seeds, answer in answers:
                self.report(seeds, answer)
        if self.process:
            self.process.stdin.close()
            self.process.wait()

    def get_answer(self, seeds):
        if self.process is None:
            self.start_process()
        answer = self.ask_process(seeds)
        if answer is None:
            self.process.kill()
            code = self.process.wait()
            self.process = None
            reason = (
                f"no answer after {SECONDS_PER_KERNEL} s" if code == -9 else f"exit code {code}"
            )
            text = f"the process died: {reason}\n{self.read_end_of_errors()}"
            return {"kind": "crash", "text": text}
        if answer.get("fatal"):
            self.process.wait()
            self.process = None
        return answer

    def start_process(self):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, __file__, *sys.argv[1:], "--worker", "yes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=self.make_environment(),
        )
        if self.process.stdout.readline() != "ready\n":
            Worker.unable = self.read_end_of_errors()

    def make_environment(self):
        """The processes share the processors; each has two threads or more, for concurrent blocks."""
        share = max(2, (os.cpu_count() or 1) // self.jobs)
        chosen = {"HEDDLE_CPU": self.processor} if self.processor else {}
        return {"HEDDLE_NUM_THREADS": str(share), **os.environ, **chosen}

    def read_end_of_errors(self):
        self.errors.seek(0)
        return self.errors.read()[-3000:]

    def ask_process(self, seeds):
        """The worker's answer; None if it died or took too long."""
        process = self.process
        watchdog = threading.Timer(SECONDS_PER_KERNEL + SECONDS_TO_SHRINK, process.kill)
        watchdog.start()
        try:
            process.stdin.write(f"{seeds[0]} {len(seeds)}\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (BrokenPipeError, OSError):
            line = ""
        finally:
            watchdog.cancel()
        try:
            return json.loads(line)
        except json.JSONDecodeError:
            return None


class Tally:
    """Collects the workers' answers."""

    def __init__(self, save, format_script):
        self.format_script = format_script
        self.lock = threading.Lock()
        self.counts = Counter()
        self.features = Counter()  # of the correct kernels
        self.save = save
        self.start = time.monotonic()

    def report(self, seeds, answer):
        seed = seeds[0]
        with self.lock:
            before = self.counts.total()
            self.counts[answer["kind"]] += len(seeds)
            self.features.update(answer.get("features", ()))
            done = self.counts.total()
            if done // 1000 > before // 1000:
                print(f"{done} kernels, {time.monotonic() - self.start:.0f} s", flush=True)
            if answer["kind"] in ("ok", "unusable", "refused"):
                return
            if self.count_failures() > 20:
                return  # the first twenty are enough
            print(f"\nseed {seed}: {answer['kind']}\n{answer['text']}")
            script = answer.get("script") or self.format_script(seed, answer["text"])
            print(script, flush=True)
            if self.save and script:
                path = HERE / "regressions" / f"seed_{seed}.py"
                path.write_text(script)
                print(f"saved as {path}")

    def count_failures(self):
        return sum(self.counts[kind] for kind in ("mismatch", "error", "crash"))


def format_kernel_of_seed(seed, reason):
    """The program of a kernel whose process died before printing it."""
    from generate import generate
    from script import format_script

    return format_script(generate(seed), f"It ended the process ({reason.splitlines()[0]}).", up=2)


def generate_mistake_of_seed(seed, reason):
    from mistakes import generate_program

    return generate_program(seed)[0]


def format_program_of_seed(seed, reason):
    from against_clang import choose_compile_mode, format_device_source
    from control_flow import generate_program

    return format_device_source([generate_program(seed)], choose_compile_mode(seed))


def format_divergent_kernel_of_seed(seed, reason):
    from against_interpreter import format_program
    from divergent_kernels import generate_kernel

    return format_program(generate_kernel(seed))


def print_features(made, every):
    """Print how many correct kernels had each feature, or, for many kernels, which features none had."""
    from features import names

    if every:
        for name in sorted(names, key=lambda name: made[name]):
            print(f"{made[name]:8} {name}")
    missing = [name for name in names if not made[name]]
    print(f"{len(names) - len(missing)} of {len(names)} features were in correct kernels", end="")
    few = made.total() < 20 * len(names)
    print(f"; none had: {', '.join(missing)}" if missing and not few else "")


def main():
    os.environ.setdefault("HEDDLE_VERIFY", "1")  # checks that no effect moves across a barrier
    options = parse_arguments()
    sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
    if options.worker:
        return run_worker(options)
    script = format_kernel_of_seed
    if options.mistakes:
        script = generate_mistake_of_seed
    if options.control_flow:
        script = format_program_of_seed
    if options.divergence:
        script = format_divergent_kernel_of_seed
    if options.against_numba:
        script = lambda seed, text: ""  # noqa: E731
    if options.show:
        print(script(options.seed, "shown"))
        return 0
    first = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"{options.count} kernels from seed {first} on {options.devices}", flush=True)
    plain = (
        options.mistakes or options.control_flow or options.divergence
    )  # programs instead of cases of case.py
    tally = Tally(options.save and not plain, script)
    every = range(first, first + options.count)
    ranges = ([seed] for seed in every)
    if options.control_flow:
        from against_clang import split_into_batches

        ranges = split_into_batches(every)
    lock = threading.Lock()

    def next_seeds():
        while True:
            with lock:
                seeds = next(ranges, None)
            if seeds is None:
                return
            yield seeds

    end = time.monotonic() + options.seconds if options.seconds else None
    processors = options.processors.split(",")
    jobs = max(1, options.jobs)
    workers = [
        Worker(next_seeds(), tally.report, end, processors[i % len(processors)], jobs)
        for i in range(jobs)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if Worker.unable:
        print(Worker.unable, file=sys.stderr)
        return 2
    spent = time.monotonic() - tally.start
    total = tally.counts.total()
    counted = ", ".join(f"{n} {kind}" for kind, n in sorted(tally.counts.items()))
    print(f"{total} kernels in {spent:.0f} s ({total / max(spent, 1e-9):.0f}/s): {counted}")
    if tally.features:
        print_features(tally.features, options.features)
    return 1 if tally.count_failures() else 0


if __name__ == "__main__":
    sys.exit(main())
