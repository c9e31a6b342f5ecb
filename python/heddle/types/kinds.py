"""Classes of types, for ``isinstance`` in overloads and kernels.

A type is an instance of ``heddle._heddle.Type`` and has a kind. A class here includes the types of some kinds:

>>> isinstance(types.int32, types.Integer), isinstance(types.float32[:], types.Array)
(True, True)

numba's classes of types that Heddle does not have also exist, so that ``isinstance`` works: no type belongs to them.
"""

from heddle._heddle import Type, known_type


class KindOfTypes(type):
    """A class of types: ``isinstance(t, types.Integer)`` checks the kind of the type ``t``."""

    __heddle_types__ = True
    _is_open = False  # True if programs may derive classes of types from it
    _derived = ()  # the classes that programs have derived from it

    def __new__(mcs, name, bases, space):
        """Deriving from an open kind makes a class of user-defined types, which the kind then includes."""
        kinds = [base for base in bases if isinstance(base, KindOfTypes) and base._is_open]
        if not kinds:
            return super().__new__(mcs, name, bases, space)
        made = type(Type)(name, (Type,), space)
        for kind in kinds:
            kind._derived = (*kind._derived, made)
        return made

    def __instancecheck__(cls, value):
        if isinstance(value, Type):
            return cls._includes_type(value) or isinstance(value, cls._derived)
        if super().__instancecheck__(value):
            return True
        of_literal = getattr(value, "literal_type", None)  # for literal types
        return isinstance(of_literal, Type) and cls._includes_type(of_literal)

    def __subclasscheck__(cls, other):
        kinds = getattr(other, "_kinds", None)
        return super().__subclasscheck__(other) or (
            kinds is not None and bool(cls._kinds) and set(kinds) <= set(cls._kinds)
        )

    def _includes_type(cls, type):
        return type.kind in cls._kinds


_integers = ("int", "integer enumeration")
_tuples = ("tuple",)

# Class name -> the kinds it includes, and its docstring.
_classes = {
    "Integer": (_integers, "int8 to int64 and uint8 to uint64."),
    "Float": (("float",), "float16, bfloat16, float32 and float64."),
    "Complex": (("complex",), "complex64 and complex128."),
    "Number": ((*_integers, "float", "complex"), "Integers, floats and complex numbers."),
    "ClassInstanceType": (("instance",), "Instances of jitclasses."),
    "Boolean": (("bool",), "boolean."),
    "NoneType": (("none",), "The type of None."),
    "BaseTuple": (_tuples, "Tuples of any types."),
    "BaseAnonymousTuple": (_tuples, "Tuples of any types."),
    "Sequence": (("tuple", "list"), "Types with a length and indexed items: tuples and lists."),
    "ConstSized": (_tuples, "Types whose length is known at compile time: tuples."),
    "Sized": (("tuple", "list", "set"), "Types with a length."),
    "Callable": (("object",), "Functions and other objects that only exist at compile time."),
    "Buffer": (("array",), "Views of memory."),
    "ArrayCompatible": (("array",), "Types that NumPy functions take as arrays."),
    "RawPointer": (("pointer",), "Addresses."),
    "NumPyRandomGeneratorType": (("random generator",), "The type of numpy.random.Generator."),
    "SliceType": (("slice",), "Slices."),
    "EllipsisType": (("ellipsis",), "The type of ``...``."),
    "IterableType": (
        ("array", "tuple", "range", "iterator", "list", "dict", "set", "string", "generator"),
        "Types that a loop can iterate over.",
    ),
    "SimpleIterableType": (("range",), "The type of ``range()``."),
    "IteratorType": (("iterator",), "The types of ``enumerate()``, ``zip()`` and ``reversed()``."),
    "SimpleIteratorType": (("iterator",), "The types of ``enumerate()`` and similar."),
    "EnumerateType": (("iterator",), "The type of ``enumerate()``."),
    "ZipType": (("iterator",), "The type of ``zip()``."),
    "GridGroup": (("grid",), "The type of ``cuda.cg.this_grid()``."),
    "VectorType": (("vector",), "CUDA's vector types, such as ``cuda.float32x4``."),
    "Hashable": (
        (*_integers, "float", "complex", "bool", "tuple", "enumeration"),
        "Types that numba accepts as keys.",
    ),
}

_same_classes = {
    "Function": "Callable",
    "BaseFunction": "Callable",
    "BoundFunction": "Callable",
    "Dispatcher": "Callable",
    "Module": "Callable",
    "Opaque": "Callable",
    "Dummy": "Callable",
    "EnumClass": "Callable",
    "IntEnumClass": "Callable",
    "NamedTupleClass": "Callable",
    "RangeIteratorType": "IteratorType",
    "UniTupleIter": "IteratorType",
    "ArrayIterator": "IteratorType",
    "NumpyFlatType": "IteratorType",
    "NumpyNdEnumerateType": "IteratorType",
    "NumpyNdIndexType": "IteratorType",
    "NumpyNdIterType": "IteratorType",
}

_without_values = [
    "Any",
    "ArrayCTypes",
    "ArrayFlags",
    "BaseContainerIterator",
    "BaseContainerPayload",
    "ClassDataType",
    "ClassType",
    "CompileResultWAP",
    "Container",
    "ContextManager",
    "DeferredType",
    "Dim3",
    "DictItemsIterableType",
    "DictIteratorType",
    "DictKeysIterableType",
    "DictValuesIterableType",
    "EphemeralArray",
    "EphemeralPointer",
    "ExceptionClass",
    "ExceptionInstance",
    "ExternalFunction",
    "ExternalFunctionPointer",
    "FunctionPrototype",
    "Generator",
    "InitialValue",
    "ListIter",
    "ListPayload",
    "ListTypeIterableType",
    "ListTypeIteratorType",
    "LiteralList",
    "LiteralStrKeyDict",
    "MakeFunctionLiteral",
    "MemInfoPointer",
    "MutableSequence",
    "NumPyRandomBitGeneratorType",
    "Object",
    "ObjModeDispatcher",
    "Omitted",
    "Pair",
    "Phantom",
    "Poison",
    "PolynomialType",
    "PyArray",
    "PyObject",
    "RecursiveCall",
    "SetEntry",
    "SetIter",
    "SetIterableType",
    "SetIteratorType",
    "SetPayload",
    "SetType",
    "SliceLiteral",
    "StructRefPayload",
    "UndefVar",
    "Undefined",
    "UndefinedFunctionType",
    "UndefinedType",
    "UnicodeIteratorType",
    "UnionType",
    "WeakType",
]


def _make_kind_of_types(name, kinds, doc):
    doc = f"{doc}\n\n>>> isinstance(t, types.{name})"
    space = {"_kinds": kinds, "_is_open": True, "__doc__": doc, "__module__": "heddle.types"}
    return KindOfTypes(name, (), space)


_none = "A class in numba without types in Heddle."
kinds = {
    name: _make_kind_of_types(name, included, doc) for name, (included, doc) in _classes.items()
}
kinds |= {name: kinds[same] for name, same in _same_classes.items()}
kinds |= {name: _make_kind_of_types(name, (), _none) for name in _without_values}


class WrapperAddressProtocol:
    """The base class of objects with the address of a C function. It is not a class of types."""


kinds["WrapperAddressProtocol"] = WrapperAddressProtocol


class VarArg:
    """``types.VarArg(types.Any)`` at the end of a list of types stands for any number of arguments."""

    def __init__(self, dtype):
        self.dtype = dtype


kinds["VarArg"] = VarArg


class FunctionType(metaclass=KindOfTypes):
    """The type of functions with one signature. Jitted functions are compiled separately for each function passed."""

    _kinds = kinds["Callable"]._kinds
    _by_stand_in = {}

    def __init__(self, signature):
        self.signature = signature

    @property
    def literal_type(self):
        """The stand-in for this type in signatures. Each function that is passed compiles another variant."""
        stand_in = known_type(self.name)
        self._by_stand_in[stand_in] = self
        return stand_in

    @classmethod
    def find_by_stand_in(cls, stand_in):
        """The function type that ``stand_in`` stands for; None for other types."""
        return cls._by_stand_in.get(stand_in)

    @classmethod
    def reduce_stand_in(cls, stand_in):
        """The result of ``stand_in.__reduce__``."""
        own = cls.find_by_stand_in(stand_in)
        if own is None:
            raise TypeError(f"the type of one object cannot be pickled: {stand_in}")
        return _get_stand_in, (own.signature,)

    @property
    def nargs(self):
        return len(self.signature.args)

    @property
    def return_type(self):
        return self.signature.return_type

    @property
    def argument_types(self):
        return self.signature.args

    @property
    def name(self):
        return f"FunctionType[{self.signature}]"

    def __eq__(self, other):
        return isinstance(other, FunctionType) and self.name == getattr(other, "name", None)

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name


def _get_stand_in(signature):
    return FunctionType(signature).literal_type


kinds["FunctionType"] = FunctionType

globals().update(kinds)
