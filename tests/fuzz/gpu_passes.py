"""The passes that optimize kernels for GPUs, as a device without a GPU: the interpreter runs their result."""

import re
import subprocess

from simt_interpreter import BUILT, Interpreter

HEDDLE_OPT = BUILT.with_name("heddle-opt")
# Those of nvptx-lowering that keep SIMT IR, in their order, then the rest.
PASSES = [
    "strip",
    "inline-device-functions",
    "remove-forgets",
    "expand-checks",
    "lower-wraps",
    "simplify-math-for-gpus",
    "unroll-array-loops",
    "insert-warp-barriers-for-gpus",
    "nvptx-limit-noalias",
    "nvptx-optimization",
]


class GpuPasses:
    """Runs a kernel's SIMT IR after the optimization passes of GPUs, which see arrays that do not overlap."""

    type = "gpu-passes"

    def __init__(self, interpreter):
        self._interpreter = Interpreter(interpreter)

    def run(self, module, arguments, **options):
        """The arrays after the launch; None if the interpreter lacks something, such as inline PTX.

        module: SIMT IR text for a GPU. options: those of Interpreter.run.
        """
        outcome = self._interpreter.run(_optimize(_add_facts(module)), arguments, **options)
        if outcome.error is None:
            return outcome.arrays
        if outcome.error["kind"] in ("unsupported", "endless"):
            return None
        raise RuntimeError(f"{outcome.error['kind']}: {outcome.error['message']}")


def _add_facts(module):
    """Adds what a launch knows of the kernel's pointers. The interpreter has no vectors, so there will be none."""

    def add(match):
        pointers = re.sub(r"ptr addrspace\(1\)(?! noalias)", "ptr addrspace(1) noalias", match[2])
        return match[1] + pointers + match[3] + " noimplicitfloat"  # turns the SLP vectorizer off

    return re.sub(r"(define [^@]*@kernel\()(.*)(\))", add, module)


def _optimize(module):
    command = [HEDDLE_OPT, f"-passes={','.join(PASSES)}", "-S", "-"]
    done = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"heddle-opt: {done.stderr}")
    return done.stdout
