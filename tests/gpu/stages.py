"""The stages of run.sh: each has a log, a time limit and a line in the final table."""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Files whose tests read much of the device: what the CUDA tools look at.
MEMORY_CHECKED = ["test_arrays_in_kernels", "test_shared_memory", "test_atomics", "test_statements"]
MEMORY_CHECKED += ["test_local_and_const_arrays", "test_launch_semantics"]
RACE_CHECKED = ["test_shared_memory", "test_atomics"]


@dataclass
class Result:
    ok: bool
    figures: str
    skipped: bool = False


class Run:
    """Where things are, and how a stage runs its commands."""

    def __init__(self, package, out):
        self.out = out
        self.env = dict(os.environ)
        peers = out / "peers"
        peers.mkdir(exist_ok=True)
        shutil.copy(ROOT / "benchmarks" / "numpy_for_numba.py", peers / "sitecustomize.py")
        paths = [str(package), str(peers), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.env["PYTHONPATH"] = os.pathsep.join(paths)
        self.env["PYTHONUNBUFFERED"] = "1"
        self.env["HEDDLE_CACHE_DIR"] = str(out / "cache")
        self.env.setdefault("HEDDLE_FUZZ_COUNT", "200")  # of tests/python/test_fuzz.py

    def command(self, arguments, log, seconds, **env):
        """The exit code (124 when it ran out of time) and the output, which goes to out/log too."""
        path = self.out / log
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w") as file:
            process = subprocess.Popen(
                list(map(str, arguments)),
                stdout=file,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=ROOT,
                env={**self.env, **env},
                start_new_session=True,
            )
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                stop_group(process)
                code = 124
                file.write(f"\nstopped after {seconds:.0f} s\n")
        return code, path.read_text(errors="replace")


def stop_group(process):
    """Interrupts the processes, so that pytest still reports what failed, and kills them if that does not help."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def has_module(run, name):
    command = [sys.executable, "-c", f"import {name}"]
    return subprocess.run(command, env=run.env, capture_output=True, check=False).returncode == 0


def count(text):
    """Passed, failed (and errors), skipped of pytest's last line."""
    tail = "\n".join(text.splitlines()[-3:])
    found = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error|skipped)", tail)}
    return (
        found.get("passed", 0),
        found.get("failed", 0) + found.get("error", 0),
        found.get("skipped", 0),
    )


def test_files(run, files, name, seconds, processes, arguments=(), **env):
    """Each file in a process of its own, so that a lost context fails that file alone."""
    end = time.monotonic() + seconds

    def one(file):
        left = max(5, end - time.monotonic())
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-rf",
            "-p",
            "no:cacheprovider",
            *arguments,
            file,
        ]
        code, text = run.command(command, f"{name}/{file.stem}.log", left, **env)
        return file, code, count(text), text

    totals, bad = [0, 0, 0], []
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        for file, code, counts, text in pool.map(one, files):
            totals = [a + b for a, b in zip(totals, counts, strict=True)]
            if code not in (0, 5):
                bad.append(
                    f"{file.stem} ({'time' if code == 124 else counts[1] or f'exit {code}'})"
                )
                print(f"--- {file.name}: exit {code}")
                print("\n".join(text.splitlines()[-40:]), flush=True)
    figures = f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped in {len(files)} files"
    return Result(not bad, figures + (": " + ", ".join(bad) if bad else ""))


def stage_tests(run, seconds):
    """tests/python on the first GPU, without those of `heddle check` and of host functions, which use no GPU"""
    files = sorted((ROOT / "tests" / "python").glob("test_*.py"), key=lambda f: -f.stat().st_size)
    files = [file for file in files if not file.stem.startswith(("test_check_", "test_host_"))]
    processes = min(16, max(2, (os.cpu_count() or 2) // 2))
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    return test_files(
        run, files, "tests", seconds, processes, ["--device", "cuda"], CUDA_VISIBLE_DEVICES=first
    )


def stage_gpu(run, seconds):
    """tests/gpu: what only a GPU has"""
    files = sorted((ROOT / "tests" / "gpu").glob("test_*.py"))
    return test_files(run, files, "gpu", seconds, 4)


def stage_cxx(run, seconds):
    """the C++ interface's tests, on every device: the program that $HEDDLE_API_TEST names"""
    program = os.environ.get("HEDDLE_API_TEST")
    if not program:
        return Result(True, "HEDDLE_API_TEST does not say where heddle-api-test is", skipped=True)
    code, text = run.command([program], "cxx.log", seconds)
    passed = int((re.findall(r"PASSED  \] (\d+) test", text) or [0])[-1])
    on_gpus = len(re.findall(r"OK \] .*/cuda\d", text))
    if code:
        print(text[-8000:], flush=True)
    return Result(code == 0 and on_gpus > 0, f"{passed} passed, {on_gpus} of them on GPUs")


def stage_scripts(run, seconds):
    """the examples and the programs written for numba, under `heddle run`"""
    programs = sorted((ROOT / "examples").glob("*.py"))
    programs = [p for p in programs if p.stem not in ("tour", "plain_python")]
    programs += sorted((ROOT / "tests" / "python" / "numba_scripts").glob("*.py"))
    end = time.monotonic() + seconds

    def one(program):
        left = max(5, end - time.monotonic())
        command = [sys.executable, "-m", "heddle", "run", program]
        code, text = run.command(command, f"scripts/{program.stem}.log", left, HEDDLE_DEVICE="cuda")
        return program, code, text

    bad = []
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for program, code, text in pool.map(one, programs):
            if code:
                bad.append(program.stem)
                print(f"--- {program.name}: exit {code}\n{text[-2000:]}", flush=True)
    figures = f"{len(programs) - len(bad)} of {len(programs)} programs"
    return Result(not bad, figures + (": not " + ", ".join(bad) if bad else ""))


def stage_tour(run, seconds):
    """examples/tour.py"""
    code, text = run.command([sys.executable, "examples/tour.py"], "tour.log", seconds)
    print(text, flush=True)
    return Result(code == 0, f"{len(text.splitlines())} lines" if code == 0 else f"exit {code}")


def stage_fuzz(run, seconds):
    """generated kernels on the GPU and the CPU device, against the interpreter"""
    kernels = os.environ.get("HEDDLE_FUZZ_KERNELS", "20000")
    jobs = max(2, (os.cpu_count() or 2) - 4)
    command = [sys.executable, "tests/fuzz/run.py", "--count", kernels, "--devices", "cuda,cpu"]
    command += ["--jobs", jobs, "--seconds", seconds - 20]
    code, text = run.command(command, "fuzz.log", seconds)
    if code:
        print(text[-8000:], flush=True)
    return Result(code == 0, text.splitlines()[-1] if text else f"exit {code}")


def stage_assembler(run, seconds):
    """generated kernels that the driver assembles with and without optimization"""
    kernels = os.environ.get("HEDDLE_FUZZ_KERNELS", "20000")
    jobs = max(2, (os.cpu_count() or 2) - 4)
    command = [sys.executable, "tests/fuzz/run.py", "--assembler-levels", "--devices", "cuda"]
    command += ["--count", kernels, "--jobs", jobs, "--seconds", seconds - 20]
    code, text = run.command(command, "assembler.log", seconds)
    if code:
        print(text[-8000:], flush=True)
    return Result(code == 0, text.splitlines()[-1] if text else f"exit {code}")


def stage_litmus(run, seconds):
    """the litmus tests of the memory model"""
    each = os.environ.get("HEDDLE_LITMUS_RUNS", "1000000")
    command = [sys.executable, "tests/litmus/run.py", "--each", each, "--devices", "cuda"]
    command += ["--jobs", max(1, min(8, (os.cpu_count() or 2) // 2))]
    code, text = run.command(command, "litmus.log", seconds)
    print(text[-8000:], flush=True)
    return Result(code == 0, text.splitlines()[-1] if text else f"exit {code}")


def stage_bench(run, seconds):
    """benchmarks/gpu.py"""
    command = [sys.executable, "benchmarks/gpu.py", "--json", run.out / "bench.json"]
    command += ["--markdown", run.out / "benchmarks.md"]
    code, text = run.command(command, "bench.log", seconds)
    print(text, flush=True)
    over = len(re.findall(r"\bOVER\b", text))
    met = len(re.findall(r"\bOK\b", text))
    return Result(code == 0, f"{met} bars met, {over} missed" + (f", exit {code}" if code else ""))


def stage_public(run, seconds):
    """benchmarks/public_kernels: kernels of the suites in the folder that $HEDDLE_PUBLIC_SUITES names"""
    folder = os.environ.get("HEDDLE_PUBLIC_SUITES")
    if not folder:
        return Result(True, "HEDDLE_PUBLIC_SUITES does not name a folder", skipped=True)
    command = [
        sys.executable,
        "benchmarks/public_kernels/run.py",
        "--json",
        run.out / "public.json",
    ]
    command += ["--suites", Path(folder).resolve(), "--seconds", seconds - 20]
    code, text = run.command(command, "public.log", seconds)
    print(text, flush=True)
    means = re.findall(r"^\| all \| (.*?) \| \d+ \| (.*?) \|", text, re.M)
    figures = [f"{mean}x the time of {peer}" for peer, mean in means]
    figures += re.findall(r"^\d+ of \d+ kernels", text, re.M)
    return Result(code == 0, ", ".join(figures) or f"exit {code}")


def compute_sanitizer():
    found = shutil.which("compute-sanitizer")
    beside = Path("/usr/local/cuda/bin/compute-sanitizer")
    return found or (str(beside) if beside.exists() else None)


def stage_sanitizer(run, seconds):
    """the CUDA tools' memory check and race check over a part of the tests"""
    tool = compute_sanitizer()
    if tool is None:
        return Result(True, "compute-sanitizer is not installed", skipped=True)
    jobs = [("memcheck", name) for name in MEMORY_CHECKED]
    jobs += [("racecheck", name) for name in RACE_CHECKED]
    end = time.monotonic() + seconds

    def one(job):
        check, name = job
        left = max(5, end - time.monotonic())
        # Errors that the driver answers to a call are tests of ours; findings in kernels are what counts.
        options = ["--tool", check, "--error-exitcode", "86", "--print-limit", "20"]
        options += ["--report-api-errors", "no"] if check == "memcheck" else []
        tests = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
        ]
        tests += ["-k", os.environ.get("HEDDLE_SANITIZED", "not process"), "--device", "cuda"]
        if has_timeout:
            tests += ["--timeout", "600"]
        file = f"tests/python/{name}.py"
        code, text = run.command([tool, *options, *tests, file], f"{check}/{name}.log", left)
        return check, name, code, text

    has_timeout = has_module(run, "pytest_timeout")
    bad, passed, late = [], 0, []
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for check, name, code, text in pool.map(one, jobs):
            passed += count_anywhere(text)
            if "Device not supported" in text:
                return Result(True, "compute-sanitizer refuses this device", skipped=True)
            findings = re.search(
                r"ERROR SUMMARY: ([1-9]\d*) error|RACECHECK SUMMARY: ([1-9]\d*) haz", text
            )
            if code == 124 and not findings:
                late.append(f"{check} {name}")
            elif code or findings:
                bad.append(f"{check} {name}")
                print(f"--- {check} {name}: exit {code}\n{text[-3000:]}", flush=True)
    figures = f"{passed} tests, {len(bad)} with findings"
    figures += (": " + ", ".join(bad) if bad else "") + (
        f"; no time for {', '.join(late)}" if late else ""
    )
    return Result(not bad, figures)


def count_anywhere(text):
    return sum(int(n) for n in re.findall(r"(\d+) passed", text))


STAGES = {  # name: (function, seconds at most)
    "tests": (stage_tests, 300),
    "gpu": (stage_gpu, 300),
    "cxx": (stage_cxx, 60),
    "scripts": (stage_scripts, 60),
    "tour": (stage_tour, 90),
    "bench": (stage_bench, 200),
    "public": (stage_public, 270),
    "fuzz": (stage_fuzz, 380),
    "assembler": (stage_assembler, 580),
    "litmus": (stage_litmus, 300),
    "sanitizer": (stage_sanitizer, 240),
}


def describe_machine(run):
    code = "import heddle, sys; from heddle import cuda; d = cuda.list_devices()[0];"
    code += "print(heddle.__version__, '|', d.name, d.type, '| driver', cuda.runtime.get_version(),"
    code += "'| Python', sys.version.split()[0])"
    found = subprocess.run(
        [sys.executable, "-c", code], env=run.env, capture_output=True, text=True, check=False
    )
    print(found.stdout or found.stderr, flush=True)
    return found.returncode == 0 and " cuda " in found.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, required=True, help="folder that has heddle")
    parser.add_argument("--only", help="stages, separated by commas")
    parser.add_argument("--out", type=Path, help="folder for logs and results")
    parser.add_argument("--list", action="store_true", help="name the stages and stop")
    options = parser.parse_args()
    if options.list:
        for name, (stage, seconds) in STAGES.items():
            print(f"{name:<10} {stage.__doc__} (at most {seconds} s)")
        return 0
    names = options.only.split(",") if options.only else list(STAGES)
    unknown = [name for name in names if name not in STAGES]
    if unknown:
        parser.error(f"no stage {', '.join(unknown)}: there are {', '.join(STAGES)}")
    out = options.out or Path(tempfile.mkdtemp(prefix="heddle-gpu-"))
    out = out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    run = Run(options.package.resolve(), out)
    if not describe_machine(run):
        print("heddle shows no GPU here", file=sys.stderr)
        return 2
    rows = []
    for name in names:
        stage, seconds = STAGES[name]
        print(f"\n=== {name}: {stage.__doc__}", flush=True)
        start = time.monotonic()
        try:
            result = stage(run, seconds)
        except Exception as error:  # the other stages still have their say
            result = Result(False, f"{type(error).__name__}: {error}")
        rows.append((name, result, time.monotonic() - start))
    print(f"\nlogs and results: {out}\n")
    for name, result, spent in rows:
        verdict = "skipped" if result.skipped else "ok" if result.ok else "FAILED"
        print(f"{name:<10} {verdict:<8} {spent:5.0f} s  {result.figures}")
    return 0 if all(result.ok for _, result, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
