"""Compares a kernel assembled by the driver with and without optimization: memory must hold the same bits
afterwards."""

import os

import case as cases
import numpy as np
from judge import Verdict, judge, make_mismatch

_variable = "HEDDLE_PTX_OPTIMIZATION"


def run_at_level(level, case, device):
    """The contents of each array after a launch, by argument, and the kernel, which is compiled for this launch.

    level: the driver's, "0" to "4"; "" means the default.
    """
    before = os.environ.pop(_variable, None)
    if level:
        os.environ[_variable] = level
    try:
        kernel = cases.load_module(case)[case.kernel]
        return cases.run_on_device(case, device, kernel), kernel
    finally:
        os.environ.pop(_variable, None)
        if before is not None:
            os.environ[_variable] = before


def judge_levels(case, devices, watched=False):
    """Like judge.judge, but the kernel must also leave the same bits when assembled without optimization.

    Results of approximate instructions may differ: of constants, the optimizing assembler computes more exact ones than
    the GPU does. Without optimization they must agree with the interpreter, too.
    """
    verdict = judge(case, devices, watched)
    if verdict.kind != "ok":
        return verdict
    for device in devices:
        try:
            (optimized, kernel), (plain, _) = (
                run_at_level(level, case, device) for level in ("", "0")
            )
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            return Verdict("error", device.type, text, fatal=device.type != "cpu")
        wrong = _find_different_bits(optimized, plain)
        form = "is {!r} with optimization and {!r} without"
        if wrong and _is_approximate(kernel):
            wrong = cases.find_differences(case, cases.run_in_interpreter(case), plain)
            form = "is {!r} without optimization, not {!r}"
        if wrong:
            return make_mismatch(device, wrong, form)
    return Verdict("ok")


def _is_approximate(kernel):
    """True if the PTX of a kernel has approximate instructions."""
    code = kernel.inspect_asm()
    return any(".approx" in text for text in code.values())


def _find_different_bits(optimized, plain):
    """(argument, index, element, element) for each differing element; NaNs count as equal."""
    wrong = []
    for name, fast in optimized.items():
        rows = [np.ascontiguousarray(a).reshape(-1) for a in (fast, plain[name])]
        raw = [row.view(np.uint8).reshape(len(row), row.itemsize) for row in rows]
        for at in np.flatnonzero((raw[0] != raw[1]).any(1)):
            elements = [row[at].item() for row in rows]
            if repr(elements[0]) != repr(elements[1]):
                wrong.append((name, int(at), *elements))
    return wrong
