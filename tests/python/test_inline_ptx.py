"""Inline PTX in CUDA C++: on a GPU the driver assembles it, on the CPU our tables define it. Each row of the tables is
compared with NumPy, and the programs with ptxas if there is one."""

import math
import re
import shutil
import subprocess
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import heddle
from heddle import cuda

RNG = np.random.default_rng(7)
EDGES = [
    0,
    1,
    2,
    7,
    31,
    32,
    33,
    63,
    64,
    127,
    128,
    255,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
]
U32 = np.array(EDGES + list(RNG.integers(0, 2**32, 47)), "u4")
V32 = np.concatenate([RNG.permutation(U32[:32]), RNG.permutation(U32[32:])])
W32 = RNG.permutation(U32)
U64 = U32.astype("u8") << 32 | V32
V64 = RNG.permutation(U64)
F32 = np.array(
    [
        0,
        -0.0,
        1,
        -1,
        0.5,
        2.5,
        -2.5,
        3.5,
        1e-40,
        -1e-40,
        1e30,
        -1e30,
        np.inf,
        -np.inf,
        np.nan,
        16777217,
    ]
    + list(RNG.normal(size=48) * 100),
    "f4",
)
G32 = RNG.permutation(F32)
F64 = F32.astype("f8") * (1 + 1e-9)
G64 = RNG.permutation(F64)
C = {"u2": "h", "i2": "h", "u4": "r", "i4": "r", "u8": "l", "i8": "l", "f4": "f", "f8": "d"}
TYPES = {
    "u2": "unsigned short",
    "i2": "short",
    "u4": "unsigned",
    "i4": "int",
    "u8": "unsigned long long",
    "i8": "long long",
    "f4": "float",
    "f8": "double",
}


def source(ptx, result, operands):
    """A kernel k(out, x0, x1, ..., n) that runs the PTX for each element; %0 is the result."""
    parameters = "".join(f", const {TYPES[t]}* x{i}" for i, t in enumerate(operands))
    values = ", ".join(f'"{C[t]}"(x{i}[i])' for i, t in enumerate(operands))
    return f"""
extern "C" __global__ void k({TYPES[result]}* out{parameters}, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  {TYPES[result]} r;
  asm volatile("{ptx}" : "={C[result]}"(r) : {values});
  out[i] = r;
}}"""


def run(ptx, result, *operands):
    operands = [np.ascontiguousarray(x) for x in operands]
    kinds = [x.dtype.str[1:] for x in operands]
    out = cuda.to_device(np.zeros(operands[0].size, result))
    k = heddle.RawKernel(source(ptx, result, kinds), "k")
    k(2, 32, (out, *(cuda.to_device(x) for x in operands), operands[0].size))
    return out.copy_to_host()


def big(x):
    return np.array([int(v) for v in x], object)


def low(x, t):
    """Python ints converted to the type t, modulo its range."""
    bits = np.dtype(t).itemsize * 8
    return np.array([int(v) % 2**bits for v in x], object).astype(f"u{bits // 8}").view(t)


def each(f, t):
    return lambda *x: low([f(*(int(v) for v in row)) for row in zip(*x)], t)


def bits_of(x, pos, length, width):
    return (x >> pos) & ((1 << length) - 1) if pos < width else 0


def signed_field(x, pos, length):
    pos, length = pos & 255, length & 255
    if length == 0:
        return 0
    field = (x >> min(pos, 31)) & ((1 << min(length, 32)) - 1)
    return field - (1 << min(length, 32)) if field >> (min(length, 32) - 1) & 1 else field


def bfind(x, signed):
    if signed and x < 0:
        x = ~x
    return x.bit_length() - 1


def insert(a, b, pos, length):
    pos, length = pos & 255, length & 255
    mask = ((1 << length) - 1) << pos & 0xFFFFFFFF
    return b & ~mask | (a << pos) & mask


def permute(a, b, selectors):
    data = (b << 32 | a).to_bytes(8, "little")
    out = 0
    for n in range(4):
        s = selectors >> 4 * n & 15
        byte = data[s & 7]
        out |= (0xFF * (byte >> 7) if s & 8 else byte) << 8 * n
    return out


def lookup(a, b, c, table):
    out = 0
    for n in range(32):
        out |= (table >> ((a >> n & 1) << 2 | (b >> n & 1) << 1 | c >> n & 1) & 1) << n
    return out


def dot4(a, b, c, signed):
    def piece(x, n):
        byte = x >> 8 * n & 255
        return byte - 256 if signed and byte > 127 else byte

    return c + sum(piece(a, n) * piece(b, n) for n in range(4))


I32, J32, K32 = U32.view("i4"), V32.view("i4"), W32.view("i4")
I64, J64 = U64.view("i8"), V64.view("i8")
U16, V16 = U32.astype("u2"), V32.astype("u2")
AMOUNT = np.tile(np.array([0, 1, 5, 16, 31, 32, 33, 200], "u4"), 8)


# The PTX, the result's type, what it is, and the operands.
def clamped(t):
    limits = np.iinfo(t)
    return lambda x: np.clip(x, limits.min, limits.max)


def as_s34(x):
    """The low 34 bits with their sign: the intermediate result of a video instruction."""
    return (x + (1 << 33)) % (1 << 34) - (1 << 33)


def video(operation, lanes=1, t="u4", adds=False):
    """A video instruction on lanes of type t; the third operand is added to the sum of the results."""

    def expected(x, y, z=None):
        bits = 32 // lanes
        lane = np.dtype(f"{t[0]}{bits // 8}")
        parts = [
            np.asarray(operation(a.astype("i8"), b.astype("i8"))).astype("i8")
            for a, b in zip(x.view(lane).reshape(-1, lanes).T, y.view(lane).reshape(-1, lanes).T)
        ]
        if adds:
            return (sum(parts) + z) & 0xFFFFFFFF
        return sum((part & (1 << bits) - 1) << bits * n for n, part in enumerate(parts))

    return expected


INTEGERS = [
    ("add.s32 %0, %1, %2;", "i4", each(lambda x, y: x + y, "i4"), I32, J32),
    ("add.u64 %0, %1, %2;", "u8", each(lambda x, y: x + y, "u8"), U64, V64),
    ("add.s16 %0, %1, %2;", "i2", each(lambda x, y: x + y, "i2"), U16.view("i2"), V16.view("i2")),
    (
        "add.sat.s32 %0, %1, %2;",
        "i4",
        lambda x, y: np.clip(big(x) + big(y), -(2**31), 2**31 - 1),
        I32,
        J32,
    ),
    ("sub.u32 %0, %1, %2;", "u4", each(lambda x, y: x - y, "u4"), U32, V32),
    (
        "sub.sat.s32 %0, %1, %2;",
        "i4",
        lambda x, y: np.clip(big(x) - big(y), -(2**31), 2**31 - 1),
        I32,
        J32,
    ),
    ("mul.lo.u32 %0, %1, %2;", "u4", each(lambda x, y: x * y, "u4"), U32, V32),
    ("mul.hi.u32 %0, %1, %2;", "u4", each(lambda x, y: x * y >> 32, "u4"), U32, V32),
    ("mul.hi.s32 %0, %1, %2;", "i4", each(lambda x, y: x * y >> 32, "i4"), I32, J32),
    ("mul.hi.u64 %0, %1, %2;", "u8", each(lambda x, y: x * y >> 64, "u8"), U64, V64),
    ("mul.hi.s64 %0, %1, %2;", "i8", each(lambda x, y: x * y >> 64, "i8"), I64, J64),
    ("mul.wide.u32 %0, %1, %2;", "u8", each(lambda x, y: x * y, "u8"), U32, V32),
    ("mul.wide.s32 %0, %1, %2;", "i8", each(lambda x, y: x * y, "i8"), I32, J32),
    ("mul.wide.u16 %0, %1, %2;", "u4", each(lambda x, y: x * y, "u4"), U16, V16),
    ("mad.lo.s32 %0, %1, %2, %3;", "i4", each(lambda x, y, z: x * y + z, "i4"), I32, J32, K32),
    (
        "mad.hi.u32 %0, %1, %2, %3;",
        "u4",
        each(lambda x, y, z: (x * y >> 32) + z, "u4"),
        U32,
        V32,
        W32,
    ),
    ("mad.wide.u32 %0, %1, %2, %3;", "u8", each(lambda x, y, z: x * y + z, "u8"), U32, V32, U64),
    (
        "mul24.lo.u32 %0, %1, %2;",
        "u4",
        each(lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF), "u4"),
        U32,
        V32,
    ),
    ("div.u32 %0, %1, %2;", "u4", each(lambda x, y: x // y, "u4"), U32, np.maximum(V32, 1)),
    (
        "div.s32 %0, %1, %2;",
        "i4",
        each(lambda x, y: int(x / y), "i4"),
        I32,
        np.where(J32 == 0, 3, J32),
    ),
    (
        "rem.s32 %0, %1, %2;",
        "i4",
        each(lambda x, y: int(math.fmod(x, y)), "i4"),
        I32,
        np.where(J32 == 0, 3, J32),
    ),
    ("rem.u64 %0, %1, %2;", "u8", each(lambda x, y: x % y, "u8"), U64, np.maximum(V64, 1)),
    ("abs.s32 %0, %1;", "i4", each(abs, "i4"), I32),
    ("neg.s64 %0, %1;", "i8", each(lambda x: -x, "i8"), I64),
    ("min.s32 %0, %1, %2;", "i4", np.minimum, I32, J32),
    ("min.u32 %0, %1, %2;", "u4", np.minimum, U32, V32),
    ("max.s64 %0, %1, %2;", "i8", np.maximum, I64, J64),
    ("max.u16 %0, %1, %2;", "u2", np.maximum, U16, V16),
    ("sad.u32 %0, %1, %2, %3;", "u4", each(lambda x, y, z: abs(x - y) + z, "u4"), U32, V32, W32),
    ("sad.s32 %0, %1, %2, %3;", "i4", each(lambda x, y, z: abs(x - y) + z, "i4"), I32, J32, K32),
    (
        "dp4a.u32.u32 %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, c: dot4(a, b, c, False), "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "dp4a.s32.s32 %0, %1, %2, %3;",
        "i4",
        each(lambda a, b, c: dot4(a, b, c, True), "i4"),
        I32,
        J32,
        K32,
    ),
    (
        "dp2a.hi.u32.u32 %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, c: c + (a & 0xFFFF) * (b >> 16 & 255) + (a >> 16) * (b >> 24), "u4"),
        U32,
        V32,
        W32,
    ),
    # 96 bits from words, in one text and with the carry from one to the next.
    (
        "{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, %2, %1; subc.u32 %0, %3, 0; }",
        "u4",
        each(lambda x, y, z: z - (y - x - (x < y) < 0), "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, 0; }",
        "u4",
        each(lambda x, y, z: x * y + z >> 32, "u4"),
        U32,
        V32,
        W32,
    ),
]


def part(x, n, bits, signed=False):
    """Byte or half n of each number, as an int64."""
    bits_of_part = x.view("u4").astype("i8") >> bits * n & (1 << bits) - 1
    return bits_of_part - (bits_of_part >> bits - 1 << bits) if signed else bits_of_part


def merged(value, n, bits, rest):
    mask = (1 << bits) - 1 << bits * n
    return (value << bits * n & mask | rest.view("u4").astype("i8") & ~mask).astype("u4")


def merged_lanes(values, bits, rest):
    """values: lane -> numbers."""
    for n, value in values.items():
        rest = merged(value, n, bits, rest)
    return rest


SELECTED = [
    (
        "vadd.u32.u32.u32 %0, %1.b3, %2.h1;",
        "u4",
        lambda x, y: part(x, 3, 8) + part(y, 1, 16),
        U32,
        V32,
    ),
    (
        "vsub.s32.s32.u32 %0, %1.h0, %2.b1;",
        "i4",
        lambda x, y: part(x, 0, 16, True) - part(y, 1, 8),
        U32,
        V32,
    ),
    (
        "{ .reg .b32 t, a, b; mov.b32 a, %1; mov.b32 b, %2; "
        "vmax.s32.s32.s32.add t, a.b0, b, %3; mov.b32 %0, t; }",
        "u4",
        lambda x, y, z: low(np.maximum(part(x, 0, 8, True), y.view("i4").astype("i8")) + z, "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "vset.u32.u32.lt %0.b3, %1.b1, %2.b1, %3;",
        "u4",
        lambda x, y, z: merged((part(x, 1, 8) < part(y, 1, 8)).astype("i8"), 3, 8, z),
        U32,
        V32,
        W32,
    ),
    (
        "vadd2.u32.u32.u32 %0.h1, %1, %2, %3;",
        "u4",
        lambda x, y, z: merged(part(x, 1, 16) + part(y, 1, 16), 1, 16, z),
        U32,
        V32,
        W32,
    ),
    (
        "vsub2.s32.s32.s32.sat %0, %1.h03, %2.h12, %3;",
        "u4",
        lambda x, y, z: merged_lanes(
            {
                0: clamped("i2")(part(y, 1, 16, True) - part(y, 0, 16, True)).astype("i8"),
                1: clamped("i2")(part(x, 0, 16, True) - part(x, 1, 16, True)).astype("i8"),
            },
            16,
            z,
        ),
        U32,
        V32,
        W32,
    ),
    (
        "vadd4.u32.u32.u32 %0.b31, %1.b0426, %2.b7711, %3;",
        "u4",
        lambda x, y, z: merged_lanes(
            {1: part(x, 2, 8) + part(x, 1, 8), 3: part(x, 0, 8) + part(y, 3, 8)}, 8, z
        ),
        U32,
        V32,
        W32,
    ),
    (
        "vset4.u32.u32.ge.add %0.b210, %1, %2, %3;",
        "u4",
        lambda x, y, z: low(sum(part(x, n, 8) >= part(y, n, 8) for n in range(3)) + z, "u4"),
        U32,
        V32,
        W32,
    ),
]

VIDEO = [
    ("vadd.u32.u32.u32 %0, %1, %2;", "u4", video(np.add), U32, V32),
    (
        "vadd.s32.s32.s32.sat %0, %1, %2;",
        "i4",
        lambda x, y: clamped("i4")(big(x) + big(y)),
        I32,
        J32,
    ),
    (
        "vsub.s32.u32.s32.sat %0, %1, %2;",
        "i4",
        lambda x, y: clamped("i4")(big(x) - big(y)),
        U32,
        J32,
    ),
    ("vabsdiff.u32.s32.s32 %0, %1, %2;", "u4", video(lambda x, y: abs(x - y), t="i4"), I32, J32),
    (
        "vmin.s32.s32.s32.max %0, %1, %2, %3;",
        "i4",
        lambda x, y, z: np.maximum(np.minimum(x, y), z),
        I32,
        J32,
        W32.view("i4"),
    ),
    (
        "vmax.u32.u32.u32.min %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: np.minimum(np.maximum(x, y), z),
        U32,
        V32,
        W32,
    ),
    (
        "vshl.u32.u32.u32.clamp.add %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: low([int(a) << min(int(b), 32) for a, b in zip(x, y)], "u4") + z,
        U32,
        V32 % 40,
        W32,
    ),
    (
        "vshl.u32.u32.u32.sat.clamp %0, %1, %2;",
        "u4",
        lambda x, y: clamped("u4")(as_s34(x.astype("i8") << y)),
        U32 >> 9,
        V32 % 31,
    ),
    ("vshr.s32.s32.u32.wrap %0, %1, %2;", "i4", lambda x, y: x >> (y % 32).astype("i4"), I32, V32),
    ("vset.s32.u32.lt %0, %1, %2;", "u4", lambda x, y: x.astype("i8") < y, I32, V32),
    (
        "vadd2.s32.s32.s32.sat %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: video(lambda a, b: clamped("i2")(a + b), 2, "i4")(x, y),
        I32,
        J32,
        U32,
    ),
    (
        "vsub4.u32.u32.u32 %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: video(np.subtract, 4)(x, y),
        U32,
        V32,
        W32,
    ),
    (
        "vavrg4.u32.u32.u32 %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: video(lambda a, b: (a + b + 1) >> 1, 4)(x, y),
        U32,
        V32,
        W32,
    ),
    (
        "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;",
        "u4",
        video(lambda a, b: abs(a - b), 4, adds=True),
        U32,
        V32,
        W32,
    ),
    (
        "vmax2.s32.s32.s32 %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: video(np.maximum, 2, "i4")(x, y),
        I32,
        J32,
        U32,
    ),
    (
        "vmin4.u32.u32.u32 %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: video(np.minimum, 4)(x, y),
        U32,
        V32,
        W32,
    ),
    (
        "vset4.u32.u32.ge %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: video(np.greater_equal, 4)(x, y),
        U32,
        V32,
        W32,
    ),
]


def find_nth_set(mask, base, n):
    if n == 0:
        return base if base < 32 and mask >> base & 1 else -1
    places = range(base, 32) if n > 0 else range(base, -1, -1)
    found = [i for i in places if i < 32 and mask >> i & 1] if base < 32 else []
    return found[abs(n) - 1] if abs(n) <= len(found) else -1


BITS = [
    ("fns.b32 %0, %1, %2, %3;", "u4", each(find_nth_set, "u4"), U32, V32 % 33, J32 % 9),
    ("fns.b32 %0, %1, %2, %3;", "u4", each(find_nth_set, "u4"), U32 | V32, W32 % 32, -(J32 % 20)),
    ("fns.b32 %0, %1, %2, 0;", "u4", each(lambda x, b: find_nth_set(x, b, 0), "u4"), U32, W32 % 32),
    ("and.b32 %0, %1, %2;", "u4", np.bitwise_and, U32, V32),
    ("or.b64 %0, %1, %2;", "u8", np.bitwise_or, U64, V64),
    ("xor.b16 %0, %1, %2;", "u2", np.bitwise_xor, U16, V16),
    ("not.b32 %0, %1;", "u4", np.bitwise_not, U32),
    ("cnot.b32 %0, %1;", "u4", lambda x: x == 0, U32),
    ("shl.b32 %0, %1, %2;", "u4", each(lambda x, n: x << n if n < 32 else 0, "u4"), U32, AMOUNT),
    ("shr.u32 %0, %1, %2;", "u4", each(lambda x, n: x >> n, "u4"), U32, AMOUNT),
    ("shr.s32 %0, %1, %2;", "i4", each(lambda x, n: x >> n, "i4"), I32, AMOUNT),
    ("shl.b64 %0, %1, %2;", "u8", each(lambda x, n: x << n, "u8"), U64, AMOUNT),
    ("shr.b16 %0, %1, %2;", "u2", each(lambda x, n: x >> n, "u2"), U16, AMOUNT),
    (
        "shf.l.wrap.b32 %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, n: (b << 32 | a) << n % 32 >> 32, "u4"),
        U32,
        V32,
        AMOUNT,
    ),
    (
        "shf.r.wrap.b32 %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, n: (b << 32 | a) >> n % 32, "u4"),
        U32,
        V32,
        AMOUNT,
    ),
    (
        "shf.l.clamp.b32 %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, n: (b << 32 | a) << min(n, 32) >> 32, "u4"),
        U32,
        V32,
        AMOUNT,
    ),
    (
        "shf.r.clamp.b32 %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, n: (b << 32 | a) >> min(n, 32), "u4"),
        U32,
        V32,
        AMOUNT,
    ),
    (
        "bfe.u32 %0, %1, %2, %3;",
        "u4",
        each(lambda x, p, n: bits_of(x, p & 255, n & 255, 32), "u4"),
        U32,
        AMOUNT,
        W32,
    ),
    ("bfe.s32 %0, %1, %2, %3;", "i4", each(signed_field, "i4"), I32, AMOUNT, W32),
    (
        "bfe.u64 %0, %1, %2, %3;",
        "u8",
        each(lambda x, p, n: bits_of(x, p, n, 64), "u8"),
        U64,
        AMOUNT,
        W32 % 256,  # PTX says nothing of larger ones, and ptxas takes them for 255
    ),
    ("bfi.b32 %0, %1, %2, %3, %4;", "u4", each(insert, "u4"), U32, V32, AMOUNT, W32),
    ("bfind.u32 %0, %1;", "u4", each(lambda x: bfind(x, False), "u4"), U32),
    ("bfind.s32 %0, %1;", "u4", each(lambda x: bfind(x, True), "u4"), I32),
    ("bfind.u64 %0, %1;", "u4", each(lambda x: bfind(x, False), "u4"), U64),
    (
        "bfind.shiftamt.u32 %0, %1;",
        "u4",
        each(lambda x: 31 - bfind(x, False) if x else -1, "u4"),
        U32,
    ),
    ("brev.b32 %0, %1;", "u4", each(lambda x: int(f"{x:032b}"[::-1], 2), "u4"), U32),
    ("brev.b64 %0, %1;", "u8", each(lambda x: int(f"{x:064b}"[::-1], 2), "u8"), U64),
    ("popc.b32 %0, %1;", "u4", np.bitwise_count, U32),
    ("popc.b64 %0, %1;", "u4", np.bitwise_count, U64),
    ("clz.b32 %0, %1;", "u4", each(lambda x: 32 - x.bit_length(), "u4"), U32),
    ("clz.b64 %0, %1;", "u4", each(lambda x: 64 - x.bit_length(), "u4"), U64),
    ("prmt.b32 %0, %1, %2, %3;", "u4", each(permute, "u4"), U32, V32, W32),
    (
        "prmt.b32.f4e %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, c: permute(a, b, 0x3210 + (c & 3) * 0x1111), "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "prmt.b32.b4e %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, c: permute(a, b, (0x5670, 0x6701, 0x7012, 0x0123)[c & 3]), "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "prmt.b32.rc8 %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, c: permute(a, b, (c & 3) * 0x1111), "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "prmt.b32.ecl %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, c: permute(a, b, (0x3210, 0x3211, 0x3222, 0x3333)[c & 3]), "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "prmt.b32.ecr %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, c: permute(a, b, (0x0000, 0x1110, 0x2210, 0x3210)[c & 3]), "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "prmt.b32.rc16 %0, %1, %2, %3;",
        "u4",
        each(lambda a, b, c: permute(a, b, (0x1010, 0x3232)[c & 1]), "u4"),
        U32,
        V32,
        W32,
    ),
    (
        "bmsk.clamp.b32 %0, %1, %2;",
        "u4",
        each(lambda p, n: ((1 << min(n, 32)) - 1) << p if p < 32 else 0, "u4"),
        AMOUNT,
        RNG.permutation(AMOUNT),
    ),
    ("mov.b64 %0, {%1, %2};", "u8", each(lambda x, y: y << 32 | x, "u8"), U32, V32),
    ("{ .reg .b32 l; mov.b64 {l, %0}, %1; }", "u4", each(lambda x: x >> 32, "u4"), U64),
    (
        "{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }",
        "u4",
        each(lambda x: x >> 16 | x << 16, "u4"),
        U32,
    ),
    ("cvt.u32.u8 %0, %1;", "u4", lambda x: x & 255, U32),
    ("cvt.s32.s8 %0, %1;", "i4", lambda x: x.astype("i1"), I32),
    ("cvt.s64.s32 %0, %1;", "i8", lambda x: x.astype("i8"), I32),
    ("cvt.u16.u32 %0, %1;", "u2", lambda x: x.astype("u2"), U32),
    ("cvt.sat.u8.s32 %0, %1;", "u4", lambda x: np.clip(x, 0, 255), I32),
    ("cvt.sat.s32.u32 %0, %1;", "i4", lambda x: np.minimum(x, 2**31 - 1), U32),
    (
        "cvt.pack.sat.u16.s32 %0, %1, %2;",
        "u4",
        lambda x, y: np.clip(x, 0, 65535) << 16 | np.clip(y, 0, 65535),
        I32,
        J32,
    ),
    (
        "cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: z << 16 | (np.clip(x, -128, 127) & 255) << 8 | np.clip(y, -128, 127) & 255,
        I32,
        J32,
        U32,
    ),
    (
        "cvt.pack.sat.u4.s32.b32 %0, %1, %2, %3;",
        "u4",
        lambda x, y, z: z << 8 | np.clip(x, 0, 15) << 4 | np.clip(y, 0, 15),
        I32,
        J32,
        U32,
    ),
    ("cvt.sat.u64.s64 %0, %1;", "u8", lambda x: np.maximum(x, 0), I64),
] + [
    (
        f"lop3.b32 %0, %1, %2, %3, {table};",
        "u4",
        each(lambda a, b, c, t=table: lookup(a, b, c, t), "u4"),
        U32,
        V32,
        W32,
    )
    for table in (0x96, 0xE8, 0xCA, 0x01, 0x80, 0xFF, 0x00, 0x6A)
]


def half(x):
    with np.errstate(all="ignore"):
        return x.astype("f2").view("u2")


def halves(x):
    return half(x).astype("u4") | half(x[::-1].copy()).astype("u4") << 16


def unpacked(x):
    return x.astype("u2").view("f2"), (x >> 16).astype("u2").view("f2")


def both(f):
    def packed(*x):
        parts = [unpacked(v) for v in x]
        l, h = (f(*(p[n] for p in parts)).astype("f2").view("u2").astype("u4") for n in (0, 1))
        return l | h << 16

    return packed


FINITE = np.where(np.isfinite(F32), F32, 3).astype("f4")
GINITE = np.where(np.isfinite(G32), G32, 5).astype("f4")
H16, K16 = half(np.clip(FINITE, -1e4, 1e4)), half(np.clip(GINITE, -1e4, 1e4))


def flushed(x):
    return np.where(np.abs(x) < np.finfo("f4").tiny, np.copysign(np.float32(0), x), x)


NANS = np.array([0x7F800001, 0x7FFFFFFF, 0xFFC12345, 0xFFFFFFFF, 0x7FFFEFFF], "u4").view("f4")
TF32_INPUTS = np.concatenate([F32[: -NANS.size], NANS])


def tf32_to_nearest(x):
    """The upper 19 bits of x, rounded to nearest even; one NaN for all NaNs."""
    bits = x.view("u4").astype("u8")
    rounded = (bits + 0xFFF + (bits >> 13 & 1)) & 0xFFFFE000
    return np.where(np.isnan(x), 0x7FFFE000, rounded)


def tf32_away_from_zero(x):
    """The upper 19 bits of x, rounded with ties away from zero; of NaNs as well."""
    bits = x.view("u4").astype("u8")
    overflows = (bits & 0x7FFFFFFF) > 0x7FFFEFFF
    return np.where(overflows, bits, bits + 0x1000) & 0xFFFFE000


def small_bits(x, t):
    """The bits of x as an 8-bit float: the nearest finite value."""
    largest = float(ml_dtypes.finfo(t).max)
    bits = np.clip(np.nan_to_num(x.astype("f4")), -largest, largest).astype(t).view("u1")
    return np.where(np.isnan(x), 0x7F, bits).astype("u2")


def small_pairs(t):
    return lambda x, y: small_bits(x, t) << 8 | small_bits(y, t)


def from_small_pairs(t):
    def expected(x):
        values = x.view("u1").view(t).astype("f4")
        halves = np.where(np.isnan(values), 0x7FFF, half(values))
        return halves[1::2].astype("u4") << 16 | halves[::2]

    return expected


E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
SMALL32 = np.concatenate([F32[:16], 2.0 ** np.arange(-20, 20), [1.5 * 2**-10, 448, 464, 465]])[:64]
SMALL32 = SMALL32.astype("f4")

FLOATS = [
    ("add.f32 %0, %1, %2;", "f4", np.add, F32, G32),
    ("add.rn.f32 %0, %1, %2;", "f4", np.add, F32, G32),
    ("add.ftz.f32 %0, %1, %2;", "f4", lambda x, y: flushed(flushed(x) + flushed(y)), F32, G32),
    ("sub.rn.f64 %0, %1, %2;", "f8", np.subtract, F64, G64),
    ("mul.f32 %0, %1, %2;", "f4", np.multiply, F32, G32),
    ("mul.sat.f32 %0, %1, %2;", "f4", lambda x, y: np.nan_to_num(np.clip(x * y, 0, 1)), F32, G32),
    ("div.rn.f32 %0, %1, %2;", "f4", np.divide, F32, G32),
    ("div.rn.f64 %0, %1, %2;", "f8", np.divide, F64, G64),
    ("rcp.rn.f32 %0, %1;", "f4", lambda x: 1 / x, F32),
    ("sqrt.rn.f32 %0, %1;", "f4", np.sqrt, F32),
    ("sqrt.rn.f64 %0, %1;", "f8", np.sqrt, F64),
    ("neg.f32 %0, %1;", "f4", np.negative, F32),
    ("abs.f64 %0, %1;", "f8", np.abs, F64),
    ("min.f32 %0, %1, %2;", "f4", np.fmin, F32, G32),
    ("max.f32 %0, %1, %2;", "f4", np.fmax, F32, G32),
    ("copysign.f32 %0, %1, %2;", "f4", lambda x, y: np.copysign(y, x), F32, G32),
    (
        "fma.rn.f64 %0, %1, %2, %1;",
        "f8",
        lambda x, y: np.array([float(fused(a, b, a)) for a, b in zip(x, y)]),
        FINITE.astype("f8"),
        GINITE.astype("f8"),
    ),
    ("{ .reg .pred p; testp.finite.f32 p, %1; selp.u32 %0, 1, 0, p; }", "u4", np.isfinite, F32),
    (
        "{ .reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p; }",
        "u4",
        lambda x: (np.abs(x) < 1e-38) & (x != 0),
        F32,
    ),
    ("{ .reg .pred p; testp.notanumber.f64 p, %1; selp.u32 %0, 1, 0, p; }", "u4", np.isnan, F64),
    ("cvt.rni.s32.f32 %0, %1;", "i4", lambda x: saturating(np.rint(x), "i4"), F32),
    ("cvt.rzi.s32.f32 %0, %1;", "i4", lambda x: saturating(np.trunc(x), "i4"), F32),
    ("cvt.rmi.s32.f64 %0, %1;", "i4", lambda x: saturating(np.floor(x), "i4"), np.nan_to_num(F64)),
    ("cvt.rpi.u32.f32 %0, %1;", "u4", lambda x: saturating(np.ceil(x), "u4"), F32),
    ("cvt.rzi.u8.f32 %0, %1;", "u4", lambda x: saturating(np.trunc(x), "u1"), F32),
    ("cvt.rn.f32.s32 %0, %1;", "f4", lambda x: x.astype("f4"), I32),
    ("cvt.rz.f32.s32 %0, %1;", "f4", lambda x: directed(x, "f4", "z"), I32),
    ("cvt.rm.f32.s32 %0, %1;", "f4", lambda x: directed(x, "f4", "m"), I32),
    ("cvt.rp.f32.u32 %0, %1;", "f4", lambda x: directed(x, "f4", "p"), U32),
    ("cvt.rz.f64.u64 %0, %1;", "f8", lambda x: directed(x, "f8", "z"), U64),
    ("cvt.rm.f32.s64 %0, %1;", "f4", lambda x: directed(x, "f4", "m"), I64),
    ("cvt.rn.f64.u64 %0, %1;", "f8", lambda x: x.astype("f8"), U64),
    ("cvt.f64.f32 %0, %1;", "f8", lambda x: x.astype("f8"), F32),
    ("cvt.rn.f32.f64 %0, %1;", "f4", lambda x: x.astype("f4"), F64),
    ("cvt.rz.f32.f64 %0, %1;", "f4", lambda x: directed(x, "f4", "z"), F64),
    ("cvt.rni.f32.f32 %0, %1;", "f4", np.rint, F32),
    ("cvt.sat.f32.f32 %0, %1;", "f4", lambda x: np.nan_to_num(np.clip(x, 0, 1)), F32),
    ("cvt.f32.f16 %0, %1;", "f4", lambda x: x.view("f2").astype("f4"), H16),
    ("cvt.rn.f16.f32 %0, %1;", "u2", half, FINITE),
    (
        "cvt.rn.f16x2.f32 %0, %1, %2;",
        "u4",
        lambda x, y: half(y).astype("u4") | half(x).astype("u4") << 16,
        FINITE,
        GINITE,
    ),
    ("cvt.rna.tf32.f32 %0, %1;", "u4", tf32_away_from_zero, TF32_INPUTS),
    ("cvt.rn.tf32.f32 %0, %1;", "u4", tf32_to_nearest, TF32_INPUTS),
    ("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", "u2", small_pairs(E4M3), SMALL32, SMALL32[::-1]),
    ("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;", "u2", small_pairs(E5M2), SMALL32, SMALL32[::-1]),
    (
        "cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;",
        "u2",
        lambda x: small_pairs(E4M3)(*unpacked(x)[::-1]),
        halves(SMALL32),
    ),
    (
        "cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;",
        "u2",
        lambda x, y: small_pairs(E4M3)(np.maximum(x, 0) + 0, np.maximum(y, 0) + 0),
        SMALL32,
        SMALL32[::-1],
    ),
    ("cvt.rn.f16x2.e4m3x2 %0, %1;", "u4", from_small_pairs(E4M3), H16),
    ("cvt.rn.f16x2.e5m2x2 %0, %1;", "u4", from_small_pairs(E5M2), H16),
    ("add.f16 %0, %1, %2;", "u2", lambda x, y: (x.view("f2") + y.view("f2")).view("u2"), H16, K16),
    (
        "mul.f16x2 %0, %1, %2;",
        "u4",
        both(np.multiply),
        halves(np.clip(FINITE, -9, 9)),
        halves(np.clip(GINITE, -9, 9)),
    ),
    ("set.lt.u32.f32 %0, %1, %2;", "u4", lambda x, y: -(x < y).astype("i4"), F32, G32),
    ("set.geu.f32.f32 %0, %1, %2;", "f4", lambda x, y: ~(x < y), F32, G32),
    ("set.gt.s32.s32 %0, %1, %2;", "i4", lambda x, y: -(x > y).astype("i4"), I32, J32),
    ("slct.f32.s32 %0, %1, %2, %3;", "f4", lambda x, y, z: np.where(z >= 0, x, y), F32, G32, I32),
    ("slct.u32.f32 %0, %1, %2, %3;", "u4", lambda x, y, z: np.where(z >= 0, x, y), U32, V32, F32),
    (
        "{ .reg .pred p; setp.lt.u32 p, %1, %2; @p mov.u32 %0, 1; @!p mov.u32 %0, 2; }",
        "u4",
        lambda x, y: 2 - (x < y),
        U32,
        V32,
    ),
    (
        "{ .reg .pred p, q; setp.eq.and.s32 p|q, %1, %2, 1; selp.u32 %0, 1, 0, q; }",
        "u4",
        lambda x, y: x != y,
        I32,
        J32,
    ),
    (
        "{ .reg .pred p, q; setp.nan.f32 q, %1, %1; setp.gt.or.f32 p, %1, %2, q; selp.u32 %0, 1, 0, p; }",
        "u4",
        lambda x, y: (x > y) | np.isnan(x),
        F32,
        G32,
    ),
    (
        "{ .reg .pred p; setp.hi.u32 p, %1, %2; not.pred p, p; selp.b32 %0, %1, %2, p; }",
        "u4",
        np.minimum,
        U32,
        V32,
    ),
]

# Operations that PTX only approximates: the bound is that of the result's own type.
APPROXIMATE = [
    ("rcp.approx.ftz.f32 %0, %1;", lambda x: 1 / x),
    ("sqrt.approx.f32 %0, %1;", np.sqrt),
    ("rsqrt.approx.f32 %0, %1;", lambda x: 1 / np.sqrt(x)),
    ("sin.approx.f32 %0, %1;", np.sin),
    ("cos.approx.f32 %0, %1;", np.cos),
    ("lg2.approx.f32 %0, %1;", np.log2),
    ("ex2.approx.ftz.f32 %0, %1;", np.exp2),
    ("tanh.approx.f32 %0, %1;", np.tanh),
]


def fused(x, y, z):
    return float(Fraction(x) * Fraction(y) + Fraction(z))


def saturating(x, t):
    limits = np.iinfo(t)
    return np.array(
        [0 if v != v else min(max(v, limits.min), limits.max) for v in x.astype("f8")]
    ).astype(t)


def directed(x, t, mode):
    """Each x rounded to a float of type t in one direction: toward zero, minus infinity or plus infinity."""
    out = []
    for v in x:
        exact = v if isinstance(v, np.floating) else int(v)
        near = np.dtype(t).type(exact)
        wide = float(near) if t == "f4" else int(near)
        if mode == "z":
            mode_here = "m" if exact > 0 else "p"
        else:
            mode_here = mode
        if mode_here == "m" and wide > exact:
            near = np.nextafter(near, np.dtype(t).type(-np.inf))
        if mode_here == "p" and wide < exact:
            near = np.nextafter(near, np.dtype(t).type(np.inf))
        out.append(near)
    return np.array(out, t)


ROWS = INTEGERS + BITS + FLOATS + VIDEO + SELECTED


@pytest.mark.parametrize("row", ROWS, ids=[row[0].replace("%", "") for row in ROWS])
def test_an_instruction_does_what_numpy_does(device, row):
    ptx, result, expected, *operands = row
    with np.errstate(all="ignore"):
        wanted = np.asarray(expected(*operands)).astype(result)
    np.testing.assert_array_equal(run(ptx, result, *operands), wanted)


@pytest.mark.parametrize("ptx, expected", APPROXIMATE, ids=[row[0][:9] for row in APPROXIMATE])
def test_an_approximation_is_near(device, ptx, expected):
    x = np.linspace(0.1, 3, 64, dtype="f4")
    np.testing.assert_allclose(run(ptx, "f4", x), expected(x.astype("f8")), rtol=1e-3, atol=1e-5)


def assembly_of(row):
    """A PTX kernel that contains the row's text."""
    ptx, result, _, *operands = row
    kinds = [np.dtype(result).str[1:], *(x.dtype.str[1:] for x in operands)]
    names = {
        "u2": "b16",
        "i2": "b16",
        "u4": "b32",
        "i4": "b32",
        "u8": "b64",
        "i8": "b64",
        "f4": "f32",
        "f8": "f64",
    }
    registers = "".join(f".reg .{names[kind]} r{i};\n" for i, kind in enumerate(kinds))
    text = re.sub(r"%(\d)", r"r\1", ptx)
    return f".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n{registers}{text}\nret;\n}}\n"


@pytest.mark.parametrize(
    "group",
    [INTEGERS, BITS, FLOATS, VIDEO, SELECTED],
    ids=["integers", "bits", "floats", "video", "selected"],
)
def test_the_texts_are_ptx(group, tmp_path):
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if not ptxas:
        pytest.skip("there is no ptxas")
    for n, row in enumerate(group):
        (tmp_path / f"{n}.ptx").write_text(assembly_of(row))
        command = [ptxas, "-arch=sm_90", "-O0", tmp_path / f"{n}.ptx", "-o", tmp_path / "out"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, row[0] + done.stdout + done.stderr
