"""``numba.extending.intrinsic``: functions whose code a program builds with llvmlite."""

import gc

import numpy as np
import pytest

from heddle import _heddle, carray, cuda, errors, njit, types
from heddle.extending import intrinsic

ir = pytest.importorskip("llvmlite.ir")

from heddle.codegen import cgutils  # noqa: E402 - needs llvmlite


@intrinsic
def popcount(typingctx, x):
    """The number of bits set."""
    if isinstance(x, types.Integer):
        return x(x), lambda context, builder, signature, args: builder.ctpop(args[0])


@intrinsic
def halves(typingctx, x):
    def codegen(context, builder, signature, args):
        low = builder.trunc(args[0], ir.IntType(32))
        high = builder.trunc(builder.lshr(args[0], ir.Constant(ir.IntType(64), 32)), low.type)
        return context.make_tuple(builder, signature.return_type, [low, high])

    return types.UniTuple(types.uint32, 2)(types.uint64), codegen


@intrinsic
def element_and_size(typingctx, a, i):
    def codegen(context, builder, signature, args):
        array = context.make_array(a)(context, builder, args[0])
        place = cgutils.get_item_pointer(context, builder, a, array, [args[1]], wraparound=True)
        value = context.unpack_value(builder, a.dtype, place)
        return context.make_tuple(builder, signature.return_type, [value, array.nitems])

    return types.Tuple((a.dtype, types.intp))(a, types.intp), codegen


@intrinsic
def sum_below(typingctx, n):
    def codegen(context, builder, signature, args):
        total = cgutils.alloca_once_value(builder, context.get_constant(types.int64, 0))
        with cgutils.for_range(builder, args[0]) as loop:
            builder.store(builder.add(builder.load(total), loop.index), total)
        return builder.load(total)

    return types.int64(types.int64), codegen


@intrinsic
def conjugate(typingctx, z):
    def codegen(context, builder, signature, args):
        value = context.make_complex(builder, z, args[0])
        value.imag = builder.fneg(value.imag)
        return value._getvalue()

    return z(z), codegen


@intrinsic
def add_atomically(typingctx, a, value):
    def codegen(context, builder, signature, args):
        data = context.make_array(a)(context, builder, args[0]).data
        return builder.atomic_rmw("add", data, args[1], "seq_cst")

    return value(a, value), codegen


@intrinsic
def to_integer(typingctx, x):
    return types.int32(x), lambda c, b, s, args: b.fptosi(args[0], ir.IntType(32))


def in_kernel(function, *args):
    """The result of a device function in a kernel with one thread."""

    @cuda.jit
    def k(out, args):
        out[0] = function(*args)

    out = cuda.to_device(np.zeros(1, np.complex128))
    k[1, 1](out, args)
    return out.copy_to_host()[0]


def test_a_kernel_calls_an_intrinsic(device):
    assert in_kernel(popcount, np.uint8(0b1011)) == 3


def test_a_function_of_the_host_calls_an_intrinsic():
    assert njit(lambda x: popcount(x))(2**40 + 1) == 2


def test_arguments_are_converted_to_the_signatures_types(device):
    low, high = njit(lambda x: halves(x))(np.int8(-1))
    assert (low, high) == (2**32 - 1, 2**32 - 1)


def test_an_intrinsic_returns_a_tuple(device):
    @cuda.jit
    def k(out, x):
        out[0], out[1] = halves(x)

    out = cuda.to_device(np.zeros(2, np.uint32))
    k[1, 1](out, np.uint64(5 << 32 | 7))
    assert out.copy_to_host().tolist() == [7, 5]


def test_an_array_is_numbas_structure(device):
    @cuda.jit
    def k(out, a):
        out[0], out[1] = element_and_size(a, -2)

    out = cuda.to_device(np.zeros(2))
    k[1, 1](out, cuda.to_device(np.arange(10.0)[::2]))
    assert out.copy_to_host().tolist() == [6.0, 5.0]


def test_an_array_of_the_host_is_numbas_structure():
    assert njit(lambda a: element_and_size(a, 1))(np.arange(6.0)) == (1.0, 6)


def test_cgutils_builds_a_loop(device):
    assert in_kernel(sum_below, 10) == 45
    assert njit(lambda n: sum_below(n))(10) == 45


def test_a_complex_number_has_parts(device):
    assert in_kernel(conjugate, 1 + 2j) == 1 - 2j
    assert njit(lambda z: conjugate(z))(1 + 2j) == 1 - 2j


def test_atomic_instructions_are_the_devices(device):
    @cuda.jit
    def k(a):
        add_atomically(a, 1)

    a = cuda.to_device(np.zeros(1, np.int64))
    k[4, 64](a)
    assert a.copy_to_host()[0] == 256


def test_a_conversion_that_llvm_leaves_open_has_cudas_result(device):
    assert in_kernel(to_integer, np.inf) == 2**31 - 1


def test_an_intrinsic_is_chosen_by_types(device):
    with pytest.raises(errors.TypingError, match="popcount"):
        in_kernel(popcount, 1.5)


def test_an_intrinsic_calls_no_function_that_nobody_defines():
    @intrinsic
    def calls_out(typingctx, x):
        def codegen(context, builder, signature, args):
            f = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(args[0].type, [args[0].type]), "nowhere"
            )
            return builder.call(f, args)

        return x(x), codegen

    with pytest.raises(errors.LoweringError, match="calls 'nowhere', which is not defined"):
        njit(lambda x: calls_out(x))(1)


def test_a_value_of_another_type_than_the_signatures_is_told():
    @intrinsic
    def wrong(typingctx, x):
        return types.float64(x), lambda context, builder, signature, args: args[0]

    with pytest.raises(errors.LoweringError, match="LLVM type i64, but its signature says float64"):
        njit(lambda x: wrong(x))(1)


def test_a_result_that_is_no_signature_is_told():
    bad = intrinsic(lambda typingctx, x: (x, None))
    with pytest.raises(errors.TypingError, match="not a signature and a code generator"):
        njit(lambda x: bad(x))(1)


@intrinsic
def second_of(typingctx, a, b):
    return b(a, b), lambda context, builder, signature, args: args[1]


def test_an_array_that_an_intrinsic_returns_keeps_its_memory():
    @njit
    def made(n):
        for _ in range(3):
            kept = second_of(np.zeros(n), np.full(n, 7.0)[1:])
        return kept

    gc.collect()
    before = _heddle.live_arrays()
    out = made(1000)
    np.testing.assert_array_equal(out, np.full(999, 7.0))
    del out
    assert _heddle.live_arrays() == before


def test_an_array_of_the_program_that_an_intrinsic_returns_is_that_array():
    a = np.arange(3)
    assert njit(lambda a: second_of(a, a))(a) is a


def test_what_is_numbas_inside_says_what_to_use():
    @intrinsic
    def compiles(typingctx, x):
        return x(x), lambda context, builder, sig, args: context.get_function("abs", sig)

    with pytest.raises(
        errors.UnsupportedError, match="context.get_function belongs to numba's compiler"
    ):
        njit(lambda x: compiles(x))(1)


def test_python_cannot_call_an_intrinsic():
    with pytest.raises(NotImplementedError, match="popcount is an intrinsic: only kernels"):
        popcount(1)


def test_an_intrinsic_keeps_the_functions_name():
    assert (popcount.__name__, popcount.__doc__) == ("popcount", "The number of bits set.")


@intrinsic(prefer_literal=True)
def twice_known(typingctx, n):
    if not isinstance(n, types.IntegerLiteral):
        return None
    twice = 2 * n.literal_value
    return types.int64(n), lambda context, b, s, args: context.get_constant(types.int64, twice)


def test_an_intrinsic_sees_a_literal_and_names_its_type_in_a_signature():
    assert njit(lambda: twice_known(21))() == 42
    with pytest.raises(errors.TypingError, match="takes these arguments"):
        njit(lambda n: twice_known(n))(21)


def test_a_type_is_an_argument_of_an_intrinsic():
    @intrinsic
    def bits(typingctx, dtype):
        def codegen(context, builder, signature, args):
            return ir.Constant(ir.IntType(64), dtype.dtype.bitwidth)

        return types.int64(dtype), codegen

    @njit
    def f():
        return bits(np.float32), bits(np.int8)

    assert f() == (32, 8)


@intrinsic
def on_the_stack(typingctx, size, dtype):
    def codegen(context, builder, signature, args):
        return cgutils.alloca_once(builder, context.get_value_type(dtype.dtype), size=args[0])

    return types.CPointer(dtype.dtype)(types.int64, dtype), codegen


@njit(inline="always")
def four():
    return carray(on_the_stack(4, np.float64), (2, 2), np.float64)


def test_memory_on_the_stack_lasts_as_long_as_the_function_that_asks_for_it():
    @njit
    def computed(n):
        a, b = four(), four()
        a[:], b[:] = n, 2 * n
        total = 0.0
        for i in range(3):
            c = four()
            c[:] = i
            total += c.sum()
        return a.sum(), b.sum(), total

    assert computed(3) == (12.0, 24.0, 12.0)
