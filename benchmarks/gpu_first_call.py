"""Prints the milliseconds of a kernel's first call in this process: gpu_first_call.py heddle|numba|cupy KERNEL.

The context, the arrays and the imports are there before; no cache of heddle, CuPy or the driver is used (gpu.py sets
the environment).
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
N = 64


def python_call(package, name):
    os.environ["KERNELS_FROM"] = package
    if package == "numba":
        import numpy_for_numba  # noqa: F401
    import gpu_kernels

    cuda = gpu_kernels.cuda
    shape = (N, N) if name == "tiled_matmul" else (N * N,)
    host = np.ones(shape, np.float32)
    arrays = [cuda.to_device(host) for _ in range(3)]
    cuda.synchronize()
    kernel = getattr(gpu_kernels, name)
    grid, block = ((N // 16, N // 16), (16, 16)) if name == "tiled_matmul" else (N * N // 256, 256)

    def call():
        kernel[grid, block](*arrays)
        cuda.synchronize()

    return call, lambda: arrays[2].copy_to_host()


def cupy_call(name):
    import cupy

    import gpu_kernels

    arrays = [cupy.ones(N * N, np.float32) for _ in range(3)]
    cupy.cuda.runtime.deviceSynchronize()
    sizes = (np.int32(N),) * 3 if name == "tiled_matmul" else (np.int32(N * N),)
    grid, block = (
        ((N // 16, N // 16), (16, 16)) if name == "tiled_matmul" else ((N * N // 256,), (256,))
    )

    def call():
        # One kernel's source alone, as a user's program would have it.
        kernel = cupy.RawKernel(source_of(gpu_kernels.CUDA_CPP, name), name)
        kernel(grid, block, (*arrays, *sizes))
        cupy.cuda.runtime.deviceSynchronize()

    return call, lambda: cupy.asnumpy(arrays[2])


def source_of(text, name):
    start = text.index(f'extern "C" __global__ void {name}(')
    end = text.index("\n}\n", start) + 3
    return "#define TILE 16\n" + text[start:end]


def main(package, name):
    call, result = cupy_call(name) if package == "cupy" else python_call(package, name)
    start = time.perf_counter()
    call()
    spent = time.perf_counter() - start
    np.testing.assert_array_equal(result(), N if name == "tiled_matmul" else 2)
    print(1e3 * spent)


if __name__ == "__main__":
    main(*sys.argv[1:])
