"""Functions and lambdas defined in kernels, functions as arguments, and ``*args``."""

import math

import numpy as np
import pytest
from in_kernels import run

from heddle import cuda
from heddle.errors import TypingError, UnsupportedError


def test_a_nested_function_is_called(device):
    @cuda.jit
    def k(out, x):
        def square(v):
            return v * v

        out[0] = square(x)
        out[1] = square(x + 0.5)

    np.testing.assert_array_equal(run(k, 3)[:2], [9, 12.25])


def test_a_nested_function_sees_the_variables_around_it(device):
    @cuda.jit
    def k(out, x):
        a = x + 1

        def put(i, v):
            out[i] = v * a

        put(0, 2)
        put(1, 0.5)

    np.testing.assert_array_equal(run(k, 3)[:2], [8, 2])


def test_a_lambda_captures_the_loop_s_variable_of_each_round(device):
    @cuda.jit
    def k(out, n):
        for i in range(n):
            f = lambda v: v * 10 + i  # noqa: E731
            out[i] = f(i)

    np.testing.assert_array_equal(run(k, 3)[:3], [0, 11, 22])


def test_nested_functions_nest(device):
    @cuda.jit
    def k(out, x):
        def outer(v):
            def inner(w):
                return w * x + v

            return inner(2)

        out[0] = outer(5)

    assert run(k, 10)[0] == 25


def test_a_nested_function_calls_itself(device):
    @cuda.jit
    def k(out, n):
        scale = 2

        def factorial(i):
            if i <= 1:
                return scale
            return i * factorial(i - 1)

        out[0] = factorial(n)

    assert run(k, 5)[0] == 240


def test_default_values_of_a_nested_function_are_those_of_its_definition(device):
    @cuda.jit
    def k(out, x):
        a = x

        def f(v, w=a * 2, *, z=1):
            return v + w + z

        out[0] = f(1)
        out[1] = f(1, 2)
        out[2] = f(1, z=100)
        out[3] = (lambda v, a=a: v + a)(1)

    np.testing.assert_array_equal(run(k, 10)[:4], [22, 4, 121, 11])


@cuda.jit(device=True)
def apply(f, x):
    return f(x)


@cuda.jit(device=True)
def twice(f, x):
    return f(f(x))


@cuda.jit(device=True)
def half(x):
    return x / 2


def test_functions_of_every_kind_are_arguments_of_device_functions(device):
    @cuda.jit
    def k(out, x):
        out[0] = apply(half, x)
        out[1] = apply(math.sqrt, x)
        out[2] = apply(lambda v: v + x, x)
        out[3] = twice(lambda v: v * v, x)
        out[4] = apply(np.float32, x)

    np.testing.assert_array_equal(run(k, 4)[:5], [2, 2, 8, 256, 4])


def test_tuples_of_functions_and_closures_are_arguments(device):
    @cuda.jit(device=True)
    def all_of(functions, x):
        total = 0.0
        for f in functions:
            total += f(x)
        return total

    @cuda.jit
    def k(out, x):
        out[0] = all_of((half, math.sqrt, lambda v: v * x), x)

    assert run(k, 4)[0] == 20


def test_a_captured_array_can_be_written(device):
    @cuda.jit
    def k(a):
        def put(i):
            a[i] = i + 1

        for i in range(a.size):
            put(i)

    a = np.zeros(4)
    k[1, 1](a)
    np.testing.assert_array_equal(a, [1, 2, 3, 4])


def test_a_captured_constant_is_one_in_the_function(device):
    @cuda.jit
    def k(out):
        n = 4

        def sum_of_squares():
            a = cuda.local.array(n, np.float64)
            for i in range(n):
                a[i] = i * i
            total = 0.0
            for x in a:
                total += x
            return total

        out[0] = sum_of_squares()

    assert run(k)[0] == 14


def test_a_nested_function_sees_what_is_assigned_before_the_call(device):
    @cuda.jit
    def k(out, x):
        def f():
            return x

        out[0] = f()
        x = 2.5
        out[1] = f()
        x += 1
        out[2] = call(f, 0)

    @cuda.jit(device=True)
    def call(f, _):
        return f()

    np.testing.assert_array_equal(run(k, 1)[:3], [1, 2.5, 3.5])


def test_a_nested_function_may_use_a_variable_that_is_assigned_after_its_definition(device):
    @cuda.jit
    def k(out):
        def f():
            return 2 * later

        later = 4
        out[0] = f()

    assert run(k)[0] == 8


def test_a_function_called_through_another_sees_what_is_assigned_before_the_call(device):
    @cuda.jit
    def k(out, x):
        def f():
            return x

        def g():
            return f() + 1

        x = 5
        out[0] = g()

    assert run(k, 1)[0] == 6


def test_default_values_stay_when_a_captured_variable_is_assigned(device):
    @cuda.jit
    def k(out, x):
        def f(y=x):
            return 10 * x + y

        x = 7
        out[0] = f()

    assert run(k, 1)[0] == 71


def test_a_variable_assigned_in_each_round_before_the_definition_is_captured(device):
    @cuda.jit
    def k(out):
        for i in range(3):
            x = 2 * i

            def f(y):
                return x + y

            out[i] = f(1)

    np.testing.assert_array_equal(run(k)[:3], [1, 3, 5])


def refused_after_assignment(kernel):
    with pytest.raises(UnsupportedError, match="is assigned after the definition of a function"):
        run(kernel, 1)


def test_a_function_of_the_round_before_is_refused_when_its_variable_is_assigned(device):
    @cuda.jit
    def k(out, x):
        for i in range(3):
            x = i
            if i > 0:
                out[i] = f()  # noqa: F821 (Python's sees this round's x)

            def f():
                return x

    refused_after_assignment(k)


def test_a_function_in_a_tuple_is_refused_when_its_variable_is_assigned(device):
    @cuda.jit
    def k(out, x):
        functions = (lambda: x, 1)
        x = 2
        out[0] = functions[0]()

    refused_after_assignment(k)


def test_a_lambda_is_refused_when_a_later_argument_assigns_its_variable(device):
    @cuda.jit(device=True)
    def call(f, _):
        return f()

    @cuda.jit
    def k(out, x):
        out[0] = call(lambda: x, (x := 5))

    refused_after_assignment(k)


def test_a_function_sees_what_a_loop_assigns_to_its_variable(device):
    @cuda.jit
    def k(out, x):
        f = lambda: x  # noqa: E731

        def add(y):
            return f() + y

        for i in range(3):
            x = add(i)
            out[i] = f()

    np.testing.assert_array_equal(run(k, 1)[:3], [1, 2, 4])


def test_a_function_that_a_branch_defines_sees_what_is_assigned_in_it(device):
    @cuda.jit
    def k(out, x):
        while x < 4:
            if x > 0:

                def f(y):
                    return x * y

                x += 1
                out[0] += f(10)
            else:
                x = 1

    assert run(k, 0)[0] == 90


def test_a_function_in_a_tuple_is_refused_when_a_loop_assigns_its_variable(device):
    @cuda.jit
    def k(out, x):
        functions = (lambda: x, 1)
        for i in range(3):
            x = i
            out[i] = functions[0]()

    refused_after_assignment(k)


def test_an_assignment_after_the_last_call_is_no_reason_to_refuse(device):
    @cuda.jit
    def k(out, x):
        functions = (lambda: x, 1)
        out[0] = functions[0]()
        x = 2
        out[1] = x

    np.testing.assert_array_equal(run(k, 1)[:2], [1, 2])


def test_a_function_that_depends_on_the_path_is_refused(device):
    @cuda.jit
    def k(out, x):
        f = (lambda v: v) if x > 0 else (lambda v: -v)
        out[0] = f(x)

    with pytest.raises(TypingError, match="cannot be both"):
        run(k, 1)


def test_a_variable_of_a_nested_function_does_not_leak(device):
    @cuda.jit
    def k(out):
        def f():
            inside = 1
            return inside

        out[0] = f()
        out[1] = inside  # noqa: F821

    with pytest.raises(TypingError, match="name 'inside' is not defined"):
        run(k)


def test_rest_parameters_take_what_is_left(device):
    @cuda.jit(device=True)
    def total(first, *rest):
        for x in rest:
            first += x
        return first * len(rest)

    @cuda.jit
    def k(out):
        out[0] = total(1)
        out[1] = total(1, 2)
        out[2] = total(1, 2, 3.5)

    np.testing.assert_array_equal(run(k)[:3], [0, 3, 13])


def test_tuples_are_unpacked_in_calls(device):
    @cuda.jit(device=True)
    def f(a, b, c=100, *, d=0):
        return a + 10 * b + c + d

    @cuda.jit
    def k(out, t):
        out[0] = f(*t)
        out[1] = f(1, *t)
        out[2] = f(*t, *t[:1], d=1000)
        out[3] = max(*t)

    np.testing.assert_array_equal(run(k, (2, 3))[:4], [132, 24, 1034, 3])


def test_rest_parameters_are_passed_on(device):
    @cuda.jit(device=True)
    def call(f, *args):
        return f(*args)

    @cuda.jit
    def k(out, x):
        out[0] = call(lambda: x)
        out[1] = call(max, x, 7)
        out[2] = call(call, call, half, x)

    np.testing.assert_array_equal(run(k, 4)[:3], [4, 7, 2])


def test_a_number_is_not_unpacked_in_a_call(device):
    @cuda.jit
    def k(out, x):
        out[0] = max(*x)

    with pytest.raises(TypingError, match=r"\* in a call takes a tuple, not int64"):
        run(k, 1)


def test_keyword_only_parameters_are_not_given_by_position(device):
    @cuda.jit(device=True)
    def f(a, *, b=2):
        return a * b

    @cuda.jit
    def k(out):
        out[0] = f(1, 2)

    with pytest.raises(TypingError, match=r"f\(\) takes 1 positional argument, 2 were given"):
        run(k)


def test_recursion_with_declared_types_needs_no_other_path(device):
    @cuda.jit("int64(int64)", device=True)
    def fib(n):
        if n > 1:
            return fib(n - 1) + fib(n - 2)
        return n

    @cuda.jit
    def k(out):
        out[0] = fib(10)

    assert run(k)[0] == 55


def test_a_decorator_in_a_kernel_is_refused(device):
    @cuda.jit
    def k(out):
        @cuda.jit(device=True)
        def f():
            return 1

        out[0] = f()

    with pytest.raises(UnsupportedError, match="decorators of nested functions are not supported"):
        run(k)
