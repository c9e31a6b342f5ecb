"""Compares divergent kernels on devices, at several widths of the CPU device, with the interpreter of SIMT IR."""

import linecache
import os
import random
import re
import shutil
import tempfile
import time
from dataclasses import replace

import numpy as np
from divergent_kernels import generate_kernel
from divergent_source import FIXED, WORDS
from gpu_passes import GpuPasses
from simt_interpreter import Interpreter

WIDTHS = [1, 4, 8, 16]
SIGNATURE = "void(int64[::1], int32[::1], int32[::1], int32[::1], int64)"
NAMES = ["o", "x", "h", "g"]
MOST_STEPS = 1_000_000


def make_arguments(case):
    rng = np.random.default_rng(case.seed)
    threads = int(np.prod(case.block) * np.prod(case.grid))
    x = rng.integers(0, 12, threads).astype(np.int32)
    return [
        np.zeros(WORDS * threads, np.int64),
        x,
        np.zeros(8, np.int32),
        np.zeros(threads, np.int32),
    ]


def load_kernel(case):
    """Creates the kernel as a user's program does."""
    import heddle
    from heddle import cuda

    if case.language == "c++":
        return heddle.RawModule(code=case.source).get_function("kernel")
    name = f"<divergence {hash(case.source)}>"
    linecache.cache[name] = len(case.source), None, case.source.splitlines(True), name
    names = {"cuda": cuda, "np": np, "int32": np.int32}
    exec(compile(case.source, name, "exec"), names)
    return cuda.jit(names["kernel"])


def compile_to_simt_ir(case, target="cpu"):
    """The kernel's SIMT IR, as produced by the front end for "cpu" or "cuda"."""
    from heddle import _heddle
    from heddle.compiler.signatures import parse_signature

    if case.language == "c++":
        options = _heddle.CudaOptions([])
        code, *_ = _heddle.compile_cuda_ahead(
            case.source, "kernel.cu", options, [], target, None, "simt"
        )
    else:
        signature = parse_signature(SIGNATURE)
        code, _ = _heddle.compile_ahead(
            load_kernel(case), signature, "kernel", target, None, "simt"
        )
    return code.decode()


class Wrong(Exception):
    """The kernel has no unique correct result: the generator made a mistake."""


class TooLong(Exception):
    """The interpreter would take too long."""


def run_in_interpreter(case, interpreter, seeds=2):
    """The outcome in the interpreter; raises Wrong if it depends on the order of the threads."""
    module, first = compile_to_simt_ir(case), None
    for seed in range(seeds):
        outcome = interpreter.run(
            None if first else module,
            [*make_arguments(case), case.n],
            case.grid,
            case.block,
            pointers=case.language == "c++",
            seed=seed,
            max_steps=MOST_STEPS,
        )
        if outcome.error and outcome.error["kind"] == "endless":
            raise TooLong
        if outcome.error:
            raise Wrong(f"the interpreter: {outcome.error}")
        first = first or outcome
        if any(not np.array_equal(a, b) for a, b in zip(first.arrays, outcome.arrays, strict=True)):
            raise Wrong("the threads race")
    return first


def run_on_device(case, device):
    """The arrays after the launch; None if the device cannot run this kernel."""
    from heddle import cuda

    if isinstance(device, GpuPasses):
        return device.run(
            compile_to_simt_ir(case, "cuda"),
            [*make_arguments(case), case.n],
            grid=case.grid,
            block=case.block,
            pointers=case.language == "c++",
            seed=case.seed,
            max_steps=MOST_STEPS,
        )
    with device:
        arrays = [cuda.to_device(a) for a in make_arguments(case)]
        run = load_kernel(case)
        if case.language == "c++":
            run(case.grid, case.block, (*arrays, np.int64(case.n)))
        else:
            run[case.grid, case.block](*arrays, case.n)
        return [a.copy_to_host() for a in arrays]


def choose_widths(case, device, every):
    """The widths at which to run a kernel on a device; for the CPU device one or two unless ``every``."""
    if device.type != "cpu":
        return [None]
    rng = random.Random(case.seed)
    return WIDTHS if every else [rng.choice(WIDTHS[1:]), *WIDTHS[: rng.random() < 0.25]]


def find_failure(case, interpreter, devices, every=False, widths=None, seeds=2):
    """(kind, text, whether the device may now be unusable, width) for the first failing device, or None."""
    wanted = run_in_interpreter(case, interpreter, seeds)
    for device in devices:
        if device.type != "cpu" and wanted.undefined_reads:
            continue  # like the interpreter, the CPU device reads 0 from lanes that do not take part
        for width in widths or choose_widths(case, device, every):
            os.environ["HEDDLE_WIDTH"] = str(width or "")
            where = f"{device.type}{f', width {width}' if width else ''}"
            if processor := os.environ.get("HEDDLE_CPU"):
                where += f", {processor}"
            try:
                found = run_on_device(case, device)
            except Exception as error:
                text = f"{where}: {type(error).__name__}: {error}"
                return "error", text, device.type == "cuda", width
            for name, a, b in zip(NAMES, wanted.arrays, found or wanted.arrays, strict=True):
                if wrong := np.flatnonzero(a != b).tolist():
                    at = wrong[0]
                    text = f"{where}: {len(wrong)} of {name} differ: {name}[{at}] is {b[at]}, not {a[at]}"
                    return "mismatch", text, False, width
    return None


def make_judge(devices, options, seconds_to_shrink):
    """Makes the function that checks the kernel of a seed and returns the answer to report."""
    interpreter = Interpreter(options.interpreter)
    cache = tempfile.TemporaryDirectory(prefix="divergence")
    os.environ["HEDDLE_CACHE_DIR"] = cache.name

    def judge_seed(seed):
        case = generate_kernel(seed)
        if seed % 64 == 0:
            shutil.rmtree(cache.name, ignore_errors=True)
        try:
            found = find_failure(case, interpreter, devices, options.every_width)
        except Wrong as reason:
            return {
                "kind": "error",
                "text": f"the generator: {reason}",
                "script": format_program(case),
            }
        except TooLong:
            return {"kind": "unusable", "text": ""}
        if not found:
            return {"kind": "ok", "text": ""}
        kind, text, fatal, width = found
        if not fatal:
            case, text = shrink(case, found, interpreter, devices, seconds_to_shrink)
        return {"kind": kind, "text": text, "fatal": fatal, "script": format_program(case)}

    return judge_seed


def format_program(case):
    mark = "//" if case.language == "c++" else "#"
    return f"{mark} seed {case.seed}: grid {case.grid}, block {case.block}, n = {case.n}\n{case.source}"


def shrink(case, found, interpreter, devices, seconds):
    """Removes lines that the failure does not need. Returns the smaller kernel and the text of its failure."""
    end = time.monotonic() + seconds
    kind, text, _, width = found

    def fails(smaller):
        try:
            # A smaller kernel may have a race, which two orders of the threads do not always show.
            again = find_failure(
                smaller, interpreter, devices, widths=[width] if width else None, seeds=8
            )
        except Exception:  # the candidate may be no valid program, or have a race
            return None
        same = (
            again
            and again[0] == kind
            and (kind != "error" or _normalize_error(again[1]) == _normalize_error(text))
        )
        return again[1] if same else None

    again = True
    while again and time.monotonic() < end:
        again = False
        for lines in sorted(_list_smaller_kernels(case.lines), key=len):
            if time.monotonic() > end:
                break
            smaller = replace(case, lines=lines)
            if shorter := fails(smaller):
                case, text, again = smaller, shorter, True
                break
    return case, text


def _normalize_error(text):
    return re.sub(r"\d+", "", text)[:60]


def _count_indent(line):
    return len(line) - len(line.lstrip())


def _find_block_end(lines, at):
    """The index after the block that a line starts."""
    end = at + 1
    while end < len(lines) and _count_indent(lines[end]) > _count_indent(lines[at]):
        end += 1
    return end


def _list_smaller_kernels(lines):
    """All versions without one statement, or without the called function."""
    yield from [lines[at:] for at, line in enumerate(lines) if at and line.startswith("def kernel")]
    for at, line in enumerate(lines):
        if line not in FIXED and line.strip() != "else:":
            yield from _remove_statement(lines, at)


def _remove_statement(lines, at):
    """Yields the lines without a statement and its body, and with the statement replaced by its body."""
    end = _find_block_end(lines, at)
    after = end
    if (
        end < len(lines)
        and lines[end].strip() == "else:"
        and _count_indent(lines[end]) == _count_indent(lines[at])
    ):
        after = _find_block_end(lines, end)
    yield lines[:at] + lines[after:]
    inside = [line[4:] for line in lines[at + 1 : end]]
    if inside:
        yield lines[:at] + inside + lines[after:]
        if after > end:
            yield lines[:end] + lines[after:]
            yield lines[:at] + [line[4:] for line in lines[end + 1 : after]] + lines[after:]
