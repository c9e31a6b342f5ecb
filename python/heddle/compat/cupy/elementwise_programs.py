"""Kernels that run a C++ statement for each element of arrays, for ElementwiseKernel and for operators."""

import numpy as np

from heddle.compat.cupy.array_programs import (
    Operand,
    add_line_directives,
    complete_program,
    complete_statement,
    format_declarations,
    format_typedefs,
    name_layout_type,
    pack_layout,
)
from heddle.compat.cupy.compiled.sources import list_array_types
from heddle.compat.cupy.raw import RawModule

BLOCK = 128
_MOST_BLOCKS = 1 << 20


class ElementwiseProgram:
    """A C++ statement for each element, compiled once for each combination of types and layouts.

    parameters: the inputs, then the outputs. The other arguments are those of ElementwiseKernel.
    """

    def __init__(
        self, name, parameters, operation, preamble="", options=(), loop_prep="", after_loop=""
    ):
        self.name = name
        self.parameters = parameters
        self._operation = operation
        self._preamble = preamble
        self._options = tuple(options)
        self._loop_prep = loop_prep
        self._after_loop = after_loop
        # True if the statements use more of _ind than its size; computing the index takes divisions for each element.
        pieces = operation + loop_prep + after_loop
        self._uses_index = "_ind" in pieces.replace("_ind.size()", "")
        self.sources = {}  # the array types -> the first source compiled for them
        self._kernels = {}  # what the source depends on -> its kernel

    def run(self, values, types, shape, block=BLOCK, stream=None):
        """Run the statement for each element.

        values: one for each parameter. types: the dtype for each letter that names a type. shape: that of the elements.
        block: threads per block. stream: None means CuPy's current stream.
        """
        count = int(np.prod(shape, dtype=object))
        if not count:
            return
        operands = [
            Operand(parameter, value, types, shape)
            for parameter, value in zip(self.parameters, values, strict=True)
        ]
        dimensions = max(len(shape), 1) if self._uses_index else 0
        key = (
            tuple(sorted(types.items())),
            tuple(operand.key for operand in operands),
            dimensions,
        )
        kernel = self._kernels.get(key)
        if kernel is None:
            source = self._generate_source(operands, types, dimensions)
            self.sources.setdefault(list_array_types(values), source)
            module = RawModule(code=source, options=self._options)
            kernel = self._kernels[key] = module.get_function(self.name)
        arguments = [part for operand in operands for part in operand.make_launch_arguments()]
        arguments.append(pack_layout(np.broadcast_to(np.int8(0), shape)) if dimensions else count)
        grid = min(-(-count // block), _MOST_BLOCKS)
        if stream is None:
            kernel(grid, block, tuple(arguments))
        else:
            with stream:
                kernel(grid, block, tuple(arguments))

    def _generate_source(self, operands, types, dimensions):
        """The program's text. dimensions: those of the index that the statements use, or 0."""
        setup = "\n  ".join(operand.format_setup() for operand in operands)
        elements = "\n    ".join(operand.format_element_binding("i") for operand in operands)
        if dimensions:
            last, index = f"{name_layout_type(dimensions)} _elements", f"CIndexer<{dimensions}>"
            place = "_ind.set(i);"
        else:
            last, index, place = "ptrdiff_t _elements", "__heddle_count", ""
        return complete_program(
            f"""{format_typedefs(types)}
{add_line_directives(self._preamble, f"{self.name}, preamble")}
extern "C" __global__ void {self.name}({format_declarations(operands)}, {last}) {{
  {setup}
  {index} _ind(_elements);
  {complete_statement(self._loop_prep, f"{self.name}, loop_prep")}
  const ptrdiff_t _step = (ptrdiff_t)gridDim.x * blockDim.x;
  for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _ind.size(); i += _step) {{
    {place}
    {elements}
    {complete_statement(self._operation, self.name)}
  }}
  {complete_statement(self._after_loop, f"{self.name}, after_loop")}
}}
""",
            self.name,
        )


def require_shape(kernel, parameter, output, shape):
    """Raise ValueError if an output does not have the shape of the elements."""
    if output.shape != shape:
        raise ValueError(
            f"{kernel}: Out shape is mismatched: the output {parameter.name} has shape {output.shape}, "
            f"the elements {shape}"
        )
