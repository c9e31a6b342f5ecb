"""Generated kernels compared with the interpreter of tests/fuzz, kernels that once failed, and the fuzzer itself."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import TypingError

fuzz = Path(__file__).parents[1] / "fuzz"
sys.path.append(str(fuzz))

import against_clang  # noqa: E402
import assembler_levels  # noqa: E402
import control_flow  # noqa: E402
import features  # noqa: E402
import gpu_passes  # noqa: E402
import interpret  # noqa: E402
import mistakes  # noqa: E402
import simt_interpreter  # noqa: E402
import warps  # noqa: E402
from case import ArrayArgument, Case, run_in_interpreter  # noqa: E402
from generate import generate  # noqa: E402
from judge import judge  # noqa: E402
from memory import Race  # noqa: E402
from script import format_script, read_case  # noqa: E402
from shrink import shrink  # noqa: E402

saved = sorted((fuzz / "regressions").glob("*.py"))


@pytest.mark.parametrize("path", saved, ids=lambda path: path.stem)
def test_a_kernel_that_failed_once_is_right(device, path):
    verdict = judge(read_case(path), [device], watched=True)
    assert verdict.kind == "ok", verdict.text


def output_of(program, *arguments):
    """The output of a fuzzer in a separate process, with fixed cases (`make fuzz` makes new ones)."""
    done = subprocess.run(
        [sys.executable, fuzz / program, "--seed", "725846133", *arguments],
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-3000:]
    return done.stdout


def run_fuzzer(*arguments):
    assert " ok" in output_of("run.py", "--seconds", "45", "--jobs", "2", *arguments)


def test_generated_kernels_are_right(device):
    count = os.environ.get("HEDDLE_FUZZ_COUNT", "250")
    run_fuzzer("--count", count, "--devices", device.type)


def test_a_seed_gives_the_same_kernel_in_every_process():
    code = "from generate import generate; print(*(generate(s).source for s in range(60, 120)))"

    def sources(hash_seed):
        folders = os.pathsep.join(map(str, [fuzz, Path(__file__).parent]))
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": folders}
        return subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)

    assert sources("0") == sources("8")


def test_generated_expressions_are_numbas():
    pytest.importorskip("numba")
    run_fuzzer("--count", "24", "--against-numba")


def test_programs_with_mistakes_are_refused(cpu):
    run_fuzzer("--count", "200", "--mistakes")


def test_indices_out_of_bounds_are_errors(cpu):
    run_fuzzer("--bounds", "--count", "120")


def test_control_flow_is_as_on_the_host(device):
    run_fuzzer("--control-flow", "--count", "50", "--devices", device.type)


def test_divergent_kernels_are_right(device):
    if not simt_interpreter.find_interpreter().exists():
        pytest.skip("interpret-simt is not built: configure with -DHEDDLE_TOOLS=ON")
    run_fuzzer("--divergence", "--count", "40", "--devices", device.type)


def test_the_passes_for_gpus_keep_what_divergent_kernels_do():
    if not (simt_interpreter.find_interpreter().exists() and gpu_passes.HEDDLE_OPT.exists()):
        pytest.skip("interpret-simt and heddle-opt are not built: configure with -DHEDDLE_TOOLS=ON")
    run_fuzzer("--divergence", "--count", "300", "--devices", "gpu-passes")


def test_kernels_are_the_same_at_every_level_of_the_assembler(device):
    run_fuzzer("--assembler-levels", "--count", "40", "--devices", device.type)


def test_barriers_are_right_at_every_width(cpu):
    assert "no difference" in output_of("barriers.py", "--seconds", "20")


def test_warps_in_lockstep_are_right_at_every_width(cpu):
    assert "no difference" in output_of("lockstep.py", "--count", "30")


def test_pipelines_of_warps_are_right_at_every_width(cpu):
    assert "no difference" in output_of("pipelines.py", "--count", "40")


def test_an_error_that_is_no_refusal_is_a_failure():
    assert mistakes.classify_error(TypingError("k.py:3: no such name"), TypingError)[0] == "refused"
    for error in RuntimeError("std::bad_cast"), TypingError("an internal error"), TypingError(""):
        assert mistakes.classify_error(error, TypingError)[0] == "error"


@pytest.mark.parametrize("seed", [4, 5])
def test_a_seed_always_makes_the_same_mistake(seed):
    assert mistakes.generate_program(seed)[0] == mistakes.generate_program(seed)[0]


def test_a_seed_always_makes_the_same_kernel():
    first, second = generate(7), generate(7)
    assert first.source == second.source and list(first.arguments) == list(second.arguments)


def kernels_with(operator):
    """Generated kernels that contain the text."""
    cases = map(generate, range(10_000))
    return (case for case in cases if operator in case.source)


def find_and_shrink(text, plant, unplant):
    """A kernel with the text fails because of a bug planted in the interpreter, is made small, and then passes."""
    cpu = [d for d in cuda.all_devices() if d.type == "cpu"]
    plant()
    failing = (case for case in kernels_with(text) if judge(case, cpu).kind == "mismatch")
    case = next(failing)
    small = shrink(case, cpu, judge(case, cpu), seconds=15)
    assert len(small.source) < len(case.source)
    assert judge(small, cpu).kind == "mismatch"
    unplant()
    assert judge(small, cpu).kind == "ok"
    return small.source


def wrong_shift(a, n, right=interpret.namespace["shift_left"]):
    return right(a, n) ^ 1


@pytest.mark.parametrize(
    "text, name, wrong",
    [
        ("<<", "shift_left", wrong_shift),
        (".conjugate()", "conjugate", lambda z: z),
        ("float16", "_mul_float16", lambda a, b: 7.0),
        ("frexp", "frexp", lambda a, name: (0.75, 3)),
    ],
)
def test_a_planted_mistake_is_found_and_made_small(monkeypatch, text, name, wrong):
    plant = lambda: monkeypatch.setitem(interpret.namespace, name, wrong)  # noqa: E731
    small = find_and_shrink(text, plant, monkeypatch.undo)
    assert text in small or (text == "<<" and "lshift" in small)


def test_a_mistake_in_a_warp_is_found_and_made_small(monkeypatch):
    def plant():
        monkeypatch.setitem(warps._sources, "up", lambda lane, n, width: lane)

    assert "shfl_up_sync" in find_and_shrink("shfl_up_sync", plant, monkeypatch.undo)


def test_a_difference_between_levels_of_the_assembler_is_found_and_made_small(cpu, monkeypatch):
    """The device shifts wrongly when its assembler does not optimize."""
    right = assembler_levels.run_at_level

    def wrong_without_optimization(level, case, device):
        found, kernel = right(level, case, device)
        if level == "0" and "<<" in case.source:
            next(iter(found.values())).view(np.uint8)[...] ^= 1
        return found, kernel

    monkeypatch.setattr(assembler_levels, "run_at_level", wrong_without_optimization)
    judge_levels = assembler_levels.judge_levels
    case = next(c for c in kernels_with("<<") if judge_levels(c, [cpu]).kind == "mismatch")
    verdict = judge_levels(case, [cpu])
    assert "with optimization and" in verdict.text
    small = shrink(case, [cpu], verdict, seconds=15, judge=judge_levels)
    assert "<<" in small.source and len(small.source) < len(case.source)
    monkeypatch.undo()
    assert judge_levels(small, [cpu]).kind == "ok"


def test_a_mistake_in_control_flow_is_found_and_made_small(cpu, monkeypatch):
    """On the host, each meeting of threads adds one."""
    programs = map(control_flow.generate_program, range(1000))
    meeting = (p for p in programs if "MEET" in p.source and len(p.source.splitlines()) > 60)
    monkeypatch.setattr(
        against_clang, "HOST", against_clang.HOST.replace("MEET(x)", "MEET(x) x += 1")
    )
    failing = next(p for p in meeting if against_clang.find_failure([p], "as usual", [cpu]))
    small = against_clang.shrink(failing, "as usual", [cpu], "mismatch", seconds=15)
    assert "MEET" in small.source
    assert len(small.source.splitlines()) < len(failing.source.splitlines()) - 20
    assert against_clang.find_failure([small], "as usual", [cpu]).kind == "mismatch"


def test_every_feature_is_made():
    missing = set(features.names)
    for seed in range(6000):
        missing -= set(features.find_features(generate(seed)))
        if not missing:
            break
    assert not missing


def test_a_saved_program_is_the_same_case(tmp_path):
    case = next(kernels_with("float32"))
    (tmp_path / "saved.py").write_text(format_script(case))
    again = read_case(tmp_path / "saved.py")
    assert again.source.split() == case.source.split() and again.block == case.block
    for name, argument in case.arguments.items():
        if isinstance(argument, ArrayArgument):
            np.testing.assert_array_equal(again.arguments[name].base, argument.base)
            assert again.arguments[name].view == argument.view
        else:
            np.testing.assert_array_equal(again.arguments[name], argument)


def test_a_race_is_seen():
    source = "@cuda.jit\ndef kernel(a):\n    a[0] = cuda.grid(1)\n"
    case = Case(0, source, "kernel", (1,), (32,), {"a": ArrayArgument(np.zeros(1, np.int64))})
    with pytest.raises(Race):
        run_in_interpreter(case, watched=True)


@pytest.mark.parametrize(
    "module, function, seeds, options",
    [
        ("judge", "judge", "[first.seed]", []),
        ("against_clang", "find_failure", "[p.seed for p in first]", ["--control-flow"]),
    ],
    ids=["a kernel", "a module"],
)
def test_a_process_that_dies_is_told_by_its_seed(tmp_path, module, function, seeds, options):
    """The worker is killed at a seed; the run reports the seed and continues."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if '--worker' in sys.argv:\n"
        "    sys.path.insert(0, " + repr(str(fuzz)) + ")\n"
        "    sys.path.insert(1, " + repr(str(Path(__file__).parent)) + ")\n"
        f"    import {module}\n"
        f"    right = {module}.{function}\n"
        "    def dying(first, *rest):\n"
        f"        return os._exit(11) if 4242 in {seeds} else right(first, *rest)\n"
        f"    {module}.{function} = dying\n"
    )
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [
            sys.executable,
            fuzz / "run.py",
            "--seed",
            "4240",
            "--count",
            "5",
            "--jobs",
            "1",
            *options,
        ],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "seed 4242: crash" in done.stdout and "exit code 11" in done.stdout
    assert "5 kernels in" in done.stdout, done.stdout
