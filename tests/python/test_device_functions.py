"""Functions called from kernels: how they are found, their arguments and results, calls between them."""

import numpy as np
import pytest
from in_kernels import run

from heddle import cuda
from heddle.errors import CompileError, TypingError, UnsupportedError

table = np.array([1.5, 2.5, 3.5])
factor = 3


@cuda.jit(device=True)
def add(a, b):
    return a + b


@cuda.jit(device=True)
def scaled(x):
    return x * factor


@cuda.jit(device=True)
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@cuda.jit(device=True)
def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


@cuda.jit(device=True)
def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@cuda.jit(device=True)
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@cuda.jit(device=True)
def endless(n):
    return endless(n)


def test_a_device_function_returns_a_value(device):
    def f(out, a, b):
        out[0] = add(a, b)

    assert run(f, 2, 0.5)[0] == 2.5


def test_one_function_is_compiled_for_each_list_of_types(device):
    def f(out):
        out[0] = add(1, 2)
        out[1] = add(1.5, 2)
        out[2], out[3] = add((1,), (2.5,))

    assert list(run(f)[:4]) == [3, 3.5, 1, 2.5]


def test_arrays_that_overlap_and_arrays_that_do_not_have_one_type(device):
    @cuda.jit(device=True)
    def first(x):
        return x[0]

    @cuda.jit
    def k(out, alone, one, other):
        out[0] = first(alone) + first(one) + first(other)

    out, alone, shared = np.zeros(1), np.ones(3), np.ones(4)
    k[1, 1](out, alone, shared, shared[1:])
    assert out[0] == 3
    assert k.variants()[0].typed_source.count("\nfirst.") == 1


def test_a_plain_kernel_function_is_called_from_a_kernel(device):
    @cuda.jit
    def put(out, i, value):
        out[i] = value

    @cuda.jit
    def k(out):
        put(out, 1, 5)
        put(out, 2, 6.5)

    assert list(run(k)[:3]) == [0, 5, 6.5]


def test_an_undecorated_function_is_refused_with_a_hint(device):
    def plain(x):
        return x

    def f(out):
        out[0] = plain(1)

    with pytest.raises(TypingError, match="'plain'") as error:
        run(f)
    assert "cuda.jit(device=True)" in str(error.value)


def test_device_functions_call_each_other(device):
    @cuda.jit(device=True)
    def inner(x):
        return scaled(x) + 1

    @cuda.jit(device=True)
    def outer(x):
        return inner(inner(x))

    def f(out):
        out[0] = outer(2)

    assert run(f)[0] == 22


def test_a_tuple_is_returned_and_taken_apart(device):
    @cuda.jit(device=True)
    def both(a, b):
        return a + b, (a - b, a < b)

    def f(out):
        s, (d, less) = both(2, 0.5)
        out[0], out[1], out[2] = s, d, less

    assert list(run(f)[:3]) == [2.5, 1.5, 0]


def test_an_array_is_passed_changed_and_returned(device):
    @cuda.jit(device=True)
    def tail(a, n):
        a[0] = n
        return a[n:]

    def f(out):
        v = tail(out, 3)
        v[0] = v.size

    np.testing.assert_array_equal(run(f), [3, 0, 0, 5, 0, 0, 0, 0])


def test_a_tuple_of_arrays_is_returned(device):
    @cuda.jit(device=True)
    def halves(a):
        n = a.size // 2
        return a[:n], a[n:]

    def f(out):
        low, high = halves(out)
        low[0], high[0] = 1, 2

    np.testing.assert_array_equal(run(f), [1, 0, 0, 0, 2, 0, 0, 0])


def test_a_function_without_return_is_called_for_its_effect(device):
    @cuda.jit(device=True)
    def bump(a, i):
        a[i] += 1

    def f(out):
        bump(out, 1)
        bump(out, 1)

    assert run(f)[1] == 2


def test_early_returns_unify(device):
    @cuda.jit(device=True)
    def pick(n):
        if n == 0:
            return 1
        elif n == 1:
            return 2.5
        return True

    def f(out):
        out[0], out[1], out[2] = pick(0), pick(1), pick(2)

    assert list(run(f)[:3]) == [1, 2.5, 1]


def test_a_path_without_a_value_returns_none(device):
    @cuda.jit(device=True)
    def maybe(n):
        if n:
            return n + 0.5

    def f(out):
        for i in range(3):
            found = maybe(i)
            out[i] = -1 if found is None else found

    assert list(run(f)[:3]) == [-1, 1.5, 2.5]


def test_none_as_a_number_is_an_error_in_debug_mode(device):
    @cuda.jit(device=True)
    def maybe(n):
        if n:
            return n

    @cuda.jit(debug=True, opt=False)
    def k(out):
        out[0] = maybe(0) + 1

    with pytest.raises(TypeError, match="expected int64, got None"):
        k[1, 1](np.zeros(1))
        cuda.synchronize()


def test_paths_with_different_kinds_of_values_are_refused(device):
    @cuda.jit(device=True)
    def mixed(n):
        if n:
            return 1
        return 1, 2

    def f(out):
        out[0] = mixed(1)

    with pytest.raises(TypingError, match="on one path"):
        run(f)


def test_a_device_function_returns_functions_and_strings_to_a_caller_that_knows_them(device):
    @cuda.jit(device=True)
    def double(v):
        return v * 2

    @cuda.jit(device=True)
    def chosen():
        return double, "fast", np.float32

    def f(out):
        function, mode, kind = chosen()
        if mode == "fast":
            out[0] = function(kind(1.25))

    assert run(f)[0] == 2.5


def test_a_device_function_returns_no_string_that_depends_on_the_path(device):
    @cuda.jit(device=True)
    def name(n):
        if n > 0:
            return "positive"
        return "other"

    def f(out):
        out[0] = name(out[0]) == "other"

    with pytest.raises(TypingError, match="different objects on its paths"):
        run(f)


def test_defaults_and_keywords_fill_parameters(device):
    @cuda.jit(device=True)
    def g(a, b=10, c=0.5):
        return a * 100 + b + c

    def f(out):
        out[0], out[1], out[2] = g(1), g(1, c=0), g(b=2, a=3)
        out[3] = g(1, 2, 3)

    assert list(run(f)[:4]) == [110.5, 110, 302.5, 105]


@pytest.mark.parametrize(
    "call, message",
    [
        (cuda.jit(lambda out: add(1)), "needs an argument for 'b'"),
        (cuda.jit(lambda out: add(1, 2, 3)), "takes 2 arguments, 3 were given"),
        (cuda.jit(lambda out: add(1, b=2, c=3)), "unknown argument 'c'"),
        (cuda.jit(lambda out: add(1, a=2)), "second argument 'a'"),
    ],
    ids=["too few", "too many", "unknown", "twice"],
)
def test_wrong_arguments_are_refused_with_the_definition(device, call, message):
    with pytest.raises(TypingError, match=message) as error:
        run(call)
    assert "add(a, b)" in str(error.value)


def test_a_function_calls_itself(device):
    def f(out, n):
        out[0] = factorial(n)

    assert run(f, 10)[0] == 3628800


def test_two_functions_call_each_other(device):
    def f(out, n):
        out[0], out[1] = is_even(n), is_odd(n)

    assert list(run(f, 7)[:2]) == [0, 1]


def test_a_recursion_may_nest_its_calls(device):
    def f(out):
        out[0] = ackermann(2, 3)

    assert run(f)[0] == 9


def test_a_recursion_without_an_end_is_refused(device):
    def f(out, n):
        out[0] = endless(n)

    with pytest.raises(TypingError, match="recursive") as error:
        run(f, 3)
    assert "endless" in str(error.value)


def test_functions_are_passed_to_functions(device):
    @cuda.jit(device=True)
    def apply(function, x):
        return function(x, x)

    def f(out):
        out[0] = apply(add, 4)
        out[1] = apply(max, 5)

    assert list(run(f)[:2]) == [8, 5]


def test_a_function_is_chosen_by_a_closure(device):
    def kernel_with(function):
        @cuda.jit
        def k(out):
            out[0] = function(out[1])

        return k

    assert run(kernel_with(scaled))[0] == 0
    assert run(kernel_with(cuda.jit(device=True)(lambda x: x + 7)))[0] == 7


def test_a_lambda_is_a_device_function(device):
    square, cube = cuda.jit(device=True)(lambda x: x * x), cuda.jit(device=True)(lambda x: x**3)

    def f(out):
        out[0], out[1] = square(3), cube(2)

    assert list(run(f)[:2]) == [9, 8]


def test_globals_are_frozen_when_a_kernel_is_compiled(device):
    global factor

    @cuda.jit
    def k(out):
        out[0] = scaled(1)

    try:
        assert run(k)[0] == 3
        factor = 5
        assert run(k)[0] == 3
    finally:
        factor = 3


def test_a_global_array_is_frozen(device):
    @cuda.jit
    def k(out):
        for i in range(table.size):
            out[i] = table[i]

    try:
        run(k)
        table[0] = 9
        np.testing.assert_array_equal(run(k)[:3], [1.5, 2.5, 3.5])
    finally:
        table[0] = 1.5


def test_modules_and_their_constants_are_globals(device):
    def f(out):
        out[0] = np.pi + np.inf
        out[1] = np.e
        out[2] = np.float32(0.1)
        out[3] = np.int8(300)

    expected = [np.inf, np.e, np.float32(0.1), 44]
    np.testing.assert_array_equal(run(f)[:4], expected)


def test_a_closure_variable_that_is_not_set_yet_is_refused(device):
    @cuda.jit
    def k(out):
        out[0] = later

    with pytest.raises(TypingError, match="'later'"):
        run(k)
    later = 1


def test_a_declared_signature_converts_its_arguments(device):
    @cuda.jit("float32(float32, int32)", device=True)
    def f32(a, b):
        return a + b

    def f(out):
        out[0] = f32(0.1, 2)

    assert run(f)[0] == np.float32(np.float32(0.1) + np.float64(2))


def test_a_device_function_is_not_launched(device):
    with pytest.raises((TypeError, CompileError), match="device function"):
        add[1, 1](1, 2)


def test_a_kernel_returns_nothing(device):
    @cuda.jit
    def k(out):
        return out[0]

    with pytest.raises(CompileError, match="return"):
        run(k)


def test_an_error_in_a_device_function_shows_its_line_and_the_kernel(device):
    @cuda.jit(device=True)
    def broken(x):
        return x.nothing

    @cuda.jit
    def k(out):
        out[0] = broken(out)

    with pytest.raises(TypingError, match="no attribute 'nothing'") as error:
        run(k)
    assert "return x.nothing" in str(error.value) and "compiling k(" in str(error.value)


def test_shadowing_a_builtin_or_module_name_is_pythons(device):
    def f(out, n):
        max = n + 1
        range = max * 2
        out[0] = range

    assert run(f, 3)[0] == 8


def test_a_constant_argument_may_be_the_shape_of_an_array(device):
    @cuda.jit(device=True)
    def sum_of_squares(n, out):
        squares = cuda.local.array(n, np.int64)
        for i in range(n):
            squares[i] = i * i
        for i in range(n):
            out[n - 3] += squares[i]

    @cuda.jit
    def k(out):
        sum_of_squares(3, out)
        sum_of_squares(4, out)

    out = np.zeros(2, np.int64)
    k[1, 1](out)
    assert out.tolist() == [5, 14]


def test_a_constant_argument_is_one_whatever_the_function_that_takes_it_is_called(device):
    from heddle.cuda import gridsize as threads

    @cuda.jit(device=True)
    def place(n):
        first = cuda.grid
        return first(n)

    @cuda.jit(device=True)
    def last(n):
        return threads(n)[n - 1]

    @cuda.jit
    def k(out):
        x, y = place(2)
        out[x, y] = last(2)

    out = np.zeros((2, 3), np.int64)
    k[(2, 1), (1, 3)](out)
    assert out.tolist() == [[3, 3, 3], [3, 3, 3]]


def test_an_argument_that_varies_cannot_be_the_shape_of_an_array(device):
    @cuda.jit(device=True)
    def f(n):
        return cuda.local.array(n, np.int64).size

    @cuda.jit
    def k(out):
        out[0] = f(out.size)

    with pytest.raises(TypingError, match="the shape of cuda.local.array must be a constant"):
        k[1, 1](np.zeros(1, np.int64))


def test_the_result_has_the_type_that_its_variable_has_in_the_end(device):
    @cuda.jit(device=True)
    def f(x):
        if x > 1:
            x |= np.int64(4)  # from here on an int64, where it was a uint64 for a moment
        return x * x

    @cuda.jit
    def k(a, out):
        out[0] = a[f(np.uint32(a[1])) % a.size]

    a = np.arange(10, 20)
    a[1] = 2
    out = np.zeros(1, np.int64)
    k[1, 1](a, out)
    assert out[0] == a[6 * 6 % 10]


def test_integers_of_both_signs_are_returned_as_a_float(device):
    @cuda.jit(device=True)
    def f(x):
        if x > 3:
            return np.int64(x)
        return np.uint64(x)

    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        out[i] = f(i) / 2

    out = np.zeros(8)
    k[1, 8](out)
    np.testing.assert_array_equal(out, np.arange(8) / 2)


def test_what_follows_a_loop_sees_the_type_that_the_loop_leaves(device):
    @cuda.jit
    def k(a, out):
        v = np.uint32(7)
        for i in range(3):
            for _ in range(2):
                v &= 5  # an int64: with a uint64, a[0] - v would be one, and so v, which no integer is both of
            v &= cuda.ffs(a[0] - v)
            out[i] = v

    out = np.zeros(3, np.int64)
    k[1, 1](np.array([4], np.uint64), out)
    np.testing.assert_array_equal(out, [1, 1, 1])


def test_integers_that_agree_in_the_end_make_no_float_on_the_way(device):
    @cuda.jit
    def k(n, out):
        v = np.uint32(n)
        for j in range(3):
            w = v * v  # a uint64, until v turns out to be an int64 in the loop
            if j == 2:
                w = np.int64(w >> 1)
            out[j] = w << 1
            v = np.int64(v) + j

    out = np.zeros(3, np.int64)
    k[1, 1](5, out)
    np.testing.assert_array_equal(out, [25 << 1, 25 << 1, (36 >> 1) << 1])


def test_a_device_function_with_a_mistake_is_refused_where_a_loop_calls_it(cpu):
    @cuda.jit(device=True)
    def with_a_list(x):
        y = [x, x]  # noqa: F841

    @cuda.jit
    def kernel(x):
        for _ in range(2):
            if with_a_list(x[0]):
                x[0] = 1

    with pytest.raises(UnsupportedError, match="lists are not supported"):
        kernel[1, 1](np.zeros(1))


def test_a_tuple_that_grows_with_every_call_is_refused(device):
    @cuda.jit(device=True)
    def chain(n):
        if n <= 0:
            return None
        return (n, chain(n - 1))

    @cuda.jit
    def k(x):
        chain(3)

    with pytest.raises(TypingError, match="each iteration or call nests it in another tuple"):
        k[1, 1](np.zeros(1))


def test_a_tuple_that_grows_in_a_loop_is_refused(device):
    @cuda.jit
    def k(x, n):
        t = None
        for i in range(n):
            t = (i, t)
        x[0] = t is None

    with pytest.raises(TypingError):
        k[1, 1](np.zeros(1), 3)


def test_a_device_function_with_a_signature_calls_itself(device):
    @cuda.jit("int64(int64)", device=True)
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @cuda.jit("(int64[:],)")
    def k(out):
        out[0] = factorial(5)

    out = cuda.to_device(np.zeros(1, np.int64))
    k[1, 1](out)
    assert out.copy_to_host()[0] == 120
