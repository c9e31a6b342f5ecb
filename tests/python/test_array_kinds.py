"""Array arguments with any layout and rank: 0 dimensions, zero and negative strides, more than 2**31 elements."""

import numpy as np
import pytest

from heddle import cuda


def test_an_array_without_dimensions(device):
    @cuda.jit
    def k(a, b):
        b[()] = a[()] * 2 + a.ndim + a.size

    a, b = np.array(2.5), np.zeros((), np.float32)
    k[1, 1](a, b)
    assert b == 6


def test_an_ellipsis_selects_the_element_of_an_array_without_dimensions(device):
    @cuda.jit
    def k(a):
        a[...] = a[...] + 1

    a = np.zeros((), np.int64)
    k[1, 1](a)
    assert a == 1


def test_a_bool_array(device):
    @cuda.jit
    def k(a, b):
        i = cuda.grid(1)
        b[i] = not a[i] or i > 2
        a[i] = i

    a, b = np.array([True, False, True, True]), np.zeros(4, bool)
    k[1, 4](a, b)
    np.testing.assert_array_equal(b, [False, True, False, True])
    np.testing.assert_array_equal(a, [False, True, True, True])


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-1],
        lambda a: a[::-2, ::3],
        lambda a: a.T[::-1],
        lambda a: np.broadcast_to(a[1], (4, 6)),
        lambda a: np.broadcast_to(a[:, :1], (4, 6)),
        lambda a: np.lib.stride_tricks.sliding_window_view(a[0], 3),
        lambda a: a[:0],
        lambda a: a[1:2, ::-1],
    ],
)
def test_an_array_of_any_strides_is_read(device, view):
    @cuda.jit
    def k(a, out):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                out[i, j] = a[i, j] * 10 + a[-1, -1 - j]

    a = view(np.arange(24.0).reshape(4, 6))
    out = np.zeros(a.shape)
    k[1, 1](a, out)
    expected = a * 10 + a[-1, ::-1] if a.size else out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    "view", [lambda a: a[::-1], lambda a: a[:, ::-1], lambda a: a[::-2, ::3], lambda a: a.T[::-1]]
)
def test_an_array_of_any_strides_is_written(device, view):
    @cuda.jit
    def k(a):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] = i * 100 + j

    a, expected = np.zeros((4, 6)), np.zeros((4, 6))
    k[1, 1](view(a))
    part = view(expected)
    part[...] = np.arange(part.shape[0])[:, None] * 100 + np.arange(part.shape[1])
    np.testing.assert_array_equal(a, expected)


def test_an_array_whose_elements_are_all_one(cpu):
    """It is used in place. A GPU works on a copy, which has separate elements."""

    @cuda.jit
    def k(a):
        a[3] = 7

    a = np.zeros(1)
    k[1, 1](np.lib.stride_tricks.as_strided(a, (5,), (0,)))
    assert a[0] == 7


def test_an_array_of_more_than_two_to_the_31_elements(device):
    count = 2**31 + 64
    if device.type == "cpu" and _free_bytes() < 3 * 2**30:
        pytest.skip("needs 3 GiB of free memory")

    @cuda.jit
    def k(a):
        i = a.size - 1 - cuda.grid(1)
        a[i] = a[i - 2**31] + cuda.grid(1)
        a[-a.size + cuda.grid(1)] = 5

    a = cuda.device_array(count, np.int8)
    a[:64] = 1
    a[-64:] = 0
    k[1, 32](a)
    np.testing.assert_array_equal(a[-32:].copy_to_host(), 1 + np.arange(32)[::-1])
    np.testing.assert_array_equal(a[:32].copy_to_host(), np.full(32, 5))


def _free_bytes():
    with open("/proc/meminfo") as table:
        facts = dict(line.split(":") for line in table)
    return int(facts["MemAvailable"].split()[0]) * 1024


def test_arrays_of_objects_are_refused_by_name():
    @cuda.jit
    def k(a):
        pass

    with pytest.raises(TypeError, match="dtype object: they are Python objects"):
        k[1, 1](np.array([1, None]))


def test_byte_swapped_arrays_are_refused_by_name():
    @cuda.jit
    def k(a):
        pass

    with pytest.raises(
        TypeError, match=r"(?s)dtype >f4.* bring them into this machine's byte order"
    ):
        k[1, 1](np.zeros(3, ">f4"))
