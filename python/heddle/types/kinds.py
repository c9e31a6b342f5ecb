"""Classes of types, for ``isinstance``: an overload or a kernel asks with them what a value is.

A type is one object, ``heddle._heddle.Type``, that knows its kind. A class here includes the types of some kinds:

>>> isinstance(types.int32, types.Integer), isinstance(types.float32[:], types.Array)
(True, True)

numba's classes of what heddle has no values of (lists, dictionaries, generators) are there too, so that a program's
question has an answer: no type is one of them.
"""

from heddle._heddle import Type, known_type


class KindOfTypes(type):
    """A class of types: ``isinstance(t, types.Integer)`` asks the type ``t`` for its kind."""

    __heddle_types__ = True
    _is_open = False  # whether programs derive classes of types from it
    _derived = ()  # such classes

    def __new__(mcs, name, bases, space):
        """A class that a program derives from a kind is one of types of its own, which the kind includes."""
        kinds = [base for base in bases if isinstance(base, KindOfTypes) and base._is_open]
        if not kinds:
            return super().__new__(mcs, name, bases, space)
        made = type(Type)(name, (Type,), space)
        for kind in kinds:
            kind._derived = (*kind._derived, made)
        return made

    def __instancecheck__(cls, value):
        if isinstance(value, Type):
            return cls._includes(value) or isinstance(value, cls._derived)
        if super().__instancecheck__(value):
            return True
        of_literal = getattr(value, "literal_type", None)  # of the type of one value
        return isinstance(of_literal, Type) and cls._includes(of_literal)

    def __subclasscheck__(cls, other):
        kinds = getattr(other, "_kinds", None)
        return super().__subclasscheck__(other) or (
            kinds is not None and bool(cls._kinds) and set(kinds) <= set(cls._kinds)
        )

    def _includes(cls, type):
        return type.kind in cls._kinds


_integers = ("int", "integer enumeration")
_tuples = ("tuple",)

# Name of the class -> the kinds it includes, and what its values are.
_classes = {
    "Integer": (_integers, "int8 to int64 and uint8 to uint64."),
    "Float": (("float",), "float16, bfloat16, float32 and float64."),
    "Complex": (("complex",), "complex64 and complex128."),
    "Number": ((*_integers, "float", "complex"), "Integers, floats and complex numbers."),
    "ClassInstanceType": (("instance",), "Instances of classes of jitclass."),
    "Boolean": (("bool",), "boolean."),
    "NoneType": (("none",), "The type of None."),
    "BaseTuple": (_tuples, "Tuples of any types."),
    "BaseAnonymousTuple": (_tuples, "Tuples of any types."),
    "Sequence": (("tuple", "list"), "What has a length and items by number: tuples and lists."),
    "ConstSized": (_tuples, "What has a length that is known while compiling: tuples."),
    "Sized": (("tuple", "list", "set"), "What has a length."),
    "Callable": (("object",), "Functions and other objects that exist while compiling only."),
    "Buffer": (("array",), "Views of memory."),
    "ArrayCompatible": (("array",), "What NumPy's functions take as an array."),
    "RawPointer": (("pointer",), "Addresses."),
    "NumPyRandomGeneratorType": (("random generator",), "The type of numpy.random.Generator."),
    "SliceType": (("slice",), "Slices."),
    "EllipsisType": (("ellipsis",), "The type of ``...``."),
    "IterableType": (
        ("array", "tuple", "range", "iterator", "list", "dict", "set", "string", "generator"),
        "What a loop goes over.",
    ),
    "SimpleIterableType": (("range",), "What ``range()`` returns."),
    "IteratorType": (("iterator",), "What ``enumerate()``, ``zip()`` and ``reversed()`` return."),
    "SimpleIteratorType": (("iterator",), "What ``enumerate()`` and the like return."),
    "EnumerateType": (("iterator",), "What ``enumerate()`` returns."),
    "ZipType": (("iterator",), "What ``zip()`` returns."),
    "GridGroup": (("grid",), "What ``cuda.cg.this_grid()`` returns."),
    "VectorType": (("vector",), "CUDA's vector types, such as ``cuda.float32x4``."),
    "Hashable": (
        (*_integers, "float", "complex", "bool", "tuple", "enumeration"),
        "What numba can take for a key.",
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

_of_no_value = [
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


def _kind(name, kinds, doc):
    space = {"_kinds": kinds, "_is_open": True, "__doc__": doc, "__module__": "heddle.types"}
    return KindOfTypes(name, (), space)


_none = "A class of numba's that no type of heddle's belongs to."
kinds = {name: _kind(name, included, doc) for name, (included, doc) in _classes.items()}
kinds |= {name: kinds[same] for name, same in _same_classes.items()}
kinds |= {name: _kind(name, (), _none) for name in _of_no_value}


class WrapperAddressProtocol:
    """The base of objects that tell the address of a function of C: no class of types."""


kinds["WrapperAddressProtocol"] = WrapperAddressProtocol


class VarArg:
    """``types.VarArg(types.Any)`` at the end of a list of types: any number of arguments."""

    def __init__(self, dtype):
        self.dtype = dtype


kinds["VarArg"] = VarArg


class FunctionType(metaclass=KindOfTypes):
    """Functions of one signature, which programs keep here; a jitted function is compiled for each that it is given."""

    _kinds = kinds["Callable"]._kinds
    _of_stand_ins = {}

    def __init__(self, signature):
        self.signature = signature

    @property
    def literal_type(self):
        """What signatures have in this type's place: a function is compiled anew for each function that it gets."""
        stand_in = known_type(self.name)
        self._of_stand_ins[stand_in] = self
        return stand_in

    @classmethod
    def standing_for(cls, stand_in):
        """The type whose place in a signature ``stand_in`` has taken; None for other types."""
        return cls._of_stand_ins.get(stand_in)

    @classmethod
    def pickled(cls, stand_in):
        """What ``stand_in.__reduce__`` returns."""
        own = cls.standing_for(stand_in)
        if own is None:
            raise TypeError(f"the type of one object cannot be pickled: {stand_in}")
        return _stand_in_for, (own.signature,)

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


def _stand_in_for(signature):
    return FunctionType(signature).literal_type


kinds["FunctionType"] = FunctionType

globals().update(kinds)
