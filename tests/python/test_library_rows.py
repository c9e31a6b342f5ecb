"""The rows of the compiler's tables, compared with what compiled calls of their functions do."""

import importlib.util
import re

import pytest
from library_rows import ROWS

from heddle import TypingError, UnsupportedError, _heddle
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.signatures import parse_signature

NAMES_ON_HOST = {row["name"] for row in _heddle.library() if row["on_host"]}
ELEMENTS = ("int32", "uint32", "float16", "float32", "complex64")
IMPORTS = """
import builtins, cmath, math, operator
import numpy
import heddle
from heddle import cuda
from heddle.compat.cupyx import jit
try:
    import cffi
    ffi = cffi.FFI()
except ImportError:
    ffi = None
"""


def calls_of(row):
    """Pairs (parameter, a call with the array `a` as that argument and another array or a number for the others)."""
    parameters = row["parameters"]
    least = sum(not p.startswith("*") and p not in row["optional"] for p in parameters)
    for count in range(max(least, 1), len(parameters) + 1):
        for place in range(count):
            for other in ("b", "(1)"):
                arguments = [other] * place + ["a"] + [other] * (count - place - 1)
                function = row["name"]
                if parameters[0] == "self":
                    function = f"{arguments.pop(0)}.{function.rpartition('.')[2]}"
                yield parameters[place], f"{function}({', '.join(arguments)})"


def kernels_of(calls, folder):
    """One function per call, which makes the call."""
    text = IMPORTS + "".join(f"def k{i}(a, b):\n    {call}\n" for i, call in enumerate(calls))
    (folder / "calls.py").write_text(text)
    spec = importlib.util.spec_from_file_location("calls", folder / "calls.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"k{i}") for i in range(len(calls))]


def writes_to_a(function, element):
    """True if the kernel, compiled for arrays of that element type, may write to `a`; None if it does not compile."""
    signature = parse_signature(f"void({element}[::1], {element}[::1])")
    try:
        code, _ = _heddle.compile_ahead(
            Dispatcher(function, {}), signature, function.__name__, "cpu", None, "simt"
        )
    except (TypingError, UnsupportedError):
        return None
    return "readonly" not in re.search(r"ptr addrspace\(1\)([^%,]*)%a\b", code.decode())[1]


@pytest.mark.parametrize("row", [row for row in ROWS if row["parameters"]], ids=lambda r: r["name"])
def test_a_row_says_which_arguments_a_call_writes(row, tmp_path):
    """A call that writes more than its row says is invalid SIMT IR: compiling it raises InternalError."""
    parameters, calls = zip(*calls_of(row), strict=True)
    compiled = set()
    for parameter, function in zip(parameters, kernels_of(calls, tmp_path), strict=True):
        for element in ELEMENTS:
            written = writes_to_a(function, element)
            if written is not None:
                assert written == (parameter in row["writes"])
                compiled.add(parameter)
    takes_shared = row["name"].startswith(("cuda.wmma.", "cuda.wgmma.", "cuda.pipeline."))
    assert takes_shared or compiled >= set(row["writes"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_what_is_cudas_exists_in_kernels_alone(row):
    module = row["name"].partition(".")[0]
    of_the_language = row["name"] in ("cuda.literally", "cuda.literal_unroll", "jit.range")
    assert (row["name"] in NAMES_ON_HOST) == (module not in ("cuda", "jit") or of_the_language)
