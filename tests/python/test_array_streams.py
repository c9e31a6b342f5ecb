"""Streams of the CuPy substitute's arrays on the CPU device: handles, devices, changes of layout."""

import numpy as np
import pytest
from memory_order import COUNT, add_ten, slow_add

import heddle.compat.cupy as cp
from heddle import cuda

pytestmark = pytest.mark.usefixtures("cpu")


def test_a_handle_finds_a_stream_that_its_object_does_not_keep_in_mind():
    stream = cp.cuda.Stream(non_blocking=True)
    native = cuda.external_stream(stream.ptr)._native
    x = cuda.to_device(np.zeros(COUNT))
    slow_add[1, 16, native.device.external_stream(stream.ptr)](x)
    assert x.copy_to_host(stream=cuda.external_stream(stream.ptr)).tolist() == [1] * COUNT


def test_a_handle_of_no_stream_is_refused():
    with pytest.raises(ValueError, match="0x3039 is not the handle of an existing stream"):
        cuda.external_stream(12345).synchronize()


def test_a_changed_shape_is_seen_by_launches():
    @cuda.jit
    def put_extents(x):
        x[0, 0], x[0, 1] = x.shape[0], x.shape[1]

    x = cp.zeros((2, 3))
    put_extents[1, 1](x)
    x.shape = (3, 2)
    assert x.tolist() == [[2, 3], [0, 0], [0, 0]]
    put_extents[1, 1](x)
    assert x.tolist() == [[3, 2], [0, 0], [0, 0]]


def test_an_assigned_shape_needs_no_copy():
    x = cp.arange(6).reshape(2, 3)
    for shape, wanted in ((-1, (6,)), ([3, -1], (3, 2)), (6, (6,)), ((1, 2, 3), (1, 2, 3))):
        x.shape = shape
        assert x.shape == wanted and x.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="cannot reshape array of size 6 into shape"):
        x.shape = 4
    turned = x.T
    with pytest.raises(AttributeError, match="incompatible shape"):
        turned.shape = 6
    assert turned.shape == (3, 2, 1)


def test_a_shape_does_not_change_while_other_code_looks_at_the_memory():
    x = cp.zeros((2, 3))
    seen = memoryview(x)
    with pytest.raises(BufferError, match="other code uses this array's memory"):
        x.shape = (3, 2)
    seen.release()
    x.shape = (6,)
    assert x.tolist() == [0] * 6


def test_nested_streams_give_the_outer_one_back():
    outer, inner, x = cp.cuda.Stream(True), cp.cuda.Stream(non_blocking=True), cp.zeros(COUNT)
    with outer:
        with inner:
            slow_add[1, 16, cuda.external_stream(inner.ptr)](cuda.as_cuda_array(x))
            add_ten[1, 16](x)  # after the inner stream's work
        inner.synchronize()
        x += 1
    cuda.synchronize()
    assert x.tolist() == [12] * COUNT


def test_a_class_of_its_own_keeps_its_class_in_views():
    class Named(cp.ndarray):
        def __array_finalize__(self, obj):
            self.name = getattr(obj, "name", "new")

    x = cp.arange(6.0).view(Named)
    x.name = "x"
    part = x[2:]
    assert (type(part), part.name) == (Named, "x") and part.base is not None
    part[0] = 9
    assert x.tolist() == [0, 1, 9, 3, 4, 5]


def test_flat_elements_are_read_and_written():
    x = cp.arange(6).reshape(2, 3).T
    x.flat[1] = 50
    assert [int(v) for v in x.flat] == [0, 50, 1, 4, 2, 5] and len(x.flat) == 6
    x.flat = 7
    assert x.tolist() == [[7, 7]] * 3


def test_parts_of_complex_numbers_are_views():
    x = cp.zeros(2, np.complex128)
    x.real[:] = 3
    x.imag = 4
    assert x.tolist() == [3 + 4j] * 2 and abs(x).tolist() == [5, 5]


@pytest.mark.parametrize("dtype", [object, np.dtype([("a", object)])])
def test_an_array_of_python_objects_is_refused(dtype):
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cp.ndarray(3, dtype)


def test_an_error_of_a_kernel_is_raised_by_the_next_read():
    @cuda.jit(debug=False)
    def fail(x):
        if x[0] == 0:
            raise ValueError("zero")
        x[0] = 5

    x = cp.zeros(1)
    fail[1, 1](x)
    with pytest.raises(ValueError, match="zero"):
        x.get()
    assert x.get()[0] == 0
