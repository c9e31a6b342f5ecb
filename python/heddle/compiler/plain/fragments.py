"""Fragments of matrices (``cuda.wmma``, ``cuda.wgmma``) in kernels that run as plain Python."""

import numpy as np

from heddle.compiler.plain.blocks import current_kernel_thread
from heddle.types import dtypes

_warp = 32


class Fragment:
    """The elements of one lane, as on the CPU device: consecutive ones of a row of a or c, or of a column of b."""

    def __init__(self, use, m, n, k, dtype, layout):
        self.use, self.layout = use, layout or "row_major"
        self.is_tf32 = isinstance(dtype, str) and dtype == "tf32"
        self.dtype = np.dtype(np.float32) if self.is_tf32 else dtypes.as_dtype(dtype)
        rows, columns = {"matrix_a": (m, k), "matrix_b": (k, n), "accumulator": (m, n)}[use]
        self.shape = (rows, columns)
        is_half_factor = use != "accumulator" and self.dtype == np.float16
        self.num_elements = 16 if is_half_factor else rows * columns // _warp
        self.x = np.zeros(self.num_elements, self.dtype)

    def list_element_positions(self, lane):
        """The row and column of each element in a lane."""
        rows, columns = self.shape
        by_column = self.use == "matrix_b"
        length = rows if by_column else columns
        first = lane * self.num_elements % (rows * columns)
        places = (divmod(first + e, length) for e in range(self.num_elements))
        return [place[::-1] if by_column else place for place in places]


def _get_lane():
    return current_kernel_thread().index % _warp


def _exchange_values_of_warp(value):
    """The values of all lanes of the warp, by lane."""
    thread = current_kernel_thread()
    first = thread.index // _warp * _warp
    last = min(first + _warp, len(thread.block.threads))
    received = thread.exchange_values(range(first, last), value)
    return [received[index] for index in sorted(received)]


def _gather_matrix(fragment):
    matrix = np.zeros(fragment.shape, fragment.dtype)
    for lane, elements in enumerate(_exchange_values_of_warp(fragment.x.copy())):
        for place, element in zip(fragment.list_element_positions(lane), elements, strict=True):
            matrix[place] = element
    return matrix


def _iterate_tile_indices(fragment, index):
    """The index in the array of each element of this lane."""
    *outer, row, column = index
    for e, (i, j) in enumerate(fragment.list_element_positions(_get_lane())):
        yield e, (*outer, row + i, column + j)


def _make_one_or_array(shape, make):
    """``make()``, or an array of this shape with a result of ``make()`` in each element."""
    if shape in ((), None):
        return make()
    several = np.empty(shape, object)
    for index in np.ndindex(several.shape):
        several[index] = make()
    return several


def _make_fragments(use, m, n, k, dtype, layout=None, shape=()):
    return _make_one_or_array(shape, lambda: Fragment(use, m, n, k, dtype, layout))


def _fill_fragment(frag, value):
    for one in frag.flat if isinstance(frag, np.ndarray) else [frag]:
        one.x[:] = value


def _load_matrix_sync(frag, ary, idx):
    _exchange_values_of_warp(None)
    for e, place in _iterate_tile_indices(frag, idx):
        frag.x[e] = ary[place]


def _store_matrix_sync(ary, idx, frag):
    for e, place in _iterate_tile_indices(frag, idx):
        ary[place] = frag.x[e]
    _exchange_values_of_warp(None)


def _truncate_to_tf32(matrix):
    return (matrix.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _mma_sync(d, a, b, c, satf=False):
    wide = np.int64 if c.dtype.kind == "i" else np.float64 if a.dtype.itemsize == 8 else np.float32
    factors = [_gather_matrix(f) for f in (a, b)]
    factors = [_truncate_to_tf32(f) if a.is_tf32 else f.astype(wide, copy=False) for f in factors]
    sums = factors[0] @ factors[1] + _gather_matrix(c).astype(wide)
    if satf:
        sums = np.clip(sums, -(2**31), 2**31 - 1)
    for e, place in enumerate(d.list_element_positions(_get_lane())):
        d.x[e] = sums[place].astype(d.dtype)


class WarpgroupSums:
    """The sums of one thread of a warpgroup: pairs of columns 8 * j + 2 * (lane % 4) of two rows that are 8 apart."""

    def __init__(self, n):
        self.n, self.num_elements = n, n // 2
        self.x = np.zeros(n // 2, np.float32)

    def list_rows_and_columns(self):
        """Two rows of the 64, and n / 4 columns. The element x[4 * j + 2 * i + e] is in row i and column 2 * j + e."""
        warp, lane = divmod(current_kernel_thread().index % 128, _warp)
        row = 16 * warp + lane // 4
        columns = 8 * np.arange(self.n // 8)[:, np.newaxis] + 2 * (lane % 4) + np.arange(2)
        return [row, row + 8], columns.ravel()

    def as_matrix(self):
        """A view of x with a row for each pair."""
        return self.x.reshape(-1, 2, 2)


def _swizzle_column(row, column):
    return column ^ (row % 8 * 8)


def _undo_swizzle(tile):
    rows = np.arange(tile.shape[0])[:, np.newaxis]
    return tile[rows, _swizzle_column(rows, np.arange(64))].astype(np.float32)


def _make_accumulators(n, shape=()):
    return _make_one_or_array(shape, lambda: WarpgroupSums(n))


def _add_warpgroup_product(sums, a, b):
    rows, columns = sums.list_rows_and_columns()
    is_transposed = b.ndim == 2
    factor = _undo_swizzle(b).T if is_transposed else np.hstack([_undo_swizzle(p) for p in b])
    products = _undo_swizzle(a)[rows] @ factor[:, columns]
    sums.as_matrix()[:] += products.reshape(2, -1, 2).transpose(1, 0, 2)


def _store_sums(ary, idx, sums):
    *outer, row, column = idx
    rows, columns = sums.list_rows_and_columns()
    for i, matrix_row in enumerate(rows):
        ary[(*outer, row + matrix_row, column + columns)] = sums.as_matrix()[:, i].ravel()


fragment_operations = {
    "cuda.wgmma.accumulator": _make_accumulators,
    "cuda.wgmma.swizzle": _swizzle_column,
    "cuda.wgmma.mma": _add_warpgroup_product,
    "cuda.wgmma.wait_prior": lambda n, sums: None,
    "cuda.wgmma.store": _store_sums,
    "cuda.wmma.fragment": _make_fragments,
    "cuda.wmma.fill_fragment": _fill_fragment,
    "cuda.wmma.load_matrix_sync": _load_matrix_sync,
    "cuda.wmma.store_matrix_sync": _store_matrix_sync,
    "cuda.wmma.mma_sync": _mma_sync,
}
