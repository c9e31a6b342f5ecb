"""numba.core.typing.cffi_utils: types and functions of cffi."""

from heddle.compiler.c_functions.cffi_types import map_type, register_module, register_type
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["map_type", "register_module", "register_type"]


def __getattr__(name):
    raise _missing_name("heddle.core.typing.cffi_utils", name)
