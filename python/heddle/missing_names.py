"""Messages for names that heddle does not have: those of numba, in the form that each way of asking expects."""

import sys
from opcode import opmap


def missing_name(module, name, calls=1):
    """The exception to raise from a module's ``__getattr__`` for a name that it does not have.

    module: heddle's name of the module; calls: how many calls the asking code is away, one for ``__getattr__`` itself.
    Returns an AttributeError, so that ``hasattr`` and ``getattr`` with a default work; for ``from module import name``,
    where Python would replace an AttributeError by a text of its own, an ImportError.
    """
    if name.startswith("__"):
        return AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    message = describe_missing(module, name)
    if _asked_by_from_import(sys._getframe(calls).f_back):
        return ImportError(message, name=module)
    return AttributeError(message, name=name)


def describe_missing(module, name):
    """The message for a name that heddle's module ``module`` does not have."""
    from heddle.compat.cupy_instead import instead_of_cupys  # late: for wrong names only
    from heddle.compat.numba_inside import FORMER, instead_of  # late: as above

    shown = ".".join([*module.split(".")[1:], name])
    if advice := instead_of_cupys(shown):
        return f"heddle has no {shown!r}: {advice}"
    if now := FORMER.get(shown):
        return f"heddle has no {shown!r}, and numba no longer has it: {now}"
    instead = instead_of(shown)
    if instead:
        return f"heddle has no {shown!r}, which belongs to the inside of numba: {instead}"
    return f"heddle has no {shown!r}"


def nearest_name(name, known):
    """The known name that ``name`` looks like a misspelling of; None when there is none."""
    from difflib import get_close_matches  # late: for messages only

    return next(iter(get_close_matches(name, known, n=1)), None)


def _asked_by_from_import(frame):
    return (
        frame is not None
        and frame.f_lasti >= 0
        and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
    )
