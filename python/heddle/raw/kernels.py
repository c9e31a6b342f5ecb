"""RawKernel: a CUDA C++ kernel."""

import math
import sys
import warnings

from heddle import _heddle
from heddle.raw.cupys_exceptions import INVALID_VALUE, make_cupy_driver_error
from heddle.raw.modules import RawModule, check_text
from heddle.support.public_function import public

# Attributes of kernels under CuPy's names, with their meanings.
_ATTRIBUTES = {
    "max_threads_per_block": "The largest block that can be launched.",
    "shared_size_bytes": "Bytes of static shared memory per block.",
    "const_size_bytes": "Bytes of constant memory.",
    "local_size_bytes": "Bytes of local memory per thread.",
    "num_regs": "Registers per thread; 0 on the CPU device.",
    "ptx_version": "The PTX version, times 10.",
    "binary_version": "The compute capability of the machine code, times 10.",
    "cache_mode_ca": "1 if global loads are cached in L1 by an option, else 0.",
}


class RawKernel(_heddle.KernelLauncher):
    """A CUDA C++ kernel: ``kernel(grid, block, args, shared_mem=0, stream=None)``.

    code: its source. name: the kernel's name. The other parameters are those of RawModule.

    grid, block: an int or a tuple of up to three. args: a tuple with a value for each parameter. Numbers are converted
    to the parameter's type. A number that does not fit raises OverflowError or TypeError, which names the parameter. A
    pointer takes an array of its type (``void*`` and ``char*`` take any array), an address or None. A structure takes a
    scalar of a structured dtype with the same layout (``align=True``).

    >>> scale = heddle.RawKernel('''
    ... extern "C" __global__ void scale(float *x, float factor, int n) {
    ...   int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...   if (i < n) x[i] *= factor;
    ... }''', "scale")
    >>> scale(4, 256, (x, 3, x.size))
    >>> x[:3]
    array([3., 3., 3.], dtype=float32)
    """

    _module_class = RawModule
    _is_cupys = False  # whether this class is cupy.RawKernel

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
        self._bind_to_module(module, check_text(name, "the name"))

    def __getitem__(self, shape):
        raise TypeError(
            f"kernel {self._name}: launch a CUDA C++ kernel with kernel(grid, block, args), not kernel[...]"
        )

    def _bind_to_module(self, module, name):
        _heddle.KernelLauncher.__init__(self)
        self._module = module
        self._name = name
        self._dynamic_shared = None
        self._carveout = -1

    def __reduce__(self):
        return _restore_kernel, (
            type(self),
            self._module,
            self._name,
            self._dynamic_shared,
            self._carveout,
        )

    def _get_kernel_on_current_device(self):
        return self._module._get_kernel_on_current_device(self._name)

    def _retry_refused_launch(self, error, grid, block, args, shared_mem, stream):
        """Handles a launch that raised ValueError. In programs for CuPy, it reduces a grid whose blocks must run
        concurrently but do not fit the device."""
        fitting = self._find_reduced_cooperative_grid(grid, block, shared_mem or 0)
        if fitting is None:
            raise make_cupy_driver_error(error, INVALID_VALUE) from None
        warnings.warn(
            f"the grid of {self.name} is reduced to {fitting} blocks, the most that the device runs concurrently",
            stacklevel=2,
        )
        launch = super().__call__
        launch(fitting, block, args, shared_mem=shared_mem or 0, stream=stream)

    def _find_reduced_cooperative_grid(self, grid, block, shared_bytes):
        """The number of concurrent blocks of a one-dimensional cooperative grid; None if the launch is of another kind,
        or if the grid fits."""
        grid, *others = grid if isinstance(grid, tuple) else (grid,)
        for_cupy = "cupy" in sys.modules or self._is_cupys
        if not (for_cupy and self.enable_cooperative_groups and all(n == 1 for n in others)):
            return None
        threads = math.prod(block) if isinstance(block, tuple) else block
        kernel = self._get_kernel_on_current_device()
        if not 0 < threads <= kernel.attributes["max_threads_per_block"]:
            return None
        most = kernel.max_cooperative_blocks(threads, shared_bytes)
        return most if 0 < most < grid else None

    @public
    def compile(self, log_stream=None):
        """Compiles for the current device. log_stream: an object whose ``write`` receives the compiler's warnings."""
        self._module.compile(log_stream)
        self._get_kernel_on_current_device()

    @public
    def inspect_remarks(self):
        """Optimization remarks for the current device: a list of sentences.

        On the CPU device, they say if the launches so far ran threads in groups, as vectors.
        """
        return self._get_kernel_on_current_device().remarks

    @property
    def name(self):
        """The kernel's name."""
        return self._name

    @property
    def code(self):
        """The CUDA C++ source."""
        return self._module.code

    @property
    def options(self):
        """The compiler options, a tuple."""
        return self._module.options

    @property
    def backend(self):
        return self._module.backend

    @property
    def enable_cooperative_groups(self):
        """True if all blocks of a launch run concurrently."""
        return self._module.enable_cooperative_groups

    @property
    def kernel(self):
        """The compiled kernel on the current device."""
        return self._get_kernel_on_current_device()

    @property
    def attributes(self):
        """The kernel's resource needs under CUDA's names: a dict of ints. On the CPU device, registers are 0."""
        found = self._get_kernel_on_current_device().attributes
        if self._dynamic_shared is not None:
            found["max_dynamic_shared_size_bytes"] = self._dynamic_shared
        found["preferred_shared_memory_carveout"] = self._carveout
        return found

    @property
    def max_dynamic_shared_size_bytes(self):
        """The bytes of dynamic shared memory that a launch may request."""
        return self.attributes["max_dynamic_shared_size_bytes"]

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, nbytes):
        most = self._get_kernel_on_current_device().attributes["max_dynamic_shared_size_bytes"]
        if not 0 <= nbytes <= most:
            raise ValueError(
                f"max_dynamic_shared_size_bytes is 0 to {most} bytes on this device, not {nbytes}"
            )
        self._dynamic_shared = int(nbytes)

    @property
    def preferred_shared_memory_carveout(self):
        """The preferred percentage of a multiprocessor's memory for shared memory: a hint. -1 for the default."""
        return self._carveout

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, percent):
        if not -1 <= percent <= 100:
            raise ValueError(f"a carveout is -1 to 100 percent, not {percent}")
        self._carveout = int(percent)

    def __repr__(self):
        return f"<RawKernel {self._name}>"


RawModule._kernel_class = RawKernel

for _attribute, _meaning in _ATTRIBUTES.items():
    _read = property(lambda self, name=_attribute: self.attributes[name], doc=_meaning)
    setattr(RawKernel, _attribute, _read)


def _restore_kernel(kernel_class, module, name, dynamic_shared, carveout):
    """Restores a pickled kernel."""
    kernel = kernel_class.__new__(kernel_class)
    kernel._bind_to_module(module, name)
    kernel._dynamic_shared = dynamic_shared
    kernel._carveout = carveout
    return kernel
