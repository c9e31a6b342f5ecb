"""The passes that optimize kernels for GPUs, as a device without a GPU: the interpreter runs their result."""

import re
import subprocess

from simt_interpreter import BUILT, Interpreter

HEDDLE_OPT = BUILT.with_name("heddle-opt")
PASSES = "strip,nvptx-limit-noalias,nvptx-optimization"
NOT_INTERPRETED = ("its type is not a SIMT IR type", "an operand's type is not a SIMT IR type")


class GpuPasses:
    """Runs a kernel's SIMT IR after the optimization passes of GPUs, which see arrays that do not overlap."""

    type = "gpu-passes"

    def __init__(self, interpreter):
        self._interpreter = Interpreter(interpreter)

    def run(self, module, arguments, **options):
        """The arrays after the launch; None if the interpreter lacks something: vectors, inline PTX.

        module: SIMT IR text. options: those of Interpreter.run.
        """
        outcome = self._interpreter.run(_optimize(_mark_noalias(module)), arguments, **options)
        if outcome.error is None:
            return outcome.arrays
        kind, message = outcome.error["kind"], outcome.error["message"]
        if kind in ("unsupported", "endless") or any(text in message for text in NOT_INTERPRETED):
            return None
        raise RuntimeError(f"{kind}: {message}")


def _mark_noalias(module):
    """Adds what a launch knows to the kernel's pointers."""

    def mark(match):
        pointers = re.sub(r"ptr addrspace\(1\)(?! noalias)", "ptr addrspace(1) noalias", match[2])
        return match[1] + pointers

    return re.sub(r"(define [^@]*@kernel\()(.*)", mark, module)


def _optimize(module):
    command = [HEDDLE_OPT, f"-passes={PASSES}", "-S", "-"]
    done = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"heddle-opt: {done.stderr}")
    return done.stdout
