"""``guvectorize``: functions of small arrays, applied to arrays of them like NumPy's generalized ufuncs."""

import inspect

import numpy as np

from heddle import _heddle
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.signatures import parse_signature
from heddle.errors import OptionError
from heddle.host_library.parts import HostGeneralizedUfunc
from heddle.support.public_function import public
from heddle.types import from_dtype, none
from heddle.ufuncs.compiled_ufunc import CompiledUfunc
from heddle.ufuncs.date_loops import has_dates
from heddle.ufuncs.host_loops import make_loop_or_host_loop
from heddle.ufuncs.layouts import Layout
from heddle.ufuncs.loop_kernels import Operand
from heddle.ufuncs.numpy_ufuncs import LoopTable, check_identity
from heddle.ufuncs.ufunc import require_ufunc_dtype


def _find_writable_input_indices(writable, inputs):
    """The indices of the inputs that a function writes, sorted and without duplicates. Raises OptionError for other
    than indices and names of inputs."""
    if isinstance(writable, str):
        writable = [writable]
    if not isinstance(writable, (tuple, list, set, frozenset, range)):
        raise OptionError(
            f"writable_args takes a tuple of numbers or names of inputs, not {writable!r}"
        )
    numbers = []
    for given in writable:
        number = inputs.index(given) if given in inputs else given
        is_number = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not is_number or not 0 <= number < len(inputs):
            raise OptionError(
                f"writable_args has {given!r}, which is not an input: the inputs are "
                + ", ".join(f"{name!r} ({i})" for i, name in enumerate(inputs))
            )
        numbers.append(int(number))
    return sorted(set(numbers))


class GeneralizedUfunc(CompiledUfunc):
    """A function with the interface of a generalized numpy.ufunc, in ``ufunc``. Kernels call the function itself.

    Created by ``guvectorize``.
    """

    def __init__(self, function, layout, identity, writable, target, options):
        super().__init__(function, {**options, "device": True})
        self._remember_constructor_arguments(layout, identity, writable, target, options)
        check_identity(identity)
        self.layout = Layout(layout)
        parameters = list(inspect.signature(function).parameters)
        if len(parameters) != len(self.layout.operands):
            raise TypeError(
                f"{function.__name__}() and its layout {self.layout.text} have different numbers of arguments: "
                f"{len(parameters)} and {len(self.layout.operands)}"
            )
        writable = _find_writable_input_indices(writable, parameters[: len(self.layout.inputs)])
        self.loop_options, self._target, self._frozen = options, target, False
        self.operands = {}  # dtypes of a loop -> its Operands
        self.kernels = {}  # for device arrays
        counts = len(self.layout.inputs), len(self.layout.results)
        facts = function.__name__, function.__doc__, *counts, identity
        self._table = LoopTable(*facts, self.layout.text, writable)
        self.ufunc = self._table.ufunc
        _heddle.overloads[self] = HostGeneralizedUfunc(self)

    @public
    def add(self, signature):
        """Compiles for a signature with the types of all arguments: ``"void(float64[:], float64[:])"``."""
        if self._frozen:
            raise RuntimeError(f"{self.__name__} was made for its signatures only")
        parsed = parse_signature(signature)
        if parsed.return_type is not None and parsed.return_type != none:
            raise TypeError(
                f"guvectorized functions cannot return values: signature {signature} specifies "
                f"{parsed.return_type} return type"
            )
        operands = self._make_operands(parsed.args, signature)
        dtypes = tuple(operand.dtype for operand in operands)
        if dtypes in self.operands:
            return
        self._signatures.append(parsed)
        if has_dates(dtypes):
            self.operands[dtypes] = operands
            return
        function = Dispatcher(self.py_func, {**self.loop_options, "device": True})
        loop = make_loop_or_host_loop(function, operands, self._target, self.loop_options)
        with self._table.guard:
            if dtypes in self.operands:  # another thread was faster
                return
            self._table.add_loop_and_rebuild_ufunc(loop, dtypes)
            self.ufunc = self._table.ufunc
            self.operands[dtypes] = operands  # last: other threads then use the loop

    def _make_operands(self, types, signature):
        groups = self.layout.operands
        if len(types) != len(groups):
            raise TypeError(
                f"the layout {self.layout.text} has {len(groups)} arguments, but the signature {signature} {len(types)}"
            )
        operands = []
        for number, (a_type, group) in enumerate(zip(types, groups, strict=True)):
            is_array, is_result = a_type.kind == "array", number >= self.nin
            element = a_type.dtype if is_array else a_type
            wants_array = bool(group or is_array or is_result)
            if wants_array and (not is_array or a_type.ndim != max(len(group), 1)):
                wanted = (
                    f"an array of rank {max(len(group), 1)}" if group or is_result else "a number"
                )
                raise TypeError(
                    f"argument {number + 1} is {wanted} in the layout {self.layout.text}, but {a_type} in the signature"
                )
            core = self.layout.get_dimension_indices(group)
            dtype = require_ufunc_dtype(element, self.__name__, self._element_kinds)
            operands.append(Operand(dtype, core, is_array, is_result))
        return operands

    def list_one_element_arguments(self):
        """The indices of the arguments without core dimensions that the function takes as arrays of one element: its
        results, and inputs that are arrays in a signature."""
        operands = next(iter(self.operands.values()), ())
        said = {i for i, operand in enumerate(operands) if operand.is_array and not operand.core}
        return sorted(said | set(range(self.nin, self.nargs)))

    def resolve_dtypes(self, dtypes):
        """The dtypes of all arguments of the loop for a call with these dtypes; None for one that is not given."""
        return self.ufunc.resolve_dtypes(dtypes)

    @public
    def __call__(self, *args, **kwargs):
        self.compile_for_arguments(args, kwargs.get("out"))
        result = self.ufunc(*args, **kwargs)
        self._table.raise_pending_failure()
        return result

    def compile_for_arguments(self, args, out):
        """Compiles for the types of these arguments if they convert to those of no loop."""
        if self._frozen:
            return
        if out is not None:
            args = (*args, *(out if isinstance(out, tuple) else (out,)))
        if len(args) != self.nargs:
            raise TypeError(
                f"Too few arguments for function '{self.__name__}': without signatures, the call must pass its "
                "results, because nothing else determines their types"
            )
        dtypes = tuple(getattr(arg, "dtype", None) or np.asarray(arg).dtype for arg in args)
        if dtypes in self.operands:
            return
        self.add(tuple(map(self._make_argument_type, dtypes, range(self.nargs))))

    def _make_argument_type(self, dtype, number):
        rank = len(self.layout.operands[number])
        element = from_dtype(dtype)
        if number < self.nin and not rank:
            return element
        return _heddle.array_type(element, max(rank, 1), "A")

    signature = property(lambda self: self.layout.text)

    def __repr__(self):
        return f"<heddle generalized ufunc '{self.__name__}', {self.layout.text}>"
