"""numba.core.sigutils: parses signatures."""

from heddle._heddle import Signature
from heddle.compiler.signatures import is_signature, parse_signature

CoreSignature = Signature

__all__ = ["CoreSignature", "is_signature", "normalize_signature"]


def normalize_signature(sig):
    """Returns (argument types, return type or None). Raises TypeError for a malformed signature."""
    parsed = parse_signature(sig)
    return tuple(parsed.args), parsed.return_type
