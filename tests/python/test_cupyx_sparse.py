"""cupyx.scipy.sparse with SciPy installed: matrices whose parts are CuPy arrays."""

import pickle

import numpy as np
import pytest

pytest.importorskip("scipy")

from heddle.compat import cupy as cp
from heddle.compat.cupyx import scipy_functions

pytestmark = pytest.mark.usefixtures("cpu")
sparse = scipy_functions.import_wrapped_scipy_module("cupyx.scipy.sparse")
dense = np.array([[1.0, 0, 2], [0, 3, 0]])


@pytest.fixture(params=["csr_matrix", "csc_matrix", "coo_matrix", "dia_matrix"])
def matrix(request):
    return getattr(sparse, request.param)(cp.array(dense))


def test_get_gives_scipys_matrix(matrix):
    got = matrix.get()
    assert type(got).__module__.startswith("scipy.sparse") and got.format == matrix.format
    np.testing.assert_array_equal(got.toarray(), dense)
    got.data[:] = 0
    np.testing.assert_array_equal(matrix.toarray().get(), dense)


def test_the_parts_of_a_matrix_are_arrays_with_pointers(matrix):
    names = {"coo": ("data", "row", "col"), "dia": ("data", "offsets")}
    for name in names.get(matrix.format, ("data", "indices", "indptr")):
        part = getattr(matrix, name)
        assert isinstance(part, cp.ndarray) and part.data.ptr == getattr(matrix, name).data.ptr != 0


def test_kernels_read_and_write_the_parts():
    a = sparse.csr_matrix(cp.array(dense))
    k = cp.RawKernel(
        """extern "C" __global__ void k(double* data, const int* columns, const int* rows, const double* x, double* y) {
          int i = threadIdx.x;
          for (int j = rows[i]; j < rows[i + 1]; ++j) { y[i] += data[j] * x[columns[j]]; data[j] = -data[j]; }
        }""",
        "k",
    )
    x, y = cp.arange(1.0, 4.0), cp.zeros(2)
    k((1,), (2,), (a.data, a.indices, a.indptr, x, y))
    assert y.tolist() == (dense @ [1, 2, 3]).tolist()
    assert a.toarray().tolist() == (-dense).tolist()


def test_arithmetic_gives_arrays_and_matrices_of_cupys(matrix):
    x = cp.arange(3.0)
    assert isinstance(matrix @ x, cp.ndarray) and (matrix @ x).tolist() == [4, 3]
    assert matrix.dot(x).tolist() == [4, 3] and (cp.ones(2) @ matrix).tolist() == [1, 3, 2]
    assert isinstance((2 * matrix).tocsr(), sparse.csr_matrix)
    assert (matrix + matrix.T.T - matrix * 3).toarray().tolist() == (-dense).tolist()
    assert float(matrix.sum()) == 6 and matrix.nnz == 3 and matrix.shape == (2, 3)


def test_functions_take_and_give_matrices(matrix):
    assert sparse.issparse(matrix) and not sparse.issparse(dense)
    assert sparse.vstack([matrix, matrix]).toarray().tolist() == np.vstack([dense, dense]).tolist()
    assert isinstance(sparse.eye(3, format="csr"), sparse.csr_matrix)
    assert pickle.loads(pickle.dumps(matrix)).toarray().tolist() == dense.tolist()
