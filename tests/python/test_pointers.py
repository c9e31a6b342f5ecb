"""Addresses as arguments of kernels, and arrays over them."""

import numpy as np
import pytest

from heddle import carray, cuda, farray, float32, int32, int64, types, void
from heddle.errors import TypingError


def test_a_pointer_is_indexed(device):
    @cuda.jit(void(types.CPointer(float32), int64))
    def k(p, n):
        i = cuda.grid(1)
        if i < n:
            p[i] = p[i] * 2 + 1

    a = cuda.to_device(np.arange(5, dtype=np.float32))
    k[1, 32](a.device_pointer, 5)
    np.testing.assert_array_equal(a.copy_to_host(), np.arange(5) * 2 + 1)


def test_a_pointer_to_records(device):
    pair = np.dtype([("a", np.int32), ("b", np.float64)], align=True)

    @cuda.jit(void(types.CPointer(types.from_dtype(pair))))
    def k(p):
        p[1].b = p[0].a

    a = cuda.to_device(np.array([(3, 0), (0, 0)], pair))
    k[1, 1](a.device_pointer)
    assert a.copy_to_host()[1]["b"] == 3


def test_carray_and_farray_are_arrays_over_a_pointer(device):
    @cuda.jit(void(types.CPointer(int32), types.CPointer(int32), int32[:]))
    def k(p, q, out):
        c, f = carray(p, (2, 3)), farray(q, (2, 3), int32)
        out[0], out[1], out[2] = c[1, 0], f[1, 0], c.shape[1]
        carray(p, 6)[5] = 50

    a, out = cuda.to_device(np.arange(6, dtype=np.int32)), np.zeros(3, np.int32)
    k[1, 1](a.device_pointer, a.device_pointer, out)
    np.testing.assert_array_equal(out, [3, 1, 3])
    assert a.copy_to_host()[5] == 50


def test_a_void_pointer_gets_its_type_from_carray(device):
    @cuda.jit(void(types.voidptr, int64))
    def k(p, n):
        carray(p, n, np.float32)[0] = 8

    a = cuda.to_device(np.zeros(2, np.float32))
    k[1, 1](a.device_pointer, 2)
    assert a.copy_to_host()[0] == 8


def test_carray_of_an_array_is_refused():
    with pytest.raises(TypingError, match=r"carray\(\) takes a pointer, not array\(int32"):

        @cuda.jit(void(int32[:]))
        def k(a):
            carray(a, 3)


def test_the_dtype_of_carray_is_that_of_the_pointer():
    with pytest.raises(TypingError, match="the pointer is to int32, not to float32"):

        @cuda.jit(void(types.CPointer(int32)))
        def k(p):
            carray(p, 3, float32)


def test_an_array_tells_its_address(device):
    @cuda.jit
    def k(a, b, out):
        mine = cuda.shared.array(8, int32)
        out[0] = a.ctypes.data
        out[1] = b[1:].ctypes.data
        out[2] = mine[3:].ctypes.data - mine.ctypes.data
        mine.ctypes[2] = 5
        out[3] = mine[2]

    a, b = (cuda.to_device(np.zeros(4, np.float32)) for _ in range(2))
    out = np.zeros(4, np.uint64)
    k[1, 1](a, b, out)
    assert out.tolist() == [a.device_pointer, b.device_pointer + 4, 12, 5]
