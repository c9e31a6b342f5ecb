"""Loads and stores with cache hints: the values they read and write, and their PTX."""

import numpy as np
import pytest

from heddle import cuda, types
from heddle.errors import TypingError

loads = ["ldca", "ldcg", "ldcs", "ldlu", "ldcv"]
stores = ["stwb", "stcg", "stcs", "stwt"]
dtypes = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("name", loads)
def test_loads_read_an_element(device, name, dtype):
    load = getattr(cuda, name)

    @cuda.jit
    def k(a, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = load(a, i)

    a = np.array([0, 1, 100, 3]).astype(dtype)
    out = np.zeros(4, dtype)
    k[1, 32](a, out)
    np.testing.assert_array_equal(out, a)


@pytest.mark.parametrize("dtype", dtypes)
@pytest.mark.parametrize("name", stores)
def test_stores_write_an_element(device, name, dtype):
    store = getattr(cuda, name)

    @cuda.jit
    def k(out):
        i = cuda.grid(1)
        if i < out.size:
            store(out, i, i * 2.0)

    out = np.zeros(4, dtype)
    k[1, 32](out)
    np.testing.assert_array_equal(out, (np.arange(4) * 2).astype(dtype))


def test_several_dimensions_and_negative_indices(device):
    @cuda.jit
    def k(a, out):
        cuda.stcg(out, (0, -1), cuda.ldcg(a, (1, 2)))
        cuda.stwt(out.T, (0, 1), cuda.ldcv(a[:, ::2], (-1, -1)))

    a, out = np.arange(12.0).reshape(3, 4), np.zeros((2, 3))
    k[1, 1](a, out)
    np.testing.assert_array_equal(out, [[0, 0, 6], [10, 0, 0]])


def test_shared_and_local_memory(device):
    @cuda.jit
    def k(out):
        s = cuda.shared.array(2, np.float32)
        mine = cuda.local.array(2, np.float32)
        cuda.stcs(s, 1, 5)
        cuda.stwb(mine, 0, 6)
        out[0] = cuda.ldcs(s, 1)
        out[1] = cuda.ldca(mine, 0)

    out = np.zeros(2)
    k[1, 1](out)
    np.testing.assert_array_equal(out, [5, 6])


@pytest.mark.parametrize("name", loads)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_loads_are_ptxs_instruction(name, bits):
    load, element = getattr(cuda, name), getattr(types, f"int{bits}")

    def k(a):
        a[0] = load(a, 1)

    ptx, _ = cuda.compile_ptx(k, types.void(element[::1]), cc=(9, 0))
    # ptxas may move ld.global.cv out of a loop that waits.
    opcode = "ld.volatile.global" if name == "ldcv" else f"ld.global.{name[2:]}"
    assert f"{opcode}.b{bits}" in ptx


@pytest.mark.parametrize("name", stores)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_stores_are_ptxs_instruction(name, bits):
    store, element = getattr(cuda, name), getattr(types, f"uint{bits}")

    def k(a):
        store(a, 1, a[0])

    ptx, _ = cuda.compile_ptx(k, types.void(element[::1]), cc=(9, 0))
    opcode = "st.volatile.global" if name == "stwt" else f"st.global.{name[2:]}"
    assert f"{opcode}.b{bits}" in ptx


@pytest.mark.parametrize(
    "function, match",
    [
        (lambda a: cuda.ldca(1, 0), "takes an array or a pointer, not int64"),
        (lambda a: cuda.ldca(a, (0, 0)), "cannot index a 1-D array"),
        (lambda a: cuda.ldca(a, slice), "array index must be an integer"),
        (lambda a: cuda.stcg(a, 0, a), "takes numbers"),
    ],
    ids=["no array", "rank", "index", "value"],
)
def test_wrong_uses_are_refused(device, function, match):
    with pytest.raises(TypingError, match=match):
        cuda.jit(function)[1, 1](np.zeros(2))


def test_a_read_only_array_is_not_stored_to(device):
    a = np.zeros(2)
    a.flags.writeable = False

    @cuda.jit
    def k(a):
        cuda.stcg(a, 0, 1)

    with pytest.raises(TypingError, match="read-only"):
        k[1, 1](a)


def test_memory_at_a_pointer_is_read_and_written(device):
    @cuda.jit(types.void(types.CPointer(types.float32), types.float32[:]))
    def k(p, out):
        i = cuda.threadIdx.x
        out[i] = cuda.ldcg(p, i)
        cuda.stwt(p, i, 7)

    a, out = cuda.to_device(np.arange(4, dtype="f")), np.zeros(4, "f")
    k[1, 4](a.device_pointer, out)
    assert out.tolist() == [0, 1, 2, 3] and a.copy_to_host().tolist() == [7] * 4


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers_are_read_and_written(device, dtype):
    @cuda.jit
    def k(a):
        cuda.stcs(a, 0, cuda.ldcv(a, 1) + 1)

    a = np.array([0, 2 + 3j], dtype)
    k[1, 1](a)
    assert a[0] == 3 + 3j
