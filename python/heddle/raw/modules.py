"""RawModule: a CUDA C++ program."""

import os
from typing import NamedTuple

from heddle import _heddle
from heddle.cuda.native_devices import current_native
from heddle.errors import CompileError
from heddle.raw.cupys_exceptions import (
    FILE_NOT_FOUND,
    NOT_FOUND,
    make_cupy_compile_error,
    make_cupy_driver_error,
)
from heddle.raw.variables import DeviceVariable
from heddle.support.public_function import public


class ArrayRules(NamedTuple):
    """The arrays that kernels take for pointers, besides contiguous arrays of the pointer's type.

    strided: arrays that are not contiguous. cupys_rules: arrays of any dtype, but no NumPy arrays.
    """

    strided: bool
    cupys_rules: bool


class RawModule:
    """A CUDA C++ program: kernels, device functions and variables.

    code: the source. path: the file of a compiled module for GPUs (PTX, cubin or fatbin), instead of ``code``. Kernels
    and variables are found by symbol. The types of the values determine how arguments are passed, as in CuPy, and only
    sizes are checked.
    options: NVRTC options, a sequence of strings ("-DN=4", "-std=c++20", "-use_fast_math"); unknown ones raise
    ValueError. name_expressions: C++ expressions of the template instances to compile as kernels, such as
    "scale<float>".
    enable_cooperative_groups: all blocks of a launch run concurrently, as for kernels that call ``grid.sync()``. A grid
    that is too large raises ValueError, which gives the largest that fits.
    translate_cucomplex: turns the types of cuComplex.h into complex<T>, with its operators.
    jitify: no effect, because the headers that Jitify finds are built in.
    allow_strided: kernels take arrays that are not contiguous.

    Errors in the source are raised at the first use, or by ``compile()``, as heddle.TypingError with Clang's messages.
    In a program that has imported CuPy, each exception is also an instance of the class that CuPy raises.

    >>> code = '''
    ... template <class T> __global__ void scale(T *x, T factor, int n) {
    ...   int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...   if (i < n) x[i] *= factor;
    ... }'''
    >>> module = heddle.RawModule(code=code, name_expressions=["scale<float>"])
    >>> module.get_function("scale<float>")(4, 256, (x, 2, x.size))
    >>> x[:3]
    array([2., 2., 2.], dtype=float32)
    """

    _kernel_class = None  # of the result of get_function()

    def __init__(
        self,
        *,
        code=None,
        path=None,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        name_expressions=None,
        jitify=False,
        allow_strided=False,
    ):
        if (code is None) == (path is None):
            raise TypeError(
                "a RawModule takes code= or path=, the file of a compiled module: give one of them"
            )
        self._path = None if path is None else os.fspath(path)
        self._image = None if path is None else _read_file(path)
        self._code = None if code is None else check_text(code, "code")
        if isinstance(options, str):
            raise TypeError(f"options is a tuple of strings: write options=({options!r},)")
        if options is None:
            raise TypeError("options is a tuple of strings, not None")
        self._options = tuple(check_text(option, "an option") for option in options)
        if backend not in ("nvrtc", "nvcc"):
            raise ValueError(f"backend is 'nvrtc' or 'nvcc', not {backend!r}")
        if isinstance(name_expressions, str):
            raise TypeError("name_expressions is a sequence of strings")
        self._backend = backend
        self._expressions = tuple(
            check_text(e, "a name expression") for e in name_expressions or ()
        )
        self._cooperative = bool(enable_cooperative_groups)
        self._jitify = bool(jitify)
        self._translate_cucomplex = bool(translate_cucomplex)
        self._array_rules = ArrayRules(strided=bool(allow_strided), cupys_rules=False)
        self._create_program()

    def _create_program(self):
        self._kernels = {}  # (name, device's index) -> the kernel there
        if self._image is not None:
            self._program = _heddle.CudaImage(self._image, self._path)
            return
        options = list(self._options)
        if self._translate_cucomplex:
            options.append("-D__HEDDLE_TRANSLATE_CUCOMPLEX")  # read by Heddle's cuComplex.h
        self._program = _heddle.CudaProgram(
            self._code, "<cuda source>", options, list(self._expressions)
        )

    def __getstate__(self):
        state = dict(self.__dict__)
        del state["_program"], state["_kernels"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._create_program()

    @property
    def code(self):
        """The CUDA C++ source; None for a compiled module."""
        return self._code

    @property
    def file_path(self):
        """The file of a compiled module; None for a source."""
        return self._path

    @property
    def options(self):
        """The compiler options, a tuple."""
        return self._options

    @property
    def backend(self):
        return self._backend

    @property
    def enable_cooperative_groups(self):
        """True if all blocks of a launch run concurrently."""
        return self._cooperative

    @property
    def jitify(self):
        return self._jitify

    @property
    def name_expressions(self):
        """The template instances that are compiled as kernels, a tuple."""
        return self._expressions or None

    @public
    def compile(self, log_stream=None):
        """Compiles for the current device. log_stream: an object whose ``write`` receives the compiler's warnings."""
        log = self._call_with_cupy_errors(self._program.compile)
        if log_stream is not None:
            log_stream.write(log)

    @public
    def get_function(self, name):
        """The kernel with this name in the source, symbol, or name expression. Raises ValueError with the available
        names."""
        kernel = self._kernel_class.__new__(self._kernel_class)
        kernel._bind_to_module(self, check_text(name, "the name"))
        kernel._get_kernel_on_current_device()
        return kernel

    @public
    def get_global(self, name):
        """The ``__device__`` or ``__constant__`` variable with this name, as a DeviceVariable on the current device."""
        symbol, address, nbytes = self._call_with_cupy_errors(
            self._program.variable, check_text(name, "the name")
        )
        return DeviceVariable(symbol, current_native(), address, nbytes, self)

    def _get_kernel_on_current_device(self, name):
        """The kernel on the current device."""
        key = (name, current_native().index)
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self._call_with_cupy_errors(
                self._program.kernel, name, *self._array_rules, self._cooperative
            )
        return kernel

    def _call_with_cupy_errors(self, find, *args):
        """Calls ``find``, which may compile the program. Its exceptions become those of CuPy, if that is imported."""
        try:
            return find(*args)
        except CompileError as error:
            raise make_cupy_compile_error(error, self) from None
        except ValueError as error:
            raise make_cupy_driver_error(error, NOT_FOUND) from None


def _read_file(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise make_cupy_driver_error(error, FILE_NOT_FOUND) from None


def check_text(value, what):
    if not isinstance(value, str):
        raise TypeError(f"{what} is a string, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} is not valid Unicode: {error}") from None
    return value
