"""Three ufuncs on device arrays, one after the other, with results in arrays that are reused."""

import math

import numpy as np
from numba import cuda, vectorize


@vectorize(["float32(float32)"], target="cuda")
def normalize(gray):
    return gray / 255


@vectorize(["float32(float32, float32)"], target="cuda")
def weigh(value, weight):
    return value * weight


@vectorize(["float32(float32)"], target="cuda")
def activate(value):
    return (math.exp(value) - math.exp(-value)) / (math.exp(value) + math.exp(-value))


n = 100_000
gray = (np.arange(n) % 256).astype(np.float32)
weights = np.linspace(0, 1, n).astype(np.float32)
d_gray, d_weights = cuda.to_device(gray), cuda.to_device(weights)
first = cuda.device_array(shape=(n,), dtype=np.float32)
second = cuda.device_array_like(first)
normalize(d_gray, out=first)
weigh(first, d_weights, out=second)
activate(second, out=first)
print(np.allclose(first.copy_to_host(), np.tanh(gray / 255 * weights), atol=1e-6))
