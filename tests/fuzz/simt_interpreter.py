"""Launches SIMT IR kernels in `interpret-simt`, the reference interpreter."""

import base64
import json
import os
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

BUILT = Path(__file__).parents[2] / "build" / "release" / "src" / "interpret-simt"


def find_interpreter():
    """The path in $HEDDLE_INTERPRETER, or that of the release build."""
    return Path(os.environ.get("HEDDLE_INTERPRETER", BUILT))


@dataclass
class Outcome:
    arrays: list  # the array arguments after the launch
    error: dict | None = None  # the first error: kind, message, thread, block, line, ...
    output: str = ""
    steps: int = 0
    undefined_reads: int = 0  # shuffles that read lanes that do not take part
    variables: dict = field(default_factory=dict)  # name -> bytes


class Interpreter:
    """A process of interpret-simt that runs launches. path: the program's; None means the default one."""

    def __init__(self, path=None):
        self._process = subprocess.Popen(
            [path or find_interpreter()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def close(self):
        self._process.stdin.close()
        self._process.wait()

    def run(self, module, arguments, grid=(1,), block=(1,), pointers=False, **options):
        """Launch a kernel; returns an Outcome. module: SIMT IR text; None means the previous one.

        arguments: NumPy arrays, 64-bit integers, floats and NumPy scalars. pointers: pass an array only as its address,
        as in C++. options: kernel, dynamic_shared, seed, max_steps, variables (name -> bytes).
        """
        arrays = [a for a in arguments if isinstance(a, np.ndarray)]
        slots = []
        for a in arguments:
            if isinstance(a, np.ndarray):
                buffer = next(i for i, other in enumerate(arrays) if other is a)
                slots.append({"buffer": buffer})
                slots += [] if pointers else [{"value": n} for n in (*a.shape, *a.strides)]
            else:
                slots.append({"value": _pack_slot(a)})
        variables = {name: _encode_base64(b) for name, b in options.pop("variables", {}).items()}
        request = {
            "arguments": slots,
            "buffers": [_encode_base64(a.tobytes()) for a in arrays],
            "grid": [*grid],
            "block": [*block],
            "variables": variables,
            **({} if module is None else {"module": module}),
            **options,
        }
        answer = self.send_request(request)
        bytes_of = map(base64.b64decode, answer.get("buffers", ()))
        after = [
            np.frombuffer(b, a.dtype).reshape(a.shape).copy()
            for a, b in zip(arrays, bytes_of, strict=False)
        ]
        left = {name: base64.b64decode(text) for name, text in answer.get("variables", {}).items()}
        facts = {
            name: answer[name] for name in ("output", "steps", "undefined_reads") if name in answer
        }
        return Outcome(after, answer.get("error"), variables=left, **facts)

    def send_request(self, request):
        """The answer to a request; src/tools/interpret_simt.cpp describes both."""
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"interpret-simt ended with status {self._process.wait()}")
        return json.loads(line)


def _encode_base64(data):
    return base64.b64encode(data).decode()


def _pack_slot(value):
    """The 8 bytes of an argument slot, with the value in the lowest bytes."""
    if isinstance(value, float):
        return struct.unpack("<q", struct.pack("<d", value))[0]
    if isinstance(value, np.generic):
        return int.from_bytes(value.tobytes().ljust(8, b"\0"), "little", signed=True)
    return int(value)
