"""Error messages for numba names that Heddle lacks, as each kind of lookup expects them."""

import sys
from opcode import opmap


def make_missing_name_error(module, name, calls=1):
    """Returns the exception that a module's ``__getattr__`` raises for a missing name.

    module: Heddle's name of the module. calls: the number of frames between this function and the lookup, one for
    ``__getattr__`` itself. The exception is an AttributeError, so that ``hasattr`` and ``getattr`` with a default
    work. For ``from module import name`` it is an ImportError, because Python replaces an AttributeError there.
    """
    if name.startswith("__"):
        return AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    message = describe_missing_name(module, name)
    if _is_from_import(sys._getframe(calls).f_back):
        error = ImportError(message, name=module)
    else:
        error = AttributeError(message, name=name)
    if hint := _suggest_public_name(module, name):
        error.add_note(f"  hint: {hint}")
    return error


# Advice for names that programs expect in heddle.cuda.
_instead_in_cuda = {
    "array": "cuda.to_device(np.array(...)) makes an array on the device",
    "empty": "write cuda.device_array(shape, dtype)",
    "kernel": "decorate kernels with @cuda.jit",
    "malloc": "write cuda.device_array(shape, dtype)",
    "ones": "write cuda.to_device(np.ones(shape))",
    "sync": "write cuda.synchronize()",
    "zeros": "write cuda.to_device(np.zeros(shape))",
}


def _suggest_public_name(module, name):
    """The hint for a name that a public package lacks; empty if there is none, or if the message has advice."""
    if module not in ("heddle", "heddle.cuda") or name.startswith("_"):
        return ""
    if module == "heddle.cuda" and name in _instead_in_cuda:
        return _instead_in_cuda[name]
    near = find_nearest_name(name, dir(sys.modules[module]))
    return f"did you mean {near!r}?" if near else ""


def describe_missing_name(module, name):
    """The message for a name that Heddle's module ``module`` lacks."""
    from heddle.support.cupy_instead import suggest_for_cupy_name  # late: for wrong names only
    from heddle.support.numba_inside import FORMER, suggest_for_numba_name  # late: as above

    shown = ".".join([*module.split(".")[1:], name])
    if advice := suggest_for_cupy_name(shown):
        return f"heddle has no {shown!r}: {advice}"
    if now := FORMER.get(shown):
        return f"heddle has no {shown!r}, and numba no longer has it: {now}"
    instead = suggest_for_numba_name(shown)
    if instead:
        return f"heddle has no {shown!r}, which is internal to numba: {instead}"
    return f"heddle has no {shown!r}"


def find_nearest_name(name, known):
    """The known name that ``name`` probably misspells; None if there is none."""
    from difflib import get_close_matches  # late: for messages only

    return next(iter(get_close_matches(name, known, n=1)), None)


def _is_from_import(frame):
    return (
        frame is not None
        and frame.f_lasti >= 0
        and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
    )
