"""Arrays of torch, CuPy, JAX and numba as kernel arguments, and device arrays in those libraries."""

import numpy as np
import pytest

import heddle
from heddle import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def number_elements(x):
    row, column = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        x[row, column] = 100 * row + column


numbered = 100 * np.arange(6)[:, None] + np.arange(5)
torch_dtypes = ["int8", "int16", "int32", "int64", "uint8", "float32", "float64"]


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture
def jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU here")
    return jax


@pytest.fixture
def numba_cuda():
    numba = pytest.importorskip("numba")
    module = pytest.importorskip("numba.cuda")
    if not hasattr(numba, "cuda") or not module.is_available():
        pytest.skip("numba has no GPU here")
    return module


# torch


@pytest.mark.parametrize("dtype", torch_dtypes)
def test_a_torch_tensor_is_changed_in_place(torch, dtype):
    x = torch.arange(10, dtype=getattr(torch, dtype), device="cuda")
    double[1, 32](x)
    assert x.cpu().tolist() == [2 * i for i in range(10)]


def test_a_bool_tensor_is_an_array_of_bool(torch):
    @cuda.jit
    def invert(x):
        i = cuda.grid(1)
        x[i] = not x[i]

    x = torch.tensor([True, False, True], device="cuda")
    invert[1, 3](x)
    assert x.cpu().tolist() == [False, True, False]


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "strided", "expanded rows"])
def test_a_tensors_strides_are_kept(torch, layout):
    base = torch.zeros(40, 40, dtype=torch.int64, device="cuda")
    x = {
        "contiguous": base[:6, :5].contiguous(),
        "transposed": base[:5, :6].contiguous().T,
        "strided": base[:12:2, 3:18:3],
        "expanded rows": base[:6, :5],
    }[layout]
    number_elements[1, (8, 8)](x)
    np.testing.assert_array_equal(x.cpu().numpy(), numbered)


def test_a_view_of_a_tensor_starts_where_it_starts(torch):
    base = torch.zeros(10, device="cuda")
    double[1, 32](base[3:].fill_(1))
    assert base.cpu().tolist() == [0] * 3 + [2] * 7


def test_a_tensor_without_elements(torch):
    double[1, 32](torch.zeros(0, device="cuda"))
    cuda.synchronize()


def test_a_tensor_that_requires_gradients_is_refused(torch):
    x = torch.zeros(4, device="cuda", requires_grad=True)
    with pytest.raises((TypeError, ValueError), match=r"grad.*detach|detach"):
        double[1, 4](x)


def test_a_detached_tensor_works(torch):
    x = torch.ones(4, device="cuda", requires_grad=True)
    double[1, 4](x.detach())
    assert x.detach().cpu().tolist() == [2] * 4


def test_a_dtype_that_kernels_lack_is_refused_by_name(torch):
    x = torch.zeros(4, dtype=torch.complex32, device="cuda")
    with pytest.raises(TypeError, match="no type for elements of|dtype"):
        double[1, 4](x)


def test_a_tensor_in_host_memory_is_refused_or_copied_back(torch):
    x = torch.ones(4)
    try:
        double[1, 4](x)
    except TypeError as error:
        assert "host" in str(error) or "cpu" in str(error)
    else:
        assert x.tolist() == [2] * 4


def test_a_kernel_sees_what_torch_computed_before_on_its_current_stream(torch):
    for _ in range(20):
        x = torch.zeros(1 << 20, device="cuda")
        for _ in range(20):
            x += 1
        double[(1 << 20) // 256, 256](x)
        x += 1
        assert torch.all(x == 41)


def test_a_kernel_sees_what_another_torch_stream_computed(torch):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.zeros(1 << 22, device="cuda")
        for _ in range(50):
            x += 1
        double[(1 << 22) // 256, 256](x)
        found = x.clone()
    stream.synchronize()
    cuda.synchronize()
    assert torch.all(x == 100)
    del found


def test_a_launch_on_a_stream_of_torch_is_ordered_with_it(torch):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.zeros(1 << 22, device="cuda")
        for _ in range(50):
            x += 1
        double[(1 << 22) // 256, 256, stream](x)
        x += 1
    stream.synchronize()
    assert torch.all(x == 101)


def test_torch_reads_a_device_array_through_the_array_interface(torch):
    d = cuda.to_device(np.arange(6, dtype=np.float32))
    tensor = torch.as_tensor(d, device="cuda")
    tensor += 1
    torch.cuda.synchronize()
    np.testing.assert_array_equal(d.copy_to_host(), np.arange(6) + 1)


def test_dlpack_goes_both_ways_with_torch(torch):
    d = cuda.to_device(np.arange(6, dtype=np.float32))
    tensor = torch.from_dlpack(d)
    assert tensor.data_ptr() == d.__cuda_array_interface__["data"][0]
    double[1, 32](tensor)
    cuda.synchronize()
    np.testing.assert_array_equal(d.copy_to_host(), 2 * np.arange(6))


def test_a_tensor_that_only_dlpack_shows_is_taken(torch):
    class OnlyDlpack:
        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, **options):
            return self.tensor.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    x = torch.ones(8, device="cuda")
    double[1, 32](OnlyDlpack(x))
    cuda.synchronize()
    assert x.cpu().tolist() == [2] * 8


# CuPy


@pytest.mark.parametrize("dtype", [*torch_dtypes, "uint16", "uint32", "uint64"])
def test_a_cupy_array_is_changed_in_place(cupy, dtype):
    x = cupy.arange(10, dtype=dtype)
    double[1, 32](x)
    cuda.synchronize()
    assert x.get().tolist() == [2 * i for i in range(10)]


@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed"])
def test_a_cupy_arrays_strides_are_kept(cupy, layout):
    base = cupy.zeros((40, 40))
    x = {
        "C": cupy.zeros((6, 5)),
        "F": cupy.zeros((6, 5), order="F"),
        "strided": base[:12:2, 3:18:3],
        "reversed": base[5::-1, 4::-1],
    }[layout]
    number_elements[1, (8, 8)](x)
    cuda.synchronize()
    np.testing.assert_array_equal(x.get(), numbered)


def test_a_kernel_sees_what_cupy_computed_before(cupy):
    for _ in range(20):
        x = cupy.zeros(1 << 20)
        for _ in range(20):
            x += 1
        double[(1 << 20) // 256, 256](x)
        x += 1
        assert bool((x == 41).all())


def test_a_launch_on_a_stream_of_cupy_is_ordered_with_it(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.zeros(1 << 22)
        for _ in range(50):
            x += 1
        double[(1 << 22) // 256, 256, stream](x)
        x += 1
    stream.synchronize()
    assert bool((x == 101).all())


def test_cupy_reads_a_device_array(cupy):
    d = cuda.to_device(np.arange(6.0).reshape(2, 3))
    x = cupy.asarray(d)
    assert x.data.ptr == d.__cuda_array_interface__["data"][0]
    x *= 3
    cupy.cuda.runtime.deviceSynchronize()
    np.testing.assert_array_equal(d.copy_to_host(), 3 * np.arange(6).reshape(2, 3))


def test_dlpack_goes_both_ways_with_cupy(cupy):
    d = cuda.to_device(np.arange(6.0))
    x = cupy.from_dlpack(d)
    double[1, 32](x)
    cuda.synchronize()
    np.testing.assert_array_equal(x.get(), 2 * np.arange(6))


def test_arrays_of_three_libraries_in_one_launch(torch, cupy):
    a = torch.arange(8, dtype=torch.float32, device="cuda")
    b = cupy.ones(8, np.float32)
    c = cuda.device_array(8, np.float32)
    add[1, 32](a, b, c)
    np.testing.assert_array_equal(c.copy_to_host(), np.arange(8) + 1)


# JAX and numba


def test_a_jax_array_is_read(jax):
    a = jax.numpy.arange(8, dtype=np.float32)
    c = cuda.device_array(8, np.float32)
    add[1, 32](a, a, c)
    np.testing.assert_array_equal(c.copy_to_host(), 2 * np.arange(8))


def test_jax_reads_a_device_array(jax):
    d = cuda.to_device(np.arange(6, dtype=np.float32))
    x = jax.dlpack.from_dlpack(d)
    np.testing.assert_array_equal(np.asarray(x), np.arange(6))


def test_a_device_array_of_numba_is_changed_in_place(numba_cuda):
    x = numba_cuda.to_device(np.arange(8.0))
    double[1, 32](x)
    cuda.synchronize()
    np.testing.assert_array_equal(x.copy_to_host(), 2 * np.arange(8))


def test_numba_reads_a_device_array(numba_cuda):
    d = cuda.to_device(np.arange(8.0))
    np.testing.assert_array_equal(numba_cuda.as_cuda_array(d).copy_to_host(), np.arange(8))


# The array interface itself


class Interface:
    """An object whose only face is __cuda_array_interface__."""

    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


def test_an_object_with_the_interface_is_taken():
    d = cuda.to_device(np.arange(5.0))
    double[1, 32](Interface(d))
    np.testing.assert_array_equal(d.copy_to_host(), 2 * np.arange(5))


@pytest.mark.parametrize("stream", [None, 1, 2])
def test_the_interface_may_name_a_default_stream(stream):
    d = cuda.to_device(np.arange(5.0))
    double[1, 32](Interface(d, stream=stream))
    np.testing.assert_array_equal(d.copy_to_host(), 2 * np.arange(5))


def test_stream_0_in_the_interface_is_refused():
    d = cuda.to_device(np.arange(5.0))
    with pytest.raises((ValueError, TypeError), match="stream"):
        double[1, 32](Interface(d, stream=0))


def test_a_launch_waits_for_the_stream_that_the_interface_names():
    n = 1 << 22

    @cuda.jit
    def slowly(x):
        i = cuda.grid(1)
        for _ in range(200):
            x[i] += 1

    stream = cuda.stream()
    for _ in range(5):
        d = cuda.to_device(np.zeros(n))
        slowly[n // 256, 256, stream](d)
        other = cuda.stream()
        double[n // 256, 256, other](Interface(d, stream=int(stream.handle)))
        other.synchronize()
        assert (d.copy_to_host() == 400).all()


def test_a_masked_array_is_refused():
    d = cuda.to_device(np.arange(5.0))
    with pytest.raises((TypeError, ValueError, NotImplementedError), match="mask"):
        double[1, 32](Interface(d, mask=d))


def test_a_read_only_array_cannot_be_written():
    d = cuda.to_device(np.arange(5.0))
    address = d.__cuda_array_interface__["data"][0]
    with pytest.raises(heddle.TypingError, match="read-only"):
        double[1, 32](Interface(d, data=(address, True)))


def test_the_interface_of_a_device_array_says_what_it_is():
    d = cuda.to_device(np.zeros((3, 4), np.float32))
    whole, part = d.__cuda_array_interface__, d[:, 1:3].__cuda_array_interface__
    assert (whole["version"], whole["shape"], whole["strides"]) == (3, (3, 4), None)
    assert whole["typestr"] == "<f4" and whole["data"][1] is False
    assert part["shape"] == (3, 2) and part["strides"] == (16, 4)
    assert part["data"][0] == whole["data"][0] + 4
