"""numba.core.datamodel: the module ``models`` and its names."""

from heddle.extension import models

__all__ = ["models"]


def __getattr__(name):
    return getattr(models, name)
