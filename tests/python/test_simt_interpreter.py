"""interpret-simt: kernels from both front ends in the interpreter of SIMT IR."""

import sys
from pathlib import Path

import numpy as np
import pytest

from heddle import _heddle, cuda
from heddle.compiler.signatures import parse_signature

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

import simt_interpreter  # noqa: E402

pytestmark = pytest.mark.skipif(
    not simt_interpreter.find_interpreter().exists(),
    reason="interpret-simt is not built: configure with -DHEDDLE_TOOLS=ON",
)


@pytest.fixture
def interpreter():
    started = simt_interpreter.Interpreter()
    yield started
    started.close()


def simt_of(function, signature):
    dispatcher = cuda.jit(function)
    wanted = parse_signature(signature)
    code, _ = _heddle.compile_ahead(dispatcher, wanted, "kernel", "cpu", None, "simt")
    return code.decode()


def reverse(out, last):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t] = 10 * t
    cuda.syncthreads()
    out[t] = s[last - t]


REVERSED = "void(int32[:], int64)"


def test_a_python_kernel_runs(interpreter):
    out = np.zeros(5, np.int32)
    found = interpreter.run(simt_of(reverse, REVERSED), [out, 4], block=(5,))
    assert found.error is None
    np.testing.assert_array_equal(found.arrays[0], [40, 30, 20, 10, 0])
    assert not out.any()


def test_a_cuda_kernel_runs(interpreter):
    source = 'extern "C" __global__ void k(float* o, float f) { o[threadIdx.x] = f * threadIdx.x; }'
    options = _heddle.CudaOptions([])
    code, *_ = _heddle.compile_cuda_ahead(source, "k.cu", options, [], "cpu", None, "simt")
    arguments = [np.zeros(3, np.float32), np.float32(0.5)]
    found = interpreter.run(code.decode(), arguments, block=(3,), pointers=True)
    np.testing.assert_array_equal(found.arrays[0], np.array([0, 0.5, 1], np.float32))


def test_a_module_is_launched_again(interpreter):
    arguments = [np.zeros(2, np.int32), 1]
    first = interpreter.run(simt_of(reverse, REVERSED), arguments, block=(2,))
    again = interpreter.run(None, [np.zeros(3, np.int32), 2], block=(3,), seed=5)
    assert first.arrays[0].tolist() == [10, 0]
    assert again.arrays[0].tolist() == [20, 10, 0]


def test_an_access_out_of_bounds_has_its_line(interpreter):
    found = interpreter.run(simt_of(reverse, REVERSED), [np.zeros(2, np.int32), 2], block=(3,))
    assert (found.error["kind"], found.error["site"]["kind"]) == ("trap", "IndexError")
    assert (found.error["index"], found.error["extent"]) == (2, 2)
    assert found.error["thread"] == [2, 0, 0]
    assert found.error["file"].endswith("test_simt_interpreter.py")
    assert found.error["line"] == reverse.__code__.co_firstlineno + 5


def test_a_division_by_zero_is_the_trap_of_its_site(interpreter):
    def divide(out, by):
        if by == 0:
            raise ZeroDivisionError("no")
        out[0] = 7 // by

    module = simt_of(divide, "void(int32[:], int64)")
    found = interpreter.run(module, [np.zeros(1, np.int32), 0], grid=(1,))
    assert (found.error["kind"], found.error["site"]["kind"]) == ("trap", "ZeroDivisionError")


@pytest.mark.parametrize(
    "request_, message",
    [
        ({}, "the first request has no 'module'"),
        ({"module": "define"}, "line 1 of the module"),
        ({"module": "@g = global i32 0"}, "the module is not SIMT IR"),
        ({"module": "", "arguments": [3]}, "an argument is an object"),
        ({"module": "", "arguments": [], "buffers": ["%"]}, "no text in base64"),
    ],
)
def test_a_request_that_is_none_is_answered(interpreter, request_, message):
    error = interpreter.send_request(request_)["error"]
    assert error["kind"] == "request" and message in error["message"]
    assert (
        interpreter.send_request({"module": "", "arguments": []})["error"]["kind"] == "unsupported"
    )
