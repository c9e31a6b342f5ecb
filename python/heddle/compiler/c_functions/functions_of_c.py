"""C functions that host functions call by address: functions of ctypes and cffi, and objects with an address and a
signature (numba's WrapperAddressProtocol)."""

import ctypes
import threading

from heddle import _heddle, types
from heddle.compiler.c_functions.c_types import from_ctypes
from heddle.compiler.c_functions.cffi_types import describe_cffi_function

# (address, *types) -> the declaration, and the function, to keep its library or Python code alive.
_declared = {}
# Address -> symbol in compiled code. The disk cache stores symbols, because addresses change.
_symbols = {}
_symbols_guard = threading.Lock()  # held to choose a symbol


def declare_c_function(function):
    """Declares a function of ctypes or cffi, or an object with an address. Returns the DeclaredFunction.

    If compiled functions cannot call it, returns two strings: what it is, and advice.
    """
    if isinstance(function, ctypes._CFuncPtr):
        facts = _describe_ctypes_function
        library = "ctypes"
    elif hasattr(type(function), "__wrapper_address__"):
        facts = _describe_wrapper_object
        library = "a wrapper"
    else:
        facts = describe_cffi_function
        library = "cffi"
    try:
        name, signature, address = facts(function)
    except TypeError as error:
        return f"an object of {library} with unknown C types ({error})", _advice[library]
    if not address:
        return f"a null pointer of {library}", ""
    key = (address, signature.return_type, *signature.args)
    if key not in _declared:
        made = _heddle.DeclaredFunction.of_c(
            name, signature, _get_unique_symbol(address, name), address
        )
        _declared.setdefault(key, (made, function))
    return _declared[key][0]


_advice = {
    "a wrapper": "its method signature() must return a signature of numbers and pointers",
    "ctypes": "set its argtypes, and its restype, to numbers and pointers of ctypes",
    "cffi": "C functions take numbers and pointers; register those of a compiled module with "
    "numba.core.typing.cffi_utils.register_module(module)",
}


def _get_unique_symbol(address, name):
    with _symbols_guard:
        if address not in _symbols:
            taken = set(_symbols.values())
            symbol, number = f"c.{name}", 1
            while symbol in taken:
                symbol, number = f"c.{name}.{number}", number + 1
            _symbols[address] = symbol
        return _symbols[address]


def _describe_ctypes_function(function):
    """Name, signature and address. Raises TypeError if a type is missing or not supported."""
    if function.argtypes is None:
        raise TypeError("it has no argtypes")
    result = from_ctypes(function.restype)
    if result == types.voidptr:
        result = types.uintp  # as ctypes and numba return it
    signature = types.signature(result, *map(from_ctypes, function.argtypes))
    address = ctypes.cast(function, ctypes.c_void_p).value
    return getattr(function, "__name__", "callback"), signature, address


def _describe_wrapper_object(function):
    """As ``_describe_ctypes_function``, for an object with the methods ``__wrapper_address__`` and ``signature``."""
    signature = function.signature()
    if not isinstance(signature, _heddle.Signature) or signature.return_type is None:
        raise TypeError(f"its signature is {signature!r}")
    return type(function).__name__, signature, int(function.__wrapper_address__())
