"""cupyx's per-thread settings: errors of linear algebra, and whether CuPy may synchronize."""

import contextlib
import threading

_DEFAULTS = {
    "divide": None,
    "over": None,
    "under": None,
    "invalid": None,
    "linalg": "ignore",
    "fallback_mode": "warn",
}
_ALLOWED = {
    "linalg": (None, "ignore", "raise"),
    "fallback_mode": (None, "ignore", "print", "warn", "raise"),
}


class _PerThread(threading.local):
    def __init__(self):
        self.errors = dict(_DEFAULTS)


_per_thread = _PerThread()


class DeviceSynchronized(RuntimeError):
    """Raised for a device synchronization inside ``with cupyx.allow_synchronize(False)``."""


def geterr():
    """The current settings, a dict."""
    return dict(_per_thread.errors)


def seterr(*, divide=None, over=None, under=None, invalid=None, linalg=None, fallback_mode=None):
    """Changes settings. Returns the previous ones."""
    for name, value in (("divide", divide), ("over", over), ("under", under), ("invalid", invalid)):
        if value is not None:
            raise NotImplementedError(
                f"{name}= is not supported: array arithmetic neither raises nor warns"
            )
    before = geterr()
    for name, value in (("linalg", linalg), ("fallback_mode", fallback_mode)):
        if value not in _ALLOWED[name]:
            raise NotImplementedError(f"{name}={value!r}: choose one of {_ALLOWED[name][1:]}")
        if value is not None:
            _per_thread.errors[name] = value
    return before


@contextlib.contextmanager
def errstate(**settings):
    """Context manager with temporary settings."""
    before = seterr(**settings)
    try:
        yield
    finally:
        _per_thread.errors = before


@contextlib.contextmanager
def allow_synchronize(allow):
    """Context manager for CuPy's setting. It has no effect: Heddle synchronizes when it must."""
    yield
