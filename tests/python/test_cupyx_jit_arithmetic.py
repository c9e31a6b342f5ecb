"""Numbers in cupyx.jit kernels have C types and values, as in CuPy."""

import csv
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from c_expressions import values

from heddle.compat import cupy as cp
from heddle.compat.cupyx import jit

_table = Path(__file__).with_name("c_expressions.csv")
_rows = [row for row in csv.reader(_table.read_text().splitlines())]
_at_a_time = 50

pytestmark = pytest.mark.usefixtures("device")


def _kernel_of(rows, folder):
    names = [name for name, _ in values.values()]
    lines = [f"    {kind}_out[{n}] = {text}" for n, (text, kind, _) in enumerate(rows)]
    head = f"from heddle.compat.cupyx import jit\n\n@jit.rawkernel()\ndef k({', '.join(names)}, i_out, f_out):\n"
    file = folder / "expressions.py"
    file.write_text(head + "\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location("expressions", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.k


@pytest.mark.parametrize("first", range(0, len(_rows), _at_a_time))
def test_expressions_have_the_values_that_c_gives_them(tmp_path, first):
    rows = _rows[first : first + _at_a_time]
    variables = [cp.array([value], dtype=t) for t, (_, value) in values.items()]
    i_out, f_out = cp.zeros(len(rows), np.int64), cp.zeros(len(rows), np.float64)
    _kernel_of(rows, tmp_path)((1,), (1,), (*variables, i_out, f_out))
    i_out, f_out = i_out.get(), f_out.get()
    got = [(text, i_out[n] if kind == "i" else f_out[n]) for n, (text, kind, _) in enumerate(rows)]
    want = [(text, int(v) if kind == "i" else float(v)) for text, kind, v in rows]
    wrong = [
        (g, w[1])
        for g, w in zip(got, want, strict=True)
        if not np.isclose(
            g[1], w[1], rtol=1e-5 if isinstance(w[1], float) else 0, atol=0, equal_nan=True
        )
    ]
    assert not wrong


def launched(kernel, out, *args, threads=1):
    kernel((1,), (threads,), (out, *args))
    return out.get()


def test_a_hash_is_computed_in_32_bits():
    @jit.rawkernel()
    def k(out, x):
        out[0] = (x * np.uint32(2654435761)) >> np.uint32(16)

    assert launched(k, cp.zeros(1, np.int64), 2)[0] == 15470


def test_indices_of_threads_are_unsigned():
    @jit.rawkernel()
    def k(out):
        i = jit.threadIdx.x
        j, _ = jit.grid(2)
        out[0, i] = jit.threadIdx.x - jit.blockDim.x
        out[1, i] = i - 2
        out[2, i] = (jit.grid(1) - jit.gridsize(1)) >> 1
        out[3, i] = j - jit.laneid() - 1

    expected = (np.arange(2, dtype=np.uint32) - np.uint32(2)).tolist()
    half = [n >> 1 for n in expected]
    assert launched(k, cp.zeros((4, 2), np.int64), threads=2).tolist() == [
        expected,
        expected,
        half,
        [2**32 - 1] * 2,
    ]


def test_int32_overflows_as_in_c():
    @jit.rawkernel()
    def k(out, x):
        n = 2147483647
        out[0] = n + 1
        out[1] = x * x
        n += x
        out[2] = n
        out[3] = 2147483647 + 1  # constants are Python's

    assert launched(k, cp.zeros(4, np.int64), 65536).tolist() == [-(2**31), 0, 65535 - 2**31, 2**31]


def test_arguments_of_launches_are_typed_as_constants_are():
    @jit.rawkernel()
    def k(out, n, large, x):
        out[0] = n * n
        out[1] = large * 2
        out[2] = x * n

    got = launched(k, cp.zeros(3), 65536, 2**40, 0.1)
    assert got.tolist() == [0, 2**41, float(np.float32(0.1) * np.float32(65536))]


def test_a_constant_is_exact_in_the_type_of_the_other_operand():
    @jit.rawkernel()
    def k(out, x, y):
        out[0] = x[0] * 0.1
        out[1] = y[0] * 0.1
        third = 0.1
        out[2] = x[0] * third

    x, y = cp.array([3.0]), cp.array([3.0], dtype=np.float32)
    f = np.float32(0.1)
    assert launched(k, cp.zeros(3), x, y).tolist() == [
        3 * 0.1,
        float(np.float32(3) * f),
        3 * float(f),
    ]


def test_the_mode_numpy_has_numpys_common_types():
    @jit.rawkernel(mode="numpy")
    def k(out, i, u, f):
        out[0] = i[0] + u[0]
        out[1] = i[0] * f[0]
        out[2] = f[0] * 0.1
        n = 2147483647
        out[3] = n + 1

    i, u = cp.array([-1], dtype=np.int32), cp.array([3], dtype=np.uint32)
    f = cp.array([0.1], dtype=np.float32)
    exact = float(np.float32(0.1))
    assert launched(k, cp.zeros(4), i, u, f).tolist() == [2, -exact, exact * 0.1, 2**31]


def test_loops_count_in_the_type_of_their_bound():
    @jit.rawkernel()
    def k(out, n, large):
        for i in range(n[0]):
            out[0] = i - 5
        for i in jit.range(2, large[0], 2):
            out[1] = i * 2147483647
        for j in range(3):
            out[2] = j * 2147483647

    n, large = cp.array([3], dtype=np.uint32), cp.array([6], dtype=np.int64)
    got = launched(k, cp.zeros(3, np.int64), n, large)
    assert got.tolist() == [2**32 - 3, 4 * 2147483647, -2]


def test_assignments_to_elements_compute_in_c_and_evaluate_the_index_once():
    @jit.rawkernel()
    def k(out, u, count):
        u[0] //= 3
        u[1] -= 2
        u[2] >>= 1
        u[jit.atomic_add(count, 0, 1) + 3] += 2.75
        out[0], out[1], out[2], out[3], out[4] = u[0], u[1], u[2], u[3], count[0]

    u = cp.array([2**32 - 1, 1, 2**31, 5], dtype=np.uint32)
    got = launched(k, cp.zeros(5, np.int64), u, cp.zeros(1, np.int32))
    assert got.tolist() == [(2**32 - 1) // 3, 2**32 - 1, 2**30, 7, 1]


def test_powers_and_divisions_are_cupys():
    @jit.rawkernel()
    def k(out, i, f):
        out[0] = i[0] ** 31
        out[1] = i[0] ** -1
        out[2] = (-i[0]) // 3
        out[3] = -7 % i[0]
        out[4] = i[0] // (i[0] - 2)
        out[5] = i[0] / 4
        out[6] = f[0] ** 2
        out[7] = -7 // f[0]

    got = launched(k, cp.zeros(8), cp.array([2], dtype=np.int32), cp.array([1.5], dtype=np.float32))
    assert got.tolist() == [-(2**31), 0, -1, 1, 0, 0.5, 2.25, -5]


def test_logic_gives_bools():
    @jit.rawkernel()
    def k(out, i):
        out[0] = i[0] and i[1]
        out[1] = i[0] or i[1]
        out[2] = (i[0] > 1) + (i[1] > 1)
        out[3] = not i[0]

    assert launched(k, cp.zeros(4, np.int32), cp.array([5, 3])).tolist() == [1, 1, 1, 0]


def test_a_choice_reads_only_the_side_that_is_chosen():
    @jit.rawkernel()
    def k(out, x, n):
        i = jit.threadIdx.x
        value = x[i * 1000000000] if i < n else 0
        out[i] = value / 2

    assert launched(k, cp.zeros(2), cp.array([3], dtype=np.float32), 1, threads=2).tolist() == [
        1.5,
        0,
    ]


def test_device_functions_get_constants_of_cs_types():
    @jit.rawkernel(device=True)
    def twice(n):
        return n * 2

    @jit.rawkernel()
    def k(out):
        out[0] = twice(2147483647)

    assert launched(k, cp.zeros(1, np.int64))[0] == -2
