"""Prints the milliseconds of a kernel's first call in this process: gpu_first_call.py heddle|raw|numba|cupy KERNEL.

raw is heddle's RawKernel and cupy is CuPy's, with the same CUDA C++ source.

The context, arrays and imports exist before the call; measure_first_call() clears all caches.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
N = 64


def prepare_python_call(package, name):
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


def prepare_raw_call(raw_kernel, arrays, synchronize, name):
    """A kernel in CUDA C++, compiled from this kernel's source only, as in a user's program."""
    import gpu_kernels

    synchronize()
    source = extract_kernel_source(gpu_kernels.CUDA_CPP, name)
    sizes = (np.int32(N),) * 3 if name == "tiled_matmul" else (np.int32(N * N),)
    grid, block = (
        ((N // 16, N // 16), (16, 16)) if name == "tiled_matmul" else ((N * N // 256,), (256,))
    )

    def call():
        raw_kernel(source, name)(grid, block, (*arrays, *sizes))
        synchronize()

    return call


def prepare_heddle_raw_call(name):
    import heddle
    from heddle import cuda

    arrays = [cuda.to_device(np.ones(N * N, np.float32)) for _ in range(3)]
    call = prepare_raw_call(heddle.RawKernel, arrays, cuda.synchronize, name)
    return call, arrays[2].copy_to_host


def prepare_cupy_call(name):
    import cupy

    arrays = [cupy.ones(N * N, np.float32) for _ in range(3)]
    call = prepare_raw_call(cupy.RawKernel, arrays, cupy.cuda.runtime.deviceSynchronize, name)
    return call, lambda: cupy.asnumpy(arrays[2])


def extract_kernel_source(text, name):
    start = text.index(f'extern "C" __global__ void {name}(')
    end = text.index("\n}\n", start) + 3
    return "#define TILE 16\n" + text[start:end]


def measure_first_call(side, kernel):
    """The median over several processes without any cache of heddle, CuPy, numba or the driver."""
    found = []
    for _ in range(3 if side == "numba" else 5):
        with tempfile.TemporaryDirectory() as cache:
            env = {**os.environ, "CUDA_CACHE_DISABLE": "1", "CUPY_CACHE_IN_MEMORY": "1"}
            env |= {f"{name}_CACHE_DIR": cache for name in ("CUPY", "HEDDLE", "NUMBA")}
            command = [sys.executable, __file__, side, kernel]
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise RuntimeError(f"first call of {kernel} by {side}:\n{done.stderr[-1500:]}")
        found.append(float(done.stdout.split()[-1]))
    return statistics.median(found)


def main(package, name):
    raw = {"cupy": prepare_cupy_call, "raw": prepare_heddle_raw_call}
    call, result = raw[package](name) if package in raw else prepare_python_call(package, name)
    start = time.perf_counter()
    call()
    spent = time.perf_counter() - start
    np.testing.assert_array_equal(result(), N if name == "tiled_matmul" else 2)
    print(1e3 * spent)


if __name__ == "__main__":
    main(*sys.argv[1:])
