"""``cached_codes`` and ``cached_code`` of kernels: the sources that they were compiled from, for looking at."""

import warnings


class CompiledSources:
    """A class with the attribute ``_sources``, which has these two properties by it.

    _sources: a dict from the types of arguments to a source.
    """

    @property
    def cached_codes(self):
        """The source for each set of types so far: a dict by the types of the arrays, as NumPy's characters."""
        sources = dict(self._sources)
        if not sources:
            warnings.warn(f"{self.__name__} was not called yet: nothing is compiled", stacklevel=2)
        return sources

    @property
    def cached_code(self):
        """The first of the sources. Raises ValueError where there is none yet."""
        sources = self._sources
        if not sources:
            raise ValueError(f"{self.__name__} was not called yet: nothing is compiled")
        if len(sources) > 1:
            warnings.warn(
                f"{self.__name__} was compiled for several types: see cached_codes", stacklevel=2
            )
        return next(iter(sources.values()))


def types_of(values):
    """The types of the arrays among values, as NumPy's characters."""
    return tuple(value.dtype.char for value in values if hasattr(value, "dtype") and value.ndim)
