"""Ufunc: a scalar function with the interface of NumPy's ufuncs."""

import functools
import inspect
import os

import numpy as np

from heddle import _heddle, types
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.signatures import parse_signature
from heddle.errors import TypingError, UnsupportedError
from heddle.host_library.elementwise import HostUfunc, HostUfuncMethod
from heddle.support.public_function import public
from heddle.types import from_dtype
from heddle.ufuncs.compiled_ufunc import CompiledUfunc
from heddle.ufuncs.date_loops import has_dates
from heddle.ufuncs.host_loops import infer_result_type, make_loop_or_host_loop
from heddle.ufuncs.loop_kernels import Operand
from heddle.ufuncs.numpy_ufuncs import LoopTable, SearchedLoopTable, check_identity


class Ufunc(CompiledUfunc):
    """A function with the interface of a numpy.ufunc, in ``ufunc``. Kernels call it as its scalar function.

    Created by ``vectorize``.
    """

    def __init__(self, function, identity, target, options):
        super().__init__(function, {**options, "device": True})
        self.scalar = Dispatcher(function, self.targetoptions)  # only for scalar arguments
        self._remember_constructor_arguments(identity, target, options)
        check_identity(identity)
        self.loop_options, self._target, self._frozen = options, target, False
        self.kernels = {}  # for device arrays
        parameters = len(inspect.signature(function).parameters)
        table = SearchedLoopTable if target == "cpu" else LoopTable
        self._table = table(function.__name__, function.__doc__, parameters, 1, identity)
        self._reload_ufunc_from_table()
        _heddle.overloads[self] = HostUfunc(self, parameters)
        if parameters == 2:
            for method in ("reduce", "reduceat", "at"):
                _heddle.overloads[getattr(self, method)] = HostUfuncMethod(self, method)

    @public
    def add(self, signature):
        """Compiles for a signature: a string, a Signature or a tuple of types."""
        if self._frozen:
            raise RuntimeError(f"{self.__name__} was made for its signatures only")
        parsed = parse_signature(signature)
        arguments = list(parsed.args)
        if len(arguments) != self.nin:
            raise TypeError(
                f"{self.__name__}() and its signature {signature} have different numbers of arguments: "
                f"{self.nin} and {len(arguments)}"
            )
        result = infer_result_type(self.scalar, arguments, self._target)
        _require_value(result, self.py_func)
        require_ufunc_dtype(result, self.__name__, self._element_kinds)
        if parsed.return_type is not None:
            result = parsed.return_type
        dtypes = [
            require_ufunc_dtype(a_type, self.__name__, self._element_kinds)
            for a_type in (*arguments, result)
        ]
        self._signatures.append(parsed)
        if has_dates(dtypes):
            self._add_date_loop(dtypes)
            return
        if any(dtypes == known for known in self._list_loop_dtypes()):
            return
        operands = [Operand(dtype) for dtype in dtypes]
        operands[-1].is_result = True
        loop = make_loop_or_host_loop(self.scalar, operands, self._target, self.loop_options)
        with self._table.guard:
            if any(dtypes == known for known in self._list_loop_dtypes()):
                return  # another thread was faster
            self._table.add_loop_and_rebuild_ufunc(loop, dtypes)
            self._reload_ufunc_from_table()

    def _reload_ufunc_from_table(self):
        self.ufunc = self._table.ufunc
        self._cannot_fail = None if self._table.host_loops else self.ufunc

    def _compile_for_argtys(self, argtys, return_type=None):
        """numba's internal method for compiling ahead, which programs call with types."""
        self.add(tuple(argtys) if return_type is None else return_type(*argtys))

    def _list_loop_dtypes(self):
        return [[np.dtype(code) for code in types.replace("->", "")] for types in self.types]

    def list_dtypes_if_frozen(self):
        """The operand dtypes of each signature, if the ufunc was made for its signatures only."""
        return self._list_loop_dtypes() if self._frozen else []

    @functools.partial(public, shortcut="_cannot_fail")
    def __call__(self, *args, **kwargs):
        used = self.ufunc
        try:
            result = used(*args, **kwargs)
        except TypeError:
            if not self.compile_for_arguments(args[: self.nin]) and self.ufunc is used:
                raise
            result = self.ufunc(*args, **kwargs)
        self._table.raise_pending_failure()
        return result

    @public
    def reduce(self, array, *args, **kwargs):
        return self._call_compiling_if_needed("reduce", (array, array), array, *args, **kwargs)

    @public
    def accumulate(self, array, *args, **kwargs):
        return self._call_compiling_if_needed("accumulate", (array, array), array, *args, **kwargs)

    @public
    def reduceat(self, array, *args, **kwargs):
        return self._call_compiling_if_needed("reduceat", (array, array), array, *args, **kwargs)

    @public
    def outer(self, *args, **kwargs):
        return self._call_compiling_if_needed("outer", args, *args, **kwargs)

    @public
    def at(self, array, indices, *values):
        return self._call_compiling_if_needed("at", (array, *values), array, indices, *values)

    def _call_compiling_if_needed(self, method, operands, *args, **kwargs):
        """Calls a method of the ufunc. If there is no loop for the operands, compiles one and retries."""
        used = self.ufunc
        try:
            result = getattr(used, method)(*args, **kwargs)
        except TypeError:
            if not self.compile_for_arguments(operands) and self.ufunc is used:
                raise
            result = getattr(self.ufunc, method)(*args, **kwargs)
        self._table.raise_pending_failure()
        return result

    def compile_for_arguments(self, operands):
        """Compiles for the types of these operands, unless frozen or already done. Returns True if it compiled."""
        if self._frozen or len(operands) != self.nin:
            return False
        dtypes = [
            getattr(operand, "dtype", None) or np.asarray(operand).dtype for operand in operands
        ]
        if any(dtypes == known[: self.nin] for known in self._list_loop_dtypes()):
            return False
        self.add(tuple(from_dtype(dtype) for dtype in dtypes))
        return True

    signature = property(lambda self: self.ufunc.signature)

    def resolve_dtypes(self, *args, **kwargs):
        return self.ufunc.resolve_dtypes(*args, **kwargs)

    def __repr__(self):
        return f"<heddle ufunc '{self.__name__}'>"


def _require_value(result, function):
    """Raises TypingError if a path of the function returns None."""
    if result != types.none and not isinstance(result, types.Optional):
        return
    code = function.__code__
    what = "returns no value" if result == types.none else "returns no value on one of its paths"
    raise TypingError(
        f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}: {function.__name__}() {what}\n"
        "  hint: a ufunc needs a number for each element: add a return"
    )


def require_ufunc_dtype(a_type, name, kinds):
    """The dtype of arrays of a type. Raises UnsupportedError if its kind is not among NumPy's ``kinds``."""
    try:
        dtype = np.dtype(_heddle.element_dtype(a_type))
    except TypeError:
        dtype = None
    if dtype is None or dtype.kind not in kinds:
        hint = (
            "" if dtype is None or dtype.kind not in "mM" else '\n  hint: target="cuda" takes dates'
        )
        raise UnsupportedError(f"{name}: a ufunc works on numbers, not on {a_type}{hint}")
    return dtype
