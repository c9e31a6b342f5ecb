# ruff: noqa
# What the functions of calls_numba.csv are defined beside: executed once, under numba or under names that stand in for it.
import cmath
import collections
import enum
import math
import math as m
import operator
import sys
import numba
import numpy
import numpy as np
from enum import Enum, IntEnum
from math import sqrt, pi, exp, ceil, floor
from numba import cuda, types
from numba import (
    boolean,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    intp,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
    b1,
    f4,
    f8,
    i1,
    i2,
    i4,
    i8,
    u1,
    u2,
    u4,
    u8,
    c8,
    c16,
)
from numba.types import float16, UniTuple, Tuple
from numba.cuda import (
    libdevice,
    atomic,
    shared,
    local,
    grid,
    threadIdx,
    blockIdx,
    blockDim,
    gridDim,
    syncthreads,
)
from numba.cuda.random import (
    xoroshiro128p_uniform_float32,
    xoroshiro128p_uniform_float64,
    xoroshiro128p_normal_float32,
    xoroshiro128p_normal_float64,
    xoroshiro128p_next,
    xoroshiro128p_dtype,
    init_xoroshiro128p_state,
    xoroshiro128p_jump,
)
import numba.cuda.random as curandom

rec_dtype = np.dtype(
    [("a", np.int32), ("b", np.float64), ("c", np.float32, (3,)), ("d", np.uint8)], align=True
)
rec_t = numba.from_dtype(rec_dtype)
state_t = numba.from_dtype(xoroshiro128p_dtype)
states_t = state_t[::1]

G_BOOL = True
G_INT = 4
G_NEG = -3
G_BIG = 2**40
G_U64 = 2**63 + 5
G_FLOAT = 2.5
G_WHOLE = 4.0
G_CPX = 1 + 2j
G_NONE = None
G_STR = "abc"
G_BYTES = b"abc"
G_TUP = (2, 3)
G_TUP1 = (4,)
G_MIX = (2, 3.5, True)
G_NEST = ((1, 2), (3, 4))
G_NESTMIX = ((1, 2.0), (3, 4.0))
G_LIST = [1, 2, 3]
G_FLIST = [1.0, 2.0, 3.0]
G_NESTLIST = [[1, 2], [3, 4]]
G_DICT = {"a": 1}
G_SET = {1, 2}
G_EMPTY = ()
G_STRTUP = ("a", "b")
G_RANGE = range(4)
G_SLICE = slice(0, 2)
G_ARR = np.arange(6, dtype=np.float32)
G_IARR = np.arange(6, dtype=np.int32)
G_ARR2 = np.arange(6, dtype=np.float64).reshape(2, 3)
G_ARR0 = np.array(3.5)
G_BARR = np.array([True, False])
G_CARR = np.array([1j, 2.0], dtype=np.complex64)
G_FARR = np.asfortranarray(np.arange(6, dtype=np.float64).reshape(2, 3))
G_STRIDED = np.arange(12, dtype=np.int64)[::2]
G_RECARR = np.zeros(3, dtype=rec_dtype)
G_REC = np.zeros(1, dtype=rec_dtype)[0]
G_ARRTUP = (G_ARR, G_IARR)
G_SARR = np.array(["ab", "c"])
G_BOOLNP = np.bool_(True)
G_I8 = np.int8(4)
G_I32 = np.int32(4)
G_I64 = np.int64(4)
G_U8 = np.uint8(4)
G_U32 = np.uint32(4)
G_U64NP = np.uint64(4)
G_F16 = np.float16(1.5)
G_F32 = np.float32(1.5)
G_F64 = np.float64(1.5)
G_C64 = np.complex64(1.5 + 1j)
G_DT = np.float32
G_DTYPE = np.dtype("f4")
G_NBT = float32
G_DT64 = np.datetime64("2020-01-01")
G_TD64 = np.timedelta64(5, "s")


class Color(IntEnum):
    RED = 1
    BLUE = 4


class Shape(Enum):
    SQUARE = 1
    ROUND = 2


class Conf:
    N = 4
    F = 2.5
    T = (2, 3)


class Box:
    pass


G_OBJ = Box()
G_OBJ.n = 4
Point = collections.namedtuple("Point", "x y")
G_POINT = Point(1, 2.0)
G_NS = sys


@cuda.jit(device=True)
def dev_id(v):
    return v


@cuda.jit(device=True)
def dev_pair(v, w):
    return v, w


@cuda.jit(device=True)
def dev_swap(v, w=2):
    return w, v


@cuda.jit(device=True)
def dev_none(v):
    v[0] = 1


@cuda.jit(device=True)
def dev_branch(v):
    if v > 0:
        return v
    return 0


@cuda.jit(device=True)
def dev_fib(n):
    if n < 2:
        return n
    return dev_fib(n - 1) + dev_fib(n - 2)


@cuda.jit("float32(float32, float32)", device=True)
def dev_typed(v, w):
    return v + w


@cuda.jit("int32(int32)", device=True)
def dev_int(v):
    return v * 2


@cuda.jit(device=True, inline="always")
def dev_inline(v):
    return v + 1


@cuda.jit(device=True)
def dev_star(*vs):
    return vs[0]


@cuda.jit(device=True)
def dev_apply(fn, v):
    return fn(v)


def plain(v):
    return v + 1


G_LAMBDA = cuda.jit(device=True)(lambda v: v * 2)
G_FNS = (dev_id, dev_inline)
