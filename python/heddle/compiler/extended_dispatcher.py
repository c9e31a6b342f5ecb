"""Kernels with extensions: objects that convert a launch's arguments to types that kernels take.

class Wrapped: ...
class Unwrap:
    def prepare_args(self, ty, val, stream, retr):
        return (ty, val.array) if isinstance(val, Wrapped) else (ty, val)

@cuda.jit(extensions=[Unwrap()])
def k(x): ...
"""

from heddle import _heddle
from heddle.support.public_function import public
from heddle.types import own_types


class ExtendedLaunch:
    """A configured kernel that passes its arguments through its extensions, the last one first."""

    def __init__(self, configured, stream, extensions):
        self.configured = configured
        self.stream = stream
        self.extensions = extensions

    def __getattr__(self, name):
        if name == "configured":  # during copying, before the attributes are set
            raise AttributeError(name)
        return getattr(self.configured, name)

    @public
    def __call__(self, *args, **kwargs):
        after = []
        args = [self._prepare_argument(value, after) for value in args]
        kwargs = {name: self._prepare_argument(value, after) for name, value in kwargs.items()}
        self.configured(*args, **kwargs)
        for write_back in after:
            write_back()

    def _prepare_argument(self, value, after):
        type = _find_argument_type(value)
        for extension in reversed(self.extensions):
            type, value = extension.prepare_args(type, value, stream=self.stream, retr=after)
        return value


def _find_argument_type(value):
    """The value's type: its ``_numba_type_``, else the registered type of its class, else the built-in kernel type,
    else None."""
    named = getattr(value, "_numba_type_", None)
    if named is not None:
        return named
    given = own_types.hooks.type_of(value)
    if given is not None:
        return given
    try:
        return _heddle.typeof_in_kernels(value)
    except (TypeError, ValueError):
        return None
