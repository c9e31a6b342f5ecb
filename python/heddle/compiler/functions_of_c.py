"""Functions of C that compiled functions of the host call by their addresses: those of ctypes and cffi, and objects
that tell address and signature themselves (numba's WrapperAddressProtocol)."""

import ctypes

from heddle import _heddle, types
from heddle.compiler.c_types import from_ctypes
from heddle.compiler.cffi_types import facts_of_cffi

# What was declared, by address and types, with the function, whose library or Python code stays as long.
_declared = {}
# The names under which compiled code finds addresses: by address. The disk cache has them, so no address is in them.
_symbols = {}


def declared(function):
    """The DeclaredFunction for a function of ctypes or cffi, or an object that tells its address.

    For one that compiled functions cannot call a tuple of two strings: what it is, and what to do.
    """
    if isinstance(function, ctypes._CFuncPtr):
        facts = _facts_of_ctypes
        library = "ctypes"
    elif hasattr(type(function), "__wrapper_address__"):
        facts = _facts_of_wrapper
        library = "a wrapper"
    else:
        facts = facts_of_cffi
        library = "cffi"
    try:
        name, signature, address = facts(function)
    except TypeError as error:
        return f"an object of {library} whose types in C are not known ({error})", _advice[library]
    if not address:
        return f"a null pointer of {library}", ""
    key = (address, signature.return_type, *signature.args)
    if key not in _declared:
        made = _heddle.DeclaredFunction.of_c(name, signature, _symbol_of(address, name), address)
        _declared[key] = made, function
    return _declared[key][0]


_advice = {
    "a wrapper": "its method signature() returns a signature of numbers and pointers",
    "ctypes": "set its argtypes, and its restype, to numbers and pointers of ctypes",
    "cffi": "functions of C have numbers and pointers; those of a compiled module are made known by "
    "numba.core.typing.cffi_utils.register_module(module)",
}


def _symbol_of(address, name):
    if address not in _symbols:
        taken = set(_symbols.values())
        symbol, number = f"c.{name}", 1
        while symbol in taken:
            symbol, number = f"c.{name}.{number}", number + 1
        _symbols[address] = symbol
    return _symbols[address]


def _facts_of_ctypes(function):
    """Name, signature and address. Raises TypeError where a type is missing or no type of compiled functions."""
    if function.argtypes is None:
        raise TypeError("it has no argtypes")
    result = from_ctypes(function.restype)
    if result == types.voidptr:
        result = types.uintp  # as ctypes and numba return it
    signature = types.signature(result, *map(from_ctypes, function.argtypes))
    address = ctypes.cast(function, ctypes.c_void_p).value
    return getattr(function, "__name__", "callback"), signature, address


def _facts_of_wrapper(function):
    """The same for an object with the methods ``__wrapper_address__`` and ``signature``."""
    signature = function.signature()
    if not isinstance(signature, _heddle.Signature) or signature.return_type is None:
        raise TypeError(f"its signature is {signature!r}")
    return type(function).__name__, signature, int(function.__wrapper_address__())
