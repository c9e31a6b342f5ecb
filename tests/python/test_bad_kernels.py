"""Functions that cannot be compiled or barely can: the error they raise, and that the next kernel compiles."""

import importlib.util
import itertools
import os
import threading

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import CompileError, LoweringError, TypingError, UnsupportedError

numbers = itertools.count()
imports = "import math\nimport numpy as np\nfrom heddle import cuda, float32, float64, int32\n"


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def assert_usable():
    x = np.zeros(40, np.float32)
    add_one[2, 32](x)
    np.testing.assert_array_equal(x, 1)


@pytest.fixture
def module(tmp_path):
    """A function that writes Python source to a file and imports it."""

    def load(source):
        path = tmp_path / f"generated_{next(numbers)}.py"
        path.write_text(imports + source)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded

    return load


@pytest.fixture
def kernel(module):
    """A function that makes a kernel k(x) from the text of its body."""

    def make(body):
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        return module(f"@cuda.jit\ndef k(x):\n{lines}").k

    return make


def refuses(exception, text, launch):
    with pytest.raises(exception, match=text) as caught:
        launch()
    assert_usable()
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("try:\n    x[0] = 1\nexcept ValueError:\n    pass", "try statements"),
        ("with open('f') as f:\n    pass", "with statements"),
        ("yield x[0]", "generators"),
        ("yield from x", "generators"),
        ("y = [i for i in range(3)]", "list comprehensions"),
        ("y = {i for i in range(3)}", "set comprehensions"),
        ("y = {i: i for i in range(3)}", "dict comprehensions"),
        ("y = (i for i in range(3))", "generator expressions"),
        ("y = [1, 2]", "lists"),
        ("y = {}", "dicts"),
        ("y = {1, 2}", "sets"),
        ("y = f'{x[0]}'", "f-strings"),
        ("class A:\n    pass", "classes"),
        ("import os", "imports"),
        ("from os import path", "imports"),
        ("del x[0]", "del of an element"),
        ("async def g():\n    pass", "async functions"),
        ("a, *b = x", r"this assignment target"),
        ("add_one(**x)", r"\*\*arguments"),
    ],
    ids=lambda value: value.split("\n")[0].split("(")[0],
)
def test_python_that_kernels_lack_is_refused_with_a_line_and_a_caret(device, kernel, body, what):
    message = refuses(
        UnsupportedError,
        f"{what} .*not supported in kernels",
        lambda: kernel(body)[1, 1](np.zeros(3)),
    )
    assert "generated_" in message and ".py:6: " in message
    assert body.split("\n")[0] in message and "^" in message


@pytest.mark.parametrize(
    ("parameters", "what"),
    [("x, **rest", r"a \*\*parameter"), ("x, *y, **rest", r"a \*\*parameter")],
)
def test_parameters_that_kernels_lack_are_refused(device, module, parameters, what):
    k = module(f"@cuda.jit\ndef k({parameters}):\n    x[0] = 1\n").k
    refuses(UnsupportedError, rf"(?s):5: .*{what}.*def k.*\^", lambda: k[1, 1](np.zeros(3)))


def test_an_async_function_is_refused(device, module):
    k = module("@cuda.jit\nasync def k(x):\n    x[0] = 1\n").k
    refuses(UnsupportedError, "async function", lambda: k[1, 1](np.zeros(3)))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("x[0] = nowhere", "name 'nowhere' is not defined"),
        ("x[0] = math.nowhere", "no attribute 'nowhere'"),
        ("cuda.nowhere()", "cuda.nowhere"),
        ("x[0] = x.nowhere", "no attribute 'nowhere'"),
        ("x[0] = y\ny = 1", "before it is assigned"),
        ("x[0] = len(3)", "array, a tuple or a range"),
        ("x[0] = 'a' + 1", "bad operands"),
        ("x[0] = x @ x", "bad operands"),
        ("x[0] = 3 + ()", "bad operands"),
        ("a, b = (1, 2, 3)", "unpack"),
        ("x[0] = (1, 2)[5]", "out of range"),
        ("x[0] = 10**30 + 100000000000000000000000000000", "64 bits"),
        ("y = cuda.grid(4)", "1, 2 or 3"),
        ("y = cuda.local.array(x.size, float32)", "constant"),
        ("y = cuda.shared.array(3, 'floaty')", "floaty"),
        ("x[0] = print", "print"),
        ("x[0] = np.median(x)", "host only"),
        ("k[1, 1](x)", "index|launch|cannot"),
        ("x[0] = '\\ud800'", "Unicode|str"),
    ],
)
def test_a_mistake_is_shown_with_its_line_and_a_caret(device, kernel, body, text):
    message = refuses(CompileError, text, lambda: kernel(body)[1, 1](np.zeros(3)))
    assert ".py:6: " in message and "^" in message


@pytest.mark.parametrize(
    "body, what",
    [
        ("try:\n        x[0] = 1\n    finally:\n        pass", "a try statement"),
        ("with x:\n        x[0] = 1", "a with statement"),
        ("x[0] = sum([y for y in x])", "a comprehension"),
    ],
)
def test_a_function_without_source_is_refused_where_its_bytecode_is_not_a_kernels(
    device, body, what
):
    names = {}
    exec(f"def k(x):\n    {body}\n", names)
    k = cuda.jit(names["k"])
    refuses(
        UnsupportedError,
        f"(?s)cannot read the source of 'k' from '<string>'.*{what}\n.*hint: write the function to a file",
        lambda: k[1, 1](1),
    )


@pytest.mark.parametrize("change", ["x[0] = 2", "this is not Python", ""])
def test_a_kernel_is_compiled_as_it_was_imported(device, module, change):
    loaded = module("@cuda.jit\ndef k(x):\n    x[0] = 1\n")
    with open(loaded.__file__, "w") as file:
        file.write(change)
    x = np.zeros(1)
    loaded.k[1, 1](x)
    assert x[0] == 1


def test_a_kernel_of_a_file_that_is_gone_still_compiles(device, module):
    loaded = module("@cuda.jit\ndef k(x):\n    x[0] = 1\n")
    os.unlink(loaded.__file__)
    x = np.zeros(1)
    loaded.k[1, 1](x)
    assert x[0] == 1


def test_lambdas_below_a_decorator_of_several_lines_are_found(device, module):
    loaded = module(
        "twice = cuda.jit(\n    device=True,\n)(\n    lambda v:\n        2 * v\n)\n"
        "one, two = cuda.jit(device=True)(lambda v: v + 1), cuda.jit(device=True)(lambda v: v + 2)\n"
        "@cuda.jit(\n    debug=False,\n    opt=True,\n)\n"
        "def k(x):\n    x[0] = twice(x[0]) + 10 * one(0) + 100 * two(0)\n"
    )
    x = np.ones(1)
    loaded.k[1, 1](x)
    assert x[0] == 212


# Size and depth


@pytest.mark.parametrize("terms", [500, 2000])
def test_an_expression_of_very_many_terms_compiles_or_is_refused(device, kernel, terms):
    k = kernel("x[1] = " + " + ".join(["x[0]"] * terms))
    x = np.ones(2)
    if terms < 1000:
        k[1, 1](x)
        assert x[1] == terms
    else:
        message = refuses(UnsupportedError, "nested too deeply", lambda: k[1, 1](x))
        assert len(message) < 1000


def test_branches_as_deep_as_python_allows_compile(device, kernel):
    x = np.zeros(2)
    kernel("".join(" " * i + f"if x[0] < {i + 1}:\n" for i in range(95)) + " " * 95 + "x[1] = 3")[
        1, 1
    ](x)
    assert x[1] == 3


@pytest.mark.parametrize("branches", [200, 2000])
def test_very_many_branches_compile_or_are_refused(device, kernel, branches):
    k = kernel(
        "if x[0] < 0:\n    pass\n"
        + "\n".join(f"elif x[0] == {i}:\n    x[1] = {i}" for i in range(branches))
    )
    x = np.full(2, 150.0)
    if branches < 1000:
        k[1, 1](x)
        assert x[1] == 150
    else:
        refuses(UnsupportedError, "nested too deeply", lambda: k[1, 1](x))


def test_a_kernel_of_twenty_thousand_lines_compiles(device, kernel):
    x = np.zeros(2, np.int64)
    kernel("y = 0\n" + "y += 1\n" * 20_000 + "x[0] = y")[1, 1](x)
    assert x[0] == 20_000


@pytest.mark.parametrize("depth", [50, 200])
def test_a_long_chain_of_device_functions_compiles_or_is_refused(device, module, depth):
    chain = "".join(
        f"@cuda.jit(device=True)\ndef f{i}(v):\n    return f{i - 1}(v) + 1\n"
        if i
        else "@cuda.jit(device=True)\ndef f0(v):\n    return v\n"
        for i in range(depth)
    )
    k = module(chain + f"@cuda.jit\ndef k(x):\n    x[0] = f{depth - 1}(x[0])\n").k
    x = np.zeros(1)
    if depth < 100:
        k[1, 1](x)
        assert x[0] == depth - 1
    else:
        refuses(UnsupportedError, "call each other more than 100 deep", lambda: k[1, 1](x))


def test_a_tuple_of_ten_thousand_elements_may_be_a_global(device, module):
    x = np.zeros(1)
    module("T = tuple(range(10_000))\n@cuda.jit\ndef k(x):\n    x[0] = T[5_000] + len(T)\n").k[
        1, 1
    ](x)
    assert x[0] == 15_000


@pytest.mark.parametrize("depth", [50, 1000, 100_000])
def test_a_deeply_nested_tuple_may_be_a_global(device, module, depth):
    loaded = module(
        f"T = ()\nfor _ in range({depth}):\n    T = (T,)\n@cuda.jit\ndef k(x):\n    x[0] = len(T)\n"
    )
    x = np.zeros(1)
    loaded.k[1, 1](x)
    assert x[0] == 1


def test_compiling_on_a_thread_with_a_small_stack_is_survived(device, kernel):
    outcome = []
    # Made here: Python's own compiler would not survive it on the small stack.
    k = kernel("x[1] = " + " + ".join(["x[0]"] * 900))

    def launch():
        try:
            x = np.ones(2)
            k[1, 1](x)
            outcome.append(x[1])
        except (CompileError, RecursionError) as error:
            outcome.append(error)

    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=launch)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert len(outcome) == 1 and (outcome[0] == 900 or "stack" in str(outcome[0]))
    assert_usable()


# Recursion and local memory


# Without debug=True a GPU does not notice that its stack is full, and its context is lost.
@pytest.mark.parametrize("cells", [0, 1000])
def test_infinite_recursion_is_an_error(cpu, module, cells):
    k = module(
        "@cuda.jit(device=True)\ndef down(x, n):\n"
        + (f"    a = cuda.local.array({cells}, float64)\n    a[n % {cells}] = n\n" if cells else "")
        + f"    if n < 0:\n        return 0\n    return down(x, n + 1) + {'a[n % 7]' if cells else '1'}\n"
        "@cuda.jit\ndef k(x):\n    x[0] = down(x, 1)\n    cuda.syncthreads()\n"
    ).k

    def launch():
        k[1, 4](np.zeros(3))

    refuses((RecursionError, RuntimeError, CompileError), "recurs|stack|barrier", launch)


def test_a_kernel_may_call_itself(device, kernel):
    x = np.array([5.0, 0.0])
    kernel("if x[0] > 0:\n    x[0] -= 1\n    x[1] += 1\n    k(x)")[1, 1](x)
    np.testing.assert_array_equal(x, [0, 5])


def test_half_a_megabyte_of_local_memory_is_there(device, kernel):
    # A GPU sets local memory aside for every thread that it could run at once, which so much would not fit.
    size = 64_000 if device.type == "cpu" else 4_000
    x = np.zeros(3)
    kernel(
        f"a = cuda.local.array({size}, float64)\nfor i in range({size}):\n    a[i] = i\n"
        f"x[0] = a[int(x[1]) + {size - 1}]"
    )[1, 2](x)
    assert x[0] == size - 1


@pytest.mark.parametrize("elements", [131_072, 10**7, 2**31, 10**18])
def test_more_local_memory_is_refused(device, kernel, elements):
    k = kernel(
        f"a = cuda.local.array({elements}, float64)\nfor i in range({elements}):\n    a[i] = i\nx[0] = a[int(x[0])]"
    )
    refuses(
        (LoweringError, TypingError),
        "bytes of local memory|too large",
        lambda: k[1, 1](np.zeros(3)),
    )


# Arithmetic that ends processes


@pytest.mark.parametrize(
    "body", ["x[0] //= x[1]", "x[0] %= x[1]", "x[0] = x[0] // -1", "x[0] <<= 100", "x[0] **= -1"]
)
def test_integer_arithmetic_never_ends_the_process(device, kernel, body):
    k = kernel(body)
    for numbers in ([5, 0], [np.iinfo(np.int64).min, -1], [0, 0]):
        try:
            k[1, 1](np.array(numbers))
        except ZeroDivisionError:
            pass
    assert_usable()
