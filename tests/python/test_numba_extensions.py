"""Packages that register types with numba through entry points, which heddle calls as numba does."""

import pytest

pytest.importorskip("llvmlite.ir")

PACKAGE = """
from numba import types
from numba.core import cgutils
from numba.core.boxing import unbox_array
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, make_attribute_wrapper, models, register_model, unbox


class Counter:
    def __init__(self, counts):
        self.counts = counts


class CounterType(types.Type):
    def __init__(self):
        super().__init__(name="Counter")


def register():
    counts_type = types.uint64[::1]
    typeof_impl.register(Counter)(lambda val, c: CounterType())

    @register_model(CounterType)
    class CounterModel(models.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("counts", counts_type)])

    make_attribute_wrapper(CounterType, "counts", "counts")

    @unbox(CounterType)
    def unbox_counter(typ, obj, c):
        counter = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        counts = c.pyapi.object_getattr_string(obj, "counts")
        counter.counts = unbox_array(counts_type, counts, c).value
        c.pyapi.decref(counts)
        return NativeValue(counter._getvalue())
"""

SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from numba import cuda, njit
import counting

@njit
def count(counter, i):
    counter.counts[i] += 1

counter = counting.Counter(np.zeros(3, np.uint64))
count(counter, 2)
print(counter.counts)
"""


@pytest.fixture
def installed(tmp_path):
    """A folder with an installed package ``counting`` that has an entry point."""
    (tmp_path / "counting.py").write_text(PACKAGE)
    facts = tmp_path / "counting-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: counting\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[numba_extensions]\ninit = counting:register\n")
    return tmp_path


def test_a_packages_types_are_there_without_a_call(installed, run_script):
    result = run_script(SCRIPT.format(folder=str(installed)))
    assert (result.stdout, result.stderr) == ("[0 0 1]\n", "")


def test_a_package_that_fails_stops_no_program(installed, run_script):
    (installed / "counting.py").write_text(
        "def register():\n    raise ImportError('no such name')\n"
    )
    result = run_script("from numba import njit\nprint(njit(lambda x: x + 1)(1))\n")
    assert (result.stdout, result.stderr) == ("2\n", "")
