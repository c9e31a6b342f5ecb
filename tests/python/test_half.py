"""float16 and bfloat16 in kernels: arrays, arguments, operators, math, cuda.fp16 and cuda.bf16."""

import math
from functools import partial

import numpy as np
import pytest
from in_kernels import of_each_row

import heddle
from heddle import bfloat16, cuda, float16, float32
from heddle.cuda import bf16, fp16

run = partial(of_each_row, dtype=np.float16)

halves = np.array(
    [0, -0.0, 1, -1.5, 0.1, 3.14159, 100, -2000.5, 65504, 6e-8, 1e-5, np.inf, np.nan], "f2"
)
positive = np.array([0.25, 1, 1.5, 2, 3.14159, 7], "f2")


def pairs():
    return (a.ravel().copy() for a in np.meshgrid(halves, halves))


def brain(x):
    """The bits of the bfloat16 nearest to each float32, with ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded)


def unbrain(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def in_bfloat16(function, *arrays):
    """``function`` applied to bfloat16 numbers made from float32 arrays; the results as float32."""
    f = cuda.jit(device=True)(function)

    @cuda.jit
    def kernel(out, a, b):
        i = cuda.grid(1)
        if i < out.size:
            x, y = bf16.uint16_as_bfloat16(a[i]), bf16.uint16_as_bfloat16(b[i])
            out[i] = bf16.bfloat16_as_uint16(f(x, y))

    a, b = brain(arrays[0]), brain(arrays[-1])
    out = np.zeros(a.size, np.uint16)
    kernel[math.ceil(a.size / 128), 128](out, a, b)
    return unbrain(out)


def test_every_float16_is_read_as_the_number_it_is(device):
    a = np.arange(2**16, dtype=np.uint16).view(np.float16)
    np.testing.assert_array_equal(run(lambda x: x, a, dtype=np.float32), a.astype(np.float32))
    np.testing.assert_array_equal(run(lambda x: x, a), a)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_float_is_rounded_to_the_nearest_float16(device, dtype):
    every = np.arange(2**15, dtype=np.uint16).view(np.float16)[:0x7C00].astype(np.float64)
    middle = (every[1:] + every[:-1]) / 2
    a = np.concatenate([middle, np.nextafter(middle, 0), np.nextafter(middle, 1e9), [65520, 1e300]])
    with np.errstate(over="ignore"):
        a = np.concatenate([a, -a]).astype(dtype)
        expected = a.astype(np.float16)
    np.testing.assert_array_equal(run(lambda x: x, a), expected)


@pytest.mark.parametrize(
    "operation",
    [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y],
    ids=["add", "sub", "mul", "div"],
)
def test_arithmetic_of_float16_is_numpys(device, operation):
    a, b = pairs()
    with np.errstate(all="ignore"):
        expected = operation(a, b)
    np.testing.assert_array_equal(run(operation, a, b), expected)


def test_a_product_and_a_sum_of_float16_are_rounded_one_by_one(cpu):
    """On all processors, most of which have no FMA for float16."""

    @cuda.jit
    def k(x, y, z, out):
        i = cuda.grid(1)
        out[i] = x[i] * y[i] + z[i]

    x, y, z = np.random.default_rng(7).normal(size=(3, 256)).astype(np.float16)
    out = np.zeros(256, np.float16)
    k[4, 64](x, y, z, out)
    np.testing.assert_array_equal(out, x * y + z)


@pytest.mark.parametrize(
    "operation",
    [
        lambda x, y: x < y,
        lambda x, y: x <= y,
        lambda x, y: x == y,
        lambda x, y: x != y,
        lambda x, y: x > y,
        lambda x, y: x >= y,
    ],
)
def test_comparisons_of_float16_are_numpys(device, operation):
    a, b = pairs()
    np.testing.assert_array_equal(run(operation, a, b, dtype=bool), operation(a, b))


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        (lambda h: h + h, "float16"),
        (lambda h: h * np.int8(2), "float16"),
        (lambda h: h * True, "float16"),
        (lambda h: h * np.uint8(2), "float32"),
        (lambda h: h + np.int16(2), "float32"),
        (lambda h: h + 1, "float64"),
        (lambda h: h + np.float32(1), "float32"),
        (lambda h: h + 1.0, "float64"),
        (lambda h: h + 1j, "complex128"),
        (lambda h: h + np.complex64(1), "complex64"),
        (lambda h: h**h, "float32"),
        (lambda h: h // h, "float32"),
        (lambda h: h % h, "float32"),
        (lambda h: -h, "float16"),
        (lambda h: abs(h), "float16"),
        (lambda h: float(h), "float16"),
        (lambda h: int(h), "int64"),
        (lambda h: round(h), "int64"),
        (lambda h: max(h, h), "float16"),
        (lambda h: math.sin(h), "float16"),
        (lambda h: math.atan(h), "float32"),
        (lambda h: np.sin(h), "float32"),
        (lambda h: h + bfloat16(1), "float32"),
        (lambda h: bfloat16(h) * bfloat16(h), "bfloat16"),
        (lambda h: math.exp(bfloat16(h)), "bfloat16"),
    ],
)
def test_the_type_of_an_expression_of_float16(device, expression, result):
    f = cuda.jit(device=True)(expression)

    @cuda.jit
    def kernel(h):
        f(h).type

    with pytest.raises(heddle.TypingError, match=f": {result} has no attribute 'type'"):
        kernel[1, 1](np.float16(1))


@pytest.mark.parametrize(
    "name", "sin cos sqrt log log2 log10 exp tanh fabs ceil floor trunc".split()
)
def test_math_of_float16_is_as_exact_as_the_type(device, name):
    function = getattr(math, name)
    expected = np.array([function(float(x)) for x in positive], np.float16)
    found = run(lambda x: function(x), positive)
    np.testing.assert_allclose(found.view("i2"), expected.view("i2"), atol=1)


def test_a_float16_argument_and_constant(device):
    constant = np.float16(0.5)

    @cuda.jit
    def kernel(out, x, pair):
        out[0] = x
        out[1] = constant
        out[2] = pair[0] + pair[1]

    out = np.zeros(3, np.float16)
    kernel[1, 1](out, np.float16(0.1), (np.float16(1), np.float16(2)))
    np.testing.assert_array_equal(out, np.array([0.1, 0.5, 3], np.float16))


def test_a_signature_converts_its_arguments_to_float16(device):
    @cuda.jit("void(float32[:], float16, complex64)")
    def kernel(out, x, z):
        out[0] = x
        out[1] = z.real

    out = np.zeros(2, np.float32)
    kernel[1, 1](out, 0.1, np.float16(0.1))
    np.testing.assert_array_equal(out, np.float32(np.float16(0.1)))


def test_shared_and_local_arrays_of_float16(device):
    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        shared, local = cuda.shared.array(8, float16), cuda.local.array(2, np.float16)
        shared[i] = i * 0.1
        local[1] = i
        cuda.syncthreads()
        out[i] = shared[7 - i] + local[1]

    out = np.zeros(8, np.float16)
    kernel[1, 8](out)
    tenths = (np.arange(8) * 0.1).astype(np.float16)
    np.testing.assert_array_equal(out, tenths[::-1] + np.arange(8).astype(np.float16))


def test_device_arrays_of_float16(device):
    @cuda.jit
    def kernel(a):
        a[cuda.threadIdx.x] += np.float16(1)

    a = cuda.to_device(positive)
    kernel[1, positive.size](a)
    np.testing.assert_array_equal(a.copy_to_host(), positive + np.float16(1))


ARITHMETIC = {
    "hadd": lambda x, y: x + y,
    "hsub": lambda x, y: x - y,
    "hmul": lambda x, y: x * y,
    "hdiv": lambda x, y: x / y,
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_fp16_arithmetic_is_numpys(device, name):
    function = getattr(fp16, name)
    a, b = pairs()
    with np.errstate(all="ignore"):
        expected = ARITHMETIC[name](a, b)
    np.testing.assert_array_equal(run(lambda x, y: function(x, y), a, b), expected)


@pytest.mark.parametrize("name", ["hadd", "hsub", "hmul"])
def test_fp16_arithmetic_in_its_special_forms(device, name):
    rounded, saturated = getattr(fp16, f"__{name}_rn"), getattr(fp16, f"__{name}_sat")
    a, b = pairs()
    with np.errstate(all="ignore"):
        expected = ARITHMETIC[name](a, b)
    np.testing.assert_array_equal(run(lambda x, y: rounded(x, y), a, b), expected)
    limited = np.clip(np.where(np.isnan(expected), 0, expected), 0, 1)
    np.testing.assert_array_equal(run(lambda x, y: saturated(x, y), a, b), limited)


def test_hfma_rounds_once(device):
    random = np.random.default_rng(3)
    a = random.uniform(-4, 4, 2000).astype(np.float16)
    b = random.uniform(-4, 4, 2000).astype(np.float16)
    exact = a.astype(np.float64) * b.astype(np.float64) + b.astype(np.float64)
    expected = exact.astype(np.float16)
    np.testing.assert_array_equal(run(lambda x, y: fp16.hfma(x, y, y), a, b), expected)
    relu = getattr(fp16, "__hfma_relu")
    np.testing.assert_array_equal(run(lambda x, y: relu(x, y, y), a, b), np.maximum(expected, 0))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hneg", lambda x: -x),
        ("habs", abs),
        ("hfloor", np.floor),
        ("hceil", np.ceil),
        ("htrunc", np.trunc),
        ("hrint", np.rint),
        ("hsqrt", np.sqrt),
    ],
)
def test_exact_functions_of_fp16(device, name, expected):
    function = getattr(fp16, name)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(lambda x: function(x), halves), expected(halves))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hsin", np.sin),
        ("hcos", np.cos),
        ("hlog", np.log),
        ("hlog2", np.log2),
        ("hlog10", np.log10),
        ("hexp", np.exp),
        ("hexp2", np.exp2),
        ("hexp10", lambda x: 10**x),
        ("htanh", np.tanh),
        ("htanh_approx", np.tanh),
        ("hrsqrt", lambda x: 1 / np.sqrt(x)),
        ("hrcp", lambda x: 1 / x),
    ],
)
def test_functions_of_fp16_and_bf16(device, name, expected):
    function, brain_function = getattr(fp16, name), getattr(bf16, name)
    x = positive[:-2].astype(np.float64)
    found = run(lambda h: function(h), positive[:-2])
    np.testing.assert_allclose(found, expected(x).astype(np.float16), rtol=2e-3)
    x = unbrain(brain(x))
    found = in_bfloat16(lambda h, _: brain_function(h), x)
    np.testing.assert_allclose(found, expected(x), rtol=2**-7)


COMPARISONS = {
    "heq": lambda x, y: x == y,
    "hlt": lambda x, y: x < y,
    "hle": lambda x, y: x <= y,
    "hgt": lambda x, y: x > y,
    "hge": lambda x, y: x >= y,
    "hne": lambda x, y: (x < y) | (x > y),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_fp16_comparisons_and_their_unordered_forms(device, name):
    ordered, unordered = getattr(fp16, name), getattr(fp16, f"__{name}u")
    a, b = pairs()
    expected, nan = COMPARISONS[name](a, b), np.isnan(a) | np.isnan(b)
    np.testing.assert_array_equal(run(lambda x, y: ordered(x, y), a, b, dtype=bool), expected)
    np.testing.assert_array_equal(
        run(lambda x, y: unordered(x, y), a, b, dtype=bool), expected | nan
    )


def test_hmax_and_hmin_and_their_forms_that_hand_on_nan(device):
    a, b = pairs()
    hmax_nan, hmin_nan = getattr(fp16, "__hmax_nan"), getattr(fp16, "__hmin_nan")
    np.testing.assert_array_equal(run(lambda x, y: fp16.hmax(x, y), a, b), np.fmax(a, b))
    np.testing.assert_array_equal(run(lambda x, y: fp16.hmin(x, y), a, b), np.fmin(a, b))
    np.testing.assert_array_equal(run(lambda x, y: hmax_nan(x, y), a, b), np.maximum(a, b))
    np.testing.assert_array_equal(run(lambda x, y: hmin_nan(x, y), a, b), np.minimum(a, b))


def test_hisnan_and_hisinf(device):
    hisnan, hisinf = getattr(fp16, "__hisnan"), getattr(fp16, "__hisinf")
    a = np.concatenate([halves, -halves])
    np.testing.assert_array_equal(run(lambda x: hisnan(x), a, dtype=bool), np.isnan(a))
    expected = np.isinf(a) * np.where(a > 0, 1, -1)
    np.testing.assert_array_equal(run(lambda x: hisinf(x), a, dtype=np.int8), expected)


ROUNDINGS = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
INTEGERS = {"short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "ll": "i8", "ull": "u8"}


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("name", INTEGERS)
def test_float16_becomes_an_integer(device, name, mode):
    function = getattr(fp16, f"__half2{name}_{mode}")
    info = np.iinfo(INTEGERS[name])
    a = np.array(
        [0.5, 1.5, 2.5, -0.5, -1.5, 7.9, -7.9, 65504, -65504, np.inf, -np.inf, np.nan], "f2"
    )
    whole = [0 if math.isnan(x) else x for x in ROUNDINGS[mode](a.astype(float)).tolist()]
    expected = [
        int(min(max(x, info.min), info.max))
        if math.isfinite(x)
        else info.max
        if x > 0
        else info.min
        for x in whole
    ]
    found = run(lambda x: function(x), a, dtype=INTEGERS[name])
    assert found.tolist() == expected


def neighbours(exact, mode, table):
    """The index in the sorted ``table`` to which ``exact``, a Python int, is rounded."""
    below = table[np.searchsorted(table, exact, "right") - 1]
    above = table[np.searchsorted(table, exact, "left")]
    down = above if exact < 0 and mode == "rz" else below
    return {"rd": below, "ru": above, "rz": down}[mode]


@pytest.mark.parametrize("mode", ["rz", "rd", "ru"])
@pytest.mark.parametrize("name", ["int", "ll"])
def test_an_integer_is_rounded_to_float16_as_asked(device, name, mode):
    function = getattr(fp16, f"__{name}2half_{mode}")
    a = np.array([0, 1, 2049, -2049, 4097, 65504, 65503, -65503, 32769, -32767], INTEGERS[name])
    table = np.arange(2**16, dtype=np.uint16).view(np.float16)
    table = np.unique(table[np.isfinite(table)].astype(np.float64))
    expected = [neighbours(x, mode, table) for x in a.tolist()]
    np.testing.assert_array_equal(run(lambda x: function(x), a), expected)


@pytest.mark.parametrize("mode", ["rn", "rz", "rd", "ru"])
def test_a_long_integer_is_rounded_once_to_bfloat16(device, mode):
    function = getattr(bf16, f"int64_to_bfloat16_{mode}")

    @cuda.jit
    def kernel(out, a):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = bf16.bfloat16_to_float32(function(a[i]))

    a = np.array([2**60 + 1, -(2**60) - 1, 2**60 + 2**52, 2**60 + 2**52 + 1, 2**62 - 1])
    out = np.zeros(a.size, np.float32)
    kernel[1, 32](out, a)
    step = 2.0**53
    up, down = 2.0**60 + step, -(2.0**60) - step
    expected = {
        "rn": [2.0**60, -(2.0**60), 2.0**60, up, 2.0**62],
        "rz": [2.0**60, -(2.0**60), 2.0**60, 2.0**60, 2.0**62 - 2.0**54],
        "rd": [2.0**60, down, 2.0**60, 2.0**60, 2.0**62 - 2.0**54],
        "ru": [up, -(2.0**60), up, up, 2.0**62],
    }
    np.testing.assert_array_equal(out, np.array(expected[mode], np.float32))


@pytest.mark.parametrize("mode", ["rz", "rd", "ru"])
def test_a_float_is_rounded_to_float16_as_asked(device, mode):
    function = getattr(fp16, f"__float2half_{mode}")
    table = np.arange(2**16, dtype=np.uint16).view(np.float16)
    table = np.unique(table[np.isfinite(table)].astype(np.float64))
    a = np.random.default_rng(5).normal(0, 100, 300).astype(np.float32)
    a = np.concatenate([a, np.float32([1e-9, -1e-9, 0, 1, -1])])
    expected = [neighbours(x, mode, table) for x in a.astype(float).tolist()]
    np.testing.assert_array_equal(run(lambda x: function(x), a), expected)


def test_the_bits_of_a_float16(device):
    as_short, from_short = getattr(fp16, "__half_as_short"), getattr(fp16, "__short_as_half")
    np.testing.assert_array_equal(
        run(lambda x: as_short(x), positive, dtype="i2"), positive.view("i2")
    )
    np.testing.assert_array_equal(run(lambda x: from_short(x), positive.view("i2")), positive)


def test_atomic_add_of_float16(device):
    @cuda.jit
    def kernel(a, before):
        i = cuda.grid(1)
        before[i] = fp16.atomicAdd(a, i % 3, 1)

    a, before = np.zeros(3, np.float16), np.zeros(384, np.float16)
    kernel[3, 128](a, before)
    np.testing.assert_array_equal(a, [128, 128, 128])
    np.testing.assert_array_equal(np.sort(before), np.repeat(np.arange(128), 3))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_of_bfloat16_rounds_to_nearest(device, name):
    operation, function = ARITHMETIC[f"h{name}"], getattr(bf16, f"h{name}")
    random = np.random.default_rng(9)
    a, b = (unbrain(brain(random.normal(0, 10, 500))) for _ in range(2))
    expected = unbrain(brain(operation(a, b)))
    np.testing.assert_array_equal(in_bfloat16(operation, a, b), expected)
    np.testing.assert_array_equal(in_bfloat16(lambda x, y: function(x, y), a, b), expected)


def test_every_bfloat16_survives_its_conversions(device):
    @cuda.jit
    def kernel(out, bits):
        i = cuda.grid(1)
        x = bf16.bfloat16_to_float32(bf16.uint16_as_bfloat16(bits[i]))
        out[i] = bf16.bfloat16_as_uint16(bf16.float32_to_bfloat16(x))

    bits = np.arange(2**16, dtype=np.uint16)
    out = np.zeros_like(bits)
    kernel[512, 128](out, bits)
    numbers = ~np.isnan(unbrain(bits))
    np.testing.assert_array_equal(out[numbers], bits[numbers])
    assert np.isnan(unbrain(out[~numbers])).all()


def test_comparisons_and_extremes_of_bfloat16(device):
    def f(x, y):
        return bfloat16(bf16.hlt(x, y) + 2 * (x == y) + 4 * bf16.hgeu(x, y)) + bf16.hmax(x, y)

    a, b = np.float32([1, 2, 3, np.nan]), np.float32([2, 2, 1, 5])
    np.testing.assert_array_equal(in_bfloat16(f, a, b), [1 + 2, 6 + 2, 4 + 3, 4 + 5])


def test_values_and_arrays_of_bfloat16(device):
    @cuda.jit(device=True)
    def twice(x):
        return x + x

    @cuda.jit
    def kernel(out):
        shared = cuda.shared.array(4, bfloat16)
        i = cuda.threadIdx.x
        shared[i] = 1.2345 * i
        cuda.syncthreads()
        out[i] = twice(shared[3 - i])

    out = np.zeros(4, np.float32)
    kernel[1, 4](out)
    expected = 2 * unbrain(brain(np.float32([1.2345 * 3, 1.2345 * 2, 1.2345, 0])))
    np.testing.assert_array_equal(out, expected)


def test_arrays_and_scalars_of_ml_dtypes_are_bfloat16(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")

    @cuda.jit
    def kernel(out, a, x):
        i = cuda.threadIdx.x
        out[i] = a[i] * x

    a = np.arange(6, dtype=np.float32).astype(ml_dtypes.bfloat16)
    out = np.zeros_like(a)
    kernel[1, 6](out, a, ml_dtypes.bfloat16(1.5))
    np.testing.assert_array_equal(out.astype(np.float32), np.arange(6) * 1.5)


def test_the_modules_of_halves_offer_numba_cudas_names():
    assert fp16.hadd is cuda.fp16.hadd
    assert bf16.bfloat16 is bfloat16 is cuda.types.bfloat16
    assert len(fp16.__all__) > 100 and len(bf16.__all__) > 150
    with pytest.raises(AttributeError, match="heddle has no 'cuda.bf16.hsum'"):
        bf16.hsum  # noqa: B018


def test_float16_has_numbas_names():
    assert heddle.typeof(np.float16(1)) == float16
    assert float16(0.1) == np.float16(0.1)
    assert heddle.types.as_dtype(float16) == np.float16
    assert float32 != float16 != bfloat16


@pytest.mark.parametrize("cc", [(7, 5), (8, 0), (9, 0)])
def test_ptx_of_halves_is_made_for_every_architecture(cc):
    def kernel(out, a, b):
        i = cuda.grid(1)
        x, y = bf16.uint16_as_bfloat16(b[i]), bfloat16(a[i])
        z = bf16.hfma(x, y, math.exp(x)) if x < y else bf16.hmax(x, -y)
        out[i] = fp16.hfma(a[i], a[i], math.sin(a[i])) + fp16.hmin(a[i], float16(z))

    signature = (float16[::1], float16[::1], heddle.uint16[::1])
    ptx, _ = cuda.compile_ptx(kernel, signature, cc=cc)
    assert "fma.rn.f16" in ptx
