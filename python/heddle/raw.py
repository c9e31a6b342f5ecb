"""Kernels written in CUDA C++: RawKernel and RawModule, with CuPy's names and meaning, on every device.

    add = heddle.RawKernel(r'''
    extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) c[i] = a[i] + b[i];
    }''', "add")
    add((n + 255) // 256, 256, (a, b, c, n))

The source is compiled when a kernel of it is first needed, once for each device that it is used on; no CUDA toolkit
takes part. Arguments are checked against the kernel's own parameters. On the CPU device NumPy arrays are arguments, and
hold their results when the launch returns; on a GPU arguments are device arrays, torch's, CuPy's and JAX's.
"""

import os
from typing import NamedTuple

import numpy as np

from heddle import _heddle
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.host_memory import Window
from heddle.cuda.native_devices import current_native
from heddle.public_function import public

_ATTRIBUTES = (
    "max_threads_per_block",
    "shared_size_bytes",
    "const_size_bytes",
    "local_size_bytes",
    "num_regs",
    "ptx_version",
    "binary_version",
    "cache_mode_ca",
)


class ArrayRules(NamedTuple):
    """Which arrays kernels take for their pointers, beside contiguous ones of the pointer's own type.

    strided: arrays that are not contiguous. any_elements: arrays of any dtype.
    """

    strided: bool
    any_elements: bool


class RawModule:
    """A program in CUDA C++: kernels, device functions and variables.

    code: the source. path: the file of a compiled module in its place, PTX, cubin or fatbin, for GPUs: kernels and
    variables are found by their symbols, arguments are passed by their own types as CuPy does, and their sizes are
    checked. options: NVRTC's options, a sequence of strings ("-DN=4", "-std=c++20", "-use_fast_math"; an
    unknown one is a ValueError). name_expressions: C++ expressions that name instances of templates, "scale<float>", to
    be kernels too. enable_cooperative_groups: all blocks of a launch run at once, as those of kernels
    that call ``grid.sync()`` do in any case; a grid too large for that is a ValueError with the largest that fits.
    translate_cucomplex: the types of cuComplex.h are complex<T>, with its operators.
    allow_strided: kernels take arrays that are not contiguous.

    Errors of the source are raised by the first use, or by ``compile()``, as heddle.TypingError with Clang's messages.
    """

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
                "a RawModule is made of code= or of path=, the file of a compiled module: give one of them"
            )
        self._path = None if path is None else os.fspath(path)
        self._image = None if path is None else _read(path)
        self._code = None if code is None else _text(code, "code")
        if isinstance(options, str):
            raise TypeError(f"options is a tuple of strings: write options=({options!r},)")
        if options is None:
            raise TypeError("options is a tuple of strings, not None")
        self._options = tuple(_text(option, "an option") for option in options)
        if backend not in ("nvrtc", "nvcc"):
            raise ValueError(f"backend is 'nvrtc' or 'nvcc', not {backend!r}")
        if jitify:
            raise ValueError("jitify=True is not supported: the device headers are built in")
        if isinstance(name_expressions, str):
            raise TypeError("name_expressions is a sequence of strings")
        self._backend = backend
        self._expressions = tuple(_text(e, "a name expression") for e in name_expressions or ())
        self._cooperative = bool(enable_cooperative_groups)
        self._translate_cucomplex = bool(translate_cucomplex)
        self._array_rules = ArrayRules(strided=bool(allow_strided), any_elements=False)
        self._make()

    def _make(self):
        self._kernels = {}  # (name, device's index) -> the kernel there
        if self._image is not None:
            self._program = _heddle.CudaImage(self._image, self._path)
            return
        options = list(self._options)
        if self._translate_cucomplex:
            options.append("-D__HEDDLE_TRANSLATE_CUCOMPLEX")  # read by our cuComplex.h
        self._program = _heddle.CudaProgram(
            self._code, "<cuda source>", options, list(self._expressions)
        )

    def __getstate__(self):
        state = dict(self.__dict__)
        del state["_program"], state["_kernels"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make()

    @property
    def code(self):
        return self._code

    @property
    def file_path(self):
        return self._path

    @property
    def options(self):
        return self._options

    @property
    def backend(self):
        return self._backend

    @property
    def enable_cooperative_groups(self):
        return self._cooperative

    @property
    def name_expressions(self):
        return self._expressions or None

    @public
    def compile(self, log_stream=None):
        """Compiles for the current device now. log_stream: an object whose ``write`` gets the compiler's warnings."""
        log = self._program.compile()
        if log_stream is not None:
            log_stream.write(log)

    @public
    def get_function(self, name):
        """The kernel of that name in the source, of that symbol, or of that name expression. Raises ValueError with the
        names that there are."""
        return self._function(name, RawKernel)

    def _function(self, name, kernel_class):
        kernel = kernel_class.__new__(kernel_class)
        kernel._init_from(self, _text(name, "the name"))
        kernel._on_current_device()
        return kernel

    @public
    def get_global(self, name):
        """The ``__device__`` or ``__constant__`` variable of that name, as a DeviceVariable on the current device."""
        symbol, address, nbytes = self._program.variable(_text(name, "the name"))
        return DeviceVariable(symbol, current_native(), address, nbytes, self)

    def _kernel(self, name):
        """The kernel on the current device."""
        key = (name, current_native().index)
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self._program.kernel(
                name, self._array_rules.strided, self._array_rules.any_elements, self._cooperative
            )
        return kernel


class RawKernel(_heddle.KernelLauncher):
    """A kernel in CUDA C++: ``kernel(grid, block, args, shared_mem=0, stream=None)``.

    code: its source. name: the kernel's. The other parameters are RawModule's.

    grid, block: an int or up to three. args: a tuple with a value for each parameter of the kernel. Numbers are
    converted to the parameter's type; one that does not fit is an OverflowError or a TypeError that names it.
    A pointer takes an array of that type (``void*`` and ``char*`` any array), an address or None. A structure takes a
    scalar of a structured dtype with the same layout (``align=True``).
    """

    _module_class = RawModule

    def __init__(
        self,
        code,
        name,
        options=(),
        backend="nvrtc",
        *,
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        jitify=False,
        allow_strided=False,
    ):
        module = self._module_class(
            code=code,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
            jitify=jitify,
            allow_strided=allow_strided,
        )
        self._init_from(module, _text(name, "the name"))

    def _init_from(self, module, name):
        _heddle.KernelLauncher.__init__(self)
        self._module = module
        self._name = name
        self._dynamic_shared = None
        self._carveout = -1

    def __reduce__(self):
        return _restored, (
            type(self),
            self._module,
            self._name,
            self._dynamic_shared,
            self._carveout,
        )

    def _on_current_device(self):
        return self._module._kernel(self._name)

    @public
    def compile(self, log_stream=None):
        """Compiles for the current device now. log_stream: an object whose ``write`` gets the compiler's warnings."""
        self._module.compile(log_stream)
        self._on_current_device()

    @property
    def name(self):
        return self._name

    @property
    def code(self):
        return self._module.code

    @property
    def options(self):
        return self._module.options

    @property
    def backend(self):
        return self._module.backend

    @property
    def enable_cooperative_groups(self):
        return self._module.enable_cooperative_groups

    @property
    def kernel(self):
        """The compiled kernel on the current device."""
        return self._on_current_device()

    @property
    def attributes(self):
        """What the kernel needs, by CUDA's names: a dict of ints. On the CPU device registers are 0."""
        found = self._on_current_device().attributes
        if self._dynamic_shared is not None:
            found["max_dynamic_shared_size_bytes"] = self._dynamic_shared
        found["preferred_shared_memory_carveout"] = self._carveout
        return found

    @property
    def max_dynamic_shared_size_bytes(self):
        """Bytes of shared memory that a launch may ask for."""
        return self.attributes["max_dynamic_shared_size_bytes"]

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, nbytes):
        most = self._on_current_device().attributes["max_dynamic_shared_size_bytes"]
        if not 0 <= nbytes <= most:
            raise ValueError(
                f"max_dynamic_shared_size_bytes is 0 to {most} bytes on this device, not {nbytes}"
            )
        self._dynamic_shared = int(nbytes)

    @property
    def preferred_shared_memory_carveout(self):
        """Percent of the memory next to a processor that is to be shared memory: a hint. -1 for the device's choice."""
        return self._carveout

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, percent):
        if not -1 <= percent <= 100:
            raise ValueError(f"a carveout is -1 to 100 percent, not {percent}")
        self._carveout = int(percent)

    def __repr__(self):
        return f"<RawKernel {self._name}>"


for _attribute in _ATTRIBUTES:
    setattr(
        RawKernel,
        _attribute,
        property(lambda self, name=_attribute: self.attributes[name]),
    )


def _restored(kernel_class, module, name, dynamic_shared, carveout):
    """A pickled kernel."""
    kernel = kernel_class.__new__(kernel_class)
    kernel._init_from(module, name)
    kernel._dynamic_shared = dynamic_shared
    kernel._carveout = carveout
    return kernel


class DeviceVariable:
    """A variable of a program in a device's memory.

    ptr: its address. nbytes: its size.
    """

    def __init__(self, name, device, address, nbytes, owner):
        self.name = name
        self.device = device
        self.ptr = address
        self.nbytes = self.size = nbytes
        self._owner = owner

    def __int__(self):
        return self.ptr

    def array(self, dtype, shape=None):
        """The variable as a device array. shape: as many elements as there are, when it is None."""
        dtype = np.dtype(dtype)
        if shape is None:
            shape = (self.nbytes // dtype.itemsize,)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if int(np.prod(shape, dtype=object)) * dtype.itemsize > self.nbytes:
            raise ValueError(
                f"{self.name} has {self.nbytes} bytes: an array of shape {shape} and dtype {dtype} does not fit"
            )
        window = Window(self.device, self.ptr, shape, None, dtype.str, False, self._owner)
        return DeviceNDArray._over(self.device, window.array(dtype), self._owner)

    def copy_from_host(self, values):
        """Sets the variable, or its first elements, to the values of a NumPy array or of what NumPy makes one of."""
        values = np.ascontiguousarray(values)
        self.array(values.dtype, values.shape).copy_to_device(values)

    def copy_to_host(self, dtype, shape=None):
        """A NumPy array of the variable's values."""
        return self.array(dtype, shape).copy_to_host()

    def __repr__(self):
        return f"<DeviceVariable {self.name}, {self.nbytes} bytes>"


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _text(value, what):
    if not isinstance(value, str):
        raise TypeError(f"{what} is a string, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} is not valid Unicode: {error}") from None
    return value
