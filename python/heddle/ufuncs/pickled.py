"""Pickles ufuncs as their function, from which the other process recreates them."""

from heddle.compiler.pickling import reduce_function


class Pickled:
    """A ufunc that is pickled as its function, its constructor arguments ``_made_with``, and its signatures."""

    def _remember_constructor_arguments(self, *made_with):
        self._made_with, self._signatures = made_with, []

    def __reduce__(self):
        state = type(self), self._made_with, tuple(self._signatures), self._frozen
        return reduce_function(self, _restore_ufunc, *state)


def _restore_ufunc(function, kind, made_with, signatures, is_frozen):
    made = kind(function, *made_with)
    for signature in signatures:
        made.add(signature)
    if is_frozen:
        made.disable_compile()
    return made
