"""CUDA's vector types in kernels."""

import numpy as np
import pytest

from heddle import cuda
from heddle.errors import TypingError

bases = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
names_in_c = {
    "char": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64",
    "uchar": "uint8", "ushort": "uint16", "uint": "uint32", "ulong": "uint64", "ulonglong": "uint64",
    "float": "float32", "double": "float64",
}  # fmt: skip


@pytest.mark.parametrize("base", bases)
def test_every_length_has_its_fields(device, base):
    one, two = getattr(cuda, f"{base}x1"), getattr(cuda, f"{base}x2")
    three, four = getattr(cuda, f"{base}x3"), getattr(cuda, f"{base}x4")

    @cuda.jit
    def k(out):
        a, b, c, d = one(1), two(2, 3), three(4, 5, 6), four(7, 8, 9, 10)
        out[:] = (a.x, b.x, b.y, c.x, c.y, c.z, d.x, d.y, d.z, d.w)

    out = np.zeros(10, base)
    k[1, 1](out)
    np.testing.assert_array_equal(out, np.arange(1, 11))


@pytest.mark.parametrize("name", names_in_c)
def test_names_of_cuda_c_make_the_same_types(device, name):
    short, long = getattr(cuda, f"{name}3"), getattr(cuda, f"{names_in_c[name]}x3")

    @cuda.jit
    def k(out, flag):
        v = short(1, 2, 3) if flag else long(4, 5, 6)
        out[0] = v.y

    out = np.zeros(1)
    k[1, 1](out, True)
    assert out[0] == 2


@pytest.mark.parametrize(
    "name, names",
    [("float32x3", ["float3"]), ("uint8x1", ["uchar1"]), ("int64x2", ["long2", "longlong2"])],
)
def test_a_vector_type_tells_its_names_in_cuda_c(name, names):
    assert getattr(cuda, name).aliases == names


def test_vectors_are_made_from_vectors_and_numbers(device):
    @cuda.jit
    def k(out):
        ab = cuda.float32x2(1.5, 2.5)
        v = cuda.float64x4(ab, 3, cuda.int32x1(-4.7))
        w = cuda.int16x3(v.w, ab)
        out[:4] = (v.x, v.y, v.z, v.w)
        out[4:] = (w.x, w.y, w.z)

    out = np.zeros(7)
    k[1, 1](out)
    np.testing.assert_array_equal(out, [1.5, 2.5, 3, -4, -4, 1, 2])


def test_vectors_pass_through_device_functions_and_loops(device):
    @cuda.jit
    def add(a, b):
        return cuda.float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w)

    @cuda.jit
    def k(out, n):
        total = cuda.float4(0, 0, 0, 0)
        for i in range(n):
            total = add(total, cuda.float4(i, 1, -i, 0.5))
        out[:] = (total.x, total.y, total.z, total.w)

    out = np.zeros(4, np.float32)
    k[1, 1](out, 5)
    np.testing.assert_array_equal(out, [10, 5, -10, 2.5])


def test_vectors_stand_in_tuples(device):
    @cuda.jit
    def k(out):
        pair = (cuda.uint3(1, 2, 3), 7)
        v, n = pair
        out[0] = v.z + n + pair[0].x

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == 11


@pytest.mark.parametrize(
    "function, match",
    [
        (lambda out: cuda.float32x3(1, 2), "takes 3 numbers, 2 were given"),
        (lambda out: cuda.float32x3(cuda.float32x2(1, 2), cuda.float32x2(1, 2)), "4 were given"),
        (lambda out: cuda.int2(1, out), "takes numbers and vectors, not array"),
        (lambda out: cuda.int2(1, 2).z, "its fields are x, y"),
        (lambda out: cuda.int2(1, 2) + 1, r"bad operands for \+"),
    ],
    ids=["few", "many", "array", "field", "arithmetic"],
)
def test_wrong_uses_are_refused(device, function, match):
    with pytest.raises(TypingError, match=match):
        cuda.jit(function)[1, 1](np.zeros(1))


def test_a_vector_is_not_made_on_the_host():
    with pytest.raises(RuntimeError, match="only works inside a kernel"):
        cuda.float32x4(1, 2, 3, 4)
