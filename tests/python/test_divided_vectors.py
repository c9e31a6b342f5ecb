"""Quotients and remainders of 64-bit integers in kernels, compared with Python for small, large and mixed numbers."""

import numpy as np
import pytest

from heddle import cuda, njit

EDGE = 1 << 50  # up to here the CPU device divides vectors as floats
NUMBERS = [
    *(0, 1, 2, 3, 7, 10, 63, 1000003),
    *(EDGE - 2, EDGE - 1, EDGE, EDGE + 1, 2 * EDGE - 1, 2 * EDGE, 2 * EDGE + 1),
    *(2**62, 2**63 - 1),
]


def pairs(dtype):
    signed = np.issubdtype(dtype, np.signedinteger)
    every = [*NUMBERS, *(-n for n in NUMBERS if signed), *([] if signed else [2**64 - 1])]
    x, y = np.meshgrid(np.array(every, dtype), np.array([n for n in every if n], dtype))
    return x.ravel(), y.ravel()


def small(dtype, n=997):
    random = np.random.default_rng(1)
    low = -EDGE if np.issubdtype(dtype, np.signedinteger) else 0
    x, y = random.integers(low, EDGE, n, dtype), random.integers(low, EDGE, n, dtype) >> 20
    x[::3] = y[::3] * (x[::3] >> 30)  # multiples: quotients that are just whole
    x[1::6] = y[1::6] * (x[1::6] >> 30) - 1
    return x, np.where(y == 0, dtype(1), y)


@pytest.mark.parametrize("numbers", [small, pairs], ids=["small", "edges"])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_quotients_and_remainders_are_pythons(numbers, dtype):
    def divide(x, y, quotients, remainders):
        i = cuda.grid(1)
        if i < x.size:
            quotients[i] = x[i] // y[i]
            remainders[i] = x[i] % y[i]

    x, y = numbers(dtype)
    quotients, remainders = np.zeros_like(x), np.zeros_like(x)
    cuda.jit(divide)[(x.size + 127) // 128, 128](x, y, quotients, remainders)
    expected = [divmod(int(a), int(b)) for a, b in zip(x, y, strict=True)]
    assert quotients.tolist() == [q for q, _ in expected]
    assert remainders.tolist() == [r for _, r in expected]


def test_some_threads_divide_by_one():
    def divide(x, y, quotients, remainders):
        i = cuda.grid(1)
        if i < x.size:
            quotients[i] = x[i] // (1 + (y[i] > x[i]))
            remainders[i] = x[i] % (1 + (y[i] > x[i]))

    x, y = small(np.int64)
    quotients, remainders = np.zeros_like(x), np.zeros_like(x)
    cuda.jit(divide)[(x.size + 127) // 128, 128](x, y, quotients, remainders)
    assert np.array_equal(quotients, x // (1 + (y > x)))
    assert np.array_equal(remainders, x % (1 + (y > x)))


def test_a_few_threads_divide_beside_threads_that_are_done():
    def primes(out):
        n = cuda.grid(1)
        d = 2
        while d * d <= n:
            if n % d == 0:
                break
            d += 1
        out[n] = n > 1 and d * d > n

    out = np.zeros(1024, np.bool_)
    cuda.jit(primes)[8, 128](out)
    assert np.flatnonzero(out)[:8].tolist() == [2, 3, 5, 7, 11, 13, 17, 19]
    assert out.sum() == 172


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_loops_of_the_host_divide_as_numpy(dtype):
    def divide(x, y, out):
        for i in range(x.size):
            out[i] = x[i] // y[i] + x[i] % y[i]

    for x, y in (small(dtype), pairs(dtype)):
        out = np.zeros_like(x)
        njit(divide)(x, y, out)
        with np.errstate(over="ignore"):
            assert np.array_equal(out, x // y + x % y)
