"""``cuda.compile`` and its variants: PTX of a function for a signature, without a launch or a GPU."""

import re
import types

from heddle import _heddle
from heddle.compiler.compiled_function import default_capability
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.jit_options import convert_code_options
from heddle.compiler.signatures import parse_signature
from heddle.support.public_function import public


@public
def compile(
    pyfunc,
    sig,
    debug=None,
    lineinfo=False,
    device=True,
    fastmath=False,
    cc=None,
    opt=None,
    abi="c",
    abi_info=None,
    output="ptx",
    forceinline=False,
    launch_bounds=None,
    max_registers=None,
):
    """Compiles a Python function to PTX. Returns (PTX as a str, the function's return type).

    sig: the argument types: a string, a tuple of types, or a Signature with the return type.
    device: compiles a device function for other device code to call, not a kernel.
    cc: the compute capability, a tuple (major, minor); None means (7, 5).
    abi: with "c", the symbol is the function's name or abi_info["abi_name"]; with "numba", it also contains the module
    name. Both use C calling conventions: a bool is a byte, a tuple is a structure by value, and an array is separate
    parameters for pointer, extents and strides in bytes, each int64. Kernels only support "numba".
    debug, lineinfo, fastmath, opt, launch_bounds, max_registers: as in ``cuda.jit``. forceinline: accepted as a hint.
    Raises a CompileError if compilation fails; TypeError, ValueError or NotImplementedError for invalid options.
    Same as numba.cuda.compile (numba-cuda 0.30), except that output="ltoir" is not supported.

    >>> def add(a, b):
    ...     return a + b
    >>> ptx, result = cuda.compile(add, "float32(float32, float32)", cc=(9, 0))
    >>> result, ".target sm_90" in ptx
    (float32, True)
    """
    capability = _check_capability(default_capability if cc is None else cc)
    return _compile_to_ptx(
        pyfunc,
        sig,
        capability,
        device,
        abi,
        abi_info,
        output,
        debug=debug,
        lineinfo=lineinfo,
        fastmath=fastmath,
        opt=opt,
        launch_bounds=launch_bounds,
        max_registers=max_registers,
    )


@public
def compile_for_current_device(
    pyfunc,
    sig,
    debug=None,
    lineinfo=False,
    device=True,
    fastmath=False,
    opt=None,
    abi="c",
    abi_info=None,
    output="ptx",
    forceinline=False,
    launch_bounds=None,
    max_registers=None,
):
    """Same as ``compile``, for the compute capability and driver of the current device. The CPU device also reports a
    compute capability.

    >>> def add(a, b):
    ...     return a + b
    >>> ptx, result = cuda.compile_for_current_device(add, "float32(float32, float32)")
    >>> ".target sm_" in ptx
    True
    """
    return _compile_to_ptx(
        pyfunc,
        sig,
        None,
        device,
        abi,
        abi_info,
        output,
        debug=debug,
        lineinfo=lineinfo,
        fastmath=fastmath,
        opt=opt,
        launch_bounds=launch_bounds,
        max_registers=max_registers,
    )


@public
def compile_ptx(pyfunc, sig, debug=None, lineinfo=False, device=False, abi="numba", **options):
    """Same as ``compile``, with the defaults for kernels: device=False, abi="numba". Takes the other options of
    ``compile``.

    >>> ptx, result = cuda.compile_ptx(kernel.py_func, "void(float32[:])")
    >>> ".entry" in ptx
    True
    """
    return compile(
        pyfunc, sig, debug=debug, lineinfo=lineinfo, device=device, abi=abi, output="ptx", **options
    )


@public
def compile_ptx_for_current_device(
    pyfunc, sig, debug=None, lineinfo=False, device=False, abi="numba", **options
):
    """Same as ``compile_ptx``, for the current device's compute capability and driver.

    >>> ptx, result = cuda.compile_ptx_for_current_device(kernel.py_func, "void(float32[:])")
    """
    return compile_for_current_device(
        pyfunc, sig, debug=debug, lineinfo=lineinfo, device=device, abi=abi, output="ptx", **options
    )


@public
def compile_all(pyfunc, sig, *args, **options):
    """Same as ``compile``, but returns the code in a list. numba's list also contains the code that the function links.

    >>> def add(a, b):
    ...     return a + b
    >>> codes, result = cuda.compile_all(add, "float32(float32, float32)", output="ptx")
    >>> len(codes)
    1
    """
    code, result = compile(pyfunc, sig, *args, **options)
    return [code], result


def _compile_to_ptx(pyfunc, sig, capability, device, abi, abi_info, output, **options):
    if output == "ltoir":
        raise NotImplementedError(
            'heddle compiles to PTX, not LTO-IR: omit output="ltoir" (nvJitLink also takes PTX)'
        )
    if output != "ptx":
        raise NotImplementedError(f'the output is "ptx", not {output!r}')
    if abi not in ("numba", "c"):
        raise NotImplementedError(f'the ABI is "numba" or "c", not {abi!r}')
    if abi == "c" and not device:
        raise NotImplementedError('kernels have no C ABI: omit abi="c", or pass device=True')
    function = pyfunc.py_func if isinstance(pyfunc, Dispatcher) else pyfunc
    given = {name: value for name, value in options.items() if value is not None}
    dispatcher = Dispatcher(function, convert_code_options({**given, "device": bool(device)}))
    name = _make_symbol(function, abi, abi_info or {})
    code, result = _heddle.compile_ahead(
        dispatcher, parse_signature(sig), name, "cuda", capability, "asm"
    )
    return code.decode(), result


def _check_capability(cc):
    if (
        not isinstance(cc, tuple)
        or len(cc) != 2
        or not all(isinstance(part, int) and 0 <= part < 1000 for part in cc)
    ):
        raise TypeError(
            f"cc is a compute capability, a tuple of two ints such as (9, 0), not {cc!r}"
        )
    return cc


def _make_symbol(function, abi, info):
    if not isinstance(function, types.FunctionType):
        return ""  # the dispatcher raises the error
    name = info.get("abi_name")
    if name is None:
        name = function.__name__
        if abi == "numba":
            name = f"{function.__module__}.{function.__qualname__}"
            name = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_$][\w$]*", name, flags=re.ASCII):
        raise ValueError(
            f"PTX has no function {name!r}: give it a name of ASCII letters, digits and _, "
            'as in abi_info={"abi_name": "f"}'
        )
    return name
