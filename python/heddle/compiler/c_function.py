"""The decorator ``cfunc`` of functions that C calls by address."""

import functools

from heddle import _heddle
from heddle.compiler.c_types import to_ctypes
from heddle.compiler.host_dispatcher import require_function
from heddle.compiler.host_jit import compiled_options
from heddle.compiler.signatures import parse_signature
from heddle.public_function import public


@public
def cfunc(sig, locals=None, cache=False, pipeline_class=None, **options):
    """Compile a Python function for callers in C: ``@cfunc("float64(float64, float64)")``.

    sig: its types (string or Signature), with a result: numbers and pointers (``types.CPointer``, ``types.voidptr``).
        ``carray`` and ``farray`` make arrays of pointers inside.
    locals, cache, options: as of ``njit``. pipeline_class: accepted as a hint.
    Returns a CFunction, whose ``address`` and ``ctypes`` C and ctypes call. Python calls the Python function by it;
    functions made by ``njit`` call the compiled one.
    Raises TypeError for a signature without a result, a CompileError (heddle.errors) when it cannot be compiled.
    Same as numba.cfunc (numba 0.68, core/decorators).
    """
    if callable(sig) and not isinstance(sig, (_heddle.Type, _heddle.Signature)):
        raise TypeError("cfunc needs a signature: write @cfunc('float64(float64)')")
    signature = parse_signature(sig)
    if signature.return_type is None:
        raise TypeError(
            f"the signature {signature} of a function for C has no result\n"
            "  hint: write it as in 'float64(float64)', or 'void(float64)'"
        )
    compiled = compiled_options({**options, "locals": locals, "cache": cache}, "cfunc")
    return public(lambda function: CFunction(function, compiled, signature))


class CFunction(_heddle.CFunctionBase):
    """A compiled function with an address. Made by ``cfunc``; see there.

    An exception in a call from C is printed as one that Python ignores, and the result is 0.
    """

    def __init__(self, function, options, signature):
        require_function(function, "cfunc")
        self.native_name = f"cfunc.{function.__module__}.{function.__qualname__}"
        super().__init__(function, options, signature, self.native_name)
        functools.update_wrapper(self, function, updated=())
        self._signature = signature

    def __call__(self, *args, **kwargs):
        return self.py_func(*args, **kwargs)

    @functools.cached_property
    def ctypes(self):
        """A function of ctypes that calls it. Raises TypeError for types that ctypes does not have."""
        import ctypes  # late: few programs need it

        result, *arguments = map(to_ctypes, (self._signature.return_type, *self._signature.args))
        return ctypes.CFUNCTYPE(result, *arguments)(self.address)

    @functools.cached_property
    def cffi(self):
        """Its address as a ``void *`` of cffi, which must be installed."""
        import cffi  # late: an optional package

        return cffi.FFI().cast("void *", self.address)

    @property
    def _wrapper_address(self):
        """numba's name of the address, for objects with ``__wrapper_address__``."""
        return self.address

    @property
    def cache_hits(self):
        """Whether the disk cache had it: 0 or 1."""
        return int(self.from_cache)

    def __repr__(self):
        return f"<heddle C callback {self.__qualname__!r}>"
