"""Arrays of torch and CuPy after many launches, when launches read their members from memory."""

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
def number_elements(x):
    row, column = cuda.grid(2)
    if row < x.shape[0] and column < x.shape[1]:
        x[row, column] = 100 * row + column


numbered = 100 * np.arange(6)[:, None] + np.arange(5)

twice = heddle.RawKernel(
    'extern "C" __global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }',
    "twice",
)


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    for _ in range(10):
        double[1, 32](torch.zeros(3, device="cuda"))
    return torch


@pytest.fixture
def cupy():
    cupy = pytest.importorskip("cupy")
    for _ in range(10):
        double[1, 32](cupy.zeros(3, np.float32))
    return cupy


def make_layouts(zeros):
    base = zeros((40, 40))
    return {
        "contiguous": zeros((6, 5)),
        "transposed": zeros((5, 6)).T,
        "strided": base[:12:2, 3:18:3],
        "rows": base[:6, :5],
        "an axis of one": base[None, :6, :5][0],
    }


@pytest.mark.parametrize("layout", make_layouts(np.zeros))
def test_strides_of_tensors_are_kept(torch, layout):
    x = make_layouts(lambda shape: torch.zeros(shape, dtype=torch.int64, device="cuda"))[layout]
    number_elements[1, (8, 8)](x)
    np.testing.assert_array_equal(x.cpu().numpy(), numbered)


@pytest.mark.parametrize("layout", make_layouts(np.zeros))
def test_strides_of_cupy_arrays_are_kept(cupy, layout):
    x = make_layouts(lambda shape: cupy.zeros(shape, np.int64))[layout]
    number_elements[1, (8, 8)](x)
    np.testing.assert_array_equal(x.get(), numbered)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "float16", "float64"])
def test_every_dtype_is_read(torch, cupy, dtype):
    for _ in range(2):
        x = torch.arange(10, dtype=getattr(torch, dtype), device="cuda")
        y = cupy.arange(10, dtype=dtype)
        double[1, 32](x)
        double[1, 32](y)
        assert x.cpu().tolist() == y.get().tolist() == [2 * i for i in range(10)]


def test_a_tensor_that_is_resized_and_one_that_is_set_are_read_again(torch):
    x = torch.ones(4, device="cuda")
    double[1, 32](x)
    x.resize_(8)
    x[4:] = 1
    double[1, 32](x)
    assert x.tolist() == [4] * 4 + [2] * 4
    x.set_(torch.ones(3, device="cuda"))
    double[1, 32](x)
    assert x.tolist() == [2] * 3


def test_arrays_without_elements(torch, cupy):
    double[1, 32](torch.zeros(0, device="cuda"))
    double[1, 32](cupy.zeros(0, np.float32))
    cuda.synchronize()


def test_arrays_without_axes(torch, cupy):
    @cuda.jit
    def increment(x):
        x[()] += 1

    for make in (lambda: torch.zeros((), device="cuda"), lambda: cupy.zeros((), np.float32)):
        x = make()
        increment[1, 1](x)
        assert float(x) == 1


def test_tensors_that_require_gradients_are_refused(torch):
    for tensor in (
        torch.zeros(4, device="cuda", requires_grad=True),
        torch.nn.Parameter(torch.zeros(4, device="cuda")),
        torch.zeros(4, device="cuda", requires_grad=True) * 2,
        torch.zeros(4, device="cuda").requires_grad_(),
    ):
        with pytest.raises(TypeError, match="requires grad"):
            double[1, 4](tensor)
        with pytest.raises(TypeError, match="requires grad"):
            twice((1,), (4,), (tensor, 4))


def test_tensors_that_no_longer_require_gradients_work(torch):
    x = torch.ones(4, device="cuda", requires_grad=True)
    double[1, 4](x.detach())
    x.requires_grad_(False)
    double[1, 4](x)
    with torch.no_grad():
        double[1, 4](x[:2])
    with torch.inference_mode():
        y = torch.ones(4, device="cuda")
        double[1, 4](y)
    assert x.tolist() == [8, 8, 4, 4] and y.tolist() == [2] * 4


def test_a_conjugated_view_shows_the_stored_values_as_in_the_first_launch(torch):
    @cuda.jit
    def read(x, out):
        out[0] = x[0]

    found = []
    x = torch.tensor([1 + 2j], device="cuda").conj()
    for _ in range(12):
        out = torch.zeros(1, dtype=x.dtype, device="cuda")
        read[1, 1](x, out)
        found.append(complex(out[0]))
    assert len(set(found)) == 1


def test_subclasses_are_read(torch, cupy):
    class Tensor(torch.Tensor):
        pass

    class Array(cupy.ndarray):
        pass

    for _ in range(12):
        x = torch.ones(4, device="cuda").as_subclass(Tensor)
        y = cupy.ones(4, np.float32).view(Array)
        double[1, 4](x)
        double[1, 4](y)
        assert x.tolist() == y.tolist() == [2] * 4


def test_tensors_on_the_host_are_still_copied(torch):
    x = torch.ones(4)
    double[1, 4](x)
    assert x.tolist() == [2] * 4


def test_arrays_on_another_gpu_are_refused(torch, cupy, two_gpus):
    with pytest.raises(TypeError, match="lives on cuda:1"):
        double[1, 4](torch.ones(4, device="cuda:1"))
    with cupy.cuda.Device(1):
        y = cupy.ones(4, np.float32)
    with pytest.raises(TypeError, match="lives on cuda:1"):
        double[1, 4](y)


def test_work_in_current_streams_is_waited_for(torch, cupy):
    stream, other = torch.cuda.Stream(), cupy.cuda.Stream(non_blocking=True)
    for _ in range(5):
        with torch.cuda.stream(stream), other:
            x, y = torch.zeros(1 << 22, device="cuda"), cupy.zeros(1 << 22, np.float32)
            for _ in range(50):
                x += 1
                y += 1
            double[(1 << 22) // 256, 256](x)
            double[(1 << 22) // 256, 256](y)
        cuda.synchronize()
        assert torch.all(x == 100) and bool((y == 100).all())


def test_a_kernel_in_cuda_cpp_takes_arrays_of_both(torch, cupy):
    x, y = torch.ones(8, device="cuda"), cupy.ones(8, np.float32)
    for _ in range(12):
        twice((1,), (32,), (x, 8))
        twice((1,), (32,), (y, 8))
    cuda.synchronize()
    assert x.tolist() == y.tolist() == [2**12] * 8


@pytest.mark.parametrize("kind", ["dtype", "strides"])
def test_a_kernel_in_cuda_cpp_refuses_other_arrays(torch, cupy, kind):
    error, match = {"dtype": (TypeError, "float64"), "strides": (ValueError, "contiguous")}[kind]
    for library in (torch, cupy):
        on = {"device": "cuda"} if library is torch else {}
        x = library.zeros(8, dtype=library.float64 if kind == "dtype" else library.float32, **on)
        with pytest.raises(error, match=match):
            twice((1,), (8,), (x[::2] if kind == "strides" else x, 4))


def test_launches_read_members_of_both_libraries_from_memory(torch, cupy):
    from heddle import _heddle

    confirmed = _heddle.list_quick_classes()
    assert confirmed[torch.Tensor] == {"confirmed": True, "layout": True}
    assert confirmed[cupy.ndarray] == {"confirmed": True, "layout": True}
