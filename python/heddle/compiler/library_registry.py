"""The registry of the library: a name -> an object that chooses an implementation by the types of the arguments."""

import functools
import inspect
import linecache

import numpy as np

from heddle import _heddle, types
from heddle.compiler.dispatcher import Dispatcher

implementations = {}


class _Choices:
    """The functions that implement one name."""

    def __init__(self, name, choose):
        self.name = self.__name__ = name
        self._choose = choose
        self._signature = inspect.signature(choose)
        self.row_takes_sequences = self.takes_numbers = False

    def choose_implementation(self, arguments, named, target):
        try:
            self._signature.bind(*arguments, **named)
        except TypeError:  # no implementation has these parameters
            return None
        function = self._choose_implementation_without_nones(arguments, named, ("dtype",))
        if function is None and self.name.startswith("str."):
            function = self._choose_implementation_for_strings(arguments, named)
        if function is None:
            function = self._choose(*arguments, **named)
        if function is None:
            function = self._choose_implementation_without_nones(
                arguments, named, self._signature.parameters
            )
        if function is None:
            function = self._choose_implementation_for_strings(arguments, named)
        if function is None and self.name.startswith(("numpy.", "array.")):
            return self._choose_implementation_for_sequences(arguments, named)
        return None if function is None else compiled(function)

    def _choose_implementation_without_nones(self, arguments, named, names):
        """The implementation for the call without the arguments in ``names`` that are None and optional; None if there
        are no such arguments."""
        parameters = list(self._signature.parameters.values())
        if any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters):
            return None
        optional = {p.name for p in parameters if p.default is None and p.name in names}
        given = self._signature.bind(*arguments, **named).arguments
        left = {name: a for name, a in given.items() if not (name in optional and is_none(a))}
        if len(left) == len(given):
            return None
        function = self._choose(**left)
        if function is None and not self.name.startswith("numpy."):
            return None
        positional = [p.name for p in parameters][: len(arguments)]
        names = ", ".join([*positional, *(["*", *named] if named else [])])
        first = next((i for i, p in enumerate(parameters) if p.name not in left), len(left))
        values = ", ".join(name if i < first else f"{name}={name}" for i, name in enumerate(left))
        called = self.name.replace("numpy", "np", 1) if function is None else "function"
        text = f"def applied({names}):\n    return {called}({values})\n"
        return define_function_from_text(
            text, {"np": np, "function": function and compiled(function)}
        )

    def _choose_implementation_for_strings(self, arguments, named):
        """The implementation for strings, if elements of NumPy string arrays were passed."""
        if named or not any(isinstance(a, types.UnicodeCharSeq) for a in arguments):
            return None
        names = [f"x{i}" for i in range(len(arguments))]
        texts = [isinstance(a, types.UnicodeCharSeq) for a in arguments]
        function = self._choose(
            *(types.unicode_type if text else a for text, a in zip(texts, arguments, strict=True))
        )
        if function is None:
            return None
        values = [f"str({name})" if text else name for text, name in zip(texts, names, strict=True)]
        text = f"def applied({', '.join(names)}):\n    return function({', '.join(values)})\n"
        return define_function_from_text(text, {"function": compiled(function)})

    def _choose_implementation_for_sequences(self, arguments, named):
        """The implementation for arrays, if lists or tuples of numbers were passed, or a number as first argument."""
        arrays = [_find_array_type_of_sequence(a) for a in arguments]
        if self.takes_numbers and arguments and is_number_or_bool(arguments[0]):
            arrays[0] = types.Array(arguments[0], 0, "C")
        named_arrays = {name: _find_array_type_of_sequence(a) for name, a in named.items()}
        if not any(arrays) and not any(named_arrays.values()):
            return None
        types_of_arrays = [array or a for array, a in zip(arrays, arguments, strict=True)]
        types_of_named = {name: array or named[name] for name, array in named_arrays.items()}
        function = self._choose(*types_of_arrays, **types_of_named)
        if function is None and not self.row_takes_sequences:
            return None
        positional = [f"x{i}" for i in range(len(arguments))]
        names = ", ".join([*positional, *(["*", *named] if named else [])])
        values = [f"np.asarray(x{i})" if array else f"x{i}" for i, array in enumerate(arrays)]
        values += [
            f"{name}=np.array({name})" if array else f"{name}={name}"
            for name, array in named_arrays.items()
        ]
        called = self.name.replace("numpy", "np", 1) if function is None else "function"
        text = f"def applied({names}):\n    return {called}({', '.join(values)})\n"
        return compiled(
            define_function_from_text(text, {"np": np, "function": function and compiled(function)})
        )


def _find_array_type_of_sequence(value):
    """The type of np.array(value) for a list or tuple of numbers; None for other values."""
    kind = getattr(value, "kind", "")
    if kind == "list":
        numbers = [value.dtype]
    elif isinstance(value, types.BaseTuple) and len(value.types) > 0 and not is_slice(value):
        numbers = list(value.types)
    else:
        return None
    nested = [_find_array_type_of_sequence(number) for number in numbers]
    if all(nested) and len({array.ndim for array in nested}) == 1:
        dtype = np.result_type(*(get_element_dtype(array.dtype) for array in nested))
        return types.Array(types.from_dtype(dtype), nested[0].ndim + 1, "C")
    if not all(is_number_or_bool(number) for number in numbers):
        return None
    dtype = np.result_type(*(get_element_dtype(number) for number in numbers))
    return types.Array(types.from_dtype(dtype), 1, "C")


def define_function_from_text(text, names, number=0):
    """The function ``applied`` that a text defines, with these globals. number: distinguishes equal texts."""
    file = f"<heddle library {number} {text}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = {"__name__": __name__, **names}
    exec(compile(text, file, "exec"), space)
    return space["applied"]


def implements(*names):
    """Decorator for a function that takes the types of the arguments and returns an implementation or None."""

    def register_implementations(choose):
        for name in names:
            implementations[name] = _Choices(name, choose)
        return choose

    return register_implementations


def implements_with_integers(*names):
    """``implements`` for names whose compiler row takes constant integers: these are passed as ints or tuples of
    ints."""

    def register_implementations(choose):
        for name in names:
            implementations[name] = _Choices(name, choose)
            implementations[name].takes_integers = True
        return choose

    return register_implementations


def make_builtins_accept_sequences(*names):
    """Makes the compiler's rows with these names, which take arrays, also accept sequences of numbers."""
    for name in names:
        if name not in implementations:
            implementations[name] = _Choices(name, lambda *arguments, **named: None)
        implementations[name].row_takes_sequences = True


def make_builtins_accept_numbers(*names):
    """Makes the NumPy functions with these names, which take arrays, also accept numbers and sequences of them."""
    make_builtins_accept_sequences(*names)
    for name in names:
        implementations[name].takes_numbers = True


@functools.cache
def compiled(function):
    """A function that other functions of the library can call."""
    if isinstance(function, Dispatcher):
        return function
    return Dispatcher(function, {"device": True, "parallel_as_caller": True})


def is_array(value, ndim=None):
    return isinstance(value, types.Array) and (ndim is None or value.ndim == ndim)


def is_number_or_bool(value):
    return isinstance(value, (types.Number, types.Boolean))


def is_integer_or_bool(value):
    return isinstance(value, (types.Integer, types.Boolean))


def is_integer_tuple(value):
    """True if it is the type of a tuple of integers."""
    return isinstance(value, types.BaseTuple) and all(
        is_integer_or_bool(item) for item in value.types
    )


def is_text(value):
    return isinstance(value, types.UnicodeType)


def is_bytes(value):
    """True if it is the type of a bytes object or of a part of one."""
    return isinstance(value, types.Bytes) and value.ndim == 1


def is_text_array(value, ndim=None):
    """True if it is the type of an array of texts, optionally with ``ndim`` dimensions."""
    return is_array(value, ndim) and get_element_dtype(value).kind in "US"


def is_date_or_timedelta(value):
    """True if it is the type of a date or a time span."""
    return isinstance(value, (types.NPDatetime, types.NPTimedelta))


def is_slice(value):
    return str(value).startswith("slice")


def is_none(value):
    return value is not None and value == types.none


def is_absent_or_none(value):
    """True if an argument was not passed or is None."""
    return value is None or value == types.none


def get_element_dtype(value):
    """The dtype of a number's type or of an array type's elements."""
    return _heddle.element_dtype(value.dtype if is_array(value) else value)


def find_common_dtype(*values):
    """The dtype that can hold the elements of all these arrays and numbers."""
    return np.result_type(*(get_element_dtype(value) for value in values))


def find_common_float_dtype(*values):
    """As ``find_common_dtype``, but at least float64, in which numba computes means."""
    return np.result_type(np.float64, find_common_dtype(*values))


def find_sum_dtype(a):
    """The dtype of the sum of an array's elements."""
    element = get_element_dtype(a)
    if element.kind == "b":
        return np.dtype(np.int64)
    return np.dtype(element.kind + "8") if element.kind in "iu" else element
