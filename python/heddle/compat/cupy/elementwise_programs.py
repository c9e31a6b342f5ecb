"""Kernels that run a statement of C++ for each element of arrays: ElementwiseKernel's and those of operators."""

import numpy as np

from heddle.compat.cupy.array_programs import (
    Operand,
    fragment,
    inputs_of,
    layout,
    layout_type,
    program,
    statement,
    typedefs,
)
from heddle.compat.cupy.compiled.sources import types_of
from heddle.compat.cupy.raw import RawModule

BLOCK = 128
_MOST_BLOCKS = 1 << 20


class ElementwiseProgram:
    """A statement for each element, compiled for each combination of types and layouts that it is run with.

    parameters: inputs, then outputs. The other arguments are ElementwiseKernel's.
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
        # Whether the statements ask for more of _ind than its size, which takes divisions for each element.
        pieces = operation + loop_prep + after_loop
        self._uses_index = "_ind" in pieces.replace("_ind.size()", "")
        self.sources = {}  # the types of arrays -> the first source for them
        self._kernels = {}  # what the source depends on -> its kernel

    def run(self, values, types, shape, block=BLOCK, stream=None):
        """Runs the statement for each element.

        values: one for each parameter. types: the dtype of each letter that stands for a type. shape: of the elements.
        block: threads per block. stream: CuPy's current one when None.
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
            source = self._source(operands, types, dimensions)
            self.sources.setdefault(types_of(values), source)
            module = RawModule(code=source, options=self._options)
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
        return program(
            f"""{typedefs(types)}
{fragment(self._preamble, f"{self.name}, preamble")}
extern "C" __global__ void {self.name}({inputs_of(operands)}, {last}) {{
  {setup}
  {index} _ind(_elements);
  {statement(self._loop_prep, f"{self.name}, loop_prep")}
  const ptrdiff_t _step = (ptrdiff_t)gridDim.x * blockDim.x;
  for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _ind.size(); i += _step) {{
    {place}
    {elements}
    {statement(self._operation, self.name)}
  }}
  {statement(self._after_loop, f"{self.name}, after_loop")}
}}
""",
            self.name,
        )


def require_shape(kernel, parameter, output, shape):
    """Raises ValueError for an output that has not the shape of the elements."""
    if output.shape != shape:
        raise ValueError(
            f"{kernel}: Out shape is mismatched: the output {parameter.name} has shape {output.shape}, "
            f"the elements {shape}"
        )
