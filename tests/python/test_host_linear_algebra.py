"""Matrix products and np.linalg in host functions, compared with NumPy."""

import numpy as np
import pytest

from heddle import njit, types
from heddle.compat.numba.linalg import _LAPACK

rng = np.random.RandomState(3)
REAL = rng.randn(5, 5)
SINGLE = REAL.astype(np.float32)
COMPLEX = REAL + 1j * rng.randn(5, 5)
WHOLE = rng.randint(-5, 5, (5, 5))
TALL = rng.randn(6, 4)
SYMMETRIC = REAL @ REAL.T + np.eye(5)
HERMITIAN = COMPLEX @ COMPLEX.conj().T + np.eye(5)


pytestmark = pytest.mark.usefixtures("everything_is_freed")


def equal(got, want):
    if not isinstance(want, tuple):
        got, want = (got,), (want,)
    for one, other in zip(got, want, strict=True):
        dtype = np.asarray(other).dtype
        tolerance = 1e-4 if dtype in (np.float32, np.complex64) else 1e-11
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


PRODUCTS = [
    (REAL, REAL),
    (TALL, REAL[:4]),
    (TALL.T, TALL),
    (np.asfortranarray(REAL), TALL[:5]),
    (REAL[::2, 1:4], TALL[1:4]),
    (SINGLE, SINGLE),
    (COMPLEX, REAL),
    (WHOLE, WHOLE),
    (np.empty((0, 3)), np.empty((3, 2))),
    (np.empty((2, 0)), np.empty((0, 3))),
    (REAL, REAL[0]),
    (TALL.T, TALL[:, 1]),
    (REAL[0], TALL[:5]),
    (COMPLEX, COMPLEX[:, 0]),
    (rng.randn(300), rng.randn(300)),
    (rng.randn(200)[::2], rng.randn(100)),
    (REAL[0], REAL[1]),
]


@pytest.mark.parametrize("case", range(len(PRODUCTS)))
def test_a_product_is_numpys(case):
    a, b = PRODUCTS[case]
    got, want = njit(lambda a, b: (a @ b, np.dot(a, b)))(a, b), (a @ b, np.dot(a, b))
    equal(got, want)
    assert np.asarray(got[0]).dtype == np.asarray(want[0]).dtype


FUNCTIONS = {
    "solve": (lambda a: np.linalg.solve(a, a[:, :2]), REAL, SINGLE, COMPLEX),
    "solve a vector": (lambda a: np.linalg.solve(a, a[:, 1]), REAL, WHOLE + 9 * np.eye(5)),
    "inv": (lambda a: np.linalg.inv(a), REAL, COMPLEX, np.asfortranarray(REAL)),
    "det": (lambda a: (np.linalg.det(a), *np.linalg.slogdet(a)), REAL, COMPLEX, np.zeros((2, 2))),
    "cholesky": (lambda a: np.linalg.cholesky(a), SYMMETRIC, HERMITIAN),
    "values": (lambda a: np.linalg.eigvalsh(a), SYMMETRIC, HERMITIAN),
    "singular values": (lambda a: np.linalg.svd(a)[1], TALL, TALL.T, COMPLEX),
    "pinv": (lambda a: np.linalg.pinv(a), TALL, COMPLEX),
    "rank": (lambda a: (np.linalg.matrix_rank(a), np.linalg.cond(a)), TALL, REAL),
    "power": (lambda a: (np.linalg.matrix_power(a, 5), np.linalg.matrix_power(a, 0)), REAL, WHOLE),
    "inverse power": (lambda a: np.linalg.matrix_power(a, -2), REAL),
    "lstsq": (lambda a: np.linalg.lstsq(a, a[:, 0] + 1.0), TALL, REAL),
    "norm": (
        lambda a: (
            np.linalg.norm(a),
            np.linalg.norm(a, 1),
            np.linalg.norm(a, np.inf),
            np.linalg.norm(a, -np.inf),
            np.linalg.norm(a, 2),
            np.linalg.norm(a[0]),
            np.linalg.norm(a[0], 3),
            np.linalg.norm(a[0], 1),
        ),
        REAL,
        COMPLEX,
    ),
}
CASES = [
    pytest.param(function, a, id=f"{name}-{i}")
    for name, (function, *arrays) in FUNCTIONS.items()
    for i, a in enumerate(arrays)
]


@pytest.mark.parametrize(("function", "a"), CASES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::FutureWarning")
def test_a_function_of_linalg_gives_what_numpys_does(function, a):
    equal(njit(function)(a), function(a))


# Results that are not unique are tested by their properties.


@pytest.mark.parametrize("a", [SYMMETRIC, HERMITIAN, SYMMETRIC.astype(np.float32)])
def test_eigenvectors_of_a_hermitian_matrix_are_its_own(a):
    values, vectors = njit(lambda a: np.linalg.eigh(a))(a)
    np.testing.assert_allclose(a @ vectors, vectors * values, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(vectors.conj().T @ vectors, np.eye(5), atol=1e-5)


@pytest.mark.parametrize("a", [SYMMETRIC + np.triu(REAL) * 0.01, COMPLEX])
def test_eigenvectors_of_a_matrix_are_its_own(a):
    values, vectors = njit(lambda a: np.linalg.eig(a))(a)
    np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-10)
    np.testing.assert_allclose(
        np.sort_complex(njit(lambda a: np.linalg.eigvals(a))(a)), np.sort_complex(values)
    )


@pytest.mark.parametrize("a", [TALL, TALL.T, COMPLEX])
@pytest.mark.parametrize("full", [True, False])
def test_a_singular_value_decomposition_gives_the_matrix(a, full):
    u, s, vt = njit(lambda a, full: np.linalg.svd(a, full))(a, full)
    want = np.linalg.svd(a, full)
    assert (u.shape, vt.shape) == (want[0].shape, want[2].shape)
    np.testing.assert_allclose((u[:, : s.size] * s) @ vt[: s.size], a, atol=1e-12)


@pytest.mark.parametrize("a", [TALL, TALL.T, COMPLEX])
def test_an_orthogonal_and_a_triangular_matrix_give_the_matrix(a):
    q, r = njit(lambda a: np.linalg.qr(a))(a)
    np.testing.assert_allclose(q @ r, a, atol=1e-12)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(q.shape[1]), atol=1e-12)
    np.testing.assert_array_equal(r, np.triu(r))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: np.linalg.inv(np.zeros((2, 2))), "singular"),
        (lambda: np.linalg.cholesky(-np.eye(2)), "not positive definite"),
        (lambda: np.linalg.det(np.zeros((2, 3))), "must be square"),
        (lambda: np.linalg.solve(np.eye(2), np.ones(3)), "Incompatible"),
    ],
)
def test_a_matrix_that_does_not_fit_is_a_linalg_error(function, message):
    with pytest.raises(np.linalg.LinAlgError, match=message):
        njit(function)()


def test_matrices_that_do_not_fit_are_a_value_error():
    with pytest.raises(ValueError, match="incompatible array sizes"):
        njit(lambda a, b: a @ b)(TALL, TALL)


def test_jitted_functions_call_lapack_by_numba_s_name():
    gesv = _LAPACK().numba_xgesv(types.float64)

    @njit
    def solved(a, b):
        n = len(b)
        pivots = np.zeros(n, np.int32)
        info = gesv(ord("d"), n, 1, a.ctypes, n, pivots.ctypes, b.ctypes, n)
        return info, pivots

    a, b = np.array([[2.0, 1], [1, 3]]), np.array([3.0, 5])
    info, pivots = solved(a, b)
    assert (info, list(pivots)) == (0, [1, 2])
    np.testing.assert_allclose(b, [0.8, 1.4])
    assert solved(np.ones((2, 2)), b)[0] == 2


@pytest.mark.parametrize(
    "name", ["inv", "det", "slogdet", "eig", "eigvals", "eigh", "eigvalsh", "svd", "qr", "pinv"]
)
def test_a_matrix_that_is_not_finite_is_an_error(name):
    function = eval(f"njit(lambda a: np.linalg.{name}(a))", {"np": np, "njit": njit})
    with pytest.raises(np.linalg.LinAlgError, match="infs or NaNs"):
        function(np.array([[1.0, np.nan], [0.0, 1.0]]))


def test_equations_that_are_not_finite_are_an_error():
    solve = njit(lambda a, b: np.linalg.solve(a, b))
    with pytest.raises(np.linalg.LinAlgError, match="infs or NaNs"):
        solve(np.eye(2), np.array([np.inf, 1.0]))


def test_a_singular_matrix_has_an_infinite_condition():
    assert njit(lambda a: np.linalg.cond(a))(np.zeros((2, 2))) == np.inf
    condition = njit(lambda a, p: np.linalg.cond(a, p))
    assert condition(np.zeros((2, 2)), -2) == np.inf
    assert condition(np.diag([1.0, 0.0]), -2) == 0


def test_the_rank_of_a_vector_tells_whether_it_is_zero():
    rank = njit(lambda a: np.linalg.matrix_rank(a))
    assert (rank(np.zeros(3)), rank(np.array([0.0, 2.0]))) == (0, 1)


def test_the_pseudo_inverse_of_an_empty_matrix_is_empty():
    assert njit(lambda a: np.linalg.pinv(a))(np.zeros((0, 3))).shape == (3, 0)


@pytest.mark.parametrize("name", ["solve", "lstsq"])
def test_sizes_that_do_not_fit_are_told_in_numbas_words(name):
    function = getattr(np.linalg, name)
    with pytest.raises(np.linalg.LinAlgError, match="system is not dimensionally valid"):
        njit(lambda a, b: function(a, b))(np.eye(3), np.ones(2))
