"""``hash`` of numbers, strings and tuples, with the same results as in Python."""

import ctypes
import functools
import math
import sys

import numpy as np

from heddle import types
from heddle.compiler.library_registry import (
    compiled,
    define_function_from_text,
    get_element_dtype,
    implements,
    is_array,
    is_bytes,
    is_date_or_timedelta,
    is_text,
)
from heddle.host_library.strings import code_of

_modulus = sys.hash_info.modulus
_bits = _modulus.bit_length()
_infinity = sys.hash_info.inf
_imaginary = sys.hash_info.imag
_u = np.uint64


@implements("builtins.hash")
def _choose_hash_implementation(x):
    kind = getattr(x, "kind", "")
    if isinstance(x, types.IntEnumMember):
        return _hash_of_int
    if kind == "instance":
        return lambda x: x.__hash__()
    if kind in ("int", "uint", "bool"):
        return _hash_of_uint if get_element_dtype(x).kind == "u" else _hash_of_int
    if kind in ("float", "complex"):
        return _hash_of_float if kind == "float" else _hash_of_complex
    if is_date_or_timedelta(x):
        return lambda x: hash(np.array((x,)).view(np.int64)[0])
    if is_text(x):
        return _make_text_hash_function()
    if kind in ("list", "dict", "set"):
        return _make_refusal(kind)
    if is_array(x) and not is_bytes(x):
        return _make_refusal("numpy.ndarray")
    return _make_tuple_hash_function(len(x.types)) if isinstance(x, types.BaseTuple) else None


def _make_refusal(name):
    message = f"unhashable type: '{name}'"

    def refuse(x):
        raise TypeError(message)
        return 0

    return refuse


def _hash_of_int(x):
    value = np.int64(x)
    if value >= 0:
        return value % _modulus
    rest = -((-(value + _modulus)) % _modulus)  # the smallest integer has no positive counterpart
    return -2 if rest == -1 else rest


def _hash_of_uint(x):
    return np.int64(_u(x) % _u(_modulus))


def _hash_of_float(x):
    if np.isinf(x):
        return _infinity if x > 0 else -_infinity
    if np.isnan(x):
        return 0
    mantissa, exponent = math.frexp(abs(x))
    hashed = _u(0)
    while mantissa > 0.0:
        hashed = ((hashed << _u(28)) & _u(_modulus)) | (hashed >> _u(_bits - 28))
        mantissa *= 268435456.0
        exponent -= 28
        digit = _u(mantissa)
        mantissa -= digit
        hashed += digit
        if hashed >= _u(_modulus):
            hashed -= _u(_modulus)
    turn = _u(exponent % _bits)
    hashed = ((hashed << turn) & _u(_modulus)) | (hashed >> (_u(_bits) - turn))
    out = np.int64(hashed)
    if x < 0:
        out = -out
    return -2 if out == -1 else out


float_hash = compiled(_hash_of_float)


def _hash_of_complex(x):
    hashed = np.int64(_u(float_hash(x.real)) + _u(_imaginary) * _u(float_hash(x.imag)))
    return -2 if hashed == -1 else hashed


@compiled
def _mix_hash_into_lanes(lanes, hashed):
    """One round of xxHash, with which Python combines the hashes of a tuple's items."""
    lanes += _u(hashed) * _u(0xC2B2AE3D27D4EB4F)
    lanes = (lanes << _u(31)) | (lanes >> _u(33))
    return lanes * _u(0x9E3779B185EBCA87)


@functools.cache
def _make_tuple_hash_function(count):
    lines = ["def applied(x):", "    lanes = u(0x27D4EB2F165667C5)"]
    lines += [f"    lanes = mixed(lanes, hash(x[{i}]))" for i in range(count)]
    lines += [f"    lanes += u({count}) ^ u(0x27D4EB2F165667C5 ^ 3527539)"]
    lines += ["    hashed = int64(lanes)", "    return 1546275796 if hashed == -1 else hashed"]
    return define_function_from_text(
        "\n".join(lines) + "\n", {"u": _u, "int64": np.int64, "mixed": _mix_hash_into_lanes}
    )


@compiled
def _rotate_left(x, by):
    return (x << _u(by)) | (x >> _u(64 - by))


@compiled
def _sip_round(a, b, c, d):
    a += b
    c += d
    b = _rotate_left(b, 13) ^ a
    d = _rotate_left(d, 16) ^ c
    a = _rotate_left(a, 32)
    c += b
    a += d
    b = _rotate_left(b, 17) ^ c
    d = _rotate_left(d, 21) ^ a
    return a, b, _rotate_left(c, 32), d


@compiled
def _count_bytes_per_code(text):
    """The bytes that Python uses for each code point of the string: 1, 2 or 4."""
    most = 0
    for i in range(len(text)):
        most = max(most, code_of(text, i))
    return 1 if most < 256 else 2 if most < 65536 else 4


@functools.cache
def _make_text_hash_function():
    """SipHash (Aumasson and Bernstein, 2012) with this process's random key."""
    if sys.hash_info.algorithm not in ("siphash13", "siphash24"):
        return None
    rounds, last_rounds = int(sys.hash_info.algorithm[-2]), int(sys.hash_info.algorithm[-1])
    key = (ctypes.c_uint64 * 2).in_dll(ctypes.pythonapi, "_Py_HashSecret")
    first, second = key[0], key[1]

    def hash_text(text):
        if len(text) == 0:
            return 0
        size = _count_bytes_per_code(text)
        a, b = _u(first ^ 0x736F6D6570736575), _u(second ^ 0x646F72616E646F6D)
        c, d = _u(first ^ 0x6C7967656E657261), _u(second ^ 0x7465646279746573)
        word, shift = _u(0), 0
        for i in range(len(text)):
            word |= _u(code_of(text, i)) << _u(shift)
            shift += 8 * size
            if shift == 64:
                d ^= word
                for _ in range(rounds):
                    a, b, c, d = _sip_round(a, b, c, d)
                a ^= word
                word, shift = _u(0), 0
        word |= _u(len(text) * size) << _u(56)
        d ^= word
        for _ in range(rounds):
            a, b, c, d = _sip_round(a, b, c, d)
        a ^= word
        c ^= _u(0xFF)
        for _ in range(last_rounds):
            a, b, c, d = _sip_round(a, b, c, d)
        hashed = np.int64(a ^ b ^ c ^ d)
        return -2 if hashed == -1 else hashed

    return hash_text
