"""Features of heddle's RawKernel and RawModule that programs written for CuPy rely on."""

import io
import pickle

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.errors import TypingError

TWO_KERNELS = r"""
extern "C" {
__global__ void sum(const float* x, const float* y, float* out, unsigned n) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}
__global__ void product(const float* x, const float* y, float* out, unsigned n) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] = x[i] * y[i];
}
}
"""

TEMPLATE = """
template <typename T> __global__ void square(T* x) { x[threadIdx.x] *= x[threadIdx.x]; }
template <int n> struct Adder { __device__ int operator()(int x) { return x + n; } };
template <class F> __global__ void apply(int* x) { x[threadIdx.x] = F()(x[threadIdx.x]); }
__device__ int counter = 3;
"""


def on_device(values, dtype="f"):
    return cuda.to_device(np.asarray(values, dtype))


def test_a_module_has_all_its_kernels(device):
    module = heddle.RawModule(code=TWO_KERNELS)
    x, y, out = on_device([1, 2, 3]), on_device([4, 5, 6]), on_device([0, 0, 0])
    module.get_function("sum")((1,), (32,), (x, y, out, 3))
    assert out.copy_to_host().tolist() == [5, 7, 9]
    module.get_function("product")((1,), (32,), (x, y, out, 3))
    assert out.copy_to_host().tolist() == [4, 10, 18]


ATTRIBUTES = (
    "max_threads_per_block shared_size_bytes const_size_bytes local_size_bytes num_regs ptx_version binary_version "
    "cache_mode_ca max_dynamic_shared_size_bytes preferred_shared_memory_carveout"
).split()


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_is_an_int_and_in_the_dict_of_all(device, name):
    kernel = heddle.RawKernel(TWO_KERNELS, "sum")
    value = getattr(kernel, name)
    assert type(value) is int and kernel.attributes[name] == value


def test_the_attributes_tell_what_the_kernel_needs(device):
    source = """
    __global__ void __launch_bounds__(128) k(float* x) {
      __shared__ float s[64];
      s[threadIdx.x % 64] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = s[(threadIdx.x + 1) % 64];
    }"""
    kernel = heddle.RawKernel(source, "k")
    assert (kernel.shared_size_bytes, kernel.max_threads_per_block) == (256, 128)


def test_a_kernel_tells_what_it_was_made_from(device):
    kernel = heddle.RawKernel(
        TWO_KERNELS, "sum", ("-DN=1",), "nvcc", enable_cooperative_groups=True
    )
    assert (kernel.code, kernel.name, kernel.options) == (TWO_KERNELS, "sum", ("-DN=1",))
    assert (kernel.backend, kernel.enable_cooperative_groups) == ("nvcc", True)


def test_dynamic_shared_memory_may_be_more_than_48_kib(device):
    source = """
    __global__ void k(double* x) {
      extern __shared__ double s[];
      s[8000 + threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      x[threadIdx.x] = s[8000 + (threadIdx.x + 1) % blockDim.x];
    }"""
    kernel = heddle.RawKernel(source, "k")
    kernel.max_dynamic_shared_size_bytes = 65536
    x = on_device(range(32), "d")
    kernel((1,), (32,), (x,), shared_mem=65536)
    assert kernel.max_dynamic_shared_size_bytes == 65536
    np.testing.assert_array_equal(x.copy_to_host(), (np.arange(32) + 1) % 32)


def test_more_dynamic_shared_memory_than_there_is_is_refused(device):
    kernel = heddle.RawKernel(TWO_KERNELS, "sum")
    with pytest.raises(ValueError, match=r"0 to \d+ bytes on this device, not 1073741824"):
        kernel.max_dynamic_shared_size_bytes = 1 << 30


def test_the_carveout_is_what_it_was_set_to(device):
    kernel = heddle.RawKernel(TWO_KERNELS, "sum")
    kernel.preferred_shared_memory_carveout = 50
    assert kernel.preferred_shared_memory_carveout == 50
    assert kernel.attributes["preferred_shared_memory_carveout"] == 50


@pytest.mark.parametrize("precision, dtype", [(1, "f4"), (2, "f8")])
def test_a_compiler_flag_chooses_a_type(device, precision, dtype):
    source = """
    #if PRECISION == 2
    typedef double Real;
    #else
    typedef float Real;
    #endif
    extern "C" __global__ void third(Real* x) { x[0] = (Real)1 / 3; }"""
    x = on_device([0], dtype)
    heddle.RawKernel(source, "third", (f"-DPRECISION={precision}",))((1,), (1,), (x,))
    assert x.copy_to_host()[0] == np.dtype(dtype).type(1) / np.dtype(dtype).type(3)


@pytest.mark.parametrize("given", [{}, {"code": TWO_KERNELS, "path": "module.ptx"}], ids=len)
def test_a_module_is_made_of_a_source_or_of_a_file(given):
    with pytest.raises(TypeError, match="code= or path="):
        heddle.RawModule(**given)


def test_a_structure_is_an_argument_of_a_template(device):
    expressions = ["square<float>", "square<long long>", "apply<Adder<5>>"]
    module = heddle.RawModule(code=TEMPLATE, name_expressions=expressions)
    for name, dtype, expected in zip(expressions, ("f4", "i8", "i4"), ([9, 16], [9, 16], [8, 9])):
        x = on_device([3, 4], dtype)
        module.get_function(name)((1,), (2,), (x,))
        assert x.copy_to_host().tolist() == expected


def test_a_variable_is_found_by_a_name_expression(device):
    module = heddle.RawModule(code=TEMPLATE, name_expressions=["&counter"])
    assert module.get_global("&counter").copy_to_host("i4").tolist() == [3]


def test_an_instance_that_was_not_asked_for_is_no_kernel(device):
    module = heddle.RawModule(code=TEMPLATE, name_expressions=["square<float>"])
    with pytest.raises(
        ValueError, match=r"no kernel named 'square<double>'.*kernels are: square<float>"
    ):
        module.get_function("square<double>")


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("k<thrust::complex<float>, 2>", "k<complex<float>,2>"),
        ("k<complex<float>,2>", "k< thrust::complex<float>, 2 >"),
        ("k<complex<float>, 2>", "k<complex<float>, 2>"),
    ],
)
def test_an_instance_is_found_by_another_spelling(device, expression, name):
    source = """#include <cupy/complex.cuh>
    template <class T, int n> __global__ void k(T* z) { z[0] *= n; }"""
    z = cuda.to_device(np.array([1 + 2j], np.complex64))
    module = heddle.RawModule(code=source, name_expressions=[expression])
    module.get_function(name)(1, 1, (z,))
    assert z.copy_to_host()[0] == 2 + 4j


def test_a_name_expression_that_cannot_be_instantiated_is_an_error_of_the_source(device):
    module = heddle.RawModule(code=TEMPLATE, name_expressions=["square<void>"])
    with pytest.raises(TypingError, match="name expression 'square<void>'"):
        module.get_function("square<void>")


def test_addresses_are_arguments(device):
    x, y, out = on_device([1, 2]), on_device([3, 4]), on_device([0, 0])
    pointers = tuple(a.address for a in (x, y, out))
    heddle.RawKernel(TWO_KERNELS, "sum")((1,), (2,), (*pointers, 2))
    assert out.copy_to_host().tolist() == [4, 6]


def test_an_address_inside_an_array_is_a_pointer_to_its_rest(device):
    x, out = on_device([1, 2, 3, 4]), on_device([0, 0])
    inside = np.uint64(x.address + 8)
    heddle.RawKernel(TWO_KERNELS, "sum")((1,), (2,), (inside, x, out, 2))
    assert out.copy_to_host().tolist() == [4, 6]


def test_no_array_is_a_null_pointer(device):
    out = on_device([7], "i4")
    source = "__global__ void k(const float* x, int* out) { out[0] = x == nullptr; }"
    heddle.RawKernel(source, "k")((1,), (1,), (None, out))
    assert out.copy_to_host()[0] == 1


def test_a_kernel_runs_on_the_device_that_is_current_at_its_launch():
    kernel = heddle.RawKernel(TWO_KERNELS, "sum")
    for device in cuda.all_devices():
        with device:
            x, out = on_device([1, 2]), on_device([0, 0])
            kernel((1,), (2,), (x, x, out, 2))
            assert out.copy_to_host().tolist() == [2, 4]


def test_a_variable_is_that_of_the_device_that_is_current():
    module = heddle.RawModule(code=TEMPLATE)
    for device in cuda.all_devices():
        with device:
            counter = module.get_global("counter")
            assert counter.device.index == device.id
            counter.copy_from_host(np.array([device.id], "i4"))
    for device in cuda.all_devices():
        with device:
            assert module.get_global("counter").copy_to_host("i4").tolist() == [device.id]


@pytest.mark.parametrize("make", [heddle.RawKernel, heddle.RawModule], ids=lambda c: c.__name__)
def test_a_source_is_compiled_before_its_first_launch_when_asked_for(device, make):
    source, log = "#warning slow path\n" + TWO_KERNELS, io.StringIO()
    made = make(source, "sum") if make is heddle.RawKernel else make(code=source)
    made.compile(log_stream=log)
    assert "<cuda source>:1:2: warning: slow path" in log.getvalue()


def test_a_module_is_pickled_with_its_options_and_name_expressions(device):
    source = "template <class T> __global__ void k(T* x) { x[0] = N; }"
    made = heddle.RawModule(code=source, options=("-DN=4",), name_expressions=("k<short>",))
    module = pickle.loads(pickle.dumps(made))
    x = on_device([0], "i2")
    module.get_function("k<short>")((1,), (1,), (x,))
    assert x.copy_to_host()[0] == 4


def test_a_kernel_of_a_template_is_pickled(device):
    module = heddle.RawModule(code=TEMPLATE, name_expressions=["square<int>"])
    kernel = pickle.loads(pickle.dumps(module.get_function("square<int>")))
    x = on_device([5], "i4")
    kernel((1,), (1,), (x,))
    assert x.copy_to_host()[0] == 25


CACHED = """
import numpy as np
import heddle
from heddle import cuda

module = heddle.RawModule(code='''
__constant__ float weight;
template <class T> __global__ void scale(T* x) { x[threadIdx.x] *= weight; }
''', name_expressions=["scale<double>", "&weight"])
kernel = module.get_function("scale<double>")
module.get_global("&weight").copy_from_host(np.array([3], "f"))
x = cuda.to_device(np.array([1.0, 2.0]))
kernel((1,), (2,), (x,))
print(kernel.kernel.from_cache, *x.copy_to_host())
"""


def test_a_second_process_finds_templates_and_variables_in_the_cache(device, run_python, tmp_path):
    where = {"HEDDLE_CACHE_DIR": str(tmp_path / "cache"), "HEDDLE_DEVICE": device.type}
    runs = [run_python(CACHED, **where) for _ in range(2)]
    assert [r.stdout + r.stderr for r in runs] == ["False 3.0 6.0\n", "True 3.0 6.0\n"]


def test_a_broken_cache_is_made_anew(device, run_python, tmp_path):
    where = {"HEDDLE_CACHE_DIR": str(tmp_path / "cache"), "HEDDLE_DEVICE": device.type}
    run_python(CACHED, **where)
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    result = run_python(CACHED, **where)
    assert files and result.stdout + result.stderr == "False 3.0 6.0\n"


def test_complex_numbers_in_single_precision(device):
    source = """
    #include <cuComplex.h>
    extern "C" __global__ void k(const cuFloatComplex* z, cuFloatComplex* out, cuFloatComplex w) {
      out[0] = cuCaddf(z[0], w); out[1] = cuCsubf(z[0], w); out[2] = cuCmulf(z[0], w);
      out[3] = cuCdivf(z[0], w); out[4] = cuConjf(z[0]); out[5] = cuCfmaf(z[0], w, z[0]);
      out[6] = make_cuFloatComplex(cuCabsf(z[0]), cuCrealf(w) - cuCimagf(w));
    }"""
    z, w, out = np.complex64(3 + 4j), np.complex64(1 - 2j), on_device(np.zeros(7), "F")
    heddle.RawKernel(source, "k")((1,), (1,), (on_device([z], "F"), out, w))
    expected = [z + w, z - w, z * w, z / w, z.conj(), z * w + z, 5 + 3j]
    np.testing.assert_allclose(out.copy_to_host(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("value", [2, 2.5, 1 - 2j, np.complex64(1j), np.array([3 + 1j])], ids=repr)
def test_a_number_becomes_a_complex_parameter(device, dtype, value):
    source = """
    #include <cuComplex.h>
    __global__ void k(cuFloatComplex f, cuDoubleComplex d, cuFloatComplex* out, cuDoubleComplex* wide) {
      out[0] = f; wide[0] = d;
    }"""
    out, wide = on_device([0], "F"), on_device([0], "D")
    heddle.RawKernel(source, "k")((1,), (1,), (value, value, out, wide))
    result = {"F": out, "D": wide}[dtype].copy_to_host()[0]
    assert result == complex(np.asarray(value).item())


def test_annotations_of_cupys_are_numpys(device):
    from heddle.compat import cupy
    from heddle.compat.cupy import typing

    def scaled(x: typing.ArrayLike, dtype: typing.DTypeLike) -> typing.NDArray[np.float32]:
        return cupy.asarray(x, dtype)

    assert scaled([1, 2], "f").dtype == np.float32
    assert typing.ArrayLike is np.typing.ArrayLike and cupy.typing is typing
