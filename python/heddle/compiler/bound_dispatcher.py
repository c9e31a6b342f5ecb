"""Kernels and device functions as methods."""

import functools


class BoundDispatcher:
    """A kernel or device function looked up on an instance, which it passes as the first argument."""

    def __init__(self, dispatcher, instance):
        self.__func__ = dispatcher
        self.__self__ = instance

    def __getitem__(self, configuration):
        return functools.partial(self.__func__[configuration], self.__self__)

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)

    def __getattr__(self, name):
        return getattr(self.__func__, name)

    def __repr__(self):
        return f"<bound {self.__func__!r} of {self.__self__!r}>"
