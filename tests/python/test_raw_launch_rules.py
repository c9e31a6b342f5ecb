"""Launch options of CUDA C++ kernels: cooperative blocks, launch bounds, sizes of arguments."""

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.errors import UnsupportedError

GRID_SUM = """
#include <cooperative_groups.h>
__global__ void k(int* partial, int* out) {
  if (threadIdx.x == 0) partial[blockIdx.x] = blockIdx.x + 1;
  cooperative_groups::this_grid().sync();
  if (threadIdx.x) return;
  int total = 0;
  for (int i = 0; i < gridDim.x; ++i) total += partial[i];
  out[blockIdx.x] = total;
}"""
PLAIN = "__global__ void k(int* out) { if (threadIdx.x == 0) atomicAdd(out, 1); }"


def zeros(n, dtype="i4"):
    return cuda.to_device(np.zeros(n, dtype))


# Cooperative launches


@pytest.mark.parametrize("flag", [False, True])
def test_the_grid_waits_for_itself_with_and_without_the_flag(device, flag):
    kernel = heddle.RawKernel(GRID_SUM, "k", enable_cooperative_groups=flag)
    out = zeros(20)
    kernel(20, 64, (zeros(20), out))
    assert out.copy_to_host().tolist() == [210] * 20


def test_a_kernel_that_does_not_wait_runs_with_the_flag(device):
    out = zeros(1)
    heddle.RawKernel(PLAIN, "k", enable_cooperative_groups=True)(20, 64, (out,))
    assert out.copy_to_host()[0] == 20


@pytest.mark.parametrize("source, count", [(GRID_SUM, 2), (PLAIN, 1)])
def test_a_grid_that_cannot_run_at_once_is_refused_with_the_largest_that_can(device, source, count):
    kernel = heddle.RawKernel(source, "k", enable_cooperative_groups=True)
    with pytest.raises(ValueError, match=r"at most (\d+) blocks.*\n.*\n.*a grid of at most \1 "):
        kernel(10**6, 1024, (zeros(1),) * count)


def test_without_the_flag_a_kernel_that_does_not_wait_has_any_grid(device):
    out = zeros(1)
    heddle.RawKernel(PLAIN, "k")(20000, 32, (out,))
    assert out.copy_to_host()[0] == 20000


def test_a_module_makes_its_kernels_cooperative(device):
    module = heddle.RawModule(code=PLAIN, enable_cooperative_groups=True)
    with pytest.raises(ValueError, match="run at the same time"):
        module.get_function("k")(10**6, 1024, (zeros(1),))


# Launch bounds


def test_launch_bounds_are_what_the_kernel_says_it_takes(device):
    kernel = heddle.RawKernel("__global__ void __launch_bounds__(96) __maxnreg__(64) k() {}", "k")
    assert kernel.max_threads_per_block == 96
    kernel(1, 96)
    with pytest.raises(ValueError, match="this kernel takes at most 96 threads per block"):
        kernel(1, 97)


def test_launch_bounds_of_a_python_kernel_are_checked_alike(device):
    @cuda.jit(launch_bounds=96)
    def k(x):
        x[0] = 1

    k[1, 96](zeros(1))
    with pytest.raises(ValueError, match="this kernel takes at most 96 threads per block"):
        k[1, 97](zeros(1))


# Arguments of any size


def test_a_structure_of_hundreds_of_bytes_is_passed_by_value(device):
    source = """
    struct Text { char c[613]; };
    __global__ void k(Text t, char* out) { for (int i = 0; i < 613; ++i) out[i] = t.c[612 - i]; }"""
    text = np.array((np.arange(613) % 100,), [("c", "i1", 613)])[()]
    out = zeros(613, "i1")
    heddle.RawKernel(source, "k")(1, 1, (text, out))
    np.testing.assert_array_equal(out.copy_to_host(), text["c"][::-1])


def test_a_structure_of_four_kilobytes_holds_numbers_and_pointers(device):
    source = """
    struct Big { float w[1000]; double* out; short tag; };
    __global__ void k(Big b) { for (int i = 0; i < 1000; ++i) *b.out += b.w[i]; b.out[1] = b.tag; }"""
    kind = np.dtype([("w", "f4", 1000), ("out", "u8"), ("tag", "i2")], align=True)
    out = zeros(2, "f8")
    address = out.device_ctypes_pointer.value
    heddle.RawKernel(source, "k")(1, 1, (np.array((np.arange(1000), address, -7), kind)[()],))
    assert out.copy_to_host().tolist() == [499500, -7]


WIDE = """
__global__ void k(WIDE n, unsigned long long* out) {
  out[0] = (unsigned long long)n; out[1] = (unsigned long long)(n >> 64);
}"""


@pytest.mark.parametrize("n", [0, 5, -5, 2**64 + 3, -(2**127), 2**127 - 1])
def test_an_integer_of_128_bits_is_passed(device, n):
    out = zeros(2, "u8")
    heddle.RawKernel(WIDE, "k", ("-DWIDE=__int128",))(1, 1, (n, out))
    low, high = map(int, out.copy_to_host())
    assert (high << 64 | low) == n % 2**128


@pytest.mark.parametrize("kind, n", [("__int128", 2**127), ("unsigned __int128", -1)])
def test_an_integer_of_more_than_128_bits_does_not_fit(device, kind, n):
    with pytest.raises(OverflowError, match=r"parameter 1 \(n\).* does not fit"):
        heddle.RawKernel(WIDE, "k", (f"-DWIDE={kind}",))(1, 1, (n, zeros(2, "u8")))


def test_a_structure_has_an_integer_of_128_bits(device):
    source = """
    struct S { int a; __int128 n; };
    __global__ void k(S s, long long* out) { out[0] = s.a; out[1] = (long long)(s.n >> 64); }"""
    kind = np.dtype(
        {"names": ["a", "lo", "hi"], "formats": ["i4", "i8", "i8"], "offsets": [0, 16, 24]}
    )
    out = zeros(2, "i8")
    heddle.RawKernel(source, "k")(1, 1, (np.array((7, 1, -9), kind)[()], out))
    assert out.copy_to_host().tolist() == [7, -9]


def test_a_structure_of_more_than_four_kilobytes_is_passed(device):
    source = """
    struct Large { short values[2500]; };
    __global__ void k(Large s, int* out) {
      for (int i = threadIdx.x; i < 2500; i += blockDim.x) atomicAdd(out, s.values[i]);
    }"""
    values, out = np.arange(2500, dtype="i2"), zeros(1)
    large = np.array((values,), [("values", "i2", 2500)])[()]
    heddle.RawKernel(source, "k")(1, 32, (large, out))
    assert out.copy_to_host()[0] == values.sum()


TOO_LARGE = """
struct Huge { char c[50000]; };
__global__ void huge(Huge h) {}
__global__ void k(int* out) { *out = 7; }"""


def test_a_kernel_that_no_launch_can_pass_arguments_to_leaves_the_others(device):
    module, out = heddle.RawModule(code=TOO_LARGE), zeros(1)
    module.get_function("k")(1, 1, (out,))
    assert out.copy_to_host()[0] == 7


def test_a_kernel_that_no_launch_can_pass_arguments_to_is_refused_when_it_is_asked_for(device):
    with pytest.raises(UnsupportedError, match=r"parameter 1 \(h\) of type 'Huge' is too large"):
        heddle.RawModule(code=TOO_LARGE).get_function("huge")


# Complex numbers of cuComplex.h

COMPLEX = """
#include <cuComplex.h>
__global__ void k(const cuFloatComplex* x, cuFloatComplex* out) {
  int i = threadIdx.x;
  out[i] = cuCaddf(cuCmulf(x[i], x[i]), make_cuFloatComplex(cuCrealf(x[i]), cuCabsf(x[i])));
}"""


@pytest.mark.parametrize("translate", [False, True])
def test_functions_of_cucomplex_are_there_translated_or_not(device, translate):
    x = np.array([1 + 2j, 3 - 4j, 0.5j], "F")
    out = zeros(3, "F")
    kernel = heddle.RawKernel(COMPLEX, "k", translate_cucomplex=translate)
    kernel(1, 3, (cuda.to_device(x), out))
    np.testing.assert_allclose(out.copy_to_host(), x * x + x.real + 1j * abs(x), rtol=1e-6)


def test_translated_complex_numbers_have_the_operators_of_cpp(device):
    source = """
    #include "cuComplex.h"
    __global__ void k(const cuDoubleComplex* x, cuDoubleComplex* out) {
      complex<double> z = x[0];
      out[0] = cuCdiv(z * z + 1.0, make_cuDoubleComplex(0, 2)) - exp(z).real();
    }"""
    x, out = np.array([1 + 2j]), zeros(1, "D")
    module = heddle.RawModule(code=source, translate_cucomplex=True)
    module.get_function("k")(1, 1, (cuda.to_device(x), out))
    np.testing.assert_allclose(out.copy_to_host(), (x * x + 1) / 2j - np.exp(x).real)


@pytest.mark.parametrize("parameter", ["float a[4][8]", "float a[][8]", "float (*a)[8]"])
def test_a_pointer_to_rows_takes_an_array_of_their_elements(device, parameter):
    a = cuda.to_device(np.zeros((4, 8), "f"))
    source = f"__global__ void k({parameter}) {{ a[threadIdx.y][threadIdx.x] = threadIdx.y; }}"
    heddle.RawKernel(source, "k")(1, (8, 4), (a,))
    np.testing.assert_array_equal(a.copy_to_host(), np.repeat(np.arange(4.0), 8).reshape(4, 8))


def test_a_pointer_to_structures_takes_memory_by_its_bytes(device):
    states, out = cuda.to_device(np.zeros(2 * 16, np.uint8)), zeros(2, "d")
    source = """struct S { int a; double b; };
    __global__ void k(S* s, double* out) {
      int i = threadIdx.x;
      s[i] = {i, 0.5};
      out[i] = s[i].a + s[i].b;
    }"""
    heddle.RawKernel(source, "k")(1, 2, (states, out))
    assert out.copy_to_host().tolist() == [0.5, 1.5]


def test_a_launch_with_brackets_is_refused_in_words(cpu):
    kernel = heddle.RawKernel("__global__ void k(int* out) {}", "k")
    with pytest.raises(
        TypeError, match=r"launch a CUDA C\+\+ kernel with kernel\(grid, block, args\)"
    ):
        kernel[1, 32](np.zeros(1, np.int32))
