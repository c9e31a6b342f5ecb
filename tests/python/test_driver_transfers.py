"""Copies as on devices with separate memory, made on the CPU device, whose streams offer the same calls.

The results are compared with the same copies in NumPy.
"""

import numpy as np
import pytest

from heddle import cuda
from heddle.cuda import copy_kernels, driver_transfers, transfers
from heddle.cuda.device_record import DeviceRecord

ROWS, COLUMNS = 130, 300  # more bytes than are copied without a kernel

views = {
    "all": np.s_[:],
    "rows": np.s_[3:90],
    "columns": np.s_[:, 7:200],
    "every_third_row": np.s_[::3],
    "every_other_column": np.s_[:, ::2],
    "reversed": np.s_[::-1, ::-1],
    "rows_reversed": np.s_[::-1],
    "one_row": np.s_[5],
    "one_column": np.s_[:, 5],
    "small_block": np.s_[4:7, 3:9],
    "nothing": np.s_[7:7],
}
each_view = pytest.mark.parametrize("view", views.values(), ids=views)
each_order = pytest.mark.parametrize("order", ["C", "F"])
# Sizes of 1, 2, 4, 8, 16, 12 and 3 bytes, and one whose parts are aligned to nothing.
each_dtype = pytest.mark.parametrize(
    "dtype", ["i1", "u2", "f4", "f8", "c16", "M8[s]", "U3", "S3", "i4,f8", "u1,f4,u2"]
)


@pytest.fixture(autouse=True)
def copies_by_the_driver(cpu, monkeypatch):
    monkeypatch.setattr(transfers, "_select_transfers_module", lambda device: driver_transfers)


@pytest.fixture
def launches(monkeypatch):
    """The extents of each launch of the kernel that copies elements."""
    made = []
    words = copy_kernels._view_as_words

    def watched(array, address, axes, *rest):
        made.append([extent for extent, _, _ in axes])
        return words(array, address, axes, *rest)

    monkeypatch.setattr(copy_kernels, "_view_as_words", watched)
    return made


def numbers(shape=(ROWS, COLUMNS), dtype="f8", order="C", seed=0):
    made = np.empty(shape, dtype, order)
    values = np.random.default_rng(seed).integers(32, 127, made.nbytes, np.uint8)
    contiguous = made.T if order == "F" else made
    contiguous.reshape(-1).view(np.uint8)[:] = values
    return made


@each_view
@each_order
def test_a_view_is_copied_to_the_host(order, view):
    source = numbers(order=order)
    np.testing.assert_array_equal(cuda.to_device(source)[view].copy_to_host(), source[view])


@each_dtype
def test_elements_of_any_size_are_copied_to_the_host(dtype):
    source = numbers(dtype=dtype)
    d = cuda.to_device(source)
    assert d[::2, ::3].copy_to_host().tobytes() == source[::2, ::3].tobytes()
    last = d[-1, -1]
    last = last.copy_to_host() if isinstance(last, DeviceRecord) else last
    assert last.tobytes() == source[-1, -1].tobytes()


@each_view
@each_order
def test_a_host_array_is_assigned_to_a_view(order, view):
    expected = numbers(order=order)
    d = cuda.to_device(expected)
    values = numbers(seed=1)[view]
    d[view] = values
    expected[view] = values
    np.testing.assert_array_equal(d.copy_to_host(), expected)


@each_dtype
def test_elements_of_any_size_are_assigned_to_a_view(dtype):
    expected = numbers(dtype=dtype)
    d = cuda.to_device(expected)
    values = numbers(dtype=dtype, seed=1)[:, ::3]
    d[:, ::3] = values
    expected[:, ::3] = values
    assert d.copy_to_host().tobytes() == expected.tobytes()


@each_view
@pytest.mark.parametrize("value", [0, 7, -1.5])
def test_a_number_is_assigned_to_a_view(value, view):
    expected = numbers()
    d = cuda.to_device(expected)
    d[view] = value
    expected[view] = value
    np.testing.assert_array_equal(d.copy_to_host(), expected)


@pytest.mark.parametrize("shape", [(COLUMNS,), (1, COLUMNS), (ROWS, 1), (1, 1)])
def test_an_assigned_array_is_stretched(shape):
    expected = numbers()
    d = cuda.to_device(expected)
    values = numbers(shape, seed=1)
    d[:] = values
    expected[:] = values
    np.testing.assert_array_equal(d.copy_to_host(), expected)


@pytest.mark.parametrize("on_device", [False, True], ids=["host", "device"])
def test_an_assigned_array_is_cast(on_device):
    values = np.random.default_rng(0).normal(0, 100, (ROWS, COLUMNS))
    d = cuda.to_device(np.zeros((ROWS, COLUMNS), np.int16))
    d[:] = cuda.to_device(values) if on_device else values
    np.testing.assert_array_equal(d.copy_to_host(), values.astype(np.int16))


@each_view
@each_order
def test_a_device_array_is_assigned_to_a_view(order, view):
    expected, values = numbers(order=order), numbers(seed=1)
    d = cuda.to_device(expected)
    d[view] = cuda.to_device(values)[view]
    expected[view] = values[view]
    np.testing.assert_array_equal(d.copy_to_host(), expected)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1), (2, 0, 1)])
def test_axes_are_transposed(axes):
    source = numbers((20, 30, 40), "i4")
    np.testing.assert_array_equal(
        cuda.to_device(source).transpose(axes).copy_to_host(), source.transpose(axes)
    )


def test_an_array_is_moved_within_itself():
    expected = numbers()
    d = cuda.to_device(expected)
    d[1:, 1:] = d[:-1, :-1]
    expected[1:, 1:] = expected[:-1, :-1].copy()
    np.testing.assert_array_equal(d.copy_to_host(), expected)


def test_more_axes_than_the_kernel_has_are_copied(launches):
    source = numbers((4, 5, 3, 6, 4, 7, 8), "i2")
    part = np.s_[::2, ::2, ::2, ::2, ::2, ::2, ::2]
    d, values = cuda.to_device(np.zeros_like(source)), cuda.to_device(source)
    d[part] = values[part]
    expected = np.zeros_like(source)
    expected[part] = source[part]
    np.testing.assert_array_equal(d.copy_to_host(), expected)
    assert len(launches) == 2 * 2 * 3 * 2  # target and source, for each place along the first axes


def test_axes_that_both_arrays_step_over_evenly_become_one(launches):
    d = cuda.to_device(numbers((10, 20, 30, 40), "i2"))
    d[::2].copy_to_host()
    assert launches == [[1, 1, 5, 24_000]] * 2 or launches == [[1, 1, 5, 6_000]] * 2


@pytest.mark.parametrize("shape", [(), (1,), (3, 0, 2)])
def test_small_and_empty_arrays_come_back(shape):
    source = np.random.default_rng(0).random(shape)
    d = cuda.to_device(source)
    np.testing.assert_array_equal(d.copy_to_host(), source)
    d[...] = 3
    np.testing.assert_array_equal(d.copy_to_host(), np.full(shape, 3.0))


def test_a_small_view_is_copied_without_a_kernel(launches):
    cuda.to_device(np.arange(100))[::7].copy_to_host()
    assert launches == []


@pytest.mark.parametrize("step", [1, 2])
def test_a_copy_to_pinned_memory_is_ordered_by_its_stream(step):
    stream, source = cuda.stream(), numbers()
    d, target = cuda.to_device(source), cuda.pinned_array((ROWS, COLUMNS * step))
    d.copy_to_host(target[:, ::step], stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(target[:, ::step], source)


def test_a_copy_from_pinned_memory_is_ordered_by_its_stream():
    stream, source = cuda.stream(), cuda.pinned_array((ROWS, COLUMNS))
    source[:] = numbers()
    d = cuda.device_array_like(source)
    d.copy_to_device(source, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(d.copy_to_host(), source)


def test_an_array_of_another_order_is_copied_there_and_back():
    source, target = numbers(order="F"), np.empty((ROWS, COLUMNS))
    d = cuda.device_array((ROWS, COLUMNS))
    d.copy_to_device(source)
    np.testing.assert_array_equal(d.copy_to_host(target), source)
