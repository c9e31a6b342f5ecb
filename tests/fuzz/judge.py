"""The verdict about a launch: correct, without a unique correct result, or a failure of a device."""

from dataclasses import dataclass, field

import case as cases
from arithmetic import Ambiguous
from gpu_passes import GpuPasses
from interpret import Diverged, TooLong
from kernel_types import Untranslatable
from memory import OutOfBounds, Race

# Kernels without a unique correct result, which do not run on devices.
unusable = (Ambiguous, Untranslatable, OutOfBounds, Diverged, Race, TooLong)


@dataclass
class Verdict:
    """kind: "ok", "unusable", "mismatch" or "error" (the device raised an exception)."""

    kind: str
    device: str = ""
    text: str = ""
    fatal: bool = False  # whether the device may now be unusable
    details: list = field(default_factory=list)


def find_devices(names, interpreter=None):
    """The first device of each type. interpreter: see Interpreter."""
    from heddle import cuda

    found = []
    for name in names:
        if name == GpuPasses.type:
            found.append(GpuPasses(interpreter))
            continue
        matching = [d for d in cuda.all_devices() if d.type == name]
        if not matching:
            raise SystemExit(f"there is no device of type {name} here")
        found.append(matching[0])
    return found


def judge(case, devices, watched=False):
    """Run a case in the interpreter, then on each device until one fails."""
    try:
        wanted = cases.run_in_interpreter(case, watched)
    except unusable as reason:
        return Verdict("unusable", text=f"{type(reason).__name__}: {reason}")
    except (TypeError, ValueError, SyntaxError, AttributeError, KeyError) as reason:
        # Shrinking makes programs that the interpreter does not know.
        return Verdict("unusable", text=f"interpreter: {type(reason).__name__}: {reason}")
    try:
        kernel = cases.load_module(case)[case.kernel]
    except Exception as error:
        return Verdict("error", devices[0].type, f"{type(error).__name__}: {error}")
    for device in devices:
        try:
            found = cases.run_on_device(case, device, kernel)
            wrong = cases.find_differences(case, wanted, found)
            if case.elementwise and not wrong and device.type != "cpu":
                wrong = cases.find_differences_when_repeated(case, device, kernel, wanted)
                if wrong and not cases.is_elementwise(case, wanted):
                    return Verdict("unusable", text="shrunk to what is not elementwise")
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            return Verdict("error", device.type, text, fatal=device.type != "cpu")
        if wrong:
            return make_mismatch(device, wrong, "is {!r}, not {!r}")
    return Verdict("ok")


def make_mismatch(device, wrong, form):
    """The verdict about differing elements. wrong: (argument, index, element, element). form: describes a pair."""
    lines = [f"{name}.base.flat[{at}] {form.format(a, b)}" for name, at, a, b in wrong[:5]]
    text = f"{len(wrong)} elements differ on {device.type}\n" + "\n".join(lines)
    return Verdict("mismatch", device.type, text, details=wrong)
