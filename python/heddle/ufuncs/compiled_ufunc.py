"""The base class of the functions that ``vectorize`` and ``guvectorize`` make."""

from heddle.compiler.dispatcher import Dispatcher
from heddle.ufuncs.pickled import Pickled


class CompiledUfunc(Pickled, Dispatcher):
    """A function with the interface of a NumPy ufunc. ``ufunc`` is the NumPy ufunc with its loops."""

    _element_kinds = "biufc"  # the dtype kinds with loops in NumPy ufuncs
    __heddle_elementwise__ = True  # host functions then call the implementation in `overloads`

    nin = property(lambda self: self.ufunc.nin)
    nout = property(lambda self: self.ufunc.nout)
    nargs = property(lambda self: self.ufunc.nargs)
    ntypes = property(lambda self: self.ufunc.ntypes)
    types = property(lambda self: self.ufunc.types)
    identity = property(lambda self: self.ufunc.identity)

    def disable_compile(self):
        """Freezes the signatures. Other types must be convertible by NumPy."""
        self._frozen = True

    def build_ufunc(self):
        return self

    def __get__(self, instance, owner=None):
        return self
