"""Changes of the compiler's thresholds, with which scripts/measure_thresholds.py measures their effect."""

import textwrap

import numpy as np
import pytest

from heddle import _heddle, cuda


def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 2 * x[i] + 1


@pytest.fixture
def small_limit():
    before = _heddle.change_threshold("maxOptimizedSize", 1)
    yield
    _heddle.change_threshold("maxOptimizedSize", before)


def remarks_of(kernel):
    x = np.ones(100, np.float32)
    kernel[1, 128](x)
    np.testing.assert_array_equal(x, 3)
    return " ".join(next(iter(kernel.inspect_remarks().values())))


def test_a_changed_threshold_applies_to_later_compilations(cpu, small_limit):
    assert "it is large" in remarks_of(cuda.jit(scale))


def test_a_change_ends_with_the_old_value(cpu):
    before = _heddle.change_threshold("maxOptimizedSize", 1)
    assert _heddle.change_threshold("maxOptimizedSize", before) == 1
    assert "as vectors" in remarks_of(cuda.jit(scale))


def test_cached_code_belongs_to_the_thresholds_that_it_was_compiled_with(cpu, tmp_path, run_python):
    program = textwrap.dedent("""
        import numpy as np
        from heddle import _heddle, cuda

        _heddle.change_threshold("maxOptimizedSize", 2000)

        @cuda.jit(cache=True)
        def scale(x):
            x[cuda.grid(1)] *= 2

        scale[1, 32](np.ones(32))
        print(len(scale.stats.cache_hits))
    """)
    cache = {"HEDDLE_CACHE_DIR": str(tmp_path / "cache"), "HEDDLE_DEVICE": "cpu"}
    changed = program.replace("2000", "1")
    hits = [run_python(source, **cache).stdout for source in (program, program, changed, changed)]
    assert hits == ["0\n", "1\n", "0\n", "1\n"]


def test_an_unknown_threshold_is_an_error():
    with pytest.raises(KeyError, match="maxSizeOfAll"):
        _heddle.change_threshold("maxSizeOfAll", 1)
