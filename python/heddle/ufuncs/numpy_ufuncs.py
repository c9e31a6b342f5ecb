"""NumPy ufuncs over compiled loops, created through NumPy's C API."""

import ctypes
import functools
import threading

from heddle.ufuncs.host_loops import HostLoop

# NumPy's C constants PyUFunc_One and so on.
_identities = {None: -1, 0: 0, 1: 1, "reorderable": -2}
_make_ufunc = (
    42  # index of PyUFunc_FromFuncAndDataAndSignatureAndIdentity, the same since NumPy 1.16
)


@functools.cache
def _load_ufunc_factory():
    """PyUFunc_FromFuncAndDataAndSignatureAndIdentity."""
    from numpy._core import _multiarray_umath  # late: NumPy loads it with this module's importers

    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(
        pointer_of(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p)
    )
    function = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        *[ctypes.c_void_p] * 3,  # functions, data, types
        *[ctypes.c_int] * 4,  # loops, inputs, results, identity
        *[ctypes.c_char_p] * 2,  # name, doc
        ctypes.c_int,
        ctypes.c_char_p,  # layout
        ctypes.py_object,  # the identity's value
    )
    return function(table[_make_ufunc])


def check_identity(identity):
    """Raises ValueError unless the identity is None, 0, 1 or "reorderable"."""
    if not isinstance(identity, (int, str, type(None))) or identity not in _identities:
        raise ValueError(f"identity is None, 0, 1 or 'reorderable', not {identity!r}")


class LoopTable:
    """A numpy.ufunc over a list of loops, which NumPy searches in order."""

    def __init__(self, name, doc, inputs, results, identity, layout=None, writable=()):
        self._facts = inputs, results, _identities[identity]
        self._name, self._doc = name.encode(), (doc or "").encode()
        self._layout = None if layout is None else layout.encode()
        self._writable = writable
        self._loops = []
        self.guard = threading.RLock()  # held while a loop is added
        self.host_loops = []  # the loops that store the exception of their function
        self.ufunc = self._make_ufunc_object()

    def add_loop_and_rebuild_ufunc(self, loop, dtypes):
        """Adds a loop (a UfuncLoop) for these dtypes, results last."""
        self._loops.append((loop, bytes(dtype.num for dtype in dtypes)))
        if isinstance(loop, HostLoop):
            self.host_loops.append(loop)
        self.ufunc = self._make_ufunc_object()

    def raise_pending_failure(self):
        """Raises the exception of a host function in this thread's latest call of the ufunc, if there was one."""
        for loop in self.host_loops:
            loop.raise_pending_failure()

    def _make_ufunc_object(self):
        return self._make_ufunc_with_loops(len(self._loops))

    def _make_ufunc_with_loops(self, used):
        """A numpy.ufunc that searches the first ``used`` loops."""
        count = max(len(self._loops), 1)
        functions, data = (ctypes.c_void_p * count)(), (ctypes.c_void_p * count)()
        for i, (loop, _) in enumerate(self._loops):
            functions[i], data[i] = loop.function, loop.data
        types = ctypes.create_string_buffer(b"".join(types for _, types in self._loops))
        made = _load_ufunc_factory()(
            *(ctypes.addressof(array) for array in (functions, data, types)),
            *(used, *self._facts),
            *(self._name, self._doc, 0, self._layout, None),
        )
        inputs, results, _ = self._facts
        if self._layout is not None:
            # A function may leave elements of a result unchanged.
            _add_operand_flags(made, range(inputs, inputs + results), _result_flags)
            _add_operand_flags(made, self._writable, _read_and_write)
        # NumPy keeps pointers to these objects as long as the ufunc is alive.
        _kept.append((self._loops[-1:], functions, data, types, self._name, self._doc))
        return made


class SearchedLoopTable(LoopTable):
    """As LoopTable, but a call uses the first loop to whose dtypes the arguments convert, even before an exact match.
    NumPy searches in this way if loops are added to a ufunc that was created without any."""

    def _make_ufunc_object(self):
        if len(self._loops) == 1:
            return super()._make_ufunc_object()  # NumPy finds this loop faster
        made = self._make_ufunc_with_loops(0)
        ctypes.c_int.from_address(id(made) + _place_of_count).value = len(self._loops)
        return made


_kept = []

# Offsets in PyUFuncObject, the same since NumPy 1.7. Its first member, Python's header, is larger in free-threaded
# Python.
_header = object.__basicsize__
_place_of_count = _header + 32  # of ntypes
_place_of_flags = _header + 160  # of op_flags
_read_and_write = 0x00810000  # NPY_ITER_READWRITE, NPY_ITER_UPDATEIFCOPY
# The same with NPY_ITER_ALIGNED, NPY_ITER_ALLOCATE, NPY_ITER_NO_SUBTYPE, NPY_ITER_NO_BROADCAST.
_result_flags = _read_and_write | 0x0B100000


def _add_operand_flags(ufunc, operands, flags_of_each):
    """Tells NumPy how the loops use some operands. Operands that are read and written are converted both ways."""
    flags = ctypes.c_void_p.from_address(id(ufunc) + _place_of_flags)
    of_operands = ctypes.cast(flags, ctypes.POINTER(ctypes.c_uint32))
    for number in operands:
        of_operands[number] |= flags_of_each
