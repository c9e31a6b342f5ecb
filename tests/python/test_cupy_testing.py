"""cupy.testing: what test suites for CuPy import."""

import unittest

import numpy as np
import pytest

import heddle.compat.cupy as cp
from heddle.compat.cupy import testing

pytestmark = pytest.mark.usefixtures("cpu")


def ran(case):
    return unittest.TextTestRunner(stream=open("/dev/null", "w")).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(case)
    )


def test_a_test_runs_for_each_dtype():
    seen = []
    testing.for_all_dtypes(no_float16=True, no_complex=True)(lambda dtype: seen.append(dtype))()
    assert {np.dtype(t).char for t in seen} == set("bhilqBHILQfd?")


@pytest.mark.parametrize("full, count", [(True, 9), (False, 6)])
def test_combinations_of_dtypes(full, count):
    seen = set()
    combine = testing.for_dtypes_combination("fdi", names=("a", "b"), full=full)
    combine(lambda a, b: seen.add((a, b)))()
    assert len(seen) == count


def test_a_failing_dtype_is_named():
    with pytest.raises(ZeroDivisionError) as caught:
        testing.for_orders("CF")(lambda order: 1 // (order == "C"))()
    assert caught.value.__notes__ == ["with {'order': 'F'}"]


def test_one_dtype_may_skip_itself():
    seen = []

    @testing.for_dtypes("fd")
    def test(dtype):
        if dtype is np.float32:
            raise unittest.SkipTest
        seen.append(dtype)

    test()
    assert seen == [np.float64]


def test_results_of_both_are_compared():
    @testing.numpy_cupy_allclose(atol=1e-6)
    def test(xp, offset):
        return xp.arange(3.0) + (offset if xp is cp else 0)

    test(offset=1e-9)
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        test(offset=1)


def test_dtypes_of_results_are_compared():
    with pytest.raises(AssertionError, match="CuPy's dtype is float32, NumPy's float64"):
        testing.numpy_cupy_array_equal()(lambda xp: xp.ones(2, "f" if xp is cp else "d"))()


def test_both_may_raise_what_is_expected():
    accept = testing.numpy_cupy_array_equal(accept_error=ValueError)
    accept(lambda xp: xp.ones(2).reshape(3))()
    with pytest.raises(AssertionError, match="only NumPy raised"):
        accept(lambda xp: xp.ones(2).reshape(2 if xp is cp else 3))()
    with pytest.raises(AssertionError, match="CuPy raised ValueError"):
        testing.numpy_cupy_equal()(lambda xp: xp.ones(2).reshape(3))()


def test_a_class_of_tests_is_made_for_each_parameter():
    class Case(unittest.TestCase):
        def test_it(self):
            self.assertIn(self.shape, [(2,), (3,)])

    assert testing.parameterize(*testing.product({"shape": [(2,), (3,)], "n": [1]}))(Case) is None
    made = [globals().pop(f"Case_{number}") for number in range(2)]
    assert [case.shape for case in made] == [(2,), (3,)]
    assert all(ran(case).wasSuccessful() and ran(case).testsRun == 1 for case in made)


def test_products_of_dicts():
    assert testing.product_dict([{"a": 1}, {"a": 2}], [{"b": 3}]) == [
        {"a": 1, "b": 3},
        {"a": 2, "b": 3},
    ]


def test_requirements_are_looked_up():
    assert testing.installed("numpy>=1.0", "numpy!=0.9")
    assert not testing.installed("numpy<1.0")
    assert not testing.installed("a-package-of-no-name")


def test_tests_of_several_devices_are_skipped_where_there_is_one():
    class Case(unittest.TestCase):
        @testing.multi_gpu(99)
        def test_it(self):
            self.fail()

    assert len(ran(Case).skipped) == 1


def test_random_numbers_begin_anew():
    @testing.fix_random()
    def draw():
        return float(cp.random.rand()), testing.generate_seed()

    assert draw() == draw()


def test_a_suite_for_cupy_runs(run_heddle, tmp_path):
    (tmp_path / "test_suite.py").write_text(
        "import unittest\n"
        "from cupy import testing\n"
        "import cupy\n\n\n"
        "@testing.parameterize({'n': 1}, {'n': 2})\n"
        "class TestSum(unittest.TestCase):\n"
        "    @testing.for_float_dtypes()\n"
        "    @testing.numpy_cupy_allclose(rtol=1e-3)\n"
        "    def test_it(self, xp, dtype):\n"
        "        return testing.shaped_random((3, self.n), xp, dtype).sum(axis=0)\n"
    )
    result = run_heddle("run", "-m", "pytest", "-q", tmp_path, env={"HEDDLE_DEVICE": "cpu"})
    assert "2 passed" in result.stdout


@pytest.mark.parametrize("dtype, error", [("f", 1e-3), ("d", 1e-9)])
def test_tolerances_depend_on_the_dtype(dtype, error):
    @testing.numpy_cupy_allclose(rtol={np.float32: 1e-2, "default": 1e-7})
    def run(xp, factor):
        return xp.ones(3, dtype) * xp.asarray(1 + factor * error * (xp is np), dtype)

    run(factor=1)
    with pytest.raises(AssertionError):
        run(factor=1000)


def test_a_test_compares_with_scipy(run_heddle, tmp_path):
    pytest.importorskip("scipy")
    (tmp_path / "test_suite.py").write_text(
        "from cupy import testing\n\n\n"
        "@testing.numpy_cupy_allclose(scipy_name='scp', rtol=1e-12)\n"
        "def test_it(xp, scp):\n"
        "    import scipy.special\n"
        "    return scp.special.gamma(xp.arange(1, 5.0))\n\n\n"
        "@testing.numpy_cupy_array_equal(sp_name='sp')\n"
        "def test_sparse(xp, sp):\n"
        "    return sp.csr_matrix(xp.eye(3)).toarray()\n"
    )
    result = run_heddle("run", "-m", "pytest", "-q", tmp_path, env={"HEDDLE_DEVICE": "cpu"})
    assert "2 passed" in result.stdout


def test_slow_is_a_mark_of_pytest(pytestconfig):
    pytestconfig.addinivalue_line("markers", "slow: a mark of CuPy's tests")

    @testing.slow
    def slow_test():
        pass

    assert slow_test.pytestmark[0].name == testing.slow().name == "slow"
