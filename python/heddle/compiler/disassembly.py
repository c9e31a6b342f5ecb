"""Machine code as text, with the tools of NVIDIA's toolkit, if installed."""

import os
import shutil
import subprocess
import tempfile

from heddle.errors import CudaSupportError

_usual_place = "/usr/local/cuda/bin"
_longest_run = 60  # seconds


def _find_tool(name):
    return shutil.which(name) or shutil.which(name, path=_usual_place)


def disassemble_cubin(machine_code, control_flow=False):
    """Disassembles a cubin with nvdisasm or cuobjdump.

    machine_code: bytes. control_flow: returns the control-flow graph, in Graphviz's language, instead.
    Raises CudaSupportError if neither tool is found or the tool fails.
    """
    nvdisasm, cuobjdump = _find_tool("nvdisasm"), _find_tool("cuobjdump")
    if nvdisasm:
        command = [nvdisasm, "-cfg"] if control_flow else [nvdisasm, "-g"]
    elif cuobjdump and not control_flow:
        command = [cuobjdump, "-sass"]
    else:
        raise CudaSupportError(
            f"heddle shows machine code with nvdisasm, which is neither on PATH nor in {_usual_place}: install it "
            "(Debian: nvidia-cuda-toolkit; PyPI: nvidia-cuda-nvcc; conda: cuda-nvdisasm)"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.cubin")
        with open(path, "wb") as file:
            file.write(machine_code)
        result = subprocess.run(
            [*command, path], capture_output=True, text=True, timeout=_longest_run, check=False
        )
    if result.returncode:
        raise CudaSupportError(f"{command[0]} failed: {result.stderr.strip()}")
    return result.stdout
