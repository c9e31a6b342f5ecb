"""``cuda.random``: the states, sequences and distributions of numba's generator."""

import math

import numpy as np
import pytest

from heddle import cuda
from heddle.cuda import random
from heddle.cuda.random import (
    create_xoroshiro128p_states,
    init_xoroshiro128p_states,
    xoroshiro128p_dtype,
)


class Generator:
    """xoroshiro128+ with Python integers."""

    def __init__(self, s0, s1):
        self.state = [s0, s1]

    @classmethod
    def seeded(cls, seed):
        z = (seed + 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return cls(z ^ (z >> 31), z ^ (z >> 31))

    def next(self):
        s0, s1 = self.state
        result = (s0 + s1) % 2**64
        s1 ^= s0
        rotate = lambda x, k: (x << k | x >> (64 - k)) % 2**64  # noqa: E731 - a formula
        self.state = [rotate(s0, 55) ^ s1 ^ (s1 << 14) % 2**64, rotate(s1, 36)]
        return result

    def jump(self):
        s0 = s1 = 0
        for word in (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922):
            for bit in range(64):
                if word >> bit & 1:
                    s0, s1 = s0 ^ self.state[0], s1 ^ self.state[1]
                self.next()
        self.state = [s0, s1]


def generators(count, seed, start=0):
    made = [Generator.seeded(seed)]
    for _ in range(start):
        made[0].jump()
    while len(made) < count:
        made.append(Generator(*made[-1].state))
        made[-1].jump()
    return made


def states_of(made):
    return np.array([tuple(g.state) for g in made], xoroshiro128p_dtype)


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**64 - 1, -1])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_states_are_numbas(device, count, seed):
    found = create_xoroshiro128p_states(count, seed).copy_to_host()
    np.testing.assert_array_equal(found, states_of(generators(count, seed % 2**64)))


def test_states_start_at_a_later_subsequence(device):
    found = create_xoroshiro128p_states(4, 9, subsequence_start=5).copy_to_host()
    np.testing.assert_array_equal(found, states_of(generators(4, 9, start=5)))


def test_states_are_what_numba_makes():
    numba_random = pytest.importorskip("numba.cuda.random")
    wanted = np.empty(5, xoroshiro128p_dtype)
    numba_random.init_xoroshiro128p_states_cpu(wanted, 1, 3)
    found = create_xoroshiro128p_states(5, 1, 3).copy_to_host()
    np.testing.assert_array_equal(found, wanted)


def test_no_generator_is_an_empty_array(device):
    assert create_xoroshiro128p_states(0, 1).shape == (0,)


def test_states_are_started_anew(device):
    states = create_xoroshiro128p_states(3, 1)
    init_xoroshiro128p_states(states, 2)
    np.testing.assert_array_equal(states.copy_to_host(), states_of(generators(3, 2)))


def drawn(function, count, rounds, dtype, seed=7):
    """(``rounds`` numbers from each of ``count`` generators, the states afterwards)"""

    @cuda.jit
    def k(states, out):
        i = cuda.grid(1)
        if i < states.size:
            for r in range(out.shape[1]):
                out[i, r] = function(states, i)

    states, out = create_xoroshiro128p_states(count, seed), np.zeros((count, rounds), dtype)
    k[-(-count // 32), 32](states, out)
    return out, states.copy_to_host()


def test_a_kernel_draws_the_sequence(device):
    found, after = drawn(random.xoroshiro128p_next, 10, 6, np.uint64)
    made = generators(10, 7)
    assert found.tolist() == [[g.next() for _ in range(6)] for g in made]
    np.testing.assert_array_equal(after, states_of(made))


@pytest.mark.parametrize("bits", [32, 64])
def test_uniform_numbers_are_the_high_bits(device, bits):
    function = getattr(random, f"xoroshiro128p_uniform_float{bits}")
    found, _ = drawn(function, 10, 6, f"f{bits // 8}")
    wanted = np.array([[(g.next() >> 11) * 2.0**-53 for _ in range(6)] for g in generators(10, 7)])
    np.testing.assert_array_equal(found, wanted.astype(found.dtype))


@pytest.mark.parametrize("bits", [32, 64])
def test_normal_numbers_are_made_of_two_uniform_float32s(device, bits):
    function = getattr(random, f"xoroshiro128p_normal_float{bits}")
    found, _ = drawn(function, 20, 4, f"f{bits // 8}")

    def normal(g):
        u1, u2 = (float(np.float32((g.next() >> 11) * 2.0**-53)) for _ in range(2))
        return math.sqrt(-2 * math.log(u1)) * math.cos(2 * math.pi * u2)

    wanted = [[normal(g) for _ in range(4)] for g in generators(20, 7)]
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)


def test_normal_numbers_have_mean_0_and_deviation_1(device):
    found, _ = drawn(random.xoroshiro128p_normal_float32, 256, 100, np.float32)
    assert abs(found.mean()) < 0.03
    assert abs(found.std() - 1) < 0.03


def test_a_kernel_starts_and_moves_generators(device):
    @cuda.jit
    def k(states):
        i = cuda.grid(1)
        random.init_xoroshiro128p_state(states, i, i + 5)
        random.xoroshiro128p_jump(states, i)

    states = cuda.device_array(3, xoroshiro128p_dtype)
    k[1, 3](states)
    made = [Generator.seeded(i + 5) for i in range(3)]
    for g in made:
        g.jump()
    np.testing.assert_array_equal(states.copy_to_host(), states_of(made))


def test_a_rotation_goes_around_the_end(device):
    @cuda.jit
    def k(x, out):
        out[0] = random.rotl(x, 4)

    out = np.zeros(1, np.uint64)
    k[1, 1](np.uint64(0xF123456789ABCDEF), out)
    assert out[0] == 0x123456789ABCDEFF


def test_programs_for_numba_find_the_module(run_script):
    result = run_script(
        "from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32\n"
        "import numba.cuda.random\n"
        "from numba import cuda\n"
        "print(cuda.random.create_xoroshiro128p_states(2, 1).dtype.names)"
    )
    assert result.stdout == "('s0', 's1')\n", result.stderr
