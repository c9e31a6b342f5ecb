"""numba.core.imputils, numba.cuda.cudadecl and numba.cuda.cudaimpl: registries for types and code."""

from heddle.extension.lowering import (
    lower,
    lower_attr,
    lower_attr_generic,
    lower_builtin,
    lower_cast,
    lower_constant,
    lower_getattr,
    lower_getattr_generic,
    lower_setattr,
    lower_setattr_generic,
)
from heddle.extension.typing import Registry
from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = [
    "Registry",
    "impl_ret_borrowed",
    "impl_ret_new_ref",
    "impl_ret_untracked",
    "lower",
    "lower_attr",
    "lower_attr_generic",
    "lower_builtin",
    "lower_cast",
    "lower_constant",
    "lower_getattr",
    "lower_getattr_generic",
    "lower_setattr",
    "lower_setattr_generic",
    "register",
    "register_attr",
    "register_global",
    "registry",
]

registry = builtin_registry = Registry("heddle")
register, register_attr, register_global = (
    registry.register,
    registry.register_attr,
    registry.register_global,
)


def impl_ret_untracked(ctx, builder, retty, ret):
    """Returns the value of user-built code unchanged, because such values have no reference counts."""
    return ret


impl_ret_borrowed = impl_ret_new_ref = impl_ret_untracked


def __getattr__(name):
    raise _missing_name("heddle.core.imputils", name)
