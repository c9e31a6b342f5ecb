"""The attributes ``cached_codes`` and ``cached_code`` of kernels: the sources they were compiled from."""

import warnings


class CompiledSources:
    """Mixin that adds cached_codes and cached_code to a class with the attribute ``_sources``.

    _sources: a dict from argument types to a source.
    """

    @property
    def _cached_codes(self):
        return self._sources

    @property
    def cached_codes(self):
        """All sources compiled so far: a dict whose keys are the array types as NumPy's type characters."""
        sources = dict(self._sources)
        if not sources:
            warnings.warn(f"{self.__name__} was not called yet: nothing is compiled", stacklevel=2)
        return sources

    @property
    def cached_code(self):
        """The first source. Raises ValueError if nothing is compiled yet."""
        sources = self._sources
        if not sources:
            raise ValueError(f"{self.__name__} was not called yet: nothing is compiled")
        if len(sources) > 1:
            warnings.warn(
                f"{self.__name__} was compiled for several types: see cached_codes", stacklevel=2
            )
        return next(iter(sources.values()))


def list_array_types(values):
    """The types of the arrays among ``values``: a tuple of NumPy's type characters."""
    return tuple(value.dtype.char for value in values if hasattr(value, "dtype") and value.ndim)
