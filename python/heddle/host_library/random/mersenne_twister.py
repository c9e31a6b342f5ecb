"""The generators of numpy.random and random: two Mersenne twisters per thread, whose state the runtime keeps.

The words are those of NumPy's legacy generator for the same seed; floats and bounded integers are made as in NumPy.
"""

import numpy as np

from heddle.compiler.intrinsics import Intrinsic
from heddle.compiler.library_registry import compiled

get_words = Intrinsic("host.random_words")

# Indices of what follows the 624 words of state.
_used, _has_normal, _normal, _end = 624, 625, 626, 628
NUMPY, PYTHON = 0, 1


@compiled
def seed_state(words, start):
    value = np.uint64(start) & np.uint64(0xFFFFFFFF)
    for i in range(_used):
        words[i] = value
        value = (np.uint64(1812433253) * (value ^ (value >> np.uint64(30))) + np.uint64(i + 1)) & (
            np.uint64(0xFFFFFFFF)
        )
    words[_used] = _used
    words[_has_normal] = 0


@compiled
def _twist(high, low):
    y = (high & np.uint32(0x80000000)) | (low & np.uint32(0x7FFFFFFF))
    return (y >> np.uint32(1)) ^ (np.uint32(0x9908B0DF) * (low & np.uint32(1)))


@compiled
def _regenerate_state(words):
    for i in range(227):
        words[i] = words[i + 397] ^ _twist(words[i], words[i + 1])
    for i in range(227, 623):
        words[i] = words[i - 227] ^ _twist(words[i], words[i + 1])
    words[623] = words[396] ^ _twist(words[623], words[0])
    words[_used] = 0


@compiled
def next_word(words):
    """32 random bits, as a uint64."""
    if words[_used] == _used:
        _regenerate_state(words)
    place = words[_used]
    words[_used] = place + np.uint32(1)
    y = np.uint64(words[np.int64(place)])
    y ^= y >> np.uint64(11)
    y ^= (y << np.uint64(7)) & np.uint64(0x9D2C5680)
    y ^= (y << np.uint64(15)) & np.uint64(0xEFC60000)
    return y ^ (y >> np.uint64(18))


@compiled
def next_float(words):
    """A random float in [0, 1)."""
    high, low = (
        np.int64(next_word(words) >> np.uint64(5)),
        np.int64(next_word(words) >> np.uint64(6)),
    )
    return (high * 67108864.0 + low) / 9007199254740992.0


@compiled
def next_integer_up_to(words, most):
    """A random integer from 0 to ``most``, inclusive, as a uint64: draws bits until the number is not too large."""
    mask = np.uint64(most)
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> np.uint64(shift)
    if most == 0:
        return np.uint64(0)
    if most <= np.uint64(0xFFFFFFFF):
        value = next_word(words) & mask
        while value > most:
            value = next_word(words) & mask
        return value
    value = ((next_word(words) << np.uint64(32)) | next_word(words)) & mask
    while value > most:
        value = ((next_word(words) << np.uint64(32)) | next_word(words)) & mask
    return value


@compiled
def next_normal(words):
    """A normally distributed number by the polar method, which draws two numbers and keeps the second for later."""
    left_over = words[_normal:_end].view(np.float64)
    if words[_has_normal]:
        words[_has_normal] = 0
        return left_over[0]
    while True:
        x = 2.0 * next_float(words) - 1.0
        y = 2.0 * next_float(words) - 1.0
        square = x * x + y * y
        if square < 1.0 and square != 0.0:
            break
    scale = np.sqrt(-2.0 * np.log(square) / square)
    left_over[0] = scale * x
    words[_has_normal] = 1
    return scale * y
