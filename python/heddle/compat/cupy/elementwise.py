"""cupy.ElementwiseKernel: a C++ statement that runs for each element, compiled by Heddle."""

from heddle.compat.cupy import kernel_parameters
from heddle.compat.cupy.array_kinds import is_device_array
from heddle.compat.cupy.array_programs import find_broadcast_shape
from heddle.compat.cupy.compiled.sources import CompiledSources
from heddle.compat.cupy.device_arrays import make_output_array
from heddle.compat.cupy.elementwise_programs import BLOCK, ElementwiseProgram, require_shape
from heddle.compat.cupy.kernel_parameters import convert_argument, find_dtype


class ElementwiseKernel(CompiledSources):
    """``kernel(*inputs, *outputs)``: runs ``operation`` once for each element of the arrays, broadcast together.

    in_params, out_params: a text such as "T x, raw U y, int32 m"; a single letter is a type that the arguments define.
    The operation refers to an element by the parameter's name and to a raw array as a whole (``y[j]``, ``y.size()``).
    ``i`` is the element's number in C order, ``_ind.get()`` its index, ``_ind.size()`` the number of elements. Outputs
    that the caller does not pass are created. preamble: C++ text before the kernel. loop_prep, after_loop: statements
    that each thread runs before and after its elements.
    """

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        *,
        options=(),
        loop_prep="",
        after_loop="",
    ):
        self.name = self.__name__ = kernel_parameters.check_kernel_name(name)
        self.in_params = kernel_parameters.parse_parameters(in_params, is_output=False)
        self.out_params = kernel_parameters.parse_parameters(out_params, is_output=True)
        self.params = self.in_params + self.out_params
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.operation = operation
        self.preamble = preamble
        self.reduce_dims = reduce_dims
        self.no_return = no_return
        self.return_tuple = return_tuple
        given = {"options": options, "loop_prep": loop_prep, "after_loop": after_loop}
        self.kwargs = {name: value for name, value in given.items() if value}
        self._program = ElementwiseProgram(
            self.name, self.params, operation, preamble, options, loop_prep, after_loop
        )

    def __call__(self, *args, size=None, block_size=BLOCK, stream=None):
        """Run the kernel; return the output or a tuple of outputs. size: the number of elements if all arrays are
        raw."""
        if block_size < 1:
            raise ValueError(f"{self.name}: block_size must be greater than 0, not {block_size}")
        values = self._convert_arguments(args, size)
        types = kernel_parameters.resolve_type_letters(self.params, values, self.name)
        shape = self._find_shape(values, size)
        for k, parameter in enumerate(self.out_params, self.nin):
            if values[k] is None:
                values[k] = make_output_array(shape, find_dtype(parameter, types), values)
            elif not parameter.raw:
                require_shape(self.name, parameter, values[k], shape)
        self._program.run(values, types, shape, block_size, stream)
        outputs = tuple(values[self.nin :])
        if self.no_return:
            return None
        return outputs[0] if len(outputs) == 1 and not self.return_tuple else outputs

    def _convert_arguments(self, args, size):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"{self.name} takes {self.nin} arguments, or {self.nargs} with the outputs, not {len(args)}"
            )
        values = [
            convert_argument(value, parameter, self.name)
            for parameter, value in zip(self.params, args, strict=False)
        ]
        for parameter, value in zip(self.out_params, values[self.nin :], strict=False):
            if not is_device_array(value):
                raise TypeError(f"{self.name}: the output {parameter.name} must be an array")
        missing = self.out_params[len(values) - self.nin :]
        if size is None and any(parameter.raw for parameter in missing):
            raise ValueError(
                f"Loop size is undecided. {self.name}: raw outputs must be passed, or their size with size="
            )
        return values + [None] * len(missing)

    def _find_shape(self, values, size):
        """The broadcast shape of all arrays without ``raw``, or ``(size,)``. Raises ValueError."""
        shape = find_broadcast_shape(self.name, self.params, values)
        if size is None and shape is None:
            raise ValueError(
                f"Loop size is undecided. {self.name}: the number of elements is unknown: pass an array that is not "
                "raw, or size="
            )
        if size is not None and shape is not None:
            raise ValueError(
                f"Specified 'size' can be used only if all of the ndarray are 'raw': {self.name} was given others"
            )
        return (int(size),) if shape is None else shape

    @property
    def _sources(self):
        return self._program.sources

    def __repr__(self):
        return f"<cupy.ElementwiseKernel {self.name}>"
