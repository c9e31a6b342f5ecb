"""numba.core.typing: signatures and the types of values."""

from heddle._heddle import Signature
from heddle.extension.naming import typeof_impl
from heddle.extension.typing_context import TypingContext as Context
from heddle.support.numba_modules import import_submodule_or_raise as _submodule_or_refuse
from heddle.types import signature, typeof

__all__ = ["Context", "Signature", "signature", "typeof", "typeof_impl"]


def __getattr__(name):
    return _submodule_or_refuse("numba.core.typing", name, "heddle.cuda.typing")
