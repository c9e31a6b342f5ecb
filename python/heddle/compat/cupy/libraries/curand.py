"""cupy.cuda.curand: cuRAND's functions that fill memory with random numbers, on the CPU device.

The numbers come from NumPy's generators: the same seed gives the same numbers, but not those of cuRAND.
"""

import ctypes

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.libraries.c_libraries import LibraryError, NumberedObjects
from heddle.support.missing_names import make_missing_name_error

# Generator types (curand.h).
CURAND_RNG_TEST = 0
CURAND_RNG_PSEUDO_DEFAULT = 100
CURAND_RNG_PSEUDO_XORWOW = 101
CURAND_RNG_PSEUDO_MRG32K3A = 121
CURAND_RNG_PSEUDO_MTGP32 = 141
CURAND_RNG_PSEUDO_MT19937 = 142
CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161
CURAND_RNG_QUASI_DEFAULT = 200
CURAND_RNG_QUASI_SOBOL32 = 201
CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202
CURAND_RNG_QUASI_SOBOL64 = 203
CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204

CURAND_ORDERING_PSEUDO_BEST = 100
CURAND_ORDERING_PSEUDO_DEFAULT = 101
CURAND_ORDERING_PSEUDO_SEEDED = 102
CURAND_ORDERING_QUASI_DEFAULT = 201

_ERRORS = {
    101: "CURAND_STATUS_NOT_INITIALIZED",
    103: "CURAND_STATUS_TYPE_ERROR",
    104: "CURAND_STATUS_OUT_OF_RANGE",
    105: "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
}
_pseudo = {
    CURAND_RNG_TEST: np.random.PCG64,
    CURAND_RNG_PSEUDO_DEFAULT: np.random.PCG64,
    CURAND_RNG_PSEUDO_XORWOW: np.random.PCG64,
    CURAND_RNG_PSEUDO_MRG32K3A: np.random.PCG64,
    CURAND_RNG_PSEUDO_MTGP32: np.random.MT19937,
    CURAND_RNG_PSEUDO_MT19937: np.random.MT19937,
    CURAND_RNG_PSEUDO_PHILOX4_32_10: np.random.Philox,
}


class CURANDError(LibraryError):
    """An error of cuRAND. status: its code, an int."""

    @staticmethod
    def _name_status(status):
        return _ERRORS.get(status, f"CURAND_STATUS {status}")


class _Generator:
    def __init__(self, kind):
        self.kind = kind
        self.seed(0)

    def seed(self, seed):
        self.bits = _pseudo[self.kind](seed)
        self.numbers = np.random.Generator(self.bits)


_generators = NumberedObjects(lambda: CURANDError(101, "no generator has this number"))


def _write_to_address(pointer, count, dtype, values):
    if count:
        size = count * np.dtype(dtype).itemsize
        _heddle.record_host_write_for_check(int(pointer), size)
        memory = (ctypes.c_char * size).from_address(int(pointer))
        np.frombuffer(memory, dtype)[:] = values


def _draw_normal_into(handle, pointer, count, dtype, draw):
    if count % 2:
        raise CURANDError(105, f"normal numbers are generated in pairs, and {count} is odd")
    _write_to_address(pointer, count, dtype, draw(_generators[handle].numbers))


def getVersion():
    """The cuRAND version of this interface."""
    return 10300


def createGenerator(rng_type):
    """Create a generator and return its handle."""
    if rng_type not in _pseudo:
        raise CURANDError(103, "heddle only has generators of pseudo-random numbers")
    return _generators.add(_Generator(rng_type))


def destroyGenerator(generator):
    """Delete a generator."""
    _generators.remove(generator)


def setStream(generator, stream):
    """Does nothing: memory is filled immediately."""
    _generators[generator]


def setPseudoRandomGeneratorSeed(generator, seed):
    """Set the seed and start its sequence of numbers."""
    _generators[generator].seed(seed % 2**64)


def setGeneratorOffset(generator, offset):
    """Skip ``offset`` numbers."""
    found = _generators[generator]
    if hasattr(found.bits, "advance"):
        found.bits.advance(offset)
    else:
        found.numbers.random(offset)


def setGeneratorOrdering(generator, order):
    """Does nothing: there is only one ordering."""
    _generators[generator]


def generate(generator, outputPtr, num):
    """Fill memory with ``num`` uint32 values."""
    numbers = _generators[generator].numbers
    _write_to_address(outputPtr, num, np.uint32, numbers.integers(0, 2**32, num, np.uint32))


def generateLongLong(generator, outputPtr, num):
    """Fill memory with ``num`` uint64 values."""
    numbers = _generators[generator].numbers
    _write_to_address(outputPtr, num, np.uint64, numbers.integers(0, 2**64, num, np.uint64))


def generateUniform(generator, outputPtr, num):
    """Fill memory with ``num`` float32 values in (0, 1]."""
    _write_to_address(
        outputPtr, num, np.float32, 1 - _generators[generator].numbers.random(num, np.float32)
    )


def generateUniformDouble(generator, outputPtr, num):
    """Fill memory with ``num`` float64 values in (0, 1]."""
    _write_to_address(outputPtr, num, np.float64, 1 - _generators[generator].numbers.random(num))


def generateNormal(generator, outputPtr, n, mean, stddev):
    """Fill memory with ``n`` normally distributed float32 values; ``n`` must be even."""
    _draw_normal_into(generator, outputPtr, n, np.float32, lambda g: g.normal(mean, stddev, n))


def generateNormalDouble(generator, outputPtr, n, mean, stddev):
    """Fill memory with ``n`` normally distributed float64 values; ``n`` must be even."""
    _draw_normal_into(generator, outputPtr, n, np.float64, lambda g: g.normal(mean, stddev, n))


def generateLogNormal(generator, outputPtr, n, mean, stddev):
    """Fill memory with ``n`` log-normally distributed float32 values; ``n`` must be even."""
    _draw_normal_into(generator, outputPtr, n, np.float32, lambda g: g.lognormal(mean, stddev, n))


def generateLogNormalDouble(generator, outputPtr, n, mean, stddev):
    """Fill memory with ``n`` log-normally distributed float64 values; ``n`` must be even."""
    _draw_normal_into(generator, outputPtr, n, np.float64, lambda g: g.lognormal(mean, stddev, n))


def generatePoisson(generator, outputPtr, n, lam):
    """Fill memory with ``n`` Poisson-distributed uint32 values."""
    _write_to_address(outputPtr, n, np.uint32, _generators[generator].numbers.poisson(lam, n))


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.curand", name)
