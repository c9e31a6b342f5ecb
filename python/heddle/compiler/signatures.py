"""Parses signatures: strings, tuples of types and Signature objects."""

import ast
import re

from heddle import types
from heddle._heddle import Signature, Type
from heddle.support.missing_names import find_nearest_name


def is_signature(obj):
    """True if a decorator's argument is a signature, as opposed to a function or a list of signatures."""
    return isinstance(obj, (str, tuple, Signature, Type))


def parse_signature(obj):
    """Parses one signature. ``return_type`` is None if it is not given.

    obj: "void(float32[:], int32)", "(float32[:, ::1], i4)", (float32[:], int32), or void(float32[:], int32).
    Raises a TypeError that explains the mistake.
    """
    if isinstance(obj, Signature):
        return obj
    if isinstance(obj, str):
        parsed = _Reader(obj).read_signature()
        if isinstance(parsed, Signature):
            return parsed
        if not isinstance(parsed, tuple):
            raise TypeError(
                f"signature {obj!r} is the type {parsed}, not a signature: write 'void({obj.strip()})' for a kernel "
                "with one argument of that type"
            )
        obj = parsed
    if isinstance(obj, tuple):
        obj = tuple(_unwrap_function_type(arg) for arg in obj)
        for position, arg in enumerate(obj, 1):
            if not isinstance(arg, Type):
                raise TypeError(
                    f"argument {position} of the signature {obj!r} is {arg!r}, which is not a type: "
                    + _suggest_type_for_value(arg)
                )
        return Signature(None, list(obj))
    raise TypeError(
        f"{obj!r} is not a signature: write a string such as 'void(float32[:], int32)' or a tuple of types\n"
        "  hint: options of cuda.jit are named, as in device=True"
    )


def takes_functions(signature):
    """True if an argument is a function of ``types.FunctionType``, or a tuple with one."""
    return any(map(holds_functions, signature.args))


def holds_functions(type):
    """True if a type in a signature is that of a function, or of a tuple with one."""
    return types.FunctionType.find_by_stand_in(type) or any(
        map(holds_functions, getattr(type, "types", ()))
    )


def _unwrap_function_type(value):
    """Unwraps literal function types; returns other values unchanged."""
    return value.literal_type if type(value) is types.FunctionType else value


# The types that a builtin class may stand for.
_types_of_builtins = {
    "float": "float32 or float64",
    "int": "int32 or int64",
    "bool": "boolean",
    "complex": "complex64 or complex128",
}


def _suggest_type_for_value(value):
    """The hint for a value in a signature that is not a type of Heddle."""
    name = getattr(value, "__name__", "")
    if value in (float, int, bool, complex):
        return f"write {_types_of_builtins[name]}"
    if isinstance(value, type) and isinstance(getattr(types, name, None), Type):
        return f"write heddle.{name}"
    return "use one such as heddle.float32 or heddle.float32[:]"


# Names that construct types from other types.
_makers = (
    "Array",
    "CPointer",
    "CharSeq",
    "DictType",
    "FunctionType",
    "List",
    "ListType",
    "NPDatetime",
    "NPTimedelta",
    "Optional",
    "Set",
    "Tuple",
    "UniTuple",
    "UnicodeCharSeq",
    "optional",
)


class _Reader:
    """Evaluates the expressions that signatures consist of. The only names are types."""

    def __init__(self, text):
        self.text = text

    def read_signature(self):
        try:
            return self._read_value(ast.parse(self.text.strip(), mode="eval").body)
        except (SyntaxError, ValueError) as error:
            pointer = re.search(r"(\w+) *(\*|\[\])", self.text)
            hint = f"\n  hint: an array is written {pointer[1]}[:]" if pointer else ""
            raise TypeError(
                f"signature {_quote_shortened(self.text)} is not valid: {getattr(error, 'msg', error)}{hint}"
            ) from None
        except (RecursionError, MemoryError):
            raise TypeError("a signature is nested too deeply") from None

    def _raise_signature_error(self, node, why):
        part = ast.get_source_segment(self.text.strip(), node) or ""
        raise TypeError(
            f"signature {_quote_shortened(self.text)}: {_quote_shortened(part)} {why}"
        ) from None

    def _read_value(self, node):
        if isinstance(node, ast.Name):
            return self._read_name(node, node.id)
        if isinstance(node, ast.Attribute):
            return self._read_name(node, node.attr)
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(self._read_value(element) for element in node.elts)
        if isinstance(node, ast.Constant) and (
            node.value is None or isinstance(node.value, (bool, int, str))
        ):
            return types.none if node.value is None else node.value
        if isinstance(node, ast.Subscript):
            return self._read_subscript(node)
        if isinstance(node, ast.Call):
            return self._read_call(node)
        return self._raise_signature_error(node, "is not a type")

    def _read_name(self, node, name):
        if name in _makers:
            return getattr(types, name)
        found = getattr(types, name, None)
        if isinstance(found, Type):
            return found
        if name in _types_of_builtins:
            self._raise_signature_error(
                node, f"is not a type that heddle has: write {_types_of_builtins[name]}"
            )
        near = find_nearest_name(name, types.type_names)
        return self._raise_signature_error(
            node,
            "is not a type that heddle has" + (f": did you mean {near!r}?" if near else ""),
        )

    def _read_subscript(self, node):
        element = self._read_value(node.value)
        if element in (types.ListType, types.DictType):  # the notation in numba's messages
            inside = self._read_value(node.slice)
            parts = inside if isinstance(inside, tuple) else (inside,)
            return self._build_type_or_fail(node, lambda: element(*parts))
        if not isinstance(element, Type):
            return self._raise_signature_error(node.value, "is not a type")
        axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        slices = []
        for axis in axes:
            if not isinstance(axis, ast.Slice) or axis.lower is not None or axis.upper is not None:
                return self._raise_signature_error(
                    axis, "is not an axis of an array type: each axis is ':' or '::1'"
                )
            step = None if axis.step is None else self._read_value(axis.step)
            if step not in (None, 1):
                return self._raise_signature_error(
                    axis, "is not an axis of an array type: each axis is ':' or '::1'"
                )
            slices.append(slice(None, None, step))
        return self._build_type_or_fail(
            node, lambda: element[tuple(slices) if len(slices) > 1 else slices[0]]
        )

    def _read_call(self, node):
        called = self._read_value(node.func)
        if any(keyword.arg is None for keyword in node.keywords):
            return self._raise_signature_error(node, "may not use ** in a signature")
        args = [_unwrap_function_type(self._read_value(arg)) for arg in node.args]
        keywords = {keyword.arg: self._read_value(keyword.value) for keyword in node.keywords}
        if isinstance(called, Type):
            for arg, value in zip(node.args, args, strict=True):
                if not isinstance(value, Type):
                    return self._raise_signature_error(arg, "is not the type of an argument")
            return self._build_type_or_fail(
                node, lambda: Signature(called, args) if not keywords else called(*args, **keywords)
            )
        if not callable(called):
            return self._raise_signature_error(node.func, "is not a type")
        return self._build_type_or_fail(node, lambda: called(*args, **keywords))

    def _build_type_or_fail(self, node, build):
        try:
            return build()
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            return self._raise_signature_error(node, f"is not valid: {error}")


def _quote_shortened(text):
    return repr(text if len(text) <= 200 else text[:197] + "...")
