"""None, optional values, constant strings, isinstance and hasattr: what is decided during compilation."""

import builtins
from functools import partial

import in_kernels
import numpy as np
import pytest

from heddle import cuda, njit, types
from heddle.errors import TypingError, UnsupportedError

run = partial(in_kernels.run, size=4)

MODE = "double"


@pytest.mark.parametrize("value, expected", [(None, -1), (3, 3)])
def test_a_comparison_with_none_prunes_the_other_branch(device, value, expected):
    @cuda.jit
    def k(out, x):
        if x is None:
            out[0] = -1
        else:
            out[0] = x + 0
        if x == None:  # noqa: E711
            out[1] = -1
        else:
            out[1] = x * 1
        out[2] = -1 if x is None else x
        if x != None and x > 0:  # noqa: E711
            out[3] = x

    np.testing.assert_array_equal(run(k, value)[:3], [expected] * 3)


def test_none_may_stand_in_a_tuple_argument(device):
    @cuda.jit
    def k(out, t):
        for i, x in enumerate(t):
            if x is not None:
                out[i] = x

    np.testing.assert_array_equal(run(k, (1, None, 2.5)), [1, 0, 2.5, 0])


def test_a_device_function_s_parameter_may_be_none_by_default(device):
    @cuda.jit(device=True)
    def f(x, scale=None):
        if scale is None:
            return x
        return x * scale

    @cuda.jit
    def k(out):
        out[0] = f(3)
        out[1] = f(3, 4)

    np.testing.assert_array_equal(run(k)[:2], [3, 12])


def test_a_variable_may_be_none_on_one_path(device):
    @cuda.jit
    def k(out, a):
        best = None
        for x in a:
            if best is None or x > best:
                best = x
        if best is not None:
            out[0] = best
        else:
            out[0] = -1

    assert run(k, np.array([2.0, 7.0, 5.0]))[0] == 7
    assert run(k, np.zeros(0))[0] == -1


@pytest.mark.parametrize("how", ["inline", "in a device function"])
def test_a_variable_that_is_none_before_a_loop_is_a_number_in_it(device, how):
    @cuda.jit(device=True)
    def plus(a, b):
        return a + b

    @cuda.jit
    def inline(out):
        total = None
        for i in range(4):
            total = i if i == 0 else total + i
        out[0] = total

    @cuda.jit
    def called(out):
        total = None
        for i in range(4):
            total = i if i == 0 else plus(total, i)
        out[0] = total

    assert run(inline if how == "inline" else called)[0] == 6


def test_the_truth_of_an_optional_number_is_false_for_none_and_zero(device):
    @cuda.jit
    def k(out, n):
        x = None
        if n > 0:
            x = n - 1
        out[0] = 1 if x else 2

    assert [run(k, n)[0] for n in (0, 1, 2)] == [2, 2, 1]


def test_an_optional_value_is_passed_to_a_device_function(device):
    @cuda.jit(device=True)
    def f(x):
        if x is None:
            return -1
        return x * 2

    @cuda.jit
    def k(out, n):
        x = None
        if n > 0:
            x = n
        out[0] = f(x)

    assert [run(k, n)[0] for n in (0, 5)] == [-1, 10]


def test_using_none_as_a_number_is_an_error_in_debug_mode(device):
    @cuda.jit(debug=True, opt=False)
    def k(out, n):
        x = None
        if n > 0:
            x = n
        out[0] = x + 1

    assert run(k, 5)[0] == 6
    with pytest.raises(TypeError, match="expected int64, got None"):
        run(k, 0)


def test_none_is_not_stored_as_a_number_on_the_cpu(cpu):
    @cuda.jit(device=True)
    def positive(x):
        if x > 0:
            return x

    @cuda.jit
    def k(out, x):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = positive(x[i])

    x, out = np.arange(-3.0, 5.0), np.full(8, 7.0)
    with pytest.raises(TypeError, match="expected float64, got None"):
        k[1, 8](out, x)
        cuda.synchronize()
    assert out[:4].tolist() == [7.0] * 4
    k[1, 8](out, x + 4)
    assert out.tolist() == (x + 4).tolist()


def test_a_function_is_not_optional(device):
    @cuda.jit
    def k(out, n):
        f = None
        if n > 0:
            f = lambda v: v  # noqa: E731
        out[0] = 1 if f is None else 2

    with pytest.raises(TypingError, match="cannot be both"):
        run(k, 1)


def test_names_and_literals_decide_which_branch_is_compiled(device):
    n = 5

    @cuda.jit
    def k(out):
        if n == 5 and not n > 6 and n in (4, 5) and -1 < 2 * 3:
            out[0] = 1
        else:
            out.is_not_compiled()

    assert run(k)[0] == 1


@pytest.mark.parametrize("width", [1.5, 2, np.float32(0.25)])
def test_comparisons_with_known_floats_decide_which_branch_is_compiled(device, width):
    @cuda.jit
    def k(out):
        if width > 0.0 and not width == -1.0:
            out[0] = 1
        else:
            out.is_not_compiled()
        if width <= 0.125:
            out.is_not_compiled()

    assert run(k)[0] == 1


def test_what_is_computed_of_constants_decides_nothing_while_compiling(device):
    n = 5

    @cuda.jit
    def k(out):
        known = np.float32(0.5) if n == 5 else 1
        computed = np.float32(0.5) if n >> 1 == 2 and n ^ 1 == 4 and -n // 2 == -3 else 1
        converted = np.float32(0.5) if np.int32(n) == 5 and not int(n) << 1 > 10 else 1
        out[0] = isinstance(known, np.float32)
        out[1] = isinstance(computed, np.float64) and isinstance(converted, np.float64)
        out[2] = computed + converted
        out[3] = not 2 != np.uint16(n) > 2

    assert run(k)[:4].tolist() == [1, 1, 1, 0]


@cuda.jit(device=True)
def scaled(x, mode="plain"):
    if mode == "double":
        return x * 2
    if mode in ("half", "halve"):
        return x / 2
    if mode != "plain":
        return x.no_such_attribute
    return x


def test_constant_strings_choose_while_compiling(device):
    @cuda.jit
    def k(out):
        out[0] = scaled(8)
        out[1] = scaled(8, MODE)
        out[2] = scaled(8, mode="halve")
        out[3] = "wor" in "hello world"

    np.testing.assert_array_equal(run(k), [8, 16, 4, 1])


def test_a_string_from_a_closure_chooses_while_compiling(device):
    def make(mode):
        @cuda.jit
        def k(out):
            out[0] = scaled(8, mode)

        return k

    assert run(make("double"))[0] == 16 and run(make("half"))[0] == 4


def test_a_tuple_of_strings_is_looped_over(device):
    @cuda.jit
    def k(out):
        for i, mode in enumerate(("double", "half", "plain")):
            out[i] = scaled(8, mode)

    np.testing.assert_array_equal(run(k), [16, 4, 8, 0])


def test_a_string_that_depends_on_the_path_chooses_at_run_time(device):
    @cuda.jit(device=True)
    def changed(x, mode):
        return x * 2 if mode == "double" else x / 2

    @cuda.jit
    def k(out, n):
        mode = "double" if n > 0 else "half"
        out[0] = changed(8, mode)

    assert run(k, 1)[0] == 16 and run(k, 0)[0] == 4


def test_isinstance_chooses_while_compiling(device):
    @cuda.jit
    def k(out, x):
        if isinstance(x, tuple):
            out[0] = len(x)
        elif isinstance(x, (int, float)):
            out[0] = x + 10
        elif isinstance(x, np.float32):
            out[0] = x + 100
        elif isinstance(x, np.ndarray):
            out[0] = x[0]

    assert run(k, (1, 2))[0] == 2
    assert run(k, 1)[0] == 11
    assert run(k, 1.5)[0] == 11.5
    assert run(k, np.float32(1))[0] == 101
    assert run(k, np.array([9.0]))[0] == 9


def test_isinstance_is_asked_of_the_type_that_a_loop_leaves(device):
    @cuda.jit
    def k(out, x):
        for _ in range(3):
            x += 1  # an int32 before, an int64 after
        out[0] = (x | 8 if isinstance(x, int) else None) & 15

    assert run(k, np.int32(4))[0] == 15


def test_a_second_isinstance_waits_for_what_the_first_makes_reachable(device):
    @cuda.jit
    def k(out, x):
        if isinstance(x, np.int32):
            out[1] = 1
        for _ in range(3):
            x += 1
        out[0] = (x | 8 if isinstance(x, int) else None) & 15

    np.testing.assert_array_equal(run(k, np.int32(4))[:2], [15, 1])


def test_isinstance_waits_for_the_float_that_integers_of_different_signs_make(device):
    @cuda.jit
    def k(out, x):
        y = x - x if out[0] else np.int64(5)
        out[0] = y / 2 if isinstance(y, float) else None.nothing

    assert run(k, np.uint16(4))[0] == 2.5


def test_an_error_waits_for_the_type_that_isinstance_lets_a_variable_have(device):
    is_a = isinstance

    @cuda.jit
    def k(out, short, wide):
        n = short[0]
        for j in range(3):
            step = 1 if is_a(j, int) else None.nothing
            n = j - step
        out[np.minimum(3, n % wide[0])] = n  # the index would be a float if n stayed unsigned

    out = np.zeros(4, np.int64)
    k[1, 1](out, np.ones(1, np.uint16), np.full(1, 8, np.uint64))
    assert out.tolist() == [0, 1, 0, 0]


def test_isinstance_and_hasattr_may_be_called_through_their_module(device):
    @cuda.jit
    def k(out, short, wide):
        n = short[0]
        for j in range(3):
            step = 1 if builtins.isinstance(j, int) else None.nothing
            n = j - step
        out[np.minimum(3, n % wide[0])] = builtins.hasattr(short, "shape") + n

    out = np.zeros(4, np.int64)
    k[1, 1](out, np.ones(1, np.uint16), np.full(1, 8, np.uint64))
    assert out.tolist() == [0, 2, 0, 0]


def test_an_error_of_an_answer_itself_is_told(device):
    @cuda.jit
    def k(out, x):
        if out[0] > 1:
            out[1] = 1 if isinstance(x, (int, 3)) else 2
        else:
            out[1] = 1 if isinstance(x, int) else 2  # a question that waits meanwhile

    with pytest.raises(TypingError, match="isinstance\\(\\) takes a class"):
        run(k, 3)


def test_an_error_that_no_answer_mends_is_told(device):
    @cuda.jit
    def k(out):
        x = 1 if isinstance(out[0.5], int) else 2
        out[0] = x

    with pytest.raises(TypingError, match="must be an integer"):
        run(k)


def test_what_follows_from_isinstance_follows_its_answer(device):
    @cuda.jit
    def kernel(out, x):
        y = x[0]
        for _ in range(out.size):
            known = isinstance(y, int)
            negative = -known
            y = known + 3
        out[0], out[1] = y, negative

    out = np.zeros(2, np.int64)
    kernel[1, 1](out, np.zeros(1, np.uint16))
    assert out.tolist() == [4, -1]


def test_isinstance_of_a_variable_without_a_value(device):
    @cuda.jit
    def k(out):
        for i in range(3):
            x += i  # noqa: F821
        out[0] = isinstance(x, int)

    with pytest.raises(TypingError, match="'x' is used before it is assigned"):
        run(k)


def test_a_branch_that_isinstance_turns_out_not_to_take_does_not_count(device):
    @cuda.jit
    def k(out, x):
        for _ in range(3):
            x += 1
        y = x + 2**53 if isinstance(x, int) else 0.5
        out[0] = isinstance(y, int)
        out[1] = y - 2**53

    np.testing.assert_array_equal(run(k, np.int32(2))[:2], [1, 5])


@pytest.mark.parametrize("abstract", [np.generic, np.integer, np.floating, np.number, np.character])
@pytest.mark.parametrize("dtype", ["f8", "i4", "u1", "c8", "?"])
def test_isinstance_knows_the_abstract_classes_of_numpy(device, abstract, dtype):
    @cuda.jit
    def kernel(out, x):
        out[0] = isinstance(x[0], abstract)

    out, x = np.zeros(1), np.ones(1, dtype)
    kernel[1, 1](out, x)
    assert out[0] == isinstance(x[0], abstract)


def test_isinstance_needs_a_class(device):
    @cuda.jit
    def k(out, x):
        out[0] = isinstance(x, 3)

    with pytest.raises(TypingError, match="takes a class or a tuple of classes"):
        run(k, 1)


def test_hasattr_and_getattr_are_answered_while_compiling(device):
    @cuda.jit
    def k(out, x):
        if hasattr(x, "shape"):
            out[0] = x.shape[0]
        else:
            out[0] = -1
        out[1] = getattr(x, "size", 99)

    np.testing.assert_array_equal(run(k, np.zeros(5))[:2], [5, 5])
    np.testing.assert_array_equal(run(k, 5)[:2], [-1, 99])


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (1.5, {"real", "conjugate", "__hash__"}),
        ("a", {"upper", "count", "__hash__"}),
        (np.zeros(2), {"real", "conjugate", "sum", "sort", "__hash__"}),
        (b"ab", {"real", "conjugate", "upper", "count", "sum", "sort", "__hash__"}),
        ([1], {"count", "append", "sort"}),
        ({1}, {"add"}),
        (None, set()),
    ],
    ids=["number", "string", "array", "bytes", "list", "set", "none"],
)
def test_methods_are_attributes_in_functions_of_the_host(value, names):
    @njit
    def f(x):
        return (
            hasattr(x, "real"),
            hasattr(x, "conjugate"),
            hasattr(x, "upper"),
            hasattr(x, "count"),
            hasattr(x, "sum"),
            hasattr(x, "sort"),
            hasattr(x, "append"),
            hasattr(x, "add"),
            hasattr(x, "__hash__"),
        )

    asked = "real conjugate upper count sum sort append add __hash__".split()
    assert f(value) == tuple(name in names for name in asked)


def test_a_deleted_variable_is_not_assigned(device):
    @cuda.jit
    def k(out, x):
        y = x
        del y
        out[0] = y  # noqa: F821

    with pytest.raises(TypingError, match="'y' is used before it is assigned"):
        run(k, 1)


def test_a_deleted_variable_can_be_assigned_again(device):
    @cuda.jit
    def k(out, x):
        y, z = x, 2
        del y, z
        y = 2.5
        out[0] = y

    assert run(k, 1)[0] == 2.5


def test_a_global_statement_is_read_from_the_globals(device):
    @cuda.jit
    def k(out):
        global MODE
        out[0] = scaled(8, MODE)

    assert run(k)[0] == 16


def test_a_global_cannot_be_assigned(device):
    @cuda.jit
    def k(out):
        global MODE
        MODE = 3
        out[0] = MODE

    with pytest.raises(
        UnsupportedError, match="assignment to the global 'MODE' is not supported in kernels"
    ):
        run(k)


def test_an_exception_s_message_may_be_a_constant_variable(device):
    message = "too small"

    @cuda.jit(debug=True, opt=False)
    def k(out, x):
        if x < 0:
            raise ValueError(message, 3)
        assert x < 10, message
        out[0] = x

    with pytest.raises(ValueError, match="too small") as error:
        run(k, -1)
    assert error.value.args[1:] == (3,)
    with pytest.raises(AssertionError, match="too small"):
        run(k, 11)
    assert run(k, 5)[0] == 5


@pytest.mark.parametrize(
    "signatures",
    ["u1(u8)", ["u1(u8)"], ["u1(u8)", "f8(f8)"]],
    ids=["one", "list of one", "several"],
)
def test_declared_parameters_take_optional_arguments(signatures):
    @njit(signatures)
    def low_bits(board):
        return board % 8

    @njit
    def find(k):
        if k > 0:
            return np.uint64(k)

    @njit
    def low_bits_found(k):
        return low_bits(find(k))

    assert low_bits_found(13) == 5
    with pytest.raises(TypeError, match="expected uint64, got None"):
        low_bits_found(0)


def test_a_declared_optional_parameter_takes_none():
    @njit(types.int64(types.optional(types.int64)))
    def or_zero(x):
        return 0 if x is None else x

    @njit
    def find(k):
        if k > 0:
            return k

    assert njit(lambda k: or_zero(find(k)))(3) == 3
    assert njit(lambda k: or_zero(find(k)))(0) == 0
