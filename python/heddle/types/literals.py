"""The types of values that are known while compiling: a string's in a kernel, and those that ``literal()`` makes.

A kernel sees a number's literal as a number of its type; an overload is given a StringLiteral for a string.
"""

from heddle import _heddle
from heddle.errors import LiteralTypingError
from heddle.types.kinds import KindOfTypes


class Literal(metaclass=KindOfTypes):
    """The type of one value, which it has as ``literal_value``; ``literal_type`` is the type of any such value."""

    _kinds = ()
    is_wanted = False  # literally() asks for it: overloads get no other type in its place

    def __init__(self, value):
        self.literal_value = value

    @property
    def literal_type(self):
        return _heddle.typeof(self.literal_value)

    def __getattr__(self, name):
        """What the type of any such value has: ``bitwidth`` and the like."""
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
    """A string: those in kernels are constants."""

    _kinds = ("string",)


unicode_type = string = _heddle.scalar_types["unicode_type"]


class StringLiteral(Literal, UnicodeType):
    """The type of a constant string."""

    literal_type = unicode_type

    __eq__, __hash__, __repr__ = Literal.__eq__, Literal.__hash__, Literal.__repr__


class IntegerLiteral(Literal):
    """The type of a constant integer."""


class BooleanLiteral(Literal):
    """The type of True, or of False."""


class DTypeSpec(metaclass=KindOfTypes):
    """The types of types of numbers, as of an argument ``dtype``."""

    _kinds = ()


NumberClass = DType = DTypeSpec


class TypeRef(DTypeSpec):
    """The type of a type that a kernel names, such as np.float32: ``instance_type``."""

    def __init__(self, instance_type):
        self.instance_type = instance_type

    @property
    def dtype(self):
        """The same, as of a dtype."""
        return self.instance_type

    def __eq__(self, other):
        return isinstance(other, TypeRef) and other.instance_type == self.instance_type

    def __hash__(self):
        return hash(("TypeRef", self.instance_type))

    def __repr__(self):
        return f"class({self.instance_type})"


_literals = {str: StringLiteral, int: IntegerLiteral, bool: BooleanLiteral}


def literal(value):
    """The type of exactly this value. Raises LiteralTypingError for one that is no int, bool or str."""
    kind = _literals.get(type(value))
    if kind is None:
        raise LiteralTypingError(
            f"there is no literal type of {value!r}: ints, bools and strings have one"
        )
    return kind(value)


def maybe_literal(value):
    """``literal(value)``; None for a value that has none."""
    return literal(value) if type(value) in _literals else None


def unliteral(type):
    """The type of any value of a literal's kind; other types are returned as they are."""
    return type.literal_type if isinstance(type, Literal) else type
