"""numba.core.sigutils: signatures as users write them, and their parts."""

from heddle._heddle import Signature
from heddle.compiler.signatures import is_signature, parse_signature

CoreSignature = Signature

__all__ = ["CoreSignature", "is_signature", "normalize_signature"]


def normalize_signature(sig):
    """The types of the arguments and of the result, which is None where it was not given. Raises TypeError."""
    parsed = parse_signature(sig)
    return tuple(parsed.args), parsed.return_type
