"""cupy.ElementwiseKernel: a C++ statement for each element, compiled by heddle."""

from heddle.compat.cupy import kernel_parameters
from heddle.compat.cupy.array_kinds import is_array
from heddle.compat.cupy.array_programs import broadcast_shape
from heddle.compat.cupy.compiled.sources import CompiledSources
from heddle.compat.cupy.device_arrays import new_array
from heddle.compat.cupy.elementwise_programs import BLOCK, ElementwiseProgram, require_shape
from heddle.compat.cupy.kernel_parameters import checked, dtype_of


class ElementwiseKernel(CompiledSources):
    """``kernel(*inputs, *outputs)``: runs ``operation`` once for each element of the arrays, broadcast together.

    in_params, out_params: "T x, raw U y, int32 m". A letter stands for a type that the arguments define. An operation
    sees an element under the parameter's name, a raw array as a whole (``y[j]``, ``y.size()``), the element's number
    ``i`` in C order, its index ``_ind.get()`` and their count ``_ind.size()``. Outputs that are not given are made.
    preamble: C++ in front of the kernel. loop_prep, after_loop: statements of each thread, before and after its
    elements.
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
        self.name = self.__name__ = kernel_parameters.kernel_name(name)
        self.in_params = kernel_parameters.parse(in_params, is_output=False)
        self.out_params = kernel_parameters.parse(out_params, is_output=True)
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
        """Returns the output, or a tuple of them. size: the number of elements where only raw arrays are given."""
        if block_size < 1:
            raise ValueError(f"{self.name}: block_size must be greater than 0, not {block_size}")
        values = self._values(args, size)
        types = kernel_parameters.resolve(self.params, values, self.name)
        shape = self._shape(values, size)
        for k, parameter in enumerate(self.out_params, self.nin):
            if values[k] is None:
                values[k] = new_array(shape, dtype_of(parameter, types), values)
            elif not parameter.raw:
                require_shape(self.name, parameter, values[k], shape)
        self._program.run(values, types, shape, block_size, stream)
        outputs = tuple(values[self.nin :])
        if self.no_return:
            return None
        return outputs[0] if len(outputs) == 1 and not self.return_tuple else outputs

    def _values(self, args, size):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"{self.name} takes {self.nin} arguments, or {self.nargs} with the outputs, not {len(args)}"
            )
        values = [
            checked(value, parameter, self.name)
            for parameter, value in zip(self.params, args, strict=False)
        ]
        for parameter, value in zip(self.out_params, values[self.nin :], strict=False):
            if not is_array(value):
                raise TypeError(f"{self.name}: the output {parameter.name} must be an array")
        missing = self.out_params[len(values) - self.nin :]
        if size is None and any(parameter.raw for parameter in missing):
            raise ValueError(
                f"Loop size is undecided. {self.name}: outputs that are raw must be given, or their size: size="
            )
        return values + [None] * len(missing)

    def _shape(self, values, size):
        """The shape of the elements: that of all arrays that are not raw, broadcast together."""
        shape = broadcast_shape(self.name, self.params, values)
        if size is None and shape is None:
            raise ValueError(
                f"Loop size is undecided. {self.name}: nothing tells the number of elements: give an array that is "
                "not raw, or size="
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
