"""The decorator ``cfunc``: compiles functions that C calls through a pointer."""

import functools

from heddle import _heddle
from heddle.compiler.base_dispatcher import require_compilable_function
from heddle.compiler.c_functions.c_types import to_ctypes
from heddle.compiler.host_jit import check_and_convert_njit_options
from heddle.compiler.signatures import parse_signature
from heddle.support.public_function import public


@public
def cfunc(sig, locals=None, cache=False, pipeline_class=None, **options):
    """Compiles a Python function for callers in C: ``@cfunc("float64(float64, float64)")``.

    sig: the signature (string or Signature) with a return type: numbers and pointers (``types.CPointer``,
    ``types.voidptr``). Inside the function, ``carray`` and ``farray`` turn pointers into arrays.
    locals, cache, options: as in ``njit``. pipeline_class: accepted as a hint.
    Returns a CFunction with the attributes ``address`` and ``ctypes``. Calls from Python run the Python function; calls
    from ``njit`` functions run the compiled one.
    Raises TypeError for a signature without a return type, and CompileError (heddle.errors) if compilation fails.
    Same as numba.cfunc (numba 0.68, core/decorators).

    >>> @cfunc("float64(float64)")
    ... def square(x):
    ...     return x * x
    >>> square.ctypes(3.0)
    9.0
    """
    if callable(sig) and not isinstance(sig, (_heddle.Type, _heddle.Signature)):
        raise TypeError("cfunc needs a signature: write @cfunc('float64(float64)')")
    signature = parse_signature(sig)
    if signature.return_type is None:
        raise TypeError(
            f"the signature {signature} of a function for C has no return type\n"
            "  hint: write it as in 'float64(float64)', or 'void(float64)'"
        )
    compiled = check_and_convert_njit_options(
        {**options, "locals": locals, "cache": cache}, "cfunc"
    )
    return public(lambda function: CFunction(function, compiled, signature))


class CFunction(_heddle.CFunctionBase):
    """A compiled function with an address, created by ``cfunc``.

    In a call from C, an exception is printed and ignored, and the result is 0.
    """

    def __init__(self, function, options, signature):
        require_compilable_function(function, "cfunc")
        self.native_name = f"cfunc.{function.__module__}.{function.__qualname__}"
        super().__init__(function, options, signature, self.native_name)
        functools.update_wrapper(self, function, updated=())
        self._signature = signature

    def __call__(self, *args, **kwargs):
        return self.py_func(*args, **kwargs)

    @functools.cached_property
    def ctypes(self):
        """A ctypes function that calls it. Raises TypeError for types that ctypes does not have."""
        import ctypes  # late: few programs need it

        result, *arguments = map(to_ctypes, (self._signature.return_type, *self._signature.args))
        return ctypes.CFUNCTYPE(result, *arguments)(self.address)

    @functools.cached_property
    def cffi(self):
        """The address as a ``void *`` of cffi, which must be installed."""
        import cffi  # late: an optional package

        return cffi.FFI().cast("void *", self.address)

    @property
    def _wrapper_address(self):
        """The address under numba's name, for the protocol ``__wrapper_address__``."""
        return self.address

    @property
    def cache_hits(self):
        """1 if the code came from the disk cache, else 0."""
        return int(self.from_cache)

    def __repr__(self):
        return f"<heddle C callback {self.__qualname__!r}>"
