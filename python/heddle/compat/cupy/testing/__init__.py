"""cupy.testing: what test suites written for CuPy import.

comparisons    assert_array_equal and its kin, and arrays with known elements
loops          a test run for each dtype, or each order of elements
consistency    a test run with NumPy and with CuPy, whose results are compared
conditions     test cases with parameters; tests that need several devices, or packages
"""

from heddle.compat.cupy.testing import comparisons, conditions, consistency, loops
from heddle.compat.cupy.testing.comparisons import *  # noqa: F403
from heddle.compat.cupy.testing.conditions import *  # noqa: F403
from heddle.compat.cupy.testing.consistency import *  # noqa: F403
from heddle.compat.cupy.testing.loops import *  # noqa: F403
from heddle.missing_names import missing_name

__all__ = [name for part in (comparisons, conditions, consistency, loops) for name in part.__all__]


def __getattr__(name):
    raise missing_name("heddle.cupy.testing", name)
