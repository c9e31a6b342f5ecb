"""The types of compile-time constants: strings in kernels, and the types that ``literal()`` makes.

A kernel sees a number literal as a number of its type. An overload gets a StringLiteral for a string.
"""

from heddle import _heddle
from heddle.errors import LiteralTypingError
from heddle.types.kinds import KindOfTypes


class Literal(metaclass=KindOfTypes):
    """The type of the single value ``literal_value``. ``literal_type`` is the general type of such values."""

    _kinds = ()
    is_wanted = False  # True if literally() requires a literal type for the argument

    def __init__(self, value):
        self.literal_value = value

    @property
    def literal_type(self):
        return _heddle.typeof(self.literal_value)

    def __getattr__(self, name):
        """Delegates attributes such as ``bitwidth`` to the general type."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.literal_type, name)

    def __eq__(self, other):
        return type(other) is type(self) and other.literal_value == self.literal_value

    def __hash__(self):
        return hash((type(self).__name__, self.literal_value))

    def __repr__(self):
        return f"Literal[{type(self.literal_value).__name__}]({self.literal_value})"


class UnicodeType(metaclass=KindOfTypes):
    """The type of strings. In kernels, strings are constants."""

    _kinds = ("string",)


unicode_type = string = _heddle.scalar_types["unicode_type"]


class StringLiteral(Literal, UnicodeType):
    """The type of a constant string."""

    literal_type = unicode_type

    __eq__, __hash__, __repr__ = Literal.__eq__, Literal.__hash__, Literal.__repr__


class IntegerLiteral(Literal):
    """The type of a constant integer."""


class BooleanLiteral(Literal):
    """The type of True or of False."""


class DTypeSpec(metaclass=KindOfTypes):
    """The types of number types, as for an argument ``dtype``."""

    _kinds = ()


NumberClass = DType = DTypeSpec


class TypeRef(DTypeSpec):
    """The type of a type that a kernel names, such as np.float32. ``instance_type``: that type."""

    def __init__(self, instance_type):
        self.instance_type = instance_type

    @property
    def dtype(self):
        """Same as ``instance_type``."""
        return self.instance_type

    def __eq__(self, other):
        return isinstance(other, TypeRef) and other.instance_type == self.instance_type

    def __hash__(self):
        return hash(("TypeRef", self.instance_type))

    def __repr__(self):
        return f"class({self.instance_type})"


_literals = {str: StringLiteral, int: IntegerLiteral, bool: BooleanLiteral}


def literal(value):
    """The type of exactly this value. Raises LiteralTypingError unless it is an int, bool or str."""
    kind = _literals.get(type(value))
    if kind is None:
        raise LiteralTypingError(
            f"there is no literal type of {value!r}: ints, bools and strings have one"
        )
    return kind(value)


def maybe_literal(value):
    """``literal(value)``; None for a value without a literal type."""
    return literal(value) if type(value) in _literals else None


def unliteral(type):
    """The general type for a literal type; other types are returned unchanged."""
    return type.literal_type if isinstance(type, Literal) else type
