"""cupy.testing: names that test suites for CuPy import.

comparisons    assert_array_equal and similar functions, and arrays with known elements
loops          decorators that run a test for each dtype or each memory order
consistency    decorators that run a test with NumPy and with CuPy and compare the results
conditions     parametrized test cases; tests that need several devices or other packages
"""

from heddle.compat.cupy.testing import comparisons, conditions, consistency, loops
from heddle.compat.cupy.testing.comparisons import *  # noqa: F403
from heddle.compat.cupy.testing.conditions import *  # noqa: F403
from heddle.compat.cupy.testing.consistency import *  # noqa: F403
from heddle.compat.cupy.testing.loops import *  # noqa: F403
from heddle.support.missing_names import make_missing_name_error

__all__ = [name for part in (comparisons, conditions, consistency, loops) for name in part.__all__]


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.testing", name)
