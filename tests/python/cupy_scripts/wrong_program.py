"""The exception that a program catches if its kernel does not compile."""

import cupy as cp
from cupy.cuda.compiler import CompileException

bad = cp.RawKernel('extern "C" __global__ void f(float* x) { x[0] = undefined_name; }', "f")
try:
    bad((1,), (1,), (cp.zeros(1, dtype=cp.float32),))
except CompileException as error:
    print("undefined_name" in error.get_message(), "undefined_name" in str(error))
try:
    cp.RawModule(code='extern "C" __global__ void g() {}').get_function("h")
except cp.cuda.driver.CUDADriverError as error:
    print("no such kernel", error.status)
