"""Proofs with conditions: correct kernels that break a condition have no findings, and mistakes are found."""

import numpy as np
import pytest

import heddle
from heddle import cuda, float32, int32

pytestmark = pytest.mark.usefixtures("cpu")


def find_kinds(kernel, launch, *arguments):
    """The kinds of the findings of two launches."""
    with heddle.check(print=False, lints=False) as report:
        for _ in range(2):
            kernel[launch](*arguments)
    return [finding.kind for finding in report.findings]


@cuda.jit
def add_by_strides(out, first):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = t
    for h in range(first, 4):
        cuda.syncthreads()
        if t <= h:
            s[(2 * t + 1) * h] += 1
    cuda.syncthreads()
    out[t] = s[t]


@pytest.mark.parametrize("first", [0, 1])
def test_a_stride_may_be_zero(first):
    out = np.zeros(64, np.int32)
    assert find_kinds(add_by_strides, (1, 64), out, first) == []
    expected = np.arange(64)
    for h in range(first, 4):
        expected[(2 * np.arange(h + 1) + 1) * h] += 1 if h else 0
    expected[0] += first == 0
    np.testing.assert_array_equal(out, expected)


@cuda.jit
def eliminate(a, k, first):
    j, i = cuda.grid(2)
    if first <= i < a.shape[0] and j < a.shape[1]:
        a[i, j] -= a[k, j] * float32(0.5)


@pytest.mark.parametrize("k", [0, 5, -1])
def test_rows_below_a_pivot_row_are_written(k):
    a = np.ones((16, 16), np.float32)
    first = k % 16 + 1
    assert find_kinds(eliminate, ((1, 1), (16, 16)), a, k, first) == []
    assert (a[first:] == 0).all()
    assert (a[:first] == 1).all()


def test_a_pivot_row_is_written_while_others_read_it():
    a = np.ones((16, 16), np.float32)
    assert find_kinds(eliminate, ((1, 1), (16, 16)), a, 5, 0) == ["race"]


@cuda.jit
def copy_to_all(a):
    i = cuda.grid(1)
    if i < a.size - 1:
        a[i] = a[a.size - 1]


@cuda.jit
def keep_last(a):
    i = cuda.grid(1)
    a[i] += 1
    if i == a.size - 1:
        a[0 * i + a.size - 1] += a[a.size - 1]


def test_one_element_is_read_by_all():
    a = np.arange(64, dtype=np.int32)
    assert find_kinds(copy_to_all, (2, 32), a) == []
    assert (a == 63).all()


def test_one_thread_reads_and_writes_its_own_element():
    a = np.zeros(64, np.int32)
    assert find_kinds(keep_last, (2, 32), a) == []
    assert a[-1] == 6


@cuda.jit
def subtract_where_less(x, starts, ends, y):
    i = cuda.grid(1)
    if x[starts[i]] < y[i]:
        x[ends[i]] -= y[i]


def test_writes_that_depend_on_memory_are_undone_before_the_launch_is_repeated():
    x = np.zeros(32, np.int32)
    starts, ends, y = (
        np.zeros(32, np.int32),
        np.full(32, 7, np.int32),
        np.arange(1, 33, dtype=np.int32),
    )
    with heddle.check(print=False, lints=False) as report:
        subtract_where_less[1, 32](x, starts, ends, y)
    assert {finding.kind for finding in report.findings} == {"race"}
    assert x[7] == -y.sum()


@cuda.jit
def vote_before_barrier(x, out):
    s = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    if cuda.any_sync(0xFFFFFFFF, x[t]):
        s[t] += s[63 - t]
    cuda.syncthreads()
    out[t] = s[t]


def test_warps_of_a_block_may_vote_differently():
    x = np.zeros(64, np.int32)
    x[:32] = 1
    assert find_kinds(vote_before_barrier, (1, 64), x, np.zeros(64, np.int32)) == ["race"]
