"""Arrays of ml_dtypes' 8-bit floats: kernels read them as float32 and round to nearest when writing."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import heddle
from heddle import cuda

ml_dtypes = pytest.importorskip("ml_dtypes")

NAMES = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
]
every = pytest.mark.parametrize("name", NAMES)
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


@cuda.jit
def convert(out, values):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = values[i]


def converted(values, dtype):
    out = np.zeros(values.shape, dtype)
    convert[values.size // 128 + 1, 128](out, values)
    return out


def by_numpy(values, dtype):
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def assert_same_bits(a, b):
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    np.testing.assert_array_equal(a.view(unsigned), b.view(unsigned))


@every
def test_every_code_is_read_as_ml_dtypes_reads_it(device, name):
    codes = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, name))
    np.testing.assert_array_equal(converted(codes, np.float32), codes.astype(np.float32))


@every
def test_every_code_survives_being_read_and_written(device, name):
    dtype = getattr(ml_dtypes, name)
    codes = np.arange(256, dtype=np.uint8).view(dtype)
    assert_same_bits(converted(codes, dtype), by_numpy(codes.astype(np.float32), dtype))


@every
def test_floats_are_rounded_as_ml_dtypes_rounds_them(device, name):
    dtype = getattr(ml_dtypes, name)
    any_bits = np.random.default_rng(8).integers(0, 2**32, 40_000, dtype=np.uint32)
    # Every sign and exponent with fractions around each tie, and both of their neighbours
    ties = np.arange(2**14, dtype=np.uint32) << 18
    values = np.concatenate([any_bits, ties, ties + 1, ties - 1]).view(np.float32)
    assert_same_bits(converted(values, dtype), by_numpy(values, dtype))


@every
def test_wider_numbers_are_rounded_to_float32_first(device, name):
    dtype = getattr(ml_dtypes, name)
    doubles = np.array([1 + 1 / 16 + 2**-40, 1 + 1 / 8 + 2**-40, 3e38, 1e300, -1e-300, 0.3, np.nan])
    assert_same_bits(converted(doubles, dtype), by_numpy(doubles, dtype))
    whole = np.array([0, 1, -3, 17, 449, -600, 2**40 + 1], dtype=np.int64)
    assert_same_bits(converted(whole, dtype), by_numpy(whole, dtype))


def test_arithmetic_is_that_of_float32(device):
    f8 = ml_dtypes.float8_e4m3fn

    @cuda.jit
    def kernel(out, a, b):
        i = cuda.grid(1)
        out[i] = a[i] * b[i] + a[i]

    a, b = np.arange(16).astype(f8), np.linspace(-2, 2, 16).astype(f8)
    out, narrow = np.zeros(16, np.float32), np.zeros(16, f8)
    kernel[1, 16](out, a, b)
    expected = a.astype(np.float32) * b.astype(np.float32) + a.astype(np.float32)
    np.testing.assert_array_equal(out, expected)
    kernel[1, 16](narrow, a, b)
    assert_same_bits(narrow, expected.astype(f8))


def test_shared_local_and_constant_arrays_hold_them(device):
    f8 = ml_dtypes.float8_e5m2
    table = np.array([0.5, 1.5, 2.5, 3.5]).astype(f8)

    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        constants = cuda.const.array_like(table)
        shared = cuda.shared.array(4, f8)
        own = cuda.local.array(1, f8)
        own[0] = constants[i] * 1.2
        shared[i] = own[0]
        cuda.syncthreads()
        out[i] = shared[3 - i]

    out = np.zeros(4, np.float32)
    kernel[1, 4](out)
    expected = (table.astype(np.float32) * np.float64(1.2)).astype(f8)[::-1].astype(np.float32)
    np.testing.assert_array_equal(out, expected)


def test_a_call_of_the_type_rounds(device):
    f8 = ml_dtypes.float8_e4m3fn

    @cuda.jit
    def kernel(out, x):
        out[0] = f8(x) * 2
        out[1] = x * 2

    out = np.zeros(2, np.float32)
    kernel[1, 1](out, 1.3)
    np.testing.assert_array_equal(out, np.float32([float(f8(1.3)) * 2, 1.3 * 2]))


def test_scalars_arguments_and_globals_are_float32(device):
    f8 = ml_dtypes.float8_e5m2
    known = f8(1.25)

    @cuda.jit
    def kernel(out, x):
        out[0] = x + known

    out = np.zeros(1, np.float32)
    kernel[1, 1](out, f8(3.5))
    assert out[0] == 4.75
    assert heddle.typeof(f8(3.5)) == heddle.float32


def test_records_loops_and_functions_of_arrays_read_them(device):
    f8 = ml_dtypes.float8_e4m3fn
    records = np.zeros(3, np.dtype([("weight", f8), ("n", np.int32)], align=True))

    @cuda.jit
    def kernel(records, out, values):
        records[1]["weight"] = 1.3
        records[1].n = 2
        total = 0.0
        for v in values:
            total += v
        out[0] = total
        out[1] = values.sum()
        out[2] = max(values[0], values[3])
        out[3] = records[1].weight + 1
        out[4] = cuda.ldcg(values, 2)
        cuda.stcg(values, 0, 5.1)
        values[1:3] = 7.3

    values, out = np.array([1, 2, 3.5, 4]).astype(f8), np.zeros(5, np.float32)
    kernel[1, 1](records, out, values)
    np.testing.assert_array_equal(out, np.float32([10.5, 10.5, 4, 2.25, 3.5]))
    assert_same_bits(values, np.array([5.1, 7.3, 7.3, 4]).astype(f8))
    assert records["weight"][1] == f8(1.3)


@every
def test_device_arrays_keep_the_dtype(device, name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    codes = np.arange(256, dtype=np.uint8).view(dtype)
    made = cuda.device_array(256, dtype=dtype)
    made.copy_to_device(codes)
    convert[2, 128](made, cuda.to_device(codes))
    back = made.copy_to_host()
    assert back.dtype == made.dtype == dtype
    assert_same_bits(back, by_numpy(codes.astype(np.float32), dtype))
    made[10:20] = codes[30:40]
    assert_same_bits(made.copy_to_host()[10:20], codes[30:40])
    assert_same_bits(cuda.to_device(codes.reshape(16, 16))[2].copy_to_host(), codes[32:48])


def test_the_types_have_ml_dtypes_names():
    array = np.zeros((2, 3), ml_dtypes.float8_e4m3fn)
    assert str(heddle.typeof(array)) == "array(float8_e4m3fn, 2d, C)"


def test_no_atomic_operation_takes_them(device):
    @cuda.jit
    def kernel(a):
        cuda.atomic.add(a, 0, 1)

    with pytest.raises(heddle.TypingError, match="works on elements of type .*not float8_e5m2"):
        kernel[1, 1](np.zeros(2, ml_dtypes.float8_e5m2))


def test_cuda_cpp_takes_their_bits(device):
    source = 'extern "C" __global__ void k(unsigned char* a) { a[threadIdx.x] += 1; }'
    values = cuda.to_device(np.zeros(4, ml_dtypes.float8_e5m2))
    heddle.RawKernel(source, "k")((1,), (4,), (values,))
    np.testing.assert_array_equal(values.copy_to_host().view(np.uint8), 1)


@pytest.mark.skipif(not ptxas, reason="no ptxas")
@pytest.mark.parametrize("cc", [(7, 5), (9, 0)])
@every
def test_the_ptx_assembles(name, cc, tmp_path):
    element = heddle.typeof(np.zeros(1, getattr(ml_dtypes, name)))
    ptx, _ = cuda.compile_ptx(convert.py_func, (element, element), cc=cc)
    assert not re.search(r"cvt\.\S*e[45]m", ptx)  # no instruction of newer GPUs
    (tmp_path / "k.ptx").write_text(ptx)
    subprocess.run(
        [ptxas, f"-arch=sm_{cc[0]}{cc[1]}", "k.ptx", "-o", "k.cubin"], cwd=tmp_path, check=True
    )
