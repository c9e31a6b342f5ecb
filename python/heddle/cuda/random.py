"""Random numbers for kernels: an xoroshiro128+ generator for each thread, in an array of states.

Names, states and sequences are those of ``numba.cuda.random``. The generators of an array are 2**64 steps apart in one
sequence (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators").

>>> states = create_xoroshiro128p_states(threads, seed=1)
>>> y = xoroshiro128p_uniform_float32(states, cuda.grid(1))  # in a kernel
"""

import math

import numpy as np

from heddle.compiler.jit import jit
from heddle.cuda.arrays import device_array
from heddle.support.missing_names import make_missing_name_error as _missing_name
from heddle.types import float32, float64, from_dtype, uint64

__all__ = [
    "create_xoroshiro128p_states",
    "init_xoroshiro128p_state",
    "init_xoroshiro128p_states",
    "rotl",
    "uint64_to_unit_float32",
    "uint64_to_unit_float64",
    "xoroshiro128p_dtype",
    "xoroshiro128p_jump",
    "xoroshiro128p_next",
    "xoroshiro128p_normal_float32",
    "xoroshiro128p_normal_float64",
    "xoroshiro128p_type",
    "xoroshiro128p_uniform_float32",
    "xoroshiro128p_uniform_float64",
]

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
xoroshiro128p_type = from_dtype(xoroshiro128p_dtype)

TWO_PI_FLOAT32 = np.float32(2 * math.pi)
TWO_PI_FLOAT64 = np.float64(2 * math.pi)

# The jump polynomial: applying it to the step matrix jumps by 2**64 steps. Low word first.
_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)


# The number of states whose intermediate results in _apply_matrix fit in the processor's cache.
_BLOCK = 4096


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """Creates n generators on the current device. Returns a device array of n records of dtype xoroshiro128p_dtype.

    n: the number of generators, one for each thread that draws numbers.
    seed: an integer, reduced modulo 2**64; equal seeds give equal sequences.
    subsequence_start: the first generator skips this many subsequences of 2**64 numbers.

    >>> states = cuda.random.create_xoroshiro128p_states(4 * 256, seed=1)
    >>> @cuda.jit
    ... def draw(states, out):
    ...     i = cuda.grid(1)
    ...     out[i] = cuda.random.xoroshiro128p_uniform_float32(states, i)
    >>> out = np.zeros(4 * 256, np.float32)
    >>> draw[4, 256](states, out)
    >>> print(0.45 < out.mean() < 0.55)
    True
    """
    states = device_array(n, dtype=xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """Reinitializes the generators in ``states`` as create_xoroshiro128p_states does.

    states: a 1-D device array of dtype xoroshiro128p_dtype.

    >>> states = cuda.random.create_xoroshiro128p_states(1024, seed=1)
    >>> cuda.random.init_xoroshiro128p_states(states, seed=2)
    """
    initial = np.empty(states.shape, xoroshiro128p_dtype)
    initial["s0"], initial["s1"] = _make_states(len(initial), seed, subsequence_start)
    states.copy_to_device(initial, stream=stream)


# On the host, a step is a linear map over bits: a matrix of 128 columns, each a pair of words. A jump over several
# subsequences is a power of one matrix and is applied to many states at once.


def _make_states(n, seed, subsequence_start):
    """The words s0 and s1 of n generators, as two uint64 arrays of shape (n,)."""
    s0, s1 = np.empty((2, n), np.uint64)
    if n == 0:
        return s0, s1
    first = _mix_seed(int(seed) % 2**64)
    state = (np.array([first], np.uint64),) * 2
    jump, left = _make_jump_matrix(), int(subsequence_start) % 2**64
    while left:
        if left & 1:
            state = _apply_matrix(jump, *state)
        jump, left = _apply_matrix(jump, *jump), left >> 1
    s0[0], s1[0] = state[0][0], state[1][0]
    jump, done = _make_jump_matrix(), 1
    while done < n:
        count = min(done, n - done)
        s0[done : done + count], s1[done : done + count] = _apply_matrix(
            jump, s0[:count], s1[:count]
        )
        jump, done = _apply_matrix(jump, *jump), done + count
    return s0, s1


def _mix_seed(seed):
    """The first output of SplitMix64 for a seed."""
    z = (seed + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def _advance_states(s0, s1):
    """Advances states by one step."""
    s1 = s0 ^ s1
    return _rotate_left(s0, 55) ^ s1 ^ (s1 << np.uint64(14)), _rotate_left(s1, 36)


def _rotate_left(x, k):
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


def _make_jump_matrix():
    """The matrix of one jump: the images of the 128 states with a single bit set."""
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    none = np.zeros(64, np.uint64)
    s0, s1 = np.concatenate([bits, none]), np.concatenate([none, bits])
    sum0, sum1 = np.zeros((2, 128), np.uint64)
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                sum0 ^= s0
                sum1 ^= s1
            s0, s1 = _advance_states(s0, s1)
    return sum0, sum1


def _apply_matrix(matrix, s0, s1):
    """Multiplies a matrix with states."""
    out0, out1 = np.zeros((2, len(s0)), np.uint64)
    for begin in range(0, len(s0), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        for column in range(128):
            bit = (s0, s1)[column // 64][part] >> np.uint64(column % 64) & np.uint64(1)
            mask = np.uint64(0) - bit
            out0[part] ^= mask & matrix[0][column]
            out1[part] ^= mask & matrix[1][column]
    return out0, out1


@jit(device=True)
def init_xoroshiro128p_state(states, index, seed):
    """Seeds the generator ``states[index]``. Only in kernels."""
    z = uint64(seed) + uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    z = z ^ (z >> uint64(31))
    states[int(index)]["s0"] = z
    states[int(index)]["s1"] = z


@jit(device=True)
def rotl(x, k):
    """Rotates the uint64 x left by k bits. Only in kernels."""
    x = uint64(x)
    k = uint64(k)
    return (x << k) | (x >> (uint64(64) - k))


@jit(device=True)
def xoroshiro128p_next(states, index):
    """Returns the next random uint64 of ``states[index]`` and advances it. Only in kernels."""
    s0 = states[int(index)]["s0"]
    s1 = states[int(index)]["s1"]
    result = s0 + s1
    s1 ^= s0
    states[int(index)]["s0"] = rotl(s0, 55) ^ s1 ^ (s1 << uint64(14))
    states[int(index)]["s1"] = rotl(s1, 36)
    return result


@jit(device=True)
def xoroshiro128p_jump(states, index):
    """Advances ``states[index]`` by 2**64 steps. Only in kernels."""
    s0 = uint64(0)
    s1 = uint64(0)
    for i in range(128):
        word = uint64(_JUMP[0]) if i < 64 else uint64(_JUMP[1])
        if word >> uint64(i % 64) & uint64(1):
            s0 ^= states[int(index)]["s0"]
            s1 ^= states[int(index)]["s1"]
        xoroshiro128p_next(states, index)
    states[int(index)]["s0"] = s0
    states[int(index)]["s1"] = s1


@jit(device=True)
def uint64_to_unit_float64(x):
    """Converts a random uint64 to a float64 in [0, 1). Only in kernels."""
    return (uint64(x) >> uint64(11)) * (float64(1) / (uint64(1) << uint64(53)))


@jit(device=True)
def uint64_to_unit_float32(x):
    """Converts a random uint64 to a float32 in [0, 1]; rounding can give 1. Only in kernels."""
    return float32(uint64_to_unit_float64(x))


@jit(device=True)
def xoroshiro128p_uniform_float32(states, index):
    """Returns a uniformly distributed float32 in [0, 1] and advances ``states[index]``. Only in kernels."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@jit(device=True)
def xoroshiro128p_uniform_float64(states, index):
    """Returns a uniformly distributed float64 in [0, 1) and advances ``states[index]``. Only in kernels."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


@jit(device=True)
def xoroshiro128p_normal_float32(states, index):
    """Returns a float32 from the standard normal distribution. Only in kernels.

    Uses the Box-Muller transform and advances ``states[index]`` by two steps.
    """
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-float32(2) * math.log(u1)) * math.cos(TWO_PI_FLOAT32 * u2)


@jit(device=True)
def xoroshiro128p_normal_float64(states, index):
    """Returns a float64 from the standard normal distribution, computed from two float32 values. Only in kernels.

    Uses the Box-Muller transform and advances ``states[index]`` by two steps.
    """
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-float64(2) * math.log(u1)) * math.cos(TWO_PI_FLOAT64 * u2)


def __getattr__(name):
    raise _missing_name("heddle.cuda.random", name)
