"""Builtins of instances of jitclasses that the compiler does not know of other values."""

from heddle.host_library.registry import implements


@implements("builtins.hash")
def _hash(x):
    return (lambda x: x.__hash__()) if getattr(x, "kind", "") == "instance" else None
