"""cupy.cuda.curand: the functions of cuRAND that fill memory with random numbers, on the CPU device.

The numbers are those of NumPy's generators: the same after the same seed, but not cuRAND's.
"""

import ctypes

import numpy as np

from heddle.compat.cupy.libraries.c_libraries import LibraryError, NumberedObjects
from heddle.missing_names import missing_name

# Kinds of generators (curand.h).
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
    """What cuRAND refuses. status: its code, an int."""

    @staticmethod
    def _name_of(status):
        return _ERRORS.get(status, f"CURAND_STATUS {status}")


class _Generator:
    def __init__(self, kind):
        self.kind = kind
        self.seed(0)

    def seed(self, seed):
        self.bits = _pseudo[self.kind](seed)
        self.numbers = np.random.Generator(self.bits)


_generators = NumberedObjects(lambda: CURANDError(101, "no generator has this number"))


def _fill(pointer, count, dtype, values):
    if count:
        size = count * np.dtype(dtype).itemsize
        memory = (ctypes.c_char * size).from_address(int(pointer))
        np.frombuffer(memory, dtype)[:] = values


def _normal(handle, pointer, count, dtype, draw):
    if count % 2:
        raise CURANDError(105, f"normal numbers are made in pairs, and {count} is odd")
    _fill(pointer, count, dtype, draw(_generators[handle].numbers))


def getVersion():
    """The version of cuRAND whose functions these are."""
    return 10300


def createGenerator(rng_type):
    """A generator, as a number."""
    if rng_type not in _pseudo:
        raise CURANDError(103, "heddle has generators of pseudo-random numbers only")
    return _generators.add(_Generator(rng_type))


def destroyGenerator(generator):
    """Forget a generator."""
    _generators.remove(generator)


def setStream(generator, stream):
    """Nothing: the memory is filled at once."""
    _generators[generator]


def setPseudoRandomGeneratorSeed(generator, seed):
    """Begin the numbers that belong to a seed."""
    _generators[generator].seed(seed % 2**64)


def setGeneratorOffset(generator, offset):
    """Leave out so many numbers."""
    found = _generators[generator]
    if hasattr(found.bits, "advance"):
        found.bits.advance(offset)
    else:
        found.numbers.random(offset)


def setGeneratorOrdering(generator, order):
    """Nothing: the numbers have one order."""
    _generators[generator]


def generate(generator, outputPtr, num):
    """Fill memory with ``num`` uint32."""
    numbers = _generators[generator].numbers
    _fill(outputPtr, num, np.uint32, numbers.integers(0, 2**32, num, np.uint32))


def generateLongLong(generator, outputPtr, num):
    """Fill memory with ``num`` uint64."""
    numbers = _generators[generator].numbers
    _fill(outputPtr, num, np.uint64, numbers.integers(0, 2**64, num, np.uint64))


def generateUniform(generator, outputPtr, num):
    """Fill memory with ``num`` float32 above 0, at most 1."""
    _fill(outputPtr, num, np.float32, 1 - _generators[generator].numbers.random(num, np.float32))


def generateUniformDouble(generator, outputPtr, num):
    """Fill memory with ``num`` float64 above 0, at most 1."""
    _fill(outputPtr, num, np.float64, 1 - _generators[generator].numbers.random(num))


def generateNormal(generator, outputPtr, n, mean, stddev):
    """Fill memory with ``n`` float32 of a normal distribution; ``n`` is even."""
    _normal(generator, outputPtr, n, np.float32, lambda g: g.normal(mean, stddev, n))


def generateNormalDouble(generator, outputPtr, n, mean, stddev):
    """Fill memory with ``n`` float64 of a normal distribution; ``n`` is even."""
    _normal(generator, outputPtr, n, np.float64, lambda g: g.normal(mean, stddev, n))


def generateLogNormal(generator, outputPtr, n, mean, stddev):
    """Fill memory with ``n`` float32 whose logarithms have a normal distribution; ``n`` is even."""
    _normal(generator, outputPtr, n, np.float32, lambda g: g.lognormal(mean, stddev, n))


def generateLogNormalDouble(generator, outputPtr, n, mean, stddev):
    """Fill memory with ``n`` float64 whose logarithms have a normal distribution; ``n`` is even."""
    _normal(generator, outputPtr, n, np.float64, lambda g: g.lognormal(mean, stddev, n))


def generatePoisson(generator, outputPtr, n, lam):
    """Fill memory with ``n`` uint32 of a Poisson distribution."""
    _fill(outputPtr, n, np.uint32, _generators[generator].numbers.poisson(lam, n))


def __getattr__(name):
    raise missing_name("heddle.cupy.cuda.curand", name)
