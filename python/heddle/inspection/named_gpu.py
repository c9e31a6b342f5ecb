"""A kernel as it is compiled for GPUs of a compute capability, whether or not there is one here."""

from heddle import _heddle
from heddle.errors import HeddleError


def code_for(dispatcher, variant, capability):
    """The PTX, with the program's lines; the message where only the CPU device can do what the kernel does."""
    return _compiled(dispatcher, variant, capability, "asm")


def remarks_for(dispatcher, variant, capability):
    """What the compiler decided, a list of sentences; the first line of the message where it cannot compile."""
    return _compiled(dispatcher, variant, capability, "remarks").splitlines()


def _compiled(dispatcher, variant, capability, form):
    again = type(dispatcher)(dispatcher.py_func, {**dispatcher.targetoptions, "lineinfo": True})
    try:
        code = _heddle.compile_variant_ahead(again, variant, "cuda", capability, form)
    except HeddleError as error:
        return str(error)
    return code.decode()
