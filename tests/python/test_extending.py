"""heddle.extending: implementations for kernels, written in Python."""

import math
import operator
import subprocess
import sys
from functools import partial

import in_kernels
import numpy as np
import pytest

from heddle import cuda, njit, types
from heddle.errors import TypingError
from heddle.extending import (
    is_jitted,
    overload,
    overload_attribute,
    overload_classmethod,
    overload_method,
    register_jitable,
)

run = partial(in_kernels.run, size=4)


def clamp(x, low=0, high=1):
    return min(max(x, low), high)


@overload(clamp)
def clamp_of_floats(x, low=0, high=1):
    if isinstance(x, types.Float):
        return lambda x, low=0, high=1: min(max(x, low), high)
    return None


@overload(clamp)
def clamp_of_integers(x, low=0, high=1):
    if isinstance(x, types.Integer) and isinstance(low, types.Integer):

        def whole(x, low=0, high=1):
            if x < low:
                return -low
            return x

        return whole


def test_an_overload_is_chosen_by_the_types_of_the_arguments(device):
    @cuda.jit
    def k(out, x, n):
        out[0] = clamp(x, 1, 2)
        out[1] = clamp(n, 5, 9)
        out[2] = clamp(x)
        out[3] = clamp(x, high=3)

    np.testing.assert_array_equal(run(k, 7.5, 4), [2, -5, 1, 3])


def test_overloads_have_parameters_of_their_own(device):
    def area():
        pass

    @overload(area)
    def of_square(side):
        return lambda side: side * side

    @overload(area)
    def of_rectangle(width, height):
        return lambda width, height: width * height

    @cuda.jit
    def kernel(out):
        out[0], out[1] = area(3), area(width=2, height=5)

    out = np.zeros(2, np.int64)
    kernel[1, 1](out)
    assert list(out) == [9, 10]


def test_arguments_that_no_overload_takes_are_named(device):
    @cuda.jit
    def k(out, t):
        out[0] = clamp(t)

    with pytest.raises(
        TypingError, match=r"no implementation of function 'clamp'.*takes these arguments"
    ):
        run(k, (1, 2))


def test_an_overloaded_function_is_an_argument(device):
    @cuda.jit(device=True)
    def apply(f, x):
        return f(x)

    @cuda.jit
    def k(out, x):
        out[0] = apply(clamp, x)

    assert run(k, 7.5)[0] == 1


def test_an_overload_sees_the_strings_of_a_call(device):
    def scaled(x, mode):
        raise NotImplementedError

    @overload(scaled)
    def choose(x, mode):
        if isinstance(mode, types.StringLiteral) and mode.literal_value == "double":
            return lambda x, mode: 2 * x
        return lambda x, mode: x

    @cuda.jit
    def k(out, x):
        out[0] = scaled(x, "double")
        out[1] = scaled(x, "plain")

    np.testing.assert_array_equal(run(k, 3)[:2], [6, 3])


def test_a_function_that_kernels_have_already_keeps_what_no_overload_takes(device):
    @overload(math.degrees)
    def of_tuples(x):
        if isinstance(x, types.BaseTuple):
            return lambda x: x[0] + x[1]

    @cuda.jit
    def k(out, t):
        out[0] = math.degrees(t)
        out[1] = math.degrees(math.pi)

    np.testing.assert_allclose(run(k, (1, 2))[:2], [3, 180])


def test_overloads_call_other_overloads(device):
    def outer(x):
        raise NotImplementedError

    @overload(outer)
    def outer_for_kernels(x):
        return lambda x: clamp(x, 0.0, 2.0) + 1

    @cuda.jit
    def k(out, x):
        out[0] = outer(x)

    assert run(k, 9.0)[0] == 3


@overload_method(types.Array, "weighted_sum")
def array_weighted_sum(a, weight=1):
    if a.ndim != 1:
        return None

    def weighted_sum(a, weight=1):
        total = 0.0
        for x in a:
            total += x * weight
        return total

    return weighted_sum


@overload_attribute(types.Array, "last_item")
def array_last_item(a):
    return lambda a: a[a.size - 1]


def test_a_method_of_arrays_is_implemented(device):
    @cuda.jit
    def k(out, a):
        out[0] = a.weighted_sum()
        out[1] = a.weighted_sum(weight=2)
        out[2] = a[1:].weighted_sum(0.5)

    np.testing.assert_array_equal(run(k, np.array([1.0, 2.0, 4.0]))[:3], [7, 14, 3])


def test_an_attribute_of_arrays_is_implemented(device):
    @cuda.jit
    def k(out, a):
        out[0] = a.last_item
        out[1] = hasattr(a, "last_item") + hasattr(out[0], "last_item")

    np.testing.assert_array_equal(run(k, np.array([1.0, 2.0, 4.0]))[:2], [4, 1])


def test_a_method_whose_overload_takes_no_such_array_is_refused(device):
    @cuda.jit
    def k(out, a):
        out[0] = a.weighted_sum()

    with pytest.raises(TypingError, match="no implementation of 'weighted_sum' of array"):
        run(k, np.zeros((2, 2)))


def test_a_registered_function_runs_in_python_and_in_kernels(device):
    @register_jitable
    def hypotenuse(a, b=4):
        return math.sqrt(a * a + b * b)

    @cuda.jit
    def k(out):
        out[0] = hypotenuse(3.0)
        out[1] = hypotenuse(b=12.0, a=5)

    assert hypotenuse(3) == 5
    np.testing.assert_array_equal(run(k)[:2], [5, 13])


def test_an_implementation_has_the_parameters_of_its_overload(device):
    def f(x):
        raise NotImplementedError

    @overload(f)
    def choose(x):
        return lambda y: y

    @cuda.jit
    def k(out):
        out[0] = f(1)

    with pytest.raises(TypingError, match="must be the same"):
        run(k)


def test_what_an_overload_raises_reaches_the_launch(device):
    def f(x):
        raise NotImplementedError

    @overload(f)
    def choose(x):
        raise TypingError("f wants an array")

    @cuda.jit
    def k(out):
        out[0] = f(1)

    with pytest.raises(TypingError, match="f wants an array"):
        run(k)


def test_is_jitted_tells_kernels_and_device_functions(device):
    @cuda.jit(device=True)
    def f(x):
        return x

    assert is_jitted(f) and not is_jitted(clamp)
    assert is_jitted(njit(clamp))


PROGRAM = """
import numpy as np
from numba import cuda, literal_unroll, types
from numba.extending import overload
from numba.cuda.extending import register_jitable

def f(x): pass

@overload(f)
def choose(x):
    if isinstance(x, types.Integer):
        return lambda x: x + 1
    return lambda x: x

@register_jitable
def g(x):
    return x * 2

@cuda.jit
def k(out, t):
    for i, x in enumerate(literal_unroll(t)):
        out[i] = g(f(x))

out = np.zeros(2)
k[1, 1](out, (1, 2.5))
print(out.tolist())
"""


def test_programs_find_the_names_where_numba_has_them(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "heddle", "run", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[4.0, 5.0]\n", done.stderr


@overload_classmethod(types.Float, "halved")
def float_halved(cls, x):
    if cls.instance_type == types.float32:
        return lambda cls, x: cls(x) / cls(2)
    return lambda cls, x: cls(x) / 2 + 100


def test_a_method_of_a_type_itself_is_implemented(device):
    @cuda.jit
    def k(out, x):
        out[0] = np.float32.halved(x)
        out[1] = np.float64.halved(x)
        out[2] = isinstance(np.float32.halved(x), np.float32)

    np.testing.assert_array_equal(run(k, 5)[:3], [2.5, 102.5, 1])


def test_a_type_without_such_a_method_has_none(device):
    @cuda.jit
    def k(out, x):
        out[0] = np.int32.halved(x)

    with pytest.raises(TypingError, match="has no attribute 'halved'"):
        run(k, 5)


def applied(function, *args):
    raise NotImplementedError


@overload(applied)
def overload_applied(function, *args):
    if len(args) == 1:
        return lambda function, *args: function(*args)
    return lambda function, *args: function(function(*args))


def test_an_overload_is_chosen_by_the_number_of_further_arguments(device):
    @cuda.jit
    def k(out, x):
        def more(*z):
            if len(z) == 1:
                return z[0] + 100
            return z[0] + z[1] + 1000

        out[0] = applied(more, x)
        out[1] = applied(more, x, x)

    np.testing.assert_array_equal(run(k, 5)[:2], [105, 1110])


def with_default(x, step=None, *, scale=2):
    raise NotImplementedError


@overload(with_default)
def overload_with_default(x, step=None, *, scale=2):
    if step is None:
        return lambda x, step=None, *, scale=2: x * scale
    return lambda x, step=None, *, scale=2: (x + step) * scale


def test_an_overload_sees_which_arguments_are_not_given(device):
    @cuda.jit
    def k(out, x):
        for i in range(2):
            out[0] = with_default(x)
            out[1] = with_default(x, 1)
            out[2] = with_default(x, scale=3)
            out[3] = with_default(x, step=1, scale=3)

    np.testing.assert_array_equal(run(k, 5)[:4], [10, 12, 15, 18])


def test_an_overload_of_the_target_comes_before_others(device):
    def side():
        pass

    def always(value):
        def implementation(*_):
            return value

        return lambda *_: implementation

    for target, value in (("generic", 1), ("cpu", 2), ("cuda", 3)):
        overload(side, target=target)(always(value))
    for target, value in (("generic", 4), ("gpu", 5)):
        overload_attribute(types.Float, "side_of_target", target=target)(always(value))

    @cuda.jit
    def kernel(out):
        out[0], out[1] = side(), out[1].side_of_target

    out = np.zeros(2)
    kernel[1, 1](out)
    assert out.tolist() == [3, 5]
    assert njit(lambda x: (side(), x.side_of_target))(1.0) == (2, 4)


def scaled(x):
    pass


@overload(scaled, prefer_literal=True)
def scaled_by_literals(x):
    if isinstance(x, types.IntegerLiteral):
        return (lambda x: -1) if x.literal_value == 1 else None
    return lambda x: x * 100


def only_known(x):
    pass


@overload(only_known)
def only_known_numbers(x):
    if isinstance(x, types.IntegerLiteral):
        known = x.literal_value + 1
        return lambda x: known
    return None


def test_an_overload_that_prefers_literals_is_asked_with_them_first(device):
    @cuda.jit
    def k(out, n):
        out[0], out[1], out[2] = scaled(1), scaled(2), scaled(n)

    np.testing.assert_array_equal(run(k, 3)[:3], [-1, 200, 300])


def test_an_overload_that_takes_no_number_is_asked_with_the_literal(device):
    @cuda.jit
    def k(out):
        out[0] = only_known(6)

    assert run(k)[0] == 7
    with pytest.raises(TypingError, match="takes these arguments"):
        njit(lambda n: only_known(n))(6)


def test_an_overload_may_raise_where_another_takes_the_types():
    def either(x):
        pass

    @overload(either)
    def of_tuples(x):
        if not isinstance(x, types.BaseTuple):
            raise TypingError("either() takes tuples here")
        return lambda x: len(x)

    overload(either)(lambda x: (lambda x: x + 1) if isinstance(x, types.Integer) else None)
    assert njit(lambda n: (either(n), either((n, n))))(4) == (5, 2)
    with pytest.raises(TypingError, match="takes tuples here") as caught:
        njit(lambda x: either(x))(1.5)
    assert caught.value.msg == str(caught.value)


def test_what_a_program_adds_to_a_function_leaves_the_librarys_in_place(run_script):
    result = run_script("""
import numpy as np
from numba import njit, types
from numba.extending import overload

@overload(float)
def float_of_none(x):
    if isinstance(x, types.NoneType):
        return lambda x: 0.0

@overload(np.partition)
def partition_of_tuples(a, kth):
    if isinstance(a, types.UniTuple):
        return lambda a, kth: a

@njit
def numbers(text):
    return float(text), float(3), float(None)

@njit
def parts(a):
    return np.partition(a, 1)

print(numbers("2.5"), parts(np.array([3.0, 2.0, 1.0])).tolist(), parts((3, 2)))
""")
    assert result.stderr == ""
    assert result.stdout == "(2.5, 3.0, 0.0) [1.0, 2.0, 3.0] (3, 2)\n"


def test_as_numba_type_reads_annotations():
    import typing

    from heddle.experimental import jitclass
    from heddle.extending import as_numba_type

    @jitclass
    class Reading:
        value: float
        limit: float | None
        place: tuple[int, float]

        def __init__(self, value):
            self.value = value
            self.limit = None
            self.place = (1, value)

        def limited(self, limit):
            self.limit = limit
            return min(self.value, self.limit)

    pairs = tuple[int, str]
    expected = {
        list[int]: types.ListType(types.int64),
        dict[str, list[pairs]]: types.DictType(
            types.unicode_type, types.ListType(types.Tuple([types.int64, types.unicode_type]))
        ),
        tuple[float, complex]: types.Tuple([types.float64, types.complex128]),
        int | None: types.Optional(types.int64),
        typing.Union[None, str]: types.Optional(types.unicode_type),  # noqa: UP007 - as programs write it
        set[int]: types.Set(types.int64),
        Reading: Reading.class_type.instance_type,
    }
    for annotation, wanted in expected.items():
        assert as_numba_type(annotation) == wanted
    for annotation in (typing.Any, list[typing.Any], list, int | float):
        with pytest.raises(TypingError):
            as_numba_type(annotation)
    reading = Reading(2.5)
    assert (reading.limit, reading.limited(1.5), reading.limit) == (None, 1.5, 1.5)


@overload(operator.matmul)
def product_of_pairs(a, b):
    if isinstance(a, types.UniTuple) and isinstance(b, types.UniTuple):
        return lambda a, b: a[0] * b[0] + a[1] * b[1]
    if isinstance(a, types.UniTuple) and isinstance(b, types.Float):
        return lambda a, b: (a[0] * b, a[1] * b)
    if isinstance(a, types.UniTuple):
        raise TypingError("a pair or a number is wanted")
    return None


@overload(operator.contains)
def is_field(a, x):
    if isinstance(a, types.Record):
        return lambda a, x: x == a.first or x == a.second
    return None


@overload(operator.setitem)
def set_field(a, i, x):
    if isinstance(a, types.Record) and isinstance(i, types.Integer):

        def assign(a, i, x):
            if i == 0:
                a.first = x
            else:
                a.second = x

        return assign
    return None


def test_operators_that_a_type_does_not_have_are_implemented(device):
    @cuda.jit
    def kernel(out, rows):
        pair, row = (out[0], 2.0), rows[0]
        for _ in range(2):
            pair @= 1.5
        row[1] = pair @ (1.0, 10.0)
        out[0] = pair[0]
        out[1] = (3.0 not in row) + 2 * (row.second in row)

    out, rows = np.array([4.0, 0]), np.zeros(1, [("first", "f8"), ("second", "f8")])
    kernel[1, 1](out, rows)
    assert (out.tolist(), rows[0]["second"]) == ([9, 3], 54)


def test_operators_that_a_type_has_stay_what_they_are():
    product = njit(lambda a, b: a @ b)
    assert product(np.ones(3), np.ones(3)) == 3
    assert product((1.0, 2.0), (3.0, 4.0)) == 11
    with pytest.raises(TypingError, match="bad operands for @"):
        product((1.0, 2.0), 1)


def kind_of(x):
    raise NotImplementedError


@overload(kind_of)
def name_of_kind(x):
    kinds = ["StringLiteral", "UnicodeType", "SliceType", "BaseTuple", "List", "NumberClass"]
    name = next((kind for kind in kinds if isinstance(x, getattr(types, kind))), "other")
    return lambda x: (name, x)


@overload_method(types.Array, "kind_of")
def name_of_kind_for_array(a, x):
    name = "list" if isinstance(x, types.List) else "other"
    return lambda a, x: (name, x)


def test_methods_of_the_program_get_lists():
    @njit
    def listed(a):
        rows = a.kind_of([[1, 2], [3, 4]])[1]
        rows[0].append(5)
        return a.kind_of([1])[0], rows, a.kind_of((1,))[0], a.reshape([2, 2]).ndim

    assert listed(np.ones(4)) == ("list", [[1, 2, 5], [3, 4]], "other", 2)


def test_overloads_see_what_functions_of_the_host_pass():
    @njit
    def kinds(n):
        listed = kind_of([1, n])
        listed[1].append(3)
        return listed, kind_of("a")[0], kind_of(slice(1, n))[0], kind_of((1, n))[0]

    assert kinds(2) == (("List", [1, 2, 3]), "UnicodeType", "SliceType", "BaseTuple")
    assert (
        njit(lambda a: kind_of(a.dtype)[0] + kind_of(np.float32)[0])(np.ones(1))
        == 2 * "NumberClass"
    )
    assert issubclass(types.UnicodeType, types.IterableType)
    assert isinstance(types.List(types.int64), types.Sequence)
