"""Kernels with extensions: objects that turn a launch's arguments into what kernels take.

class Wrapped: ...
class Unwrap:
    def prepare_args(self, ty, val, stream, retr):
        return (ty, val.array) if isinstance(val, Wrapped) else (ty, val)

@cuda.jit(extensions=[Unwrap()])
def k(x): ...
"""

from heddle import _heddle
from heddle.public_function import public
from heddle.types import own_types


class ExtendedLaunch:
    """A configured kernel whose arguments go through extensions first, the last extension first."""

    def __init__(self, configured, stream, extensions):
        self.configured = configured
        self.stream = stream
        self.extensions = extensions

    def __getattr__(self, name):
        if name == "configured":  # a copy that is not made yet
            raise AttributeError(name)
        return getattr(self.configured, name)

    @public
    def __call__(self, *args, **kwargs):
        after = []
        args = [self._prepared(value, after) for value in args]
        kwargs = {name: self._prepared(value, after) for name, value in kwargs.items()}
        self.configured(*args, **kwargs)
        for write_back in after:
            write_back()

    def _prepared(self, value, after):
        type = _type_of(value)
        for extension in reversed(self.extensions):
            type, value = extension.prepare_args(type, value, stream=self.stream, retr=after)
        return value


def _type_of(value):
    """The value's type: the one that it names itself, else the one that the program gives its class, else the one that
    kernels have for it, else None."""
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
