"""RawKernel and RawModule: CUDA C++ on every device."""

import pickle

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.errors import TypingError

ADD = r"""
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""


def launch(kernel, grid, block, *args, **keywords):
    """Launch with NumPy arrays replaced by device arrays; the arrays hold the results afterwards."""
    there = [cuda.to_device(a) if isinstance(a, np.ndarray) and a.size != 1 else a for a in args]
    kernel(grid, block, tuple(there), **keywords)
    for given, used in zip(args, there):
        if given is not used and given.flags.writeable:
            used.copy_to_host(given)


def run(source, *args, grid=1, block=1, options=(), **keywords):
    """Run the kernel ``k`` of a program."""
    launch(heddle.RawKernel(source, "k", options), grid, block, *args, **keywords)


def test_a_kernel_adds_two_arrays(device):
    a, b, c = np.arange(1000, dtype="f"), np.ones(1000, "f"), np.zeros(1000, "f")
    launch(heddle.RawKernel(ADD, "add"), 4, 256, a, b, c, 1000)
    np.testing.assert_array_equal(c, a + b)


def test_numpy_arrays_are_arguments_on_the_cpu(cpu):
    a, c = np.arange(10, dtype="f"), np.zeros(10, "f")
    heddle.RawKernel(ADD, "add")(1, 32, (a, a, c, np.int32(10)))
    np.testing.assert_array_equal(c, 2 * a)


def test_a_name_needs_no_extern_c(device):
    out = np.zeros(4, "i4")
    run("__global__ void k(int* out) { out[threadIdx.x] = threadIdx.x * 2; }", out, block=4)
    assert out.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("base", [0, 2**31 - 40, 2**31 + 5, 2**32 - 40])
def test_sums_of_unsigned_numbers_wrap_around(device, base):
    source = """
    __global__ void k(unsigned base, int below, long long* as_int, unsigned* as_unsigned, int* checks) {
      unsigned x = threadIdx.x, i = base + x;
      as_int[x] = (int)i;
      if ((int)i < below) checks[x] += 1;
      if (i < below) checks[x] += 2;
      as_unsigned[x] = i;
    }"""
    as_int, as_unsigned, checks = (cuda.to_device(np.zeros(64, t)) for t in ("i8", "u4", "i4"))
    heddle.RawKernel(source, "k")(1, 64, (base, 20, as_int, as_unsigned, checks))
    i = (base + np.arange(64)).astype(np.uint32)
    np.testing.assert_array_equal(as_int.copy_to_host(), i.view(np.int32))
    np.testing.assert_array_equal(as_unsigned.copy_to_host(), i)
    np.testing.assert_array_equal(checks.copy_to_host(), (i.view(np.int32) < 20) + 2 * (i < 20))


def test_shared_memory_and_barriers(device):
    source = """
    __global__ void k(float* x) {
      __shared__ float s[64];
      extern __shared__ float t[];
      s[threadIdx.x] = x[threadIdx.x];
      t[threadIdx.x] = 1;
      __syncthreads();
      x[threadIdx.x] = s[63 - threadIdx.x] + t[(threadIdx.x + 1) % 64];
    }"""
    x = np.arange(64, dtype="f")
    run(source, x, block=64, shared_mem=256)
    np.testing.assert_array_equal(x, np.arange(64)[::-1] + 1)


def test_a_size_makes_an_extern_shared_array_one_of_its_own(device):
    source = """
    static __device__ int first = 100;
    template <typename T> __global__ void k(T* out) {
      extern __shared__ int a[64];
      extern __shared__ __align__(sizeof(double)) T b[64];
      extern __shared__ T rest[];
      a[threadIdx.x] = threadIdx.x; b[threadIdx.x] = first; rest[threadIdx.x] = 0.5;
      __syncthreads();
      out[threadIdx.x] = a[63 - threadIdx.x] + b[63 - threadIdx.x] + rest[63 - threadIdx.x];
    }"""
    out = cuda.to_device(np.zeros(64))
    kernel = heddle.RawModule(code=source, name_expressions=["k<double>"]).get_function("k<double>")
    kernel(1, 64, (out,), shared_mem=64 * 8)
    np.testing.assert_array_equal(out.copy_to_host(), 163.5 - np.arange(64))


def test_templates_are_kernels_by_name_expressions(device):
    source = """
    template <typename T, int n> __global__ void scale(T* x) { x[threadIdx.x] *= n; }
    """
    module = heddle.RawModule(code=source, name_expressions=["scale<float, 3>", "scale<int, 2>"])
    x, y = np.ones(4, "f"), np.ones(4, "i4")
    launch(module.get_function("scale<float, 3>"), 1, 4, x)
    launch(module.get_function("scale<int, 2>"), 1, 4, y)
    assert x.tolist() == [3] * 4 and y.tolist() == [2] * 4


def test_variables_are_read_and_written(device):
    source = """
    __constant__ float weights[4];
    __device__ int calls;
    __global__ void k(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; atomicAdd(&calls, 1); }
    """
    module = heddle.RawModule(code=source)
    weights = module.get_global("weights")
    weights.copy_from_host(np.array([1, 2, 3, 4], "f"))
    x = np.ones(4, "f")
    launch(module.get_function("k"), 1, 4, x)
    assert x.tolist() == [1, 2, 3, 4] and weights.nbytes == 16
    assert module.get_global("calls").copy_to_host("i4").tolist() == [4]


def test_a_structure_is_an_argument(device):
    source = """
    struct Item { char tag; double weight; float at[3]; };
    __global__ void k(Item item, double* out) {
      out[0] = item.tag; out[1] = item.weight; out[2] = item.at[2];
    }"""
    dtype = np.dtype([("tag", "i1"), ("weight", "f8"), ("at", "f4", 3)], align=True)
    item = np.array([(7, 2.5, (1, 2, 3))], dtype)[0]
    out = np.zeros(3)
    run(source, item, out)
    assert out.tolist() == [7, 2.5, 3]


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3), np.array([3]), True + 2])
def test_numbers_become_the_parameters_type(device, value):
    out = np.zeros(2)
    run(
        "__global__ void k(short a, float b, double* out) { out[0] = a; out[1] = b; }",
        value,
        value,
        out,
    )
    assert out.tolist() == [3, 3]


def test_an_option_defines_a_macro(device):
    out = np.zeros(2, "i4")
    run(
        "__global__ void k(int* out) { out[0] = N; out[1] = M; }",
        out,
        options=("-DN=4", "-D", "M=5"),
    )
    assert out.tolist() == [4, 5]


def test_printf_writes_what_c_would(device, capfd):
    run(
        r"""
    __global__ void k(int n, float x) {
      printf("%d %5.2f|%-4u|%x %c %s %lld%%\n", n, x, 7u, -1, 'z', "text", 1LL << 40);
    }""",
        -3,
        2.5,
    )
    cuda.synchronize()
    assert capfd.readouterr().out == "-3  2.50|7   |ffffffff z text 1099511627776%\n"


def test_an_assertion_raises(device):
    with pytest.raises(AssertionError, match="x > 0"):
        run("__global__ void k(int x) {\n  assert(x > 0);\n}", -1)
        cuda.synchronize()


def test_division_by_zero_ends_no_process(device):
    out = np.zeros(2, "i4")
    run("__global__ void k(int a, int* out) { out[0] = 7 / a; out[1] = 7 % a; }", 0, out)
    assert out.tolist() == [-1, 7]


@pytest.mark.parametrize("name", ["int", "unsigned", "long long", "unsigned long long"])
def test_divisions_without_a_result_give_what_gpus_give(device, name):
    source = """
    __global__ void k(const T* x, const T* y, T* quotients, T* remainders, T* others) {
      int i = threadIdx.x;
      quotients[i] = x[i] / y[i];
      remainders[i] = x[i] % y[i];
      others[i] = (x[i] ^ 2) % y[i];
    }"""
    kind = ("u" if "unsigned" in name else "i") + ("8" if "long" in name else "4")
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    minus_one = most if kind[0] == "u" else -1
    x, y = np.array([[7, 0, most, least], [0, 0, 0, minus_one]], kind)
    quotients, remainders, others = np.zeros((3, 4), kind)
    run(source.replace("T*", name + "*"), x, y, quotients, remainders, others, block=4)
    assert quotients.tolist() == [minus_one, minus_one, minus_one, least]
    assert remainders.tolist() == [7, 0, most, 0]
    assert others.tolist() == [5, 2, most ^ 2, 2 if kind[0] == "u" else 0]


def test_shuffles_and_votes(device):
    source = """
    __global__ void k(float* x, unsigned* votes) {
      float v = x[threadIdx.x];
      for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
      if (threadIdx.x == 0) x[0] = v;
      votes[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x % 2);
    }"""
    x, votes = np.arange(32, dtype="f"), np.zeros(32, "u4")
    run(source, x, votes, block=32)
    assert x[0] == 496 and (votes == 0xAAAAAAAA).all()


def test_a_module_is_pickled(device):
    kernel = pickle.loads(pickle.dumps(heddle.RawKernel(ADD, "add")))
    c = np.zeros(8, "f")
    launch(kernel, 1, 8, np.ones(8, "f"), np.ones(8, "f"), c, 8)
    assert (c == 2).all()


def test_an_error_shows_clangs_message_at_the_users_line(device):
    with pytest.raises(TypingError) as error:
        run("\n__global__ void k(int* out) {\n  out[0] = n;\n}", np.zeros(1))
    assert "<cuda source>:3:12: use of undeclared identifier 'n'" in str(error.value)


def test_the_number_of_arguments_is_checked(device):
    with pytest.raises(TypeError, match="4 parameters, 1 argument was given"):
        heddle.RawKernel(ADD, "add")(1, 1, (np.zeros(4, "f"),))


def test_the_type_of_an_array_is_checked(device):
    a = cuda.to_device(np.zeros(4))
    with pytest.raises(
        TypeError, match=r"parameter 1 \(a\) .* takes an array of float32, not of float64"
    ):
        heddle.RawKernel(ADD, "add")(1, 1, (a, a, a, 4))


def test_a_number_that_does_not_fit_is_refused(device):
    a = cuda.to_device(np.zeros(4, "f"))
    with pytest.raises(OverflowError, match=r"parameter 4 \(n\) is 'int': 4294967296 does not fit"):
        heddle.RawKernel(ADD, "add")(1, 1, (a, a, a, 2**32))


def test_a_missing_kernel_is_an_error_with_the_names_that_there_are(device):
    with pytest.raises(ValueError, match="no kernel named 'sub'.*: add"):
        heddle.RawModule(code=ADD).get_function("sub")


def test_an_unknown_option_is_refused_by_name():
    with pytest.raises(ValueError, match="unknown option '-fwhatever'"):
        heddle.RawModule(code=ADD, options=("-fwhatever",))


def test_an_array_of_numbers_is_seen_as_vectors(device):
    source = """
    __global__ void k(float4* v, const int2* n) {
      float4 x = v[threadIdx.x];
      v[threadIdx.x] = make_float4(x.w, x.z, x.y, x.x * n[threadIdx.x].y);
    }"""
    v, n = np.arange(8, dtype="f"), np.arange(4, dtype="i4").reshape(2, 2)
    run(source, v, n, block=2)
    assert v.tolist() == [3, 2, 1, 0, 7, 6, 5, 12]


def test_an_instance_of_a_template_takes_a_structure(device):
    source = """
    struct Three { int a[3]; };
    template <class T> __global__ void k(T* out, Three s) { out[threadIdx.x] = s.a[threadIdx.x]; }
    """
    module = heddle.RawModule(code=source, name_expressions=["k<int>"])
    out = np.zeros(3, "i4")
    three = np.array([((4, 5, 6),)], np.dtype([("a", "i4", 3)]))[0]
    launch(module.get_function("k<int>"), 1, 3, out, three)
    assert out.tolist() == [4, 5, 6]


VARIABLES = {
    "of a type without a name": "__constant__ struct { int a; } v;",
    "on the device, of such a type": "__device__ struct { int a; } v;",
    "static": "struct S { int a; }; static __constant__ S v;",
    "in a namespace without a name": "struct S { int a; }; namespace { __constant__ S v; }",
    "of a type in such a namespace": "namespace { struct S { int a; }; } __constant__ S v;",
}


@pytest.mark.parametrize("declaration", VARIABLES.values(), ids=VARIABLES)
def test_a_variable_without_linkage_is_set_by_the_host(device, declaration):
    module = heddle.RawModule(code=declaration + "__global__ void k(int* x) { x[0] = v.a; }")
    module.get_global("v").copy_from_host(np.array([5], "i4"))
    x = np.zeros(2, "i4")
    launch(module.get_function("k"), 1, 1, x)
    assert x[0] == 5


TEMPLATES = """
template <class T> struct S { static __device__ T v; };
template <class T> __device__ T S<T>::v = 2;
template <class T> __constant__ T c;
__managed__ int m;
__global__ void k(int* x) { x[0] = 100 * S<int>::v + 10 * c<int> + m; }
"""


@pytest.mark.parametrize(
    "name, result", [("S<int>::v", 700), ("&S<int>::v", 700), ("c<int>", 270), ("m", 207)]
)
def test_an_instance_of_a_templates_variable_is_set_by_the_host(device, name, result):
    module = heddle.RawModule(code=TEMPLATES, name_expressions=["&S<int>::v"])
    module.get_global(name).copy_from_host(np.array([7], "i4"))
    x = np.zeros(2, "i4")
    launch(module.get_function("k"), 1, 1, x)
    assert x[0] == result


OVERLOADS = """
typedef float Real;
__global__ void k(int* x, unsigned int n) { x[0] = n; }
__global__ void k(Real* x, const int* y) { x[0] = y[0]; }
namespace { __global__ void hidden(int* x) { x[0] = 3; } }
template <class T> __global__ void t(T* x) { x[0] = 2; }
__device__ int v;
"""


@pytest.mark.parametrize("name", ["k(int*, unsigned int)", "k( int *,unsigned  int )", "_Z1kPij"])
def test_an_overload_is_named_with_its_parameters(device, name):
    x = np.zeros(2, "i4")
    launch(heddle.RawModule(code=OVERLOADS).get_function(name), 1, 1, x, 7)
    assert x[0] == 7


@pytest.mark.parametrize("name", ["k(Real *, const int *)", "k(float*, int const*)"])
def test_parameters_are_named_as_in_the_source_or_by_their_types(device, name):
    x, y = np.zeros(2, "f"), np.full(2, 4, "i4")
    launch(heddle.RawModule(code=OVERLOADS).get_function(name), 1, 1, x, y)
    assert x[0] == 4


@pytest.mark.parametrize("name", ["t<int>(int*)", "t(int *)", "hidden"])
def test_a_kernel_has_the_names_that_are_its_own(device, name):
    module = heddle.RawModule(code=OVERLOADS, name_expressions=["t<int>"])
    assert module.get_function(name).max_threads_per_block > 0


HALVES = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(__half h, __nv_bfloat16 b, float* x) { x[0] = h; x[1] = b; }
"""


@pytest.mark.parametrize(
    "value", [3, 1.5, np.float16(1.5), np.float32(0.25), np.int8(-2)], ids=repr
)
def test_a_number_becomes_a_parameter_of_16_bits(device, value):
    x = np.zeros(2, "f")
    run(HALVES, value, value, x)
    assert x.tolist() == [value, value]


def test_a_number_is_rounded_to_a_parameter_of_16_bits(device):
    x = np.zeros(2, "f")
    run(HALVES, 1 / 3, 1 / 3, x)
    assert x.tolist() == [np.float16(1 / 3), 171 / 512]


def test_bfloat16_is_passed_by_its_bits(device):
    source = """
    #include <cuda_bf16.h>
    __global__ void k(__nv_bfloat16* x) { x[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }"""
    bits = np.array([1.5, -3], "f").view("u2")[1::2].copy()
    run(source, bits, block=2)
    assert (bits.astype("u4") << 16).view("f").tolist() == [2.25, 9]


def test_a_kernel_that_was_not_initialized_is_refused():
    with pytest.raises(TypeError, match="this kernel was not initialized"):
        heddle.RawKernel.__new__(heddle.RawKernel)(1, 1)


INTEGERS = {
    "b": "signed char",
    "B": "unsigned char",
    "h": "short",
    "H": "unsigned short",
    "i": "int",
    "I": "unsigned",
    "q": "long long",
    "Q": "unsigned long long",
}


@pytest.mark.parametrize("code", INTEGERS)
def test_numpy_integers_of_every_width_are_passed_as_they_are(device, code):
    dtype = np.dtype(code)
    kernel = heddle.RawKernel(
        f"__global__ void k({INTEGERS[code]}* o, {INTEGERS[code]} v) {{ *o = v; }}", "k"
    )
    for value in np.iinfo(dtype).min, np.iinfo(dtype).max:
        out = cuda.to_device(np.ones(1, dtype))
        kernel(1, 1, (out, dtype.type(value)))
        assert out.copy_to_host()[0] == value


@pytest.mark.parametrize("code", "bBhHiI")
def test_a_numpy_integer_that_is_too_wide_is_refused(device, code):
    kernel = heddle.RawKernel(f"__global__ void k({INTEGERS[code]} v) {{}}", "k")
    for value in np.int64(np.iinfo(code).min) - 1, np.int64(np.iinfo(code).max) + 1:
        with pytest.raises(OverflowError, match="does not fit"):
            kernel(1, 1, (value,))


def test_remarks_say_how_threads_run(device):
    source = """template <int N> __global__ void scaled(float *x) {
      for (int i = 0; i < threadIdx.x; ++i) x[threadIdx.x] *= N;
    }
    __global__ void other(float *x) {}"""
    module = heddle.RawModule(code=source, name_expressions=["scaled<2>"])
    kernel = module.get_function("scaled<2>")
    x = cuda.to_device(np.ones(64, np.float32))
    kernel(1, 64, (x,))
    assert x.copy_to_host()[:4].tolist() == [1, 2, 4, 8]
    remarks = kernel.inspect_remarks()
    assert all(remark.startswith("scaled") for remark in remarks)
    if device.type == "cpu":
        assert len(remarks) == 1 and "at a time" in remarks[0]


def test_remarks_are_kept_with_code_on_disk(cpu, run_python, tmp_path):
    program = (
        "import heddle, numpy as np\n"
        "code = '__global__ void k(float *x) { for (int i = 0; i < threadIdx.x; ++i) *x += i; }'\n"
        "kernel = heddle.RawKernel(code, 'k')\n"
        "kernel(1, 32, (np.ones(1, np.float32),))\n"
        "print(kernel.kernel.from_cache, *kernel.inspect_remarks())"
    )
    first, second = (
        run_python(program, HEDDLE_CACHE_DIR=str(tmp_path), HEDDLE_DEVICE="cpu") for _ in range(2)
    )
    assert first.stdout.startswith("False k: runs"), first.stderr
    assert second.stdout == first.stdout.replace("False", "True"), second.stderr


def test_a_switch_into_a_loop_by_a_threads_lowest_bit(device):
    source = """__global__ void k(unsigned *out) {
      unsigned t = threadIdx.x, c = t * 77, fuel = 92 + t % 7;
      switch (t % 2u) {
      case 1:
        for (c = 0; fuel && fuel-- && c < 7; ++c) {
      case 0:;
        }
      }
      out[t] = 5 * c + 7 * fuel;
    }"""

    def expected(t):
        c, fuel = (0 if t % 2 else t * 77 + 1), 92 + t % 7
        while True:
            fuel -= 1
            if c >= 7:
                return 5 * c + 7 * fuel
            c += 1

    out = cuda.to_device(np.zeros(64, np.uint32))
    heddle.RawKernel(source, "k")(1, 64, (out,))
    assert out.copy_to_host().tolist() == [expected(t) for t in range(64)]


def test_threads_that_skip_an_endless_loop_keep_their_values(device):
    """In a module too large to be fully optimized."""
    source = """__device__ unsigned f(unsigned t) {
      unsigned b = t * 77 + 15, c = t * 3 + 76, e = t * 77 + 38, fuel = 50 + t % 7;
      c ^= ({
        unsigned r = b;
        switch (e % 6) {
        case 3:
          for (;;) {
            if (!(fuel && fuel--)) return 7 | c;
            for (e = 0; fuel && fuel-- && e < 5; ++e) {}
          }
        }
        r + b; });
      return 3 * b + 5 * c + 9 * e;
    }
    __global__ void k(unsigned *out) { out[threadIdx.x] = f(threadIdx.x); }
    __global__ void large(volatile unsigned *o) {"""

    def expected(t):
        b, c, e = t * 77 + 15, t * 3 + 76, t * 77 + 38
        return 7 | c if e % 6 == 3 else 3 * b + 5 * (c ^ 2 * b) + 9 * e

    out = cuda.to_device(np.zeros(64, np.uint32))
    heddle.RawKernel(source + "o[0] = o[1];\n" * 1100 + "}", "k")(1, 64, (out,))
    assert out.copy_to_host().tolist() == [expected(t) for t in range(64)]
