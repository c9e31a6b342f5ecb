"""numba.cuda.cudadrv.dummyarray: array layouts without elements.

>>> Array.from_desc(0, shape=(4, 5), strides=(40, 8), itemsize=8)[1:3].extent
(40, 120)

NumPy computes the layouts: an Array holds a NumPy array at an address that is never accessed.
"""

import itertools
from collections import namedtuple

import numpy as np

from heddle.cuda.host_memory import Window
from heddle.cuda.layout import address_of, reshape_without_copy
from heddle.support.byte_span import byte_span

__all__ = [
    "Array",
    "Dim",
    "Element",
    "Extent",
    "compute_index",
    "is_element_indexing",
    "iter_strides_c_contig",
    "iter_strides_f_contig",
]

Extent = namedtuple("Extent", "begin end")
Extent.__doc__ = (
    """The offsets of the first byte of a part of an array and of the byte past its last."""
)

# Added to offsets to form addresses, because NumPy replaces address 0.
_origin = 1 << 40


def compute_index(indices, dims):
    """The offset in bytes of an element, from its index along each axis."""
    return sum(dim.get_offset(index) for index, dim in zip(indices, dims, strict=True))


def is_element_indexing(item, ndim):
    """True if an index selects a single element of an array with ``ndim`` axes."""
    items = item if isinstance(item, tuple) else (item,)
    return len(items) == ndim and not any(isinstance(part, slice) for part in items)


def iter_strides_f_contig(arr, shape=None):
    """Yields the strides of an array of this shape in F order."""
    step = arr.itemsize
    for extent in arr.shape if shape is None else shape:
        yield step
        step *= extent


def iter_strides_c_contig(arr, shape=None):
    """Yields the strides of an array of this shape in C order."""
    shape = arr.shape if shape is None else shape
    yield from reversed(list(iter_strides_f_contig(arr, tuple(reversed(shape)))))


class Dim:
    """One axis: ``size`` indices from ``start`` to before ``stop``, ``stride`` bytes apart."""

    __slots__ = ("single", "size", "start", "stop", "stride")

    def __init__(self, start, stop, size, stride, single):
        self.start, self.stop, self.size, self.stride = start, stop, size, stride
        self.single = single

    def get_offset(self, index):
        return self.start + index * self.stride

    def is_contiguous(self, itemsize):
        return self.stride == itemsize

    def __repr__(self):
        return f"Dim(start={self.start}, stop={self.stop}, size={self.size}, stride={self.stride})"


class Element:
    """A single element of an array: its extent."""

    is_array = False

    def __init__(self, extent):
        self.extent = extent

    def iter_contiguous_extent(self):
        yield self.extent


class Array:
    """The layout of an array. ``from_desc`` creates it; indexing, reshape, ravel and squeeze derive others."""

    is_array = True

    def __init__(self, seen):
        self._seen = seen
        self.shape = seen.shape
        self.strides = seen.strides
        self.itemsize = seen.itemsize
        self.size = seen.size
        self.ndim = seen.ndim
        self.is_c_contig = seen.flags.c_contiguous
        self.is_f_contig = seen.flags.f_contiguous
        self.is_contig = self.is_c_contig or self.is_f_contig
        self.flags = {"C_CONTIGUOUS": self.is_c_contig, "F_CONTIGUOUS": self.is_f_contig}
        self.dims = [
            Dim(0, extent * stride, extent, stride, single=False)
            for extent, stride in zip(self.shape, self.strides, strict=True)
        ]

    @classmethod
    def from_desc(cls, offset, shape, strides, itemsize):
        """The layout of an array with this shape and these strides in bytes, whose first element is at ``offset``."""
        window = Window(
            None, _origin + offset, tuple(shape), tuple(strides), f"|V{itemsize}", False, None
        )
        return cls(np.asarray(window))

    @property
    def extent(self):
        """The Extent of the whole array."""
        low, high = byte_span(self.shape, self.strides, self.itemsize)
        first = address_of(self._seen) - _origin
        return Extent(first + low, first + high)

    def __getitem__(self, item):
        items = item if isinstance(item, tuple) else (item,)
        if len(items) > self.ndim:
            raise IndexError(f"{len(items)} indices for an array with {self.ndim} axes")
        part = Array(self._seen[(*items, ...)])
        return (
            part if part.ndim or not is_element_indexing(items, self.ndim) else Element(part.extent)
        )

    def iter_contiguous_extent(self):
        """Yields the extents of the contiguous parts of the array, in C order."""
        if self.is_contig:
            yield self.extent
            return
        inner = self.ndim
        expected = self.itemsize
        while inner and self.strides[inner - 1] == expected:
            inner -= 1
            expected *= self.shape[inner]
        for place in itertools.product(*(range(extent) for extent in self.shape[:inner])):
            yield Array(self._seen[(*place, ...)]).extent

    def reshape(self, *newdims, **options):
        """Returns the layout with another shape, and the extents of its contiguous parts.

        order: "C", "F" or "A". Raises NotImplementedError if a copy would be needed.
        """
        order = options.pop("order", "C")
        if options:
            raise TypeError(f"reshape has no option {next(iter(options))!r}")
        if order == "A":
            order = "F" if self.is_f_contig else "C"
        reshaped = Array(reshape_without_copy(self._seen, newdims, order))
        return reshaped, list(reshaped.iter_contiguous_extent())

    def squeeze(self, axis=None):
        """Returns the layout without axes of extent 1, and the extents of its contiguous parts."""
        squeezed = Array(self._seen.squeeze(axis))
        return squeezed, list(squeezed.iter_contiguous_extent())

    def ravel(self, order="C"):
        """Returns the layout with one axis, and its contiguous parts. Raises NotImplementedError if it needs a copy."""
        if order not in ("C", "F", "A"):
            raise ValueError(f"order is 'C', 'F' or 'A', not {order!r}")
        return self.reshape(self.size, order=order)

    def __repr__(self):
        return f"<Array shape={self.shape} strides={self.strides} itemsize={self.itemsize}>"
