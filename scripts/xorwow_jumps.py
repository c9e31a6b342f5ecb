"""Prints src/frontend/cuda/headers/heddle/random/xorwow_jumps.h, the tables for jumping ahead in XORWOW's sequence.

A step of XORWOW is a linear map A of 160 bits over the field with two elements. By the Cayley-Hamilton theorem, A^n is
a polynomial in A of degree below 160: x^n modulo A's characteristic polynomial, which the Berlekamp-Massey algorithm
finds from a sequence of output bits. The tables hold x^(2^k) for the bits of an offset (k from 0) and of a subsequence
(k from 67).
"""

BITS = 160
MASK = (1 << 32) - 1
HEADER = """\
// Made by scripts/xorwow_jumps.py: x^(2^k) modulo the characteristic polynomial of a step of XORWOW, 160 bits
// each, the lowest first. `steps` is for jumps of 2^k steps, `subsequences` for jumps of 2^(67 + k).
#pragma once

// clang-format off
namespace __heddle_random {
"""


def step(v):
    t = v[0] ^ (v[0] >> 2)
    last = (v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & MASK
    return [*v[1:], last]


def characteristic_polynomial():
    """The characteristic polynomial of a step: an int in which bit i is the coefficient of x^i."""
    state, bits = [1, 2, 3, 4, 5], []
    for _ in range(4 * BITS):
        bits.append(state[4] & 1)
        state = step(state)
    current, previous, length, since = 1, 1, 0, 1
    for n in range(len(bits)):
        taps = (i for i in range(length + 1) if current >> i & 1)
        if sum(bits[n - i] for i in taps) & 1:
            before = current
            current ^= previous << since
            if 2 * length <= n:
                length, previous, since = n + 1 - length, before, 1
                continue
        since += 1
    assert length == BITS
    return int(f"{current:0{BITS + 1}b}"[::-1], 2)  # the reciprocal of the connection polynomial


def square(p, modulus):
    squared = int("0".join(f"{p:b}"), 2)
    for bit in range(squared.bit_length() - 1, BITS - 1, -1):
        if squared >> bit & 1:
            squared ^= modulus << (bit - BITS)
    return squared


def rows(powers):
    for p in powers:
        words = ", ".join(f"0x{p >> 32 * k & MASK:08x}u" for k in range(BITS // 32))
        yield f"    {{{words}}},"


def main():
    modulus = characteristic_polynomial()
    powers = [2]  # x
    for _ in range(67 + 63):
        powers.append(square(powers[-1], modulus))
    print(HEADER)
    for name, first in (("steps", 0), ("subsequences", 67)):
        print(f"__device__ inline const unsigned *xorwow_{name}(int k) {{")
        print("  static constexpr unsigned table[64][5] = {")
        print("\n".join(rows(powers[first : first + 64])))
        print("  };\n  return table[k];\n}\n")
    print("} // namespace __heddle_random")


main()
