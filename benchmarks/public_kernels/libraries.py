"""Heddle and the library it is compared with, behind the same few functions."""

import importlib
import linecache
import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from gpu_timing import Events  # noqa: E402

# CuPy passes these two to NVRTC itself.
_OPTIONS_OF_CUPY = ("-ftz=true", "-default-device")
_CUDA_HEADERS = Path("/usr/local/cuda/include")


class Heddle:
    """Kernels in CUDA C++ (heddle.RawModule) and in Python (heddle.cuda)."""

    name = "Heddle"

    def __init__(self):
        import heddle

        self.version = heddle.__version__

        self.package, self.cuda = heddle, heddle.cuda
        self.events = Events.of_cuda(heddle.cuda)
        self.synchronize = heddle.cuda.synchronize
        self.to_device = heddle.cuda.to_device

    def to_host(self, array):
        return array.copy_to_host()

    def compile_module(self, source, expression):
        options = ("-std=c++17", *_OPTIONS_OF_CUPY)
        return self.package.RawModule(code=source, options=options, name_expressions=(expression,))

    def set_constant(self, module, name, values):
        module.get_global(name).copy_from_host(values)


class CuPy:
    """Kernels in CUDA C++, compiled by NVRTC."""

    name = "NVRTC"

    def __init__(self):
        import cupy

        self.cupy = cupy
        version = ".".join(map(str, cupy.cuda.nvrtc.getVersion()))
        self.version = f"{version} through CuPy {cupy.__version__}"
        self.events = Events.of_cupy(cupy)
        self.synchronize = cupy.cuda.runtime.deviceSynchronize
        self.to_device = cupy.asarray
        self.to_host = cupy.asnumpy

    def compile_module(self, source, expression):
        options = ("-std=c++17", *([f"-I{_CUDA_HEADERS}"] if _CUDA_HEADERS.exists() else []))
        return self.cupy.RawModule(code=source, options=options, name_expressions=(expression,))

    def set_constant(self, module, name, values):
        memory = module.get_global(name)
        self.cupy.ndarray(values.shape, values.dtype, memory)[...] = self.cupy.asarray(values)


class Numba:
    """Kernels in Python, compiled by numba-cuda."""

    name = "numba-cuda"

    def __init__(self):
        import numba
        from numba import cuda

        import numpy_for_numba  # noqa: F401 - before numba

        self.package, self.cuda = numba, cuda
        self.version = getattr(sys.modules.get("numba_cuda"), "__version__", numba.__version__)
        self.events = Events.of_cuda(cuda)
        self.synchronize = cuda.synchronize
        self.to_device = cuda.to_device

    def to_host(self, array):
        return array.copy_to_host()


def prepare_raw_launch(library, source, kernel, launch, arguments):
    """A function that launches a kernel in CUDA C++. Compiles it."""
    module = library.compile_module(source, kernel.function)
    function = module.get_function(kernel.function)
    for name, values in launch.constants.items():
        library.set_constant(module, name, values)
    if launch.shared > 48 << 10:
        function.max_dynamic_shared_size_bytes = launch.shared
    return lambda: function(launch.grid, launch.block, arguments, shared_mem=launch.shared)


def prepare_python_launch(library, source, kernel, launch, arguments):
    """A function that launches a kernel in Python, which compiles when it is first called."""
    file = f"<{kernel.name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    package = library.package
    names = {"np": np, "numpy": np, "math": math, "cuda": library.cuda, "numba": package}
    names |= {name: find_in_package(package, path) for name, path in kernel.imports}
    names["__name__"] = "kernels"
    exec(compile(source, file, "exec"), names)  # a file of the suite
    configured = names[kernel.function][launch.grid, launch.block, 0, launch.shared]
    return lambda: configured(*arguments)


def find_in_package(package, path):
    """An object by its path, as numba.cuda.libdevice.fmaf is cuda.libdevice.fmaf."""
    found = package
    for name in path.split("."):
        if not hasattr(found, name):
            importlib.import_module(f"{found.__name__}.{name}")
        found = getattr(found, name)
    return found
