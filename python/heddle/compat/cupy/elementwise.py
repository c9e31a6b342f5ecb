"""cupy.ElementwiseKernel: a C++ statement for each element, compiled by heddle."""

import numpy as np

from heddle.compat.cupy import kernel_parameters
from heddle.compat.cupy.array_kinds import is_array, new_array
from heddle.compat.cupy.array_programs import (
    Operand,
    broadcast_shape,
    fragment,
    inputs_of,
    layout,
    layout_type,
    program,
    typedefs,
)
from heddle.compat.cupy.kernel_parameters import checked, dtype_of
from heddle.compat.cupy.raw import RawModule

_BLOCK = 128
_MOST_BLOCKS = 1 << 20


class ElementwiseKernel:
    """``kernel(*inputs, *outputs)``: runs ``operation`` once for each element of the arrays, broadcast together.

    in_params, out_params: "T x, raw U y, int32 m". A letter stands for a type that the arguments tell. An operation
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
        self.no_return = no_return
        self.return_tuple = return_tuple
        self._options = tuple(options)
        self._loop_prep = loop_prep
        self._after_loop = after_loop
        # Whether the program asks for more of _ind than its size, which divides for each element.
        pieces = operation + loop_prep + after_loop
        self._uses_index = "_ind" in pieces.replace("_ind.size()", "")
        self._kernels = {}  # what the program depends on -> its kernel

    def __call__(self, *args, size=None, block_size=_BLOCK, stream=None):
        """Returns the output, or a tuple of them. size: the number of elements where only raw arrays are given."""
        if block_size < 1:
            raise ValueError(f"{self.name}: block_size must be greater than 0, not {block_size}")
        values = self._values(args, size)
        types = kernel_parameters.resolve(self.params, values, self.name)
        shape = self._shape(values, size)
        for k, parameter in enumerate(self.out_params, self.nin):
            if values[k] is None:
                values[k] = new_array(shape, dtype_of(parameter, types), values)
            elif not parameter.raw and values[k].shape != shape:
                raise ValueError(
                    f"{self.name}: Out shape is mismatched: the output {parameter.name} has shape "
                    f"{values[k].shape}, the elements {shape}"
                )
        count = int(np.prod(shape, dtype=object))
        if count:
            self._launch(values, types, shape, count, block_size, stream)
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
                f"{self.name}: outputs that are raw must be given, or their size: size="
            )
        return values + [None] * len(missing)

    def _shape(self, values, size):
        """The shape of the elements: that of all arrays that are not raw, broadcast together."""
        shape = broadcast_shape(self.name, self.params, values)
        if size is None and shape is None:
            raise ValueError(
                f"{self.name}: nothing tells the number of elements: give an array that is not raw, or size="
            )
        if size is not None and shape is not None:
            raise ValueError(f"{self.name}: size is for calls whose arrays are all raw")
        return (int(size),) if shape is None else shape

    def _launch(self, values, types, shape, count, block, stream):
        operands = [
            Operand(parameter, value, types, shape)
            for parameter, value in zip(self.params, values, strict=True)
        ]
        dimensions = max(len(shape), 1) if self._uses_index else 0
        key = (
            tuple(sorted(types.items())),
            tuple(operand.key for operand in operands),
            dimensions,
        )
        kernel = self._kernels.get(key)
        if kernel is None:
            module = RawModule(
                code=self._source(operands, types, dimensions), options=self._options
            )
            kernel = self._kernels[key] = module.get_function(self.name)
        arguments = [part for operand in operands for part in operand.arguments()]
        arguments.append(layout(np.broadcast_to(np.int8(0), shape)) if dimensions else count)
        grid = min(-(-count // block), _MOST_BLOCKS)
        if stream is None:
            kernel(grid, block, tuple(arguments))
        else:
            with stream:
                kernel(grid, block, tuple(arguments))

    def _source(self, operands, types, dimensions):
        """dimensions: of the index that the program asks for, or 0."""
        setup = "\n  ".join(operand.setup() for operand in operands)
        elements = "\n    ".join(operand.element("i") for operand in operands)
        if dimensions:
            last, index = f"{layout_type(dimensions)} _elements", f"CIndexer<{dimensions}>"
            place = "_ind.set(i);"
        else:
            last, index, place = "ptrdiff_t _elements", "__heddle_count", ""
        return program(f"""{typedefs(types)}
{self.preamble}
extern "C" __global__ void {self.name}({inputs_of(operands)}, {last}) {{
  {setup}
  {index} _ind(_elements);
  {self._loop_prep};
  const ptrdiff_t _step = (ptrdiff_t)gridDim.x * blockDim.x;
  for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _ind.size(); i += _step) {{
    {place}
    {elements}
    {fragment(self.operation, self.name)};
  }}
  {self._after_loop};
}}
""")

    def __repr__(self):
        return f"<cupy.ElementwiseKernel {self.name}>"
