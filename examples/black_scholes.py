"""Black-Scholes: an arithmetic-bound formula, split into device functions.

Kernels call a function under ``@cuda.jit(device=True)`` like any Python function. It is inlined, so the call is free.
Each thread prices one option: it reads three numbers, evaluates a few dozen operations, and writes two results.
"""

import math

import numpy as np

from heddle import cuda

RATE = 0.02  # interest rate per year
VOLATILITY = 0.3


@cuda.jit(device=True)
def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@cuda.jit
def price(spot, strike, years, call, put):
    i = cuda.grid(1)
    if i >= spot.size:
        return
    deviation = VOLATILITY * math.sqrt(years[i])
    d1 = (math.log(spot[i] / strike[i]) + (RATE + VOLATILITY**2 / 2) * years[i]) / deviation
    d2 = d1 - deviation
    discounted = strike[i] * math.exp(-RATE * years[i])
    call[i] = spot[i] * normal_cdf(d1) - discounted * normal_cdf(d2)
    put[i] = discounted * normal_cdf(-d2) - spot[i] * normal_cdf(-d1)


def price_with_numpy(spot, strike, years):
    erfc = np.vectorize(math.erfc, otypes=[float])  # NumPy has no erfc
    deviation = VOLATILITY * np.sqrt(years)
    d1 = (np.log(spot / strike) + (RATE + VOLATILITY**2 / 2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * np.exp(-RATE * years)
    n1, n2 = (0.5 * erfc(-d / np.sqrt(2)) for d in (d1, d2))
    return spot * n1 - discounted * n2, discounted * (1 - n2) - spot * (1 - n1)


def run(n):
    """Prices n options. Returns (calls, puts) of the kernel and of NumPy."""
    rng = np.random.default_rng(6)
    spot = rng.uniform(5, 30, n)
    strike = rng.uniform(1, 100, n)
    years = rng.uniform(0.25, 10, n)
    call, put = np.zeros(n), np.zeros(n)
    price[(n + 255) // 256, 256](spot, strike, years, call, put)
    return np.stack([call, put]), np.stack(price_with_numpy(spot, strike, years))


def main(n=500_000):
    (call, put), (expected_call, expected_put) = run(n)
    np.testing.assert_allclose(call, expected_call, atol=1e-10)
    np.testing.assert_allclose(put, expected_put, atol=1e-10)
    print(
        f"priced {n:,} options; a call costs {call.mean():.2f} and a put {put.mean():.2f} on average"
    )


if __name__ == "__main__":
    main()
