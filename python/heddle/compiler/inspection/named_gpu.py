"""Compiles a kernel for GPUs of a compute capability, which need not be present."""

from heddle import _heddle
from heddle.errors import HeddleError


def compile_ptx_or_describe_error(dispatcher, variant, capability):
    """The PTX with source lines; or the error message if only the CPU device supports the kernel."""
    return _compile_or_describe_error(dispatcher, variant, capability, "asm")


def compile_remarks_or_describe_error(dispatcher, variant, capability):
    """The optimization remarks, a list of sentences; or the first lines of the error message."""
    return _compile_or_describe_error(dispatcher, variant, capability, "remarks").splitlines()


def _compile_or_describe_error(dispatcher, variant, capability, form):
    again = type(dispatcher)(dispatcher.py_func, {**dispatcher.targetoptions, "lineinfo": True})
    try:
        code = _heddle.compile_variant_ahead(again, variant, "cuda", capability, form)
    except HeddleError as error:
        return str(error)
    return code.decode()
