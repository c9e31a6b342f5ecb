"""cupy.ReductionKernel: reduces many elements to one with a C++ operator, compiled by Heddle.

It runs two kernels. In the first, blocks of threads each reduce a part of one output's elements. In the second, one
thread per output reduces the results of these parts.
"""

import numpy as np

from heddle.compat.cupy import kernel_parameters
from heddle.compat.cupy.array_kinds import is_device_array, wrap_if_device_memory
from heddle.compat.cupy.array_programs import (
    Operand,
    add_line_directives,
    complete_program,
    complete_statement,
    find_broadcast_shape,
    format_declarations,
    format_typedefs,
)
from heddle.compat.cupy.compiled.sources import CompiledSources
from heddle.compat.cupy.device_arrays import make_output_array
from heddle.compat.cupy.kernel_parameters import convert_argument, find_dtype, name_cpp_type
from heddle.compat.cupy.memory import alloc
from heddle.compat.cupy.raw import RawModule

_BLOCK = 128
_MOST_PARTS = 64  # blocks per output: enough to keep a device busy
_MOST_BLOCKS = 1 << 20


class ReductionKernel(CompiledSources):
    """``kernel(*inputs, axis=None, keepdims=False)``: reduces the inputs, broadcast together, over one axis, several or
    all.

    map_expr: an element's value in terms of the inputs' names; ``_J`` is the element's number within its output.
    reduce_expr: combines two values, ``a`` and ``b``. post_map_expr: a statement that sets the outputs from the reduced
    value ``a``; it also sees the inputs that are numbers or raw arrays. identity: C++ text of the start value; with
    None the first element is the start value, so there must be one. reduce_type: the C++ type of the values; None means
    that of the first output.
    """

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce_kernel",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.name = self.__name__ = kernel_parameters.check_kernel_name(name)
        self.in_params = kernel_parameters.parse_parameters(in_params, is_output=False)
        self.out_params = kernel_parameters.parse_parameters(out_params, is_output=True)
        if not self.out_params or any(parameter.raw for parameter in self.out_params):
            raise ValueError(f"{name}: a reduction needs outputs, and they cannot be raw")
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity = None if identity is None or identity == "" else str(identity)
        self.reduce_type = reduce_type
        self.preamble = preamble
        self._options = tuple(options)
        self._sources = {}
        self._programs = {}  # what the program depends on -> its two kernels and the size of a value in bytes

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        """Run the kernel; return the output or a tuple of outputs. out: the array for the output."""
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"{self.name} takes {self.nin} arguments, or {self.nargs} with the outputs, not {len(args)}"
            )
        outputs = list(args[self.nin :]) or [None] * self.nout
        if out is not None:
            if len(args) == self.nargs:
                raise ValueError(f"{self.name} was given its output twice")
            if self.nout > 1:
                raise ValueError(f"{self.name} has {self.nout} outputs: pass them as arguments")
            outputs = [out]
        values = [
            convert_argument(v, p, self.name) for p, v in zip(self.in_params, args, strict=False)
        ]
        outputs = [
            output if is_device_array(output) else wrap_if_device_memory(output)
            for output in outputs
        ]
        for output in outputs:
            if output is not None and not is_device_array(output):
                raise TypeError(f"{self.name}: out must be an array, not a {type(output).__name__}")
        types = kernel_parameters.resolve_type_letters(
            [*self.in_params, *self.out_params], [*values, *outputs], self.name
        )
        shape = self._find_broadcast_shape(values)
        reduced = _normalize_axes(axis, len(shape))
        kept = [k for k in range(len(shape)) if k not in reduced]
        result_shape = tuple(1 if k in reduced else shape[k] for k in range(len(shape)))
        if not keepdims:
            result_shape = tuple(shape[k] for k in kept)
        outputs = [
            self._make_or_check_output(parameter, output, result_shape, types, values)
            for parameter, output in zip(self.out_params, outputs, strict=True)
        ]
        order = [*kept, *reduced]
        inputs = [
            Operand(p, v, types, shape, order) for p, v in zip(self.in_params, values, strict=True)
        ]
        length = int(np.prod([shape[k] for k in reduced], dtype=object))
        if not length and self.identity is None:
            raise ValueError(f"{self.name}: there are no elements to reduce and no identity")
        count = int(np.prod(result_shape, dtype=object))
        if count:
            results = [
                Operand(parameter, output, types)
                for parameter, output in zip(self.out_params, outputs, strict=True)
            ]
            if stream is None:
                self._compile_and_launch(inputs, results, count, length, types)
            else:
                with stream:
                    self._compile_and_launch(inputs, results, count, length, types)
        return outputs[0] if self.nout == 1 else tuple(outputs)

    def _find_broadcast_shape(self, values):
        shape = find_broadcast_shape(self.name, self.in_params, values)
        if shape is None:
            raise ValueError(
                f"{self.name}: pass an array that is not raw: the number of elements is unknown"
            )
        return shape

    def _make_or_check_output(self, parameter, out, shape, types, inputs):
        if out is None:
            return make_output_array(shape, find_dtype(parameter, types), inputs)
        if out.shape != shape:
            raise ValueError(
                f"{self.name}: the output has shape {out.shape}, the result has shape {shape}"
            )
        return out

    def _compile_and_launch(self, inputs, outputs, count, length, types):
        key = (
            tuple(sorted(types.items())),
            tuple(operand.key for operand in (*inputs, *outputs)),
        )
        if key not in self._programs:
            source = self._generate_source(inputs, outputs, types)
            self._sources.setdefault(tuple(types[letter].char for letter in sorted(types)), source)
            self._programs[key] = self._compile_reduce_kernels(source)
        reduce_parts, reduce_outputs, value_bytes = self._programs[key]
        parts = max(1, min(_MOST_PARTS, -(-length // (8 * _BLOCK))))
        memory = alloc(count * parts * value_bytes)
        arguments = [part for operand in inputs for part in operand.make_launch_arguments()]
        whole = [
            part
            for operand in self._select_uniform_inputs(inputs)
            for part in operand.make_launch_arguments()
        ]
        results = [part for operand in outputs for part in operand.make_launch_arguments()]
        sizes = (memory, count, length, parts)
        reduce_parts(min(count * parts, _MOST_BLOCKS), _BLOCK, (*arguments, *sizes))
        grid = min(-(-count // _BLOCK), _MOST_BLOCKS)
        reduce_outputs(grid, _BLOCK, (*whole, *results, *sizes))

    @staticmethod
    def _select_uniform_inputs(inputs):
        """The inputs that are the same for all elements."""
        return [operand for operand in inputs if operand.is_uniform]

    def _compile_reduce_kernels(self, source):
        module = RawModule(code=source, options=self._options)
        size = module.get_global("_value_size").size
        return module.get_function(f"{self.name}_parts"), module.get_function(self.name), size

    def _generate_source(self, inputs, outputs, types):
        results = [*self._select_uniform_inputs(inputs), *outputs]
        value_type = self.reduce_type or name_cpp_type(find_dtype(self.out_params[0], types))
        setup = "\n  ".join(operand.format_setup() for operand in inputs)
        elements = "\n    ".join(operand.format_element_binding("i") for operand in inputs)
        result_setup = "\n  ".join(operand.format_setup() for operand in results)
        result_elements = "\n    ".join(operand.format_element_binding("i") for operand in outputs)
        sizes = "void *_memory, ptrdiff_t _outputs, ptrdiff_t _length, ptrdiff_t _parts"
        start, first = "_values[i * _parts]", 1
        if self.identity is not None:
            identity = add_line_directives(self.identity, f"{self.name}, identity")
            start, first = f"_Value({identity})", 0
        return complete_program(
            f"""{format_typedefs(types)}
{add_line_directives(self.preamble, f"{self.name}, preamble")}
typedef {value_type} _Value;
typedef _Value _type_reduce;
__device__ char _value_size[sizeof(_Value)];

__device__ inline _Value _reduce(_Value a, _Value b) {{
  return {complete_statement(self.reduce_expr, f"{self.name}, reduce_expr")}
}}

extern "C" __global__ void {self.name}_parts({format_declarations(inputs)}, {sizes}) {{
  {setup}
  const __heddle_count _in_ind(_outputs * _length), _out_ind(_outputs);
  __shared__ alignas(_Value) char _shared[{_BLOCK} * sizeof(_Value)];
  _Value *_values = (_Value *)_shared;
  const ptrdiff_t _step = _parts * {_BLOCK};
  for (ptrdiff_t _block = blockIdx.x; _block < _outputs * _parts; _block += gridDim.x) {{
    const ptrdiff_t _output = _block / _parts, _first = _block % _parts * {_BLOCK} + threadIdx.x;
    auto _map = [&](ptrdiff_t _at) -> _Value {{
      const ptrdiff_t i = _output * _length + _at, _J = _at, _j = _at * _outputs + _output;
      {elements}
      return {complete_statement(self.map_expr, f"{self.name}, map_expr")}
    }};
    // Threads without an element do not take part: there may be no identity that they could contribute.
    ptrdiff_t _taking_part = _length - _block % _parts * {_BLOCK};
    if (_taking_part > {_BLOCK}) _taking_part = {_BLOCK};
    if (threadIdx.x < _taking_part) {{
      _Value _own = _map(_first);
      for (ptrdiff_t _at = _first + _step; _at < _length; _at += _step)
        _own = _reduce(_own, _map(_at));
      _values[threadIdx.x] = _own;
    }}
    __syncthreads();
    for (int _half = {_BLOCK // 2}; _half > 0; _half /= 2) {{
      if (threadIdx.x < _half && threadIdx.x + _half < _taking_part)
        _values[threadIdx.x] = _reduce(_values[threadIdx.x], _values[threadIdx.x + _half]);
      __syncthreads();
    }}
    if (threadIdx.x == 0 && _taking_part > 0)
      ((_Value *)_memory)[_block] = _values[0];
    __syncthreads();
  }}
}}

extern "C" __global__ void {self.name}({format_declarations(results)}, {sizes}) {{
  {result_setup}
  const __heddle_count _in_ind(_outputs * _length), _out_ind(_outputs);
  const _Value *_values = (const _Value *)_memory;
  const ptrdiff_t _step = (ptrdiff_t)gridDim.x * blockDim.x;
  for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _outputs; i += _step) {{
    _Value a = {start};
    if (_length > 0)
      for (ptrdiff_t _part = {first}; _part < _parts; ++_part)
        a = _reduce(a, _values[i * _parts + _part]);
    {result_elements}
    {complete_statement(self.post_map_expr, f"{self.name}, post_map_expr")}
  }}
}}
""",
            self.name,
        )

    def __repr__(self):
        return f"<cupy.ReductionKernel {self.name}>"


def _normalize_axes(axis, dimensions):
    """The axes to reduce, as a sorted list."""
    if axis is None:
        return list(range(dimensions))
    axes = tuple(axis) if np.iterable(axis) else (axis,)
    found = sorted({np.lib.array_utils.normalize_axis_index(k, dimensions) for k in axes})
    if len(found) != len(axes):
        raise ValueError(f"duplicate axis in {axis}")
    return found
