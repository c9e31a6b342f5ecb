"""numba.core.typing: signatures and the types of values."""

from heddle._heddle import Signature
from heddle.compat.numba_modules import submodule as _submodule
from heddle.extension.naming import typeof_impl
from heddle.extension.typing_context import TypingContext as Context
from heddle.missing_names import missing_name as _missing_name
from heddle.types import signature, typeof

__all__ = ["Context", "Signature", "signature", "typeof", "typeof_impl"]


def __getattr__(name):
    module = _submodule("numba.core.typing", name)
    if module is None:
        raise _missing_name("heddle.cuda.typing", name)
    return module
