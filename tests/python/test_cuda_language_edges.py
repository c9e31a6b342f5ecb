"""Corner cases of CUDA C++: behavior that C++ leaves undefined and GPUs define, compiler builtins, old idioms, and
programs that are large in one respect."""

import time

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.errors import LoweringError


def run(body, *arguments, before="", parameters="", size=4, dtype="i4", options=()):
    names = {"i4": "int", "u4": "unsigned", "u8": "unsigned long long"}
    code = f'{before}\nextern "C" __global__ void k({names[dtype]}* out{parameters}) {{ {body} }}'
    out = cuda.to_device(np.zeros(size, dtype))
    heddle.RawKernel(code, "k", options=options)(1, 1, (out, *arguments))
    return out.copy_to_host()


AMOUNTS = [0, 1, 31, 32, 33, 63, 64, -1]


@pytest.mark.parametrize("character", ["char", "wchar_t"])
def test_loops_to_the_end_of_a_string_call_no_function_of_the_host(device, character):
    dtype = np.int8 if character == "char" else np.int32
    text = cuda.to_device(np.array([7, 8, 9, 0, 5], dtype))
    body = "int n = 0; while (s[n]) n++; out[0] = n;"
    assert run(body, text, parameters=f", const {character}* s")[0] == 3


FLOATS = [
    7.9,
    -7.9,
    127.5,
    200.0,
    -200.0,
    300.0,
    40000.0,
    -40000.0,
    70000.0,
    3e9,
    -3e9,
    5e9,
    1e20,
    -1e20,
]
NO_NUMBERS = ["(0.0f / 0.0f)", "(1.0f / 0.0f)", "(-1.0f / 0.0f)"]
# Integers whose conversion saturates: narrower ones are the low bits of these.
SATURATING = {
    "i1": "i4",
    "u1": "u4",
    "i2": "i4",
    "u2": "u4",
    "i4": "i4",
    "u4": "u4",
    "i8": "i8",
    "u8": "u8",
}
C_NAMES = {
    "i1": "signed char", "u1": "unsigned char", "i2": "short", "u2": "unsigned short",
    "i4": "int", "u4": "unsigned", "i8": "long long", "u8": "unsigned long long",
}  # fmt: skip


def converted_as_nvcc_does(dtype):
    """FLOATS and NO_NUMBERS as integers."""
    wide = np.iinfo(SATURATING[dtype])
    finite = [min(max(int(x), wide.min), wide.max) for x in FLOATS]
    return np.array([*finite, 0, wide.max, wide.min], wide.dtype).astype(dtype)


@pytest.mark.parametrize("source", ["float", "double"])
@pytest.mark.parametrize("dtype", SATURATING)
def test_floats_out_of_range_become_integers_as_on_a_gpu(device, dtype, source):
    code = f"""extern "C" __global__ void k({C_NAMES[dtype]}* out, const {source}* x) {{
      out[threadIdx.x] = ({C_NAMES[dtype]})x[threadIdx.x];
    }}"""
    x = np.array([*FLOATS, np.nan, np.inf, -np.inf], "f4" if source == "float" else "f8")
    out = cuda.to_device(np.zeros(x.size, dtype))
    heddle.RawKernel(code, "k")(1, x.size, (out, cuda.to_device(x)))
    np.testing.assert_array_equal(out.copy_to_host(), converted_as_nvcc_does(dtype))


@pytest.mark.parametrize("dtype", SATURATING)
def test_constants_out_of_range_become_integers_as_on_a_gpu(device, dtype):
    type = C_NAMES[dtype]
    literals = [*map(str, FLOATS), *NO_NUMBERS]
    casts = "\n".join(f"out[{i}] = ({type}){x};" for i, x in enumerate(literals))
    variables = "\n".join(
        f"{{ double x = {x}; out[{i + len(literals)}] = ({type})x; }}"
        for i, x in enumerate(literals)
    )
    code = f'extern "C" __global__ void k({type}* out) {{ {casts} {variables} }}'
    out = cuda.to_device(np.full(2 * len(literals), 77, dtype))
    heddle.RawKernel(code, "k")(1, 1, (out,))
    np.testing.assert_array_equal(out.copy_to_host(), np.tile(converted_as_nvcc_does(dtype), 2))


@pytest.mark.parametrize("n", AMOUNTS)
def test_shifts_of_32_bits_end_at_the_width(device, n):
    body = "out[0] = x << n; out[1] = (int)((unsigned)x >> n); out[2] = x >> n;"
    x = -0x12345679
    out = run(body, x, n, parameters=", int x, int n")
    inside = 0 <= n < 32
    u = x % 2**32
    expected = [u << n if inside else 0, u >> n if inside else 0, x >> (n if inside else 31)]
    np.testing.assert_array_equal(out[:3].view("u4"), np.array([e % 2**32 for e in expected], "u4"))


@pytest.mark.parametrize("n", AMOUNTS)
def test_shifts_of_64_bits_end_at_the_width(device, n):
    body = "out[0] = x << n; out[1] = x >> n; out[2] = (long long)x >> n;"
    x = 0xFEDCBA9876543210
    out = run(body, x, n, parameters=", unsigned long long x, int n", dtype="u8")
    inside = 0 <= n < 64
    expected = [
        x << n if inside else 0,
        x >> n if inside else 0,
        (x - 2**64) >> (n if inside else 63),
    ]
    np.testing.assert_array_equal(out[:3], np.array([e % 2**64 for e in expected], "u8"))


def test_atomic_builtins_of_the_compiler(device):
    body = """
      __atomic_store_n(out, 5, __ATOMIC_RELEASE);
      out[1] = __atomic_load_n(out, __ATOMIC_ACQUIRE) + __atomic_fetch_add(out, 2, __ATOMIC_RELAXED);
      int expected = 7;
      out[2] = __atomic_compare_exchange_n(out, &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      out[3] = __atomic_exchange_n(out, 1, __ATOMIC_ACQ_REL);"""
    np.testing.assert_array_equal(run(body), [1, 10, 1, 9])


@pytest.mark.parametrize(
    "operation, dtype, expected",
    [
        ("sub", "i4", 9),
        ("and", "i4", 4),
        ("or", "i4", -1),
        ("xor", "i4", -5),
        ("min", "i4", -3),
        ("max", "i4", 6),
        ("min", "u4", 6),
        ("max", "u4", 2**32 - 3),
    ],
)
def test_atomic_builtins_combine_with_what_was_there(device, operation, dtype, expected):
    body = f"out[0] = 6; out[1] = __atomic_fetch_{operation}(out, -3, __ATOMIC_RELAXED);"
    np.testing.assert_array_equal(run(body, dtype=dtype)[:2], [expected, 6])


def test_a_fence_of_the_compiler_orders_what_other_blocks_see(device):
    source = """
    extern "C" __global__ void k(volatile int* x) {
      if (blockIdx.x == 0) { x[0] = 5; __atomic_thread_fence(__ATOMIC_RELEASE); x[1] = 1; return; }
      while (!x[1]);
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      x[2] = x[0];
    }"""
    x = cuda.to_device(np.zeros(3, "i4"))
    heddle.RawKernel(source, "k")(2, 1, (x,))
    assert x.copy_to_host()[2] == 5


def test_each_call_of_a_recursion_has_its_own_structure(device):
    before = """
      struct S { int x[20]; };
      __device__ int f(S s, int n) { s.x[n] += n; int deeper = n ? f(s, n - 1) : 0; return deeper + s.x[n]; }"""
    body = "S s = {}; out[0] = f(s, 5); out[1] = f(s, 4); out[2] = s.x[4];"
    np.testing.assert_array_equal(run(body, before=before), [15, 10, 0, 0])


def test_a_prefetch_is_a_hint(device):
    assert run("__builtin_prefetch(out); out[0] = 3;")[0] == 3


def test_indices_are_copied_as_a_whole(device):
    body = "auto t = threadIdx; auto d = blockDim; out[0] = t.x + 10 * d.y + f(blockIdx, gridDim);"
    before = "template <class T, class U> __device__ int f(T t, U u) { return 100 * u.z + t.y; }"
    assert run(body, before=before)[0] == 110


def test_register_is_taken_with_a_warning(device):
    code = "__global__ void k(int* out) { register int x = 3; out[0] = x; }"
    log = []
    module = heddle.RawModule(code=code)
    module.compile(log_stream=type("Log", (), {"write": staticmethod(log.append)}))
    assert "register" in log[0]


def test_an_expression_of_many_commas_compiles_soon(device):
    begin = time.perf_counter()
    assert run("out[0] = (" + "1," * 90000 + "7);")[0] == 7
    assert time.perf_counter() - begin < 20


def test_a_chain_of_many_functions_compiles_soon(device):
    chain = "__device__ int f0(int x) { return x ^ 1; }\n" + "".join(
        f"__device__ int f{n}(int x) {{ return f{n - 1}(x) * 3 + 1; }}\n" for n in range(1, 2000)
    )
    begin = time.perf_counter()
    x = 1
    for _ in range(1, 2000):
        x = (x * 3 + 1) % 2**32
    assert run("out[0] = f1999(0);", before=chain).view("u4")[0] == x
    assert time.perf_counter() - begin < 20


def test_a_pragma_far_into_a_program_is_no_long_name(device):
    body = "/*" + " " * 5000 + "*/\n#pragma unroll\nfor (int i = 0; i < 4; ++i) out[i] = i;\n"
    np.testing.assert_array_equal(run(body), [0, 1, 2, 3])


FOR_OTHER_COMPILERS = {
    "OpenMP": "#pragma omp declare target\n#pragma omp threadprivate(x)\n",
    "OpenMP in a function": "int f() {\n#pragma omp parallel for\nfor (;;) return 1; }",
    "OpenACC": "#pragma acc routine seq\n",
    "SYCL": "template<class F> __attribute__((sycl_kernel)) void f(F g) { g(); }",
    "HLSL": "[[hlsl::numthreads]] void f() {}",
    "Windows": "struct __declspec(dllexport) S { virtual int __stdcall f(); }; __attribute__((ms_abi)) int g();",
    "ARM": "typedef __attribute__((neon_vector_type(4))) float F; F f();",
    "AMD": "__attribute__((amdgpu_flat_work_group_size(1, 2))) __global__ void f() {}",
    "x86": 'typedef float F __attribute__((vector_size(16))); __attribute__((target("avx2"))) '
    "F f(F a) { return __builtin_ia32_rsqrtps(a); }",
    "editors": "#pragma region f\n#pragma mark f\n#pragma endregion\n",
}


@pytest.mark.parametrize("text", FOR_OTHER_COMPILERS.values(), ids=FOR_OTHER_COMPILERS)
def test_what_is_meant_for_other_compilers_does_nothing(device, text):
    np.testing.assert_array_equal(run("out[0] = 1;", before=text), [1, 0, 0, 0])


FOREIGN = {
    "Objective-C": ("@interface A @end", "expected unqualified-id"),
    "blocks": ("void f() { auto b = ^{ return 1; }; }", "blocks support disabled"),
    "modules": ("import a;", "unknown type name 'import'"),
    "PowerPC": ("int f(int a) { return __builtin_ppc_cmpb(a, a); }", "'__builtin_ppc_cmpb'"),
    "SVE": ("__SVInt8_t f();", "unknown type name '__SVInt8_t'"),
}


@pytest.mark.parametrize("text, message", FOREIGN.values(), ids=FOREIGN)
def test_other_languages_and_targets_are_refused(cpu, text, message):
    with pytest.raises(heddle.TypingError, match=message):
        run("out[0] = 1;", before=text)


CONSTANTS = {
    "recursion": 'constexpr int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } static_assert(f(15) == 610, "");',
    "strings": 'static_assert(__builtin_strlen("abc") == 3 && "abc"[1] == \'b\', "");',
    "objects": "struct P { int x, y; constexpr P(int a) : x(a), y(2 * a) {} constexpr int sum() const "
    '{ return x + y; } }; static_assert(P(5).sum() == 15, "");',
    "loops": "constexpr int g() { int a[4] = {1, 2, 3, 4}, s = 0; for (int v : a) s += v; return s; } "
    'static_assert(g() == 10, "");',
}


@pytest.mark.parametrize("text", CONSTANTS.values(), ids=CONSTANTS)
def test_the_compiler_evaluates_constants(device, text):
    np.testing.assert_array_equal(run("out[0] = 1;", before=text), [1, 0, 0, 0])


def test_signs_before_signs(device):
    assert run("out[0] = " + "-~" * 4900 + "1;")[0] == 4901


def test_assignments_to_assignments(device):
    assert run("int a; " + "a = " * 4900 + "3; out[0] = a;")[0] == 3


@pytest.mark.parametrize("qualifier", ["__device__", "__constant__"])
def test_a_variable_of_four_gigabytes_is_refused_on_the_cpu(cpu, qualifier):
    with pytest.raises(LoweringError, match="variable 'a' of 4294967296 bytes"):
        run("out[0] = a[out[1]];", before=f"{qualifier} int a[1 << 30];")


POINTERS_NOBODY_FOLLOWS = [
    ("struct S;", "S* p"),
    ("template <class T> struct V { T x, y; };", "V<float>* p"),
    ("#include <cupy/complex.cuh>", "const complex<float>* p"),
]


@pytest.mark.parametrize("before, parameter", POINTERS_NOBODY_FOLLOWS)
def test_a_pointer_to_a_class_that_is_never_made(device, before, parameter):
    source = f"{before}\n__global__ void k({parameter}, int* out) {{ *out = 1; }}"
    there = cuda.to_device(np.zeros(4, "c8"))
    out = cuda.to_device(np.zeros(1, "i4"))
    heddle.RawKernel(source, "k")(1, 1, (there, out))
    assert out.copy_to_host()[0] == 1


def test_a_program_may_define_the_integers_of_64_bits(device):
    before = "typedef unsigned long long uint64_t; typedef long long int64_t;\n#include <cstdint>\n"
    body = "uint64_t x = 1ull << 40; int64_t y = -2; out[0] = atomicAdd(&x, 1) >> 40; out[1] = y;"
    np.testing.assert_array_equal(run(body, before=before)[:2], [1, -2])


OWN_FUNCTIONS = [
    "double atomicAdd(double *p, double v) { double old = *p; *p += 2 * v; return old; }",
    "float saturate(float x) { return 2 * x; }",
    "int mul24(int x, int y) { return x + y; }",
    "unsigned __lanemask_lt() { return 9; }",
]


@pytest.mark.parametrize("function", OWN_FUNCTIONS)
@pytest.mark.parametrize("linkage", ["__device__", "static __inline__ __device__"])
def test_a_program_may_define_what_others_have(device, linkage, function):
    body = """double sum = 1; atomicAdd(&sum, 1.0); out[0] = sum; out[1] = saturate(3); out[2] = mul24(2, 3);
    out[3] = __lanemask_lt();"""
    usual = [2, 1, 6, 0]
    which = OWN_FUNCTIONS.index(function)
    usual[which] = [3, 6, 5, 9][which]
    np.testing.assert_array_equal(run(body, before=f"{linkage} {function}"), usual)


def test_the_size_of_a_warp_is_a_name_like_others(device):
    before = "template <int warpSize> struct Of { int size = warpSize; };"
    body = "out[0] = warpSize; const int warpSize = 7; out[1] = warpSize; out[2] = Of<5>().size;"
    np.testing.assert_array_equal(run(body, before=before), [32, 7, 5, 0])


def test_what_the_language_needs_of_the_library_is_there(device):
    before = """struct Sum {
      int total = 0;
      __device__ Sum(std::initializer_list<int> of) { for (int x : of) total += x; }
    };
    template <class T> __device__ int kind(T &&x) { return 1; }
    template <class T> __device__ int kind(T &x) { return 2; }
    template <class T> __device__ int pass(T &&x) { return kind(std::forward<T>(x)); }"""
    body = "int x = 3; out[0] = Sum({1, 2, 4}).total; out[1] = kind(std::move(x)); out[2] = pass(x); out[3] = pass(4);"
    np.testing.assert_array_equal(run(body, before=before), [7, 1, 2, 1])


def test_an_own_extreme_of_halves(device):
    before = "#include <cuda_fp16.h>\n__device__ __half max(__half x, __half y) { return x; }"
    body = "out[0] = (int)(float)max(__half(1.0f), __half(2.0f)); out[1] = (int)(float)min(__half(1.0f), __half(2.0f));"
    np.testing.assert_array_equal(run(body, before=before)[:2], [1, 1])


def test_complex_numbers_have_an_order(device):
    body = """complex<float> x(1, 2), y(1, 3);
    out[0] = x < y; out[1] = x >= y; out[2] = (int)max(x, y).imag(); out[3] = (int)min(x, y).imag();"""
    found = run(body, before="#include <cupy/complex.cuh>")
    np.testing.assert_array_equal(found, [1, 0, 3, 2])


def test_host_functions_call_math_assert_and_printf(device):
    """A program may contain the host's reference; no code is generated for it."""
    before = """
    float reference(const float *x, int n) {
      float sum = 0;
      for (int i = 0; i < n; i++) {
        sum += sqrtf(fabsf(x[i])) + sin(x[i]) + fmaxf(x[i], 1) + powf(x[i], 2) + max(i, 2);
        assert(sum >= 0 && "a sum");
      }
      printf("%f", sum);
      return sum + abs(-3);
    }
    struct Vector {
      float x, y;
      float length() const { return hypotf(x, y); }
      __device__ float deviceLength() const { return hypotf(x, y); }
    };
    """
    body = "Vector v{3, 4}; out[0] = (int)v.deviceLength();"
    assert run(body, before=before)[0] == 5


def test_parameters_that_are_arrays_may_have_qualifiers(device):
    before = """template <int n> __device__ void add(int v[__restrict__ n], const int w[__restrict__]) {
      for (int i = 0; i < n; i++) v[i] += w[i];
    }"""
    body = "int w[3] = {1, 2, 3}; add<3>(out, w); out[3] = y[1];"
    parameters = ", const int y[__restrict__ 2]"
    y = cuda.to_device(np.array([8, 9], "i4"))
    assert run(body, y, before=before, parameters=parameters).tolist() == [1, 2, 3, 9]


def test_local_arrays_and_structures_are_aligned_for_vectors(device):
    source = """
struct Three { float items[3]; };
struct Four { float items[4]; };
extern "C" __global__ void k(int4* copies, unsigned long long* offsets, const float* x, int n) {
  Three three[2];
  char text[9];
  Four fours[3];
  for (int i = 0; i < n; ++i) {
    three[i % 2].items[i % 3] = x[i];
    text[i % 9] = i;
    fours[i / 4].items[i % 4] = x[i];
  }
  for (int i = 0; i < n / 4; ++i) {
    copies[i] = reinterpret_cast<int4*>(fours)[i];
    offsets[i] = reinterpret_cast<unsigned long long>(fours) % 16
        + reinterpret_cast<unsigned long long>(three) % 16
        + reinterpret_cast<unsigned long long>(text) % 8 + 0 * (text[i] + (int)three[i % 2].items[i]);
  }
}"""
    x = np.arange(12, dtype="f4")
    copies, offsets = np.zeros((3, 4), "i4"), np.ones(3, "u8")
    there = [cuda.to_device(a) for a in (copies, offsets, x)]
    heddle.RawKernel(source, "k")(1, 1, (*there, x.size))
    np.testing.assert_array_equal(there[0].copy_to_host().view("f4").ravel(), x)
    assert not there[1].copy_to_host().any()
