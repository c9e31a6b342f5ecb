"""cupyx's settings of a thread: what happens when linear algebra fails, and whether CuPy may wait for a device."""

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
    """A wait for the device inside ``with cupyx.allow_synchronize(False)``."""


def geterr():
    """The settings: a dict."""
    return dict(_per_thread.errors)


def seterr(*, divide=None, over=None, under=None, invalid=None, linalg=None, fallback_mode=None):
    """Changes settings. Returns those that there were."""
    for name, value in (("divide", divide), ("over", over), ("under", under), ("invalid", invalid)):
        if value is not None:
            raise NotImplementedError(
                f"{name}= is not there: arithmetic of arrays raises nothing and warns of nothing"
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
    """Context manager with other settings."""
    before = seterr(**settings)
    try:
        yield
    finally:
        _per_thread.errors = before


@contextlib.contextmanager
def allow_synchronize(allow):
    """Context manager in which CuPy may wait for the device or not; heddle waits where it must in either case."""
    yield
