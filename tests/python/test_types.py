"""Types: names, array types, casts, signatures, and the errors for invalid ones."""

import collections
import copy
import enum
import pickle

import numpy as np
import pytest

import heddle
from heddle import typeof, types
from heddle.compiler.signatures import is_signature, parse_signature

SAME = [
    ("i1", "int8"),
    ("i2", "int16"),
    ("i4", "int32"),
    ("i8", "int64"),
    ("u1", "uint8"),
    ("u2", "uint16"),
    ("u4", "uint32"),
    ("u8", "uint64"),
    ("f4", "float32"),
    ("f8", "float64"),
    ("b1", "boolean"),
    ("bool_", "boolean"),
    ("none", "void"),
    ("float_", "float32"),
    ("double", "float64"),
    ("char", "int8"),
    ("byte", "uint8"),
    ("uchar", "uint8"),
    ("short", "int16"),
    ("ushort", "uint16"),
    ("intc", "int32"),
    ("uintc", "uint32"),
    ("longlong", "int64"),
    ("ulonglong", "uint64"),
]


@pytest.mark.parametrize(("alias", "name"), SAME)
def test_an_alias_is_the_type(alias, name):
    assert getattr(types, alias) == getattr(types, name)


@pytest.mark.parametrize("name", types.type_names)
def test_a_name_is_found_in_heddle_and_in_cuda(name):
    assert getattr(heddle, name) == getattr(heddle.cuda, name) == getattr(types, name)


def test_a_pointer_sized_integer_has_the_size_of_a_pointer():
    assert types.as_dtype(types.intp).itemsize == np.dtype(np.intp).itemsize


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "q", "l", "S3", "U5"]
)
def test_a_dtype_becomes_a_type_and_back(dtype):
    assert types.as_dtype(types.from_dtype(np.dtype(dtype))) == np.dtype(dtype)


@pytest.mark.parametrize("dtype", [">f4", ">U3", "g", object])
def test_a_dtype_that_kernels_cannot_use_is_refused(dtype):
    with pytest.raises(TypeError, match="no type for elements of dtype"):
        types.from_dtype(dtype)


def test_a_type_shows_the_name_that_numba_gives_it():
    assert str(types.float32) == "float32"
    assert repr(types.float32[:, ::1]) == "array(float32, 2d, C)"
    assert str(types.UniTuple(types.int64, 2)) == "UniTuple(int64 x 2)"


def test_types_are_equal_and_hash_by_value():
    assert types.float32[:] == types.float32[:]
    assert len({types.float32[:], types.float32[:], types.float64[:]}) == 2
    assert types.float32 != types.float64
    assert types.float32 != "float32"


@pytest.mark.parametrize(
    ("layout", "build"),
    [
        ("C", lambda t: t[:, ::1]),
        ("F", lambda t: t[::1, :]),
        ("A", lambda t: t[:, :]),
    ],
)
def test_slices_tell_the_layout(layout, build):
    assert build(types.int32) == types.Array(types.int32, 2, layout)


@pytest.mark.parametrize(
    ("kind", "value", "readonly"),
    [
        (types.ByteArray, bytearray(2), False),
        (types.MemoryView, memoryview(b"ab"), True),
    ],
)
def test_buffers_are_arrays_of_bytes(kind, value, readonly):
    made = kind(types.uint8, 1, "C", readonly=readonly)
    assert made == types.Array(types.uint8, 1, "C", readonly=readonly) == types.typeof(value)
    assert not isinstance(made, kind)


def test_bytes_are_read_only_and_no_other_array():
    made = types.Bytes(types.uint8, 1, "C")
    assert made == types.typeof(b"ab") and isinstance(made, types.Bytes)
    assert isinstance(made, types.Array) and not made.mutable
    assert not isinstance(types.Array(types.uint8, 1, "C", readonly=True), types.Bytes)
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_subscript_that_is_not_a_slice_is_refused():
    with pytest.raises((KeyError, TypeError, ValueError)):
        types.int32[3]


@pytest.mark.parametrize("arguments", [(2, "X"), (-1, "C")])
def test_an_array_type_that_cannot_be_is_refused(arguments):
    with pytest.raises(ValueError, match="array type"):
        types.Array(types.int32, *arguments)


@pytest.mark.parametrize("count", [-1, 10**9])
def test_a_tuple_type_of_absurd_length_is_refused(count):
    with pytest.raises(ValueError, match="a tuple type has 0 to"):
        types.UniTuple(types.int32, count)


def test_a_type_casts_a_number_to_the_scalar_of_numpy():
    assert type(types.int8(300.7 - 256)) is np.int8
    assert types.float32(0.1) == np.float32(0.1)


def test_a_type_called_with_types_is_a_signature():
    signature = types.void(types.float32[:], types.int32)
    assert (signature.return_type, tuple(signature.args)) == (
        types.void,
        (types.float32[:], types.int32),
    )


SIGNATURES = [
    ("void(float32[:], int32)", types.void, (types.float32[:], types.int32)),
    ("(float32[:,:], i4)", None, (types.float32[:, :], types.int32)),
    ("float32, f8", None, (types.float32, types.float64)),
    ("int32(float32[:, ::1])", types.int32, (types.float32[:, ::1],)),
    ("none(boolean[::1, :])", types.void, (types.boolean[::1, :],)),
    ("void()", types.void, ()),
    ("()", None, ()),
    (" void( int64 ) ", types.void, (types.int64,)),
    ("UniTuple(int64, 2)(Tuple((int32, float32)))", "pair", "tuple"),
    ("types.void(types.int8)", types.void, (types.int8,)),
]


@pytest.mark.parametrize(("text", "returned", "arguments"), SIGNATURES)
def test_a_string_is_read_as_a_signature(text, returned, arguments):
    signature = parse_signature(text)
    if returned == "pair":
        returned = types.UniTuple(types.int64, 2)
        arguments = (types.Tuple((types.int32, types.float32)),)
    assert (signature.return_type, tuple(signature.args)) == (returned, arguments)


def test_a_tuple_of_types_is_a_signature_without_a_result():
    signature = parse_signature((types.float32[:], types.int32))
    assert (signature.return_type, tuple(signature.args)) == (None, (types.float32[:], types.int32))


def test_a_signature_stays_what_it_is():
    signature = types.void(types.int32)
    assert parse_signature(signature) is signature


BAD_SIGNATURES = [
    ("int32", "not a signature: write 'void"),
    ("void(flaot32[:])", "'flaot32' is not a type that heddle has: did you mean 'float32'"),
    ("void(complex256)", "'complex256' is not a type"),
    ("void(int32", "is not valid"),
    ("void(int32[0])", "each axis is ':' or '::1'"),
    ("void(int32[1:])", "each axis is ':' or '::1'"),
    ("void(int32[::2])", "each axis is ':' or '::1'"),
    ("void(3)", "not the type of an argument"),
    ("void(lambda: 0)", "is not a type"),
    ("void(__import__('os'))", "is not a type"),
    ("void(*(int32,))", "is not a type"),
    ("void(**{})", "may not use"),
    ("UniTuple(int32, 5000)(int32)", "a tuple type has"),
    ("UniTuple(int32)(int32)", "is not valid"),
    ("Array(int32, 1, 'Q')(int32)", "layout"),
    ("1(int32)", "is not a type"),
    ("", "is not valid"),
    ("\0", "is not valid"),
    ("(" * 5000 + ")" * 5000, "nested too deeply|not valid"),
    ("int32[:]" + "(int32)" * 50, "is not a type"),
]


@pytest.mark.parametrize(("text", "message"), BAD_SIGNATURES)
def test_a_string_that_is_no_signature_is_refused(text, message):
    with pytest.raises(TypeError, match=message):
        parse_signature(text)


@pytest.mark.parametrize("value", [3, None, [types.int32], {}])
def test_what_is_no_signature_is_refused(value):
    with pytest.raises(TypeError, match="is not a signature"):
        parse_signature(value)


def test_a_tuple_with_something_else_than_types_is_refused():
    with pytest.raises(TypeError, match=r"argument 2 of the signature .* is not a type"):
        parse_signature((types.int32, "int32"))


def test_a_function_is_not_taken_for_a_signature():
    assert is_signature("void()")
    assert is_signature((types.int32,))
    assert not is_signature(len)


@pytest.mark.parametrize(
    "value", [1, 2.5, True, np.int8(1), np.float32(2), (1, 2.5), np.zeros((2, 3), np.float32)]
)
def test_the_type_of_a_value_can_be_asked_for(value):
    assert isinstance(heddle.typeof(value), types.Type)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("abc", "unicode_type"),
        (np.zeros(1, "U2")[0], "unicode_type"),
        ((1, "a"), "Tuple(int64, unicode_type)"),
        ((("a",), "b"), "Tuple(UniTuple(unicode_type x 1), unicode_type)"),
        (["a"], "list(unicode_type)"),
        ({"a"}, "set(unicode_type)"),
        (b"abc", "readonly bytes(uint8, 1d, C)"),
        (np.random.default_rng(1), "NumPyRandomGeneratorType"),
    ],
)
def test_the_type_of_a_value_is_what_functions_of_the_host_see(value, name):
    assert str(heddle.typeof(value)) == name


def test_the_type_of_what_cannot_be_an_argument_is_refused():
    with pytest.raises(TypeError):
        heddle.typeof(object())


@pytest.mark.parametrize("name", ["pyobject"])
def test_a_type_that_heddle_lacks_says_so(name):
    with pytest.raises(AttributeError, match=f"heddle has no 'types.{name}', which is internal to"):
        getattr(types, name)


@pytest.mark.parametrize(
    "make",
    [
        lambda: types.Optional("f4"),
        lambda: types.UniTuple(int, 3),
        lambda: types.Tuple((types.int32, 2)),
        lambda: types.CPointer(np.float32),
        lambda: types.Array(float, 1, "C"),
        lambda: types.NamedTuple([types.int32, None], type("P", (), {})),
    ],
)
def test_types_are_made_of_types(make):
    with pytest.raises(TypeError, match="a type such as numba.types.float32 is needed here, not"):
        make()


def test_the_type_of_none_is_none():
    assert types.typeof(None) == types.void


@pytest.mark.parametrize("rank", [-1, 65, 2**70])
def test_the_rank_of_an_array_type_is_one_of_numpys(rank):
    with pytest.raises(ValueError, match="the rank of an array type is 0 to 64"):
        types.Array(types.float32, rank, "C")


@pytest.mark.parametrize("type", [types.float32, types.UniTuple(types.int32, 2)])
def test_a_type_indexed_by_none_is_refused_in_words(type):
    with pytest.raises(TypeError) as caught:
        type[None]
    assert "incompatible function arguments" not in str(caught.value)


def test_a_type_is_not_none():
    assert types.float32 != None  # noqa: E711 - what programs write
    assert types.float32 not in (None, 1)


@pytest.mark.parametrize(
    "type",
    [types.float32, types.float32[:, ::1], types.UniTuple(types.int8, 2), types.void(types.int32)],
)
def test_a_type_is_pickled(type):
    assert pickle.loads(pickle.dumps(type)) == type


def test_the_type_of_a_literal_is_one_of_numbers_and_has_their_attributes():
    one = types.literal(1)
    assert isinstance(one, types.IntegerLiteral) and isinstance(one, types.Integer)
    assert isinstance(types.literal(True), types.Boolean) and not isinstance(one, types.Float)
    assert one.bitwidth == 64 and one.signed


def test_a_type_of_functions_keeps_a_signature():
    functions = types.FunctionType(types.int64(types.float64, types.int8))
    assert functions.signature == types.int64(types.float64, types.int8)
    assert (functions.nargs, functions.return_type) == (2, types.int64)
    assert functions == types.FunctionType(functions.signature) != types.FunctionType(types.void())
    assert isinstance(functions, types.FunctionType)


def test_a_signature_of_dates_is_a_string_too():
    day, days = types.NPDatetime("D"), types.NPTimedelta("D")
    later = heddle.njit("NPDatetime('D')(NPDatetime('D'), NPTimedelta('D'))")(lambda t, d: t + d)
    assert later.nopython_signatures == [day(day, days)]
    assert later(np.datetime64("2020-02-28"), np.timedelta64(2, "D")) == np.datetime64("2020-03-01")


@pytest.mark.parametrize("of", [types.List, types.Set])
def test_the_types_of_pythons_lists_and_sets_are_pickled(of):
    assert pickle.loads(pickle.dumps(of(types.float64))) == of(types.float64)


def test_a_type_that_nothing_names_is_not_pickled():
    @heddle.njit
    def called(f, n):
        for i in range(n):
            yield f(i)

    square = heddle.njit(lambda x: x * x)
    assert list(called(square, 3)) == [0, 1, 4]
    (signature,) = called.nopython_signatures
    for unnamed in (signature.return_type, signature.args[0]):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(unnamed)


def test_an_array_type_is_copied_with_other_traits():
    array = types.float64[:, ::1]
    assert array.copy(layout="A") == types.float64[:, :]
    assert array.copy(dtype=types.int32, ndim=1) == types.int32[::1]
    assert not array.copy(readonly=True).mutable
    assert types.int64.copy() == types.int64
    with pytest.raises(ValueError, match="layout 'C', 'F' or 'A'"):
        array.copy(layout="B")


def test_a_type_of_dates_makes_a_date():
    assert types.NPDatetime("D")("2000-01-01") == np.datetime64("2000-01-01", "D")
    assert np.isnat(types.NPTimedelta("s")("NaT"))


def test_a_type_is_one_object():
    assert types.typeof(1) is types.int64
    assert types.Array(types.float32, 2, "C") is types.float32[:, ::1]
    assert pickle.loads(pickle.dumps(types.int32[:])) is types.int32[:]


def test_an_integers_type_knows_its_extremes():
    assert (types.int8.minval, types.int8.maxval) == (-128, 127)
    assert (types.uint64.minval, types.uint64.maxval) == (0, 2**64 - 1)
    assert (types.int64.minval, types.int64.maxval) == (-(2**63), 2**63 - 1)
    with pytest.raises(AttributeError, match="float64 has no minimum"):
        _ = types.float64.maxval


def test_a_record_type_knows_its_fields():
    record = types.from_dtype(np.dtype([("a", "i4"), ("b", "f4", (2,))]))
    assert record.typeof("a") is types.int32
    assert (len(record), record.offset("b"), record.size) == (2, 4, 12)


def test_a_type_called_without_arguments_is_a_signature():
    assert heddle.njit(types.int64())(lambda: 2.5)() == 2


def test_a_recarray_of_an_aligned_dtype_is_aligned():
    pair = np.dtype([("a", "i1"), ("b", "f8")], align=True)
    assert types.typeof(np.recarray(2, pair)) is types.typeof(np.zeros(2, pair))


Pair = collections.namedtuple("Pair", "a b")


class Level(enum.Enum):
    low = 1


class Number(enum.IntEnum):
    one = 1


@pytest.mark.parametrize(
    ("a_type", "name"),
    [
        (types.int64, "Integer"),
        (types.uint8, "Integer"),
        (types.float16, "Float"),
        (types.complex64, "Complex"),
        (types.boolean, "Boolean"),
        (types.void, "NoneType"),
        (types.unicode_type, "UnicodeType"),
        (types.float64[:, ::1], "Array"),
        (types.UniTuple(types.int64, 2), "UniTuple"),
        (types.Tuple((types.int64, types.float32)), "Tuple"),
        (types.Tuple(()), "Tuple"),
        (typeof(Pair(1, 2)), "NamedUniTuple"),
        (typeof(Pair(1, 2.0)), "NamedTuple"),
        (typeof([1]), "List"),
        (types.ListType(types.int64), "ListType"),
        (types.DictType(types.int64, types.int64), "DictType"),
        (typeof({1}), "Set"),
        (types.Optional(types.int64), "Optional"),
        (types.CPointer(types.int64), "CPointer"),
        (types.voidptr, "RawPointer"),
        (types.NPDatetime("s"), "NPDatetime"),
        (types.NPTimedelta("s"), "NPTimedelta"),
        (typeof(np.zeros(1, [("a", "i4")])[0]), "Record"),
        (typeof(Level.low), "EnumMember"),
        (typeof(Number.one), "IntEnumMember"),
        (types.UnicodeCharSeq(3), "UnicodeCharSeq"),
        (types.CharSeq(3), "CharSeq"),
        (typeof(b"a"), "Bytes"),
        (typeof(np.random.default_rng()), "NumPyRandomGeneratorType"),
    ],
    ids=str,
)
def test_the_class_of_a_type_has_its_name_in_numba(a_type, name):
    assert type(a_type).__name__ == name
    assert isinstance(a_type, types.Type) and isinstance(a_type, getattr(types, name))
    assert issubclass(type(a_type), getattr(types, name))
    assert pickle.loads(pickle.dumps(a_type)) == a_type
    assert copy.deepcopy(a_type) == a_type


def test_a_class_of_types_includes_the_classes_of_its_types():
    assert issubclass(type(types.int32), types.Number)
    assert not issubclass(type(types.int32), types.Float)
    assert type(types.int32) is type(types.uint64)


@pytest.mark.parametrize(
    "name", ["dtype", "ndim", "layout", "bitwidth", "signed", "count", "types", "fields"]
)
def test_a_type_lacks_the_attributes_of_other_types(name):
    assert not hasattr(types.unicode_type, name)
    assert getattr(types.none, name, "missing") == "missing"


def test_numbers_have_no_rank_and_no_element_type():
    assert getattr(types.float64, "ndim", 0) == 0
    assert getattr(types.float64, "dtype", types.float64) == types.float64
    assert not hasattr(types.optional(types.int64), "dtype")


def test_the_error_for_a_missing_attribute_of_a_type_names_both():
    with pytest.raises(AttributeError, match="^float32 has no attribute 'ndim'$"):
        types.float32.ndim


def test_an_overload_can_ask_if_an_argument_has_an_element_type():
    def element_kind(x):
        raise NotImplementedError

    @heddle.extending.overload(element_kind)
    def choose(x):
        kind = str(x.dtype if hasattr(x, "dtype") else x)
        return lambda x: kind

    assert heddle.njit(lambda x: element_kind(x))(1.5) == "float64"
    assert heddle.njit(lambda x: element_kind(x))(np.zeros(2, "i4")) == "int32"
