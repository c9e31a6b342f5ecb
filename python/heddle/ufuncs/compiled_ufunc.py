"""What the functions that ``vectorize`` and ``guvectorize`` make have in common."""

from heddle.compiler.dispatcher import Dispatcher
from heddle.ufuncs.pickled import Pickled


class CompiledUfunc(Pickled, Dispatcher):
    """A function with the interface of NumPy's ufuncs; ``ufunc`` is the one of NumPy's that has its loops."""

    _element_kinds = "biufc"  # those of which NumPy's ufuncs have loops
    __heddle_elementwise__ = (
        True  # for functions of the host, which call the implementation in `overloads`
    )

    nin = property(lambda self: self.ufunc.nin)
    nout = property(lambda self: self.ufunc.nout)
    nargs = property(lambda self: self.ufunc.nargs)
    ntypes = property(lambda self: self.ufunc.ntypes)
    types = property(lambda self: self.ufunc.types)
    identity = property(lambda self: self.ufunc.identity)

    def disable_compile(self):
        """Take no other types than those of the signatures so far, and what NumPy converts to them."""
        self._frozen = True

    def build_ufunc(self):
        return self

    def __get__(self, instance, owner=None):
        return self
