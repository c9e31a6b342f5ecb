"""``vectorize``: its ufuncs behave as NumPy's own, on host arrays, on device arrays and in kernels."""

import math
import pickle

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, float64, guvectorize, njit, vectorize

TARGETS = ["cpu", "parallel", "cuda"]
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]


def make_add(target, **options):
    @vectorize(
        [f"{t}({t}, {t})" for t in ("int64", "float32", "float64")], target=target, **options
    )
    def add(a, b):
        return a + b

    return add


@pytest.fixture(params=TARGETS)
def add(request, device):
    return make_add(request.param)


def equal(found, expected):
    found = found.copy_to_host() if hasattr(found, "copy_to_host") else found
    np.testing.assert_array_equal(found, expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("count", [0, 1, 7, 1023, 1025, 100_003])
def test_two_arrays_of_any_size(add, count):
    array = np.arange(count, dtype=np.float64)
    equal(add(array, array), array + array)


def test_arrays_are_broadcast(add):
    matrix, row = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    equal(add(matrix, row), matrix + row)
    equal(add(matrix[:, :1], row), matrix[:, :1] + row)
    equal(add(matrix.T, 1.0), matrix.T + 1)
    equal(add(matrix[::2, ::-1], matrix[1:, :]), matrix[::2, ::-1] + matrix[1:, :])


def test_numbers_give_a_number(add):
    assert add(1.5, 2.0) == 3.5 and isinstance(add(1.5, 2.0), np.float64)
    assert add(np.float32(1), np.float32(2)).dtype == np.float32


def test_the_first_signature_that_fits_is_taken(add):
    assert add.types == ["ll->l", "ff->f", "dd->d"]
    equal(add(np.arange(3, dtype=np.int8), 2), np.arange(2, 5))
    equal(add(np.ones(2, np.float32), np.ones(2, np.int16)), np.full(2, 2, np.float32))
    equal(add(np.ones(2, np.float32), np.ones(2, np.int32)), np.full(2, 2.0))
    equal(add(np.ones(2, np.float32), 2.0), np.full(2, 3, np.float32))


def test_an_earlier_signature_that_fits_comes_before_that_of_the_own_type():
    @vectorize(["f8(f8)", "i8(i8)", "f4(f4)"])
    def more(x):
        return x + 1

    assert repr(more(3)) == "np.float64(4.0)"
    equal(more(np.ones(2, np.float32)), np.full(2, 2.0))
    assert more.types == ["d->d", "l->l", "f->f"] and more.ntypes == 3
    equal(more(np.arange(2), dtype=np.int64), np.array([1, 2]))


def test_functions_of_the_host_take_the_first_signature_that_fits():
    @vectorize(["f8(f8, f8)", "i8(i8, i8)"])
    def total(x, y):
        return x + y

    @njit
    def f(a):
        return total(1, 2), total(a, 2), total(a, a)

    number, *arrays = f(np.arange(2))
    assert repr(number) == "3.0"
    equal(arrays[0], np.array([2.0, 3.0]))
    equal(arrays[1], np.array([0.0, 2.0]))


def test_results_go_into_an_array_by_the_first_signature_that_fits():
    @vectorize(["f4(f4)", "f8(f8)"])
    def third(x):
        return x / 3

    @njit
    def f(a, out):
        third(a, out)
        return out

    equal(
        f(np.array([1, 2], np.int16), np.zeros(2)), np.float64(np.float32([1, 2]) / np.float32(3))
    )


def test_a_type_that_fits_no_signature_is_refused(add):
    with pytest.raises(TypeError, match="add"):
        add(np.ones(2, np.complex64), 1)


def test_results_go_where_they_are_wanted(add):
    array, out = np.arange(6.0), np.zeros(6)
    assert add(array, 1, out=out) is out
    assert add(array, out, out) is out
    equal(out, array + array + 1)


def test_in_place_and_overlapping(add):
    array = np.arange(10.0)
    add(array, array, out=array)
    equal(array, np.arange(10.0) * 2)
    add(array[:-1], array[1:], out=array[1:])
    equal(array[1:], (np.arange(9.0) * 2) + (np.arange(1.0, 10.0) * 2))


def test_only_where_a_mask_is_true(add):
    out, mask = np.zeros(4), np.array([True, False, True, False])
    add(np.ones(4), 2, out=out, where=mask)
    equal(out, np.array([3.0, 0.0, 3.0, 0.0]))


def test_dtype_and_casting(add):
    equal(
        add(np.arange(3), 1, dtype=np.float32, casting="unsafe"), np.arange(1, 4, dtype=np.float32)
    )
    with pytest.raises(TypeError, match="cast"):
        add(np.ones(3), 1, out=np.zeros(3, np.int64))


def test_methods_of_ufuncs(add):
    array = np.arange(12.0).reshape(3, 4)
    equal(add.reduce(array), np.add.reduce(array))
    equal(add.reduce(array, axis=1, keepdims=True), np.add.reduce(array, axis=1, keepdims=True))
    equal(add.accumulate(array, axis=1), np.add.accumulate(array, axis=1))
    equal(add.outer(array[0], array[1]), np.add.outer(array[0], array[1]))
    equal(add.reduceat(array[0], [0, 2, 1]), np.add.reduceat(array[0], [0, 2, 1]))
    counts = np.zeros(3)
    add.at(counts, [0, 2, 2, 2], 1)
    equal(counts, np.array([1.0, 0.0, 3.0]))


@pytest.mark.parametrize("count", [2, 9000, 100_000])
def test_long_reductions_and_accumulations(add, count):
    array = np.arange(count)
    assert add.reduce(array) == array.sum()
    equal(add.accumulate(array), np.cumsum(array))


def test_the_facts_of_a_ufunc(add):
    assert (add.nin, add.nout, add.nargs, add.ntypes) == (2, 1, 3, 3)
    assert (add.identity, add.signature, add.__name__) == (None, None, "add")
    assert isinstance(add.ufunc, np.ufunc)


@pytest.mark.parametrize("target", TARGETS)
def test_an_identity_makes_reductions_of_nothing(device, target):
    add = make_add(target, identity=0)
    assert add.identity == 0 and add.reduce(np.zeros(0)) == 0
    assert add.reduce(np.ones((2, 3)), axis=None) == 6
    assert make_add(target, identity="reorderable").reduce(np.ones((2, 3)), axis=(0, 1)) == 6
    with pytest.raises(ValueError, match="identity"):
        make_add(target, identity=2)


@pytest.mark.parametrize("target", TARGETS)
def test_without_signatures_it_is_compiled_for_what_comes(device, target):
    @vectorize(target=target)
    def length(x, y):
        return math.sqrt(x * x + y * y)

    assert length.types == []
    assert length(3, 4) == 5.0 and length.types == ["ll->d"]
    equal(length(np.float32([3]), np.float32([4])), np.float32([5]))
    assert length.types == ["ll->d", "ff->f"]
    assert length(np.int16(3), np.int16(4)) == 5 and length.ntypes == 2


def test_the_decorator_needs_no_parentheses():
    @vectorize
    def double(x):
        """Twice x."""
        return 2 * x

    equal(double(np.arange(3)), np.arange(3) * 2)
    assert double.__doc__ == "Twice x." and repr(double) == "<heddle ufunc 'double'>"
    double.add("complex64(complex64)")
    equal(double(np.ones(1, np.complex64)), np.full(1, 2, np.complex64))


@pytest.mark.parametrize(
    "signature",
    ["float64(float64)", [float64(float64)], float64(float64), [(float64,)], ["(float64,)"]],
)
def test_the_ways_to_write_a_signature(signature):
    @vectorize(signature)
    def half(x):
        return x / 2

    equal(half(np.arange(3)), np.arange(3) / 2)


def test_a_declared_result_is_converted_to():
    @vectorize(["int32(float64)", float32(heddle.int64)])
    def third(x):
        return x / 3

    assert third(7.0) == 2 and third(7.0).dtype == np.int32
    assert third.types == ["d->i", "l->f"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(device, dtype):
    @vectorize
    def combine(x, y):
        return x * y + x

    array = np.arange(50).astype(dtype)
    found = combine(array, array[::-1])
    np.testing.assert_allclose(found, array * array[::-1].astype(found.dtype) + array, rtol=1e-6)


def test_truths():
    @vectorize(["boolean(float64, float64)"])
    def is_close(x, y):
        return abs(x - y) < 0.5

    equal(is_close(np.arange(4.0), 2.2), np.array([False, False, True, False]))


def test_branches_loops_and_captured_values(device):
    limit = 20

    @vectorize(["int64(complex128)"], target="parallel")
    def escape(c):
        z = 0j
        for i in range(limit):
            if abs(z) > 2:
                return i
            z = z * z + c
        return limit

    points = np.linspace(-2, 2, 50)[:, None] + 1j * np.linspace(-2, 2, 40)
    assert escape(0j) == 20 and escape(2 + 2j) == 1
    equal(escape(points), np.array([[escape(c) for c in row] for row in points]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_arrays_use_all_threads(order):
    add = make_add("parallel")
    array = np.asarray(np.arange(3_000_000.0).reshape(1000, 3000), order=order)
    equal(add(array, array[0]), array + array[0])
    equal(add(array[::2], 1), array[::2] + 1)


def test_calls_from_several_threads():
    from concurrent.futures import ThreadPoolExecutor

    add = make_add("parallel")
    arrays = [np.full(200_000, float(i)) for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for found, array in zip(pool.map(add, arrays, arrays[::-1]), arrays, strict=True):
            equal(found, np.full(200_000, 7.0))
            assert array.size == 200_000


def test_kernels_and_device_functions_call_it(device):
    @vectorize
    def square(x):
        return x * x

    @cuda.jit(device=True)
    def fourth(x):
        return square(square(x))

    @cuda.jit
    def kernel(values):
        i = cuda.grid(1)
        if i < values.size:
            values[i] = fourth(values[i]) + square(1)

    values = np.arange(5.0)
    kernel[1, 32](values)
    equal(values, np.arange(5.0) ** 4 + 1)


def test_a_ufunc_calls_another(device):
    @vectorize
    def square(x):
        return x * x

    @vectorize(["float32(float32)"], target="cuda")
    def shifted(x):
        return square(x) + 1

    equal(shifted(np.arange(4, dtype=np.float32)), np.arange(4, dtype=np.float32) ** 2 + 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"target": "gpu"}, "Unsupported target: gpu"), ({"fast": True}, "no option 'fast'")],
)
def test_wrong_options(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        vectorize(**options)


def test_a_function_that_does_not_compile_is_told_at_once():
    with pytest.raises(heddle.TypingError, match="nowhere"):

        @vectorize(["float64(float64)"])
        def wrong(x):
            return x + nowhere  # noqa: F821 - that is the mistake


@pytest.mark.parametrize("target", ["cpu", "parallel", "cuda"])
def test_a_function_without_a_return_is_told(target):
    with pytest.raises(
        heddle.TypingError, match=r"test_vectorize.py:\d+: add\(\) returns no value"
    ):

        @vectorize(["float64(float64)"], target=target)
        def add(x):
            x + 1


@pytest.mark.parametrize("signatures", [[], ["float64(float64)"]])
def test_a_path_without_a_return_is_told(signatures):
    with pytest.raises(heddle.TypingError, match="no value on one of its paths"):

        @vectorize(signatures)
        def keep_large(x):
            if x > 2:
                return x

        keep_large(np.ones(3))


def test_a_text_is_no_result_of_a_ufunc():
    with pytest.raises(heddle.UnsupportedError, match="works on numbers, not on str"):

        @vectorize(["float64(float64)"])
        def name(x):
            return "x"


def test_a_signature_of_another_length_is_told():
    with pytest.raises(TypeError, match=r"add\(\) and its signature .* have .*: 2 and 1"):

        @vectorize(["float64(float64)"])
        def add(x, y):
            return x + y


def test_arrays_are_no_types_of_a_ufunc():
    with pytest.raises(heddle.UnsupportedError, match="a ufunc works on numbers, not on array"):

        @vectorize(["float64(float64[:])"])
        def first(x):
            return x[0]


@pytest.mark.filterwarnings("error")
def test_special_values_come_without_warnings(device):
    @vectorize(["float64(float64, float64)"])
    def quotient(x, y):
        return x / y if x < 5 else 1 / (y + 1)

    equal(quotient(np.arange(10.0), np.zeros(10)), np.array([np.nan] + [np.inf] * 4 + [1.0] * 5))


def test_an_exception_of_the_function_reaches_the_caller():
    @vectorize(["float64(float64)"])
    def root(x):
        if x < 0:
            raise ValueError("no root")
        return math.sqrt(x)

    with pytest.raises(ValueError, match="^no root$"):
        root(np.array([1.0, -1.0]))
    assert root(4) == 2


def test_classes_with_the_protocol_of_ufuncs_decide():
    class Own:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return ufunc.__name__, method

    assert make_add("cpu")(Own(), 1) == ("add", "__call__")


@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_a_product_is_rounded_before_it_is_added(target):
    @vectorize(["float64(float64, float64)"], target=target)
    def squares(a, b):
        return a * a + b * b

    a, b = np.random.default_rng(2).random((2, 1001))
    equal(squares(a, b), a * a + b * b)
    equal(squares(a[::2], b[::2]), (a * a + b * b)[::2])


@pytest.mark.parametrize("target", TARGETS)
def test_a_ufunc_of_a_local_function_is_pickled(target):
    restored = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(make_add(target)))))
    equal(restored(np.arange(3), 2), np.arange(3) + 2)
    assert restored.types == ["ll->l", "ff->f", "dd->d"]


def test_a_generalized_ufunc_is_pickled():
    @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def total(x, out):
        out[0] = x.sum()

    restored = pickle.loads(pickle.dumps(total))
    equal(restored(np.ones((2, 3))), [3.0, 3.0])


def test_a_ufunc_without_signatures_may_make_lists():
    @vectorize
    def larger(a, b):
        both = [a, b]
        both.sort()
        return both[-1]

    equal(larger(np.arange(4), 2), [2, 2, 2, 3])
    equal(larger(np.arange(4), np.array([2.5, 0, 7, 1])), [2.5, 1, 7, 3])


def test_a_ufunc_is_compiled_ahead_as_programs_do_by_numba_s_own_method():
    @vectorize
    def twice(x):
        return x + x

    twice._compile_for_argtys((float32,))
    assert twice.types == ["f->f"]


@vectorize(["float64(float64, float64)", "int64(int64, int64)"])
def plus(x, y):
    return x + y


def reductions(rows, line):
    return (
        plus.reduce(line),
        plus.reduce(rows),
        plus.reduce(rows, axis=1),
        plus.reduce(line, initial=10),
        plus.reduce(rows, 0, initial=1),
        plus.reduceat(line, [0, 2, 5, 3]),
    )


@pytest.mark.parametrize("element", ["i8", "f8", "f4"])
def test_jitted_functions_call_methods_of_ufuncs(element):
    rows = np.arange(1, 13).astype(element).reshape(3, 4)
    expected = reductions(rows, rows[:, 1].copy().repeat(2))
    found = heddle.njit(reductions)(rows, rows[:, 1].copy().repeat(2))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_jitted_functions_change_elements_at_indices():
    @heddle.njit
    def change(a, indices):
        plus.at(a, indices, 5.0)
        plus.at(a, [0, 1, 1], np.array([1.0, 2.0, 3.0]))

    a = np.zeros(4)
    change(a, np.array([3, 3, 0]))
    assert a.tolist() == [6, 5, 0, 10]


def test_a_reduction_of_nothing_in_a_jitted_function_is_an_error():
    @heddle.njit
    def total(a):
        return plus.reduce(a)

    with pytest.raises(ValueError, match="zero-size array to reduction operation plus which has"):
        total(np.zeros(0))
    with pytest.raises(ValueError, match="axis is out of bounds"):
        heddle.njit(lambda a: plus.reduce(a, axis=1))(np.zeros(3))
