"""Converts a Python set argument to a compiled set."""

from heddle.compiler.host_jit import njit


@njit
def make_set(items):
    return {item for item in items}  # noqa: C416 - compiled code has no set() of a parameter
