"""Divergent kernels under `heddle check`: correct ones have no finding, a planted mistake is found at its line."""

import os
import random
import re
from types import SimpleNamespace

from against_interpreter import format_program, load_kernel, make_arguments
from divergent_kernels import generate_kernel
from divergent_source import START

# For each kind of finding: lines to insert at the top level of a kernel, in Python and C++. The last ones must be named
# by the finding. The values that they read are used, so that no compiler drops the reads. `other` is declared first;
# `count`, `t`, `lane`, `x`, `i` and `v0` are those of all kernels.
DECLARATIONS = {
    "python": ["other = cuda.shared.array(160, np.int32)"],
    "c++": ["__shared__ int other[160];"],
}
MISTAKES = {
    "race": [
        (["other[t] = t", "cuda.atomic.add(h, 5, other[(t + 1) % count])"], 2),
        (["other[0] = t"], 1),
        (["other[0] += 1"], 1),
        (["other[t // 2] = t"], 1),
        (["g[0] = t"], 1),
        (["cuda.atomic.add(other, 0, 1)", "cuda.atomic.add(h, 5, other[0])"], 2),
        (["other[(t * t + 1) % count] = t", "other[t] = 1"], 2),
    ],
    "bounds": [
        (["other[160 + t] = 1"], 1),
        (["cuda.atomic.add(h, 5, g[len(g) + t])"], 1),
        (["h[8 + lane] = 1"], 1),
    ],
    "division": [
        (["cuda.atomic.add(h, 5, 7 // (x[i] // 100))"], 1),
        (["cuda.atomic.add(h, 5, t % (x[i] // 100))"], 1),
    ],
    "uninit": [(["cuda.atomic.add(h, 5, other[t])"], 1), (["cuda.atomic.add(other, t, 1)"], 1)],
    "barrier": [(["if t % 2 == 0:", "    cuda.syncthreads()", "v0 += 1"], -2)],
    "warp": [(["cuda.syncwarp(2 << (lane % 16))"], 1)],
}
CPP = [
    (r"len\(g\)", "(gridDim.x * gridDim.y * gridDim.z * count)"),
    (r"cuda\.atomic\.add\((\w+), (.*?), (.*)\)$", r"atomicAdd(&\1[\2], \3)"),
    (r"cuda\.(\w+)", r"__\1"),
    (r"^( *)if (.*):$", r"\1if (\2)"),
    (r"//", "/"),
]


def to_cpp(line):
    for pattern, replacement in CPP:
        line = re.sub(pattern, replacement, line)
    return line if line.lstrip().startswith("if") else line + ";"


def find_return(lines, first):
    """The index of the first line that returns, or of the last line."""
    found = (i for i in range(first, len(lines) - 1) if lines[i].lstrip().startswith("return"))
    return next(found, len(lines) - 1)


def find_places(lines, language):
    """The indices of lines before which statements for all threads may be inserted."""
    if language == "python":
        first = lines.index(START.splitlines()[-1]) + 1
        return [
            i
            for i in range(first, find_return(lines, first))
            if re.match(r"    (?!else|elif)\S", lines[i]) and not lines[i - 1].endswith(":")
        ]
    kernel = next(i for i, line in enumerate(lines) if "__global__" in line)
    first = next(i for i in range(kernel, len(lines)) if lines[i] == "__syncthreads();") + 1
    places, depth = [], 1
    for i in range(first, find_return(lines, first)):
        if depth == 1 and not lines[i].startswith(("else", "}")):
            places.append(i)
        depth += lines[i].count("{") - lines[i].count("}")
    return places


def plant_mistake(case, rng):
    """The case with a mistake, the kind of finding, and the numbers of its lines."""
    kind = rng.choice(list(MISTAKES))
    statements, named = rng.choice(MISTAKES[kind])
    lines, language = case.source.splitlines(), case.language
    if language == "c++":
        statements = [to_cpp(line) for line in statements]
    indent = "    " if language == "python" else ""
    at = rng.choice(find_places(lines, language))
    planted = [indent + line for line in [*DECLARATIONS[language], *statements]]
    lines[at:at] = planted
    source = "\n".join(lines) + "\n"
    end = at + len(planted)  # line numbers from 1
    numbers = range(end - named + 1, end + 1) if named > 0 else [end + named + 1]
    planted_case = SimpleNamespace(
        seed=case.seed, language=language, grid=case.grid, block=case.block, n=case.n, source=source
    )
    return planted_case, kind, set(numbers)


def run_under_check(case):
    """The findings of a launch."""
    import heddle
    from heddle import cuda

    with cuda.current_context("cpu"):
        with heddle.check(print=False, lints=False) as report:
            arrays = [cuda.to_device(a) for a in make_arguments(case)]
            run = load_kernel(case)
            if case.language == "c++":
                run(case.grid, case.block, (*arrays, case.n))
            else:
                run[case.grid, case.block](*arrays, case.n)
            cuda.synchronize()
    return report.findings


def describe(finding):
    lines = [access.line for access in finding.accesses]
    return f"{finding.severity} {finding.kind} at {lines}: {finding.message}"


def is_found(findings, kind, lines):
    """True if an error of the kind names a planted line, and, unless threads wait elsewhere, no others."""
    for finding in findings:
        named = {access.line for access in finding.accesses}
        matches = named & lines if kind in ("barrier", "warp") else named <= lines
        if finding.kind == kind and finding.severity == "error" and matches:
            return True
    return False


def judge_seed(seed):
    os.environ["HEDDLE_WIDTH"] = ""
    case, rng = generate_kernel(seed), random.Random(seed)
    wrong, kind, lines = plant_mistake(case, rng) if seed % 2 else (case, None, set())
    try:
        findings = run_under_check(wrong)
        if kind and is_found(findings, kind, lines):
            return {"kind": "ok", "text": ""}
        # Some of the kernels have divergent barriers and masks of lanes that have gone past.
        correct = run_under_check(case) if kind else findings
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return {"kind": "error", "text": text, "script": format_program(wrong)}
    if any(finding.kind in ("barrier", "warp") for finding in correct):
        return {"kind": "unusable", "text": ""}
    problems = "; ".join(map(describe, findings))
    if kind:
        text = f"no {kind} at {sorted(lines)}: {problems or 'no finding'}"
    elif problems:
        text = f"a correct kernel: {problems}"
    else:
        return {"kind": "ok", "text": ""}
    return {"kind": "mismatch", "text": text, "script": format_program(wrong)}
