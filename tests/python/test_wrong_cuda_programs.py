"""Wrong CUDA C++ programs and wrong launches of correct ones: one clear exception each, and the next launch works."""

import re

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.errors import InternalError, LoweringError, TypingError, UnsupportedError

ADD = r"""
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""


def assert_usable():
    a, c = cuda.to_device(np.arange(40, dtype="f")), cuda.to_device(np.zeros(40, "f"))
    heddle.RawKernel(ADD, "add")(2, 32, (a, a, c, 40))
    np.testing.assert_array_equal(c.copy_to_host(), 2 * np.arange(40))


def refuses(exception, text, launch):
    with pytest.raises(exception) as error:
        launch()
    assert text in str(error.value) and error.type is not InternalError
    assert_usable()


def kernel(body, before=""):
    """A kernel ``k`` with this body, on line 2 of a program."""
    return before + "\n__global__ void k(int* out) { " + body + " }"


NESTED = {
    "parentheses": "out[0] = " + "(" * 9999 + "1" + ")" * 9999 + ";",
    "blocks": "{" * 9999 + "}" * 9999,
    "ifs": "if (out[0]) " * 9999 + "out[0] = 1;",
    "signs": "out[0] = " + "- " * 99999 + "1;",
    "lambdas": "auto f = " + "[] { return " * 999 + "1; " + "};" * 999,
}
CHAIN = "if (out[0] == 0) out[0] = 1;" + " else if (out[0] == 1) out[0] = 1;" * 9999

# The mistake, the program with the kernel k, and the start of the message.
PROGRAMS = [
    ("a missing semicolon", kernel("out[0] = 1"), "2:41: expected ';' after expression"),
    ("a missing brace", kernel("if (out) {"), "expected '}'"),
    (
        "an unknown function",
        kernel("out[0] = sine(1);"),
        "2:40: use of undeclared identifier 'sine'",
    ),
    (
        "a uint64_t that is unsigned long",
        kernel("out[0] = 1;", "typedef unsigned long uint64_t;"),
        "hint: int64_t and uint64_t are predefined as long long and unsigned long long",
    ),
    (
        "an int64_t that is long",
        kernel("out[0] = 1;", "using int64_t = long;"),
        "hint: int64_t and uint64_t are predefined as long long and unsigned long long",
    ),
    (
        "a size_t for a uint64_t or a uint32_t",
        kernel(
            "out[0] = f(sizeof(int));",
            "__device__ int f(uint32_t x) { return 1; } __device__ int f(uint64_t x) { return 2; }",
        ),
        "hint: convert an argument to the type of a parameter; size_t is unsigned long",
    ),
    (
        "a texture without its type",
        "__global__ void k(unsigned long long t, float* x) { x[0] = tex1Dfetch<float>(t, 0); }",
        "hint: #include <texture_types.h>",
    ),
    ("an unknown type", "__global__ void k(Real* x) {}", "1:19: unknown type name 'Real'"),
    (
        "a kernel that returns a value",
        "__global__ int k() { return 1; }",
        "must have void return type",
    ),
    (
        "a kernel that is a method",
        "struct S { __global__ void k() {} };",
        "must be a free function",
    ),
    ("two kernels of one name and type", kernel("") + kernel(""), "redefinition of 'k'"),
    ("throw", kernel("throw 1;"), "hint: kernels do not support exceptions"),
    ("try", kernel("try { } catch (...) { }"), "hint: kernels do not support exceptions"),
    (
        "a variable of the host",
        kernel("out[0] = n;", "int n;"),
        "hint: mark it __device__ or __constant__ to use it in a kernel",
    ),
    (
        "an atomic object of three bytes",
        "#include <cuda/atomic>\nstruct S { char c[3]; };"
        + kernel("S s = {}; cuda::atomic_ref<S>(s).store(S{});"),
        "an atomic object has 1, 2, 4 or 8 bytes",
    ),
    ("calloc", kernel("void* p = calloc(4, 4);"), "hint: kernels support malloc and memset"),
    (
        "a name whose header is not included",
        "__global__ void k(half* x) {}",
        "hint: 'half' is declared by #include <cuda_fp16.h>",
    ),
    (
        "glibc's name of an integer",
        "__global__ void k(u_int8_t* x) {}",
        "hint: 'u_int8_t' is declared by #include <sys/types.h>",
    ),
    (
        "a type trait whose header is not included",
        kernel("std::make_signed_t<unsigned> i = 0;"),
        "hint: 'make_signed_t' is declared by #include <type_traits>",
    ),
    (
        "tensor cores without mma.h",
        kernel("wmma::fill_fragment(out[0], 0);"),
        "hint: 'wmma' is declared by #include <mma.h>",
    ),
    (
        "a name of the standard library whose header is not included",
        kernel("std::swap(out[0], out[1]);"),
        "hint: 'swap' is declared by #include <utility>",
    ),
    (
        "a shuffle without a mask",
        kernel("out[0] = __shfl_down(out[0], 1);"),
        "hint: warp operations take a mask of the participating lanes: __shfl_down_sync(0xffffffff",
    ),
    (
        "a call of a host function",
        kernel("out[0] = f();", "int f() { return 1; }"),
        "hint: mark it __device__",
    ),
    (
        "a container of C++",
        kernel("std::vector<int> v;"),
        "hint: kernels do not support containers",
    ),
    ("a stream of C++", kernel("std::cout << 1;"), "hint: write with printf"),
    ("a stream of C", kernel('fprintf(stderr, "1");'), "hint: write with printf"),
    ("a file of C", kernel("FILE* f = 0;"), "hint: write with printf"),
    ("a string of C++", kernel("std::string s;"), "hint: kernels do not support std::string"),
    ("complex numbers of C++", kernel("std::complex<float> z;"), "has thrust::complex"),
    ("atomic objects of C++", kernel("std::atomic<int> z;"), "hint: #include <cuda/atomic> has"),
    ("a function object", kernel("std::function<int()> f;"), "hint: pass a lambda"),
    ("an algorithm", kernel("std::sort(out, out + 1);"), "has thrust::sort(thrust::seq, "),
    ("random numbers of C", kernel("out[0] = rand();"), "hint: #include <curand_kernel.h>"),
    ("the end of a process", kernel("exit(1);"), "hint: end a kernel with assert or __trap()"),
    ("a call for the host", kernel("cudaGetLastError();"), "hint: the source has kernels only"),
    ("a type of the host", "cudaStream_t s;" + kernel(""), "hint: the source has kernels only"),
    ("CUB", kernel("cub::WarpReduce<int> r;"), "'cub' is declared by #include <cub/cub.cuh>"),
    (
        "libcu++",
        kernel("cuda::std::array<int, 3> a;"),
        "such as <cuda/atomic> and <cuda/std/array>",
    ),
    ("a header of the host", "#include <vector>", "'vector' file not found"),
    ("a file that is not there", '#include "nothing.h"', "1:10: 'nothing.h' file not found"),
    ("a file of the disk without -I", '#include "/etc/passwd"', "'/etc/passwd' file not found"),
    ("a program that includes itself", "#include __FILE__", "#include nested too deeply"),
    (
        "recursion without an end",
        kernel("out[0] = f(1);", "__device__ int f(int n) { return f(n + 1) + 1; }"),
        "hint: add a path that returns without a recursive call",
    ),
    (
        "templates without an end",
        kernel(
            "out[0] = F<0>::v;", "template <int n> struct F { static const int v = F<n + 1>::v; };"
        ),
        "recursive template instantiation exceeded maximum depth of 1024",
    ),
    (
        "a constant that takes forever",
        kernel("constexpr int x = f();", "constexpr int f() { while (true) {} return 1; }"),
        "maximum step limit; possible infinite loop?",
    ),
    (
        "a constant of endless calls",
        kernel("constexpr int x = f(1);", "constexpr int f(int n) { return n ? f(n + 1) : 0; }"),
        "constexpr evaluation exceeded maximum depth of 512 calls",
    ),
    (
        "a variable that code initializes",
        kernel("out[0] = v;", "__device__ int f(); __device__ int v = f();"),
        "hint: set it in a kernel, or from Python through get_global()",
    ),
    (
        "shared memory with a value",
        kernel("__shared__ int s = 3; out[0] = s;"),
        "hint: assign to it in the kernel, then call __syncthreads()",
    ),
    (
        "an array of variable length",
        kernel("int n = out[0]; int a[n]; out[0] = a[1];"),
        "hint: the size of an array in a kernel must be a constant",
    ),
    (
        "a kernel that launches a kernel",
        kernel("g<<<1, 1>>>();", "__global__ void g() {}"),
        "hint: launch kernels from Python",
    ),
    (
        "a kernel that calls a kernel",
        kernel("g();", "__global__ void g() {}"),
        "hint: launch kernels from Python",
    ),
    (
        "a host function that launches",
        kernel("", "__global__ void g() {} void f() { g<<<1, 1>>>(); }"),
        "hint: launch kernels from Python",
    ),
    ("an error directive", "#error stop here", "1:2: stop here"),
    (
        "a static assertion",
        kernel('static_assert(sizeof(int) == 8, "int is small");'),
        "static assertion failed",
    ),
    (
        "a format with too few values",
        kernel(r'printf("%d %s\n", 1);'),
        "printf: the format asks for 2 values, 1 are given",
    ),
    (
        "a number in the place of a string",
        kernel(r'printf("%s\n", 1);'),
        "printf: %s takes an address, value 1 is an integer",
    ),
    (
        "a format that only a running kernel knows",
        kernel('printf(out[0] ? "%d" : "%u", 1);'),
        "the format of printf must be a string known at compile time",
    ),
    (
        "a conversion that printf has not",
        kernel(r'printf("%y\n", 1);'),
        "printf: '%y' is not a printf conversion",
    ),
    (
        "a length that printf has not",
        kernel(r'printf("%hhhhhd\n", 1);'),
        "printf: '%hhhhhd' is not a printf conversion",
    ),
    (
        "the compiler's own function with a number of the run",
        kernel('unsigned long values[1] = {1}; __heddle_print("%d", values, out[0], 0);'),
        "the count of printed values must be a number known at compile time",
    ),
    (
        "parentheses in parentheses",
        kernel(NESTED["parentheses"]),
        "hint: brackets can be nested at most 256 levels deep",
    ),
    (
        "blocks in blocks",
        kernel(NESTED["blocks"]),
        "hint: brackets can be nested at most 256 levels deep",
    ),
    (
        "lambdas in lambdas",
        kernel(NESTED["lambdas"]),
        "hint: brackets can be nested at most 256 levels deep",
    ),
    ("ifs in ifs", kernel(NESTED["ifs"]), "this expression is too long"),
    ("signs before signs", kernel(NESTED["signs"]), "this expression is too long"),
    ("a chain of ifs", kernel(CHAIN), "more than 1000 'else' branches"),
    (
        "a sum of a megabyte",
        kernel("out[0] = 1" + " + 1" * 250000 + ";"),
        "this expression is too long",
    ),
    (
        "a name of a megabyte",
        kernel("out[0] = " + "x" * 1000000 + ";"),
        "this name has more than 4096 characters",
    ),
    (
        "a mistake after a megabyte",
        kernel("/*" + "x" * 1000000 + "*/ n = 1;"),
        "use of undeclared identifier 'n'",
    ),
    (
        "a function of the compiler's own",
        kernel("out[0] = f(1);", 'extern "C" __device__ float f(float) asm("llvm.sin.f32");'),
        "1:29: names that begin with 'llvm.', 'simt.' or '__heddle' are reserved for the compiler",
    ),
    (
        "a function of the compiler's own with another type",
        kernel("out[0] = f(1);", 'extern "C" __device__ float f(float) asm("llvm.memcpy.f32");'),
        "names that begin with 'llvm.'",
    ),
    (
        "a variable of the compiler's own",
        kernel("out[0] = v;", '__device__ int v asm("llvm.used");'),
        "names that begin with 'llvm.'",
    ),
    (
        "assembly outside functions",
        'asm("nop;");\n' + kernel(""),
        "1:1: assembly is allowed only inside functions",
    ),
    (
        "a kernel with any number of parameters",
        "__global__ void k(int n, ...) {}",
        "1:17: a kernel must have a fixed number of parameters",
    ),
    (
        "a reference for a parameter",
        "__global__ void k(int& n) { n = 1; }",
        "1:24: a kernel parameter cannot be a reference",
    ),
    (
        "a condition of a megabyte",
        "#if " + "!" * 1000000 + "1\n#endif\n" + kernel(""),
        "this condition is too long: it has more than 10000 names and operators",
    ),
    (
        "parentheses in a condition",
        "#if " + "(" * 1000000 + "1" + ")" * 1000000 + "\n#endif\n" + kernel(""),
        "this condition is too long",
    ),
    (
        "a condition that macros make long",
        "#define A0 !!\n"
        + "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(20))
        + "#if A20 1\n#endif\n"
        + kernel(""),
        "this condition is too long",
    ),
    (
        "a chain of classes",
        "struct C0 { int x; };"
        + "".join(f"struct C{n}: C{n - 1} {{}};" for n in range(1, 9900))
        + kernel("C9899 c; c.x = 1; out[0] = c.x;"),
        "the bases and members of this class are nested 500 levels deep",
    ),
    (
        "classes in classes",
        "struct C0 { int x; };"
        + "".join(f"struct C{n} {{ C{n - 1} c[1]; }};" for n in range(1, 9900))
        + kernel("C9899 c; out[0] = *(int*)&c;"),
        "the bases and members of this class are nested 500 levels deep",
    ),
    ("a NUL byte", kernel("out[0] = 1;\0 n = 2;"), "use of undeclared identifier 'n'"),
    ("letters that are not ASCII", kernel("out[0] = é;"), "use of undeclared identifier 'é'"),
    (
        "what Clang crashes on",
        kernel("auto f = [](auto &v) __attribute__((vector_size(64))) { v += 1; };"),
        "2:85: Clang crashed at or shortly before this line",
    ),
]


@pytest.mark.parametrize("source, text", [p[1:] for p in PROGRAMS], ids=[p[0] for p in PROGRAMS])
def test_a_program_that_is_no_cpp_is_refused(device, source, text):
    refuses(TypingError, text, lambda: heddle.RawKernel(source, "k").compile())


UNSUPPORTED = [
    (
        "a function that is defined nowhere",
        kernel("out[0] = f(1);", "__device__ int f(int);"),
        "'f(int)' is declared, but not defined in this program",
    ),
    (
        "a variable that is defined nowhere",
        kernel("out[0] = v;", "extern __device__ int v;"),
        "'v': declared, but not defined in this program",
    ),
    (
        "memory of the stack by size",
        kernel("int* p = (int*)__builtin_alloca(out[0]); out[1] = p[out[2]];"),
        "the size of an array in a kernel must be a constant",
    ),
    ("assembly of the host", kernel('asm("movl $1, %0" : "=r"(out[0]));'), ":2: inline PTX: "),
    (
        "a builtin of the compiler for a GPU",
        kernel("out[0] = __nvvm_read_ptx_sreg_tid_x();"),
        "2:40: kernels do not support this compiler builtin (llvm.nvvm.read.ptx.sreg.tid.x)",
    ),
    (
        "an atomic builtin of the compiler that a GPU has not",
        kernel("out[0] = __atomic_fetch_nand(out, 1, 0);"),
        "2:40: kernels do not support this atomic compiler builtin",
    ),
    (
        "goto to a computed label",
        kernel("void* p[] = {&&a, &&b}; goto *p[out[0]]; a: out[0] = 1; b: out[0] = 2;"),
        "hint: use a switch",
    ),
    (
        "a variable of the host's threads",
        kernel("static thread_local int x; out[0] = x++;"),
        "kernels do not support thread_local variables",
    ),
    (
        "vectors of the compiler",
        kernel(
            "typedef int V __attribute__((vector_size(16))); V v = {out[0]}; out[1] = v[out[2]];"
        ),
        "hint: use a vector type such as float4",
    ),
    (
        "division in 128 bits",
        kernel("__int128 x = out[0]; out[0] = x / out[1];"),
        "kernels do not support division of integers with more than 64 bits",
    ),
    (
        "a vector of the compiler's as a parameter",
        "typedef int V __attribute__((vector_size(16))); __global__ void k(V v) {}",
        "parameter 1 (v) of type 'V' cannot be passed by a launch",
    ),
    (
        "a parameter of a megabyte",
        "struct S { int x[250000]; }; __global__ void k(S s) {}",
        "parameter 1 (s) of type 'S' is too large",
    ),
]


@pytest.mark.parametrize(
    "source, text", [p[1:] for p in UNSUPPORTED], ids=[p[0] for p in UNSUPPORTED]
)
def test_cpp_that_no_kernel_can_be_is_refused(device, source, text):
    refuses(UnsupportedError, text, lambda: heddle.RawKernel(source, "k").compile())


def arrays(count=3):
    return [cuda.to_device(np.zeros(8, "f")) for _ in range(count)]


def strided():
    return cuda.to_device(np.zeros(16, "f"))[::2]


# The mistake, what makes the arguments of add, and the message.
ARGUMENTS = [
    ("too few", lambda: arrays(), TypeError, "kernel add has 4 parameters, 3 arguments were given"),
    (
        "too many",
        lambda: [*arrays(), 1, 2],
        TypeError,
        "kernel add has 4 parameters, 5 arguments were given",
    ),
    (
        "an array for a number",
        lambda: arrays(4),
        TypeError,
        "parameter 4 (n) is 'int': takes one number, not an array of 8",
    ),
    (
        "a number for an array",
        lambda: [*arrays(2), 4, 4],
        TypeError,
        "parameter 3 (c) is 'float *': takes an array or an address, not 4",
    ),
    (
        "a fraction for an array",
        lambda: [1.5, *arrays(2), 4],
        TypeError,
        "parameter 1 (a) is 'const float *': takes an array, not float",
    ),
    (
        "None for a number",
        lambda: [*arrays(), None],
        TypeError,
        "parameter 4 (n) is 'int': takes an integer, not NoneType",
    ),
    ("a string for a number", lambda: [*arrays(), "4"], TypeError, "takes an integer, not str"),
    ("a string for an array", lambda: ["a", *arrays(2), 4], TypeError, "takes an array, not str"),
    (
        "a list",
        lambda: [[1.0, 2.0], *arrays(2), 4],
        TypeError,
        "takes an array, not list\n  hint: make it an array with np.array(...)",
    ),
    ("a dict", lambda: [{}, *arrays(2), 4], TypeError, "takes an array, not dict"),
    ("a fraction for an integer", lambda: [*arrays(), 1.5], TypeError, "takes an integer, not 1.5"),
    (
        "no number for an integer",
        lambda: [*arrays(), float("nan")],
        TypeError,
        "takes an integer, not nan",
    ),
    (
        "a number of 33 bits",
        lambda: [*arrays(), 2**32],
        OverflowError,
        "parameter 4 (n) is 'int': 4294967296 does not fit",
    ),
    (
        "a number of 400 digits",
        lambda: [*arrays(), 10**399],
        OverflowError,
        "a number of 400 digits does not fit",
    ),
    (
        "elements of another width",
        lambda: [cuda.to_device(np.zeros(8)), *arrays(2), 4],
        TypeError,
        "takes an array of float32, not of float64",
    ),
    (
        "elements of another kind",
        lambda: [cuda.to_device(np.zeros(8, "i4")), *arrays(2), 4],
        TypeError,
        "takes an array of float32, not of int32",
    ),
    (
        "an array with steps",
        lambda: [strided(), *arrays(2), 4],
        ValueError,
        "the array is not contiguous, and a pointer has no strides",
    ),
    (
        "an address below zero",
        lambda: [-1, *arrays(2), 4],
        TypeError,
        "an address is an unsigned 64-bit integer",
    ),
]


@pytest.mark.parametrize(
    "make, exception, text", [a[1:] for a in ARGUMENTS], ids=[a[0] for a in ARGUMENTS]
)
def test_a_wrong_argument_is_refused(device, make, exception, text):
    refuses(exception, text, lambda: heddle.RawKernel(ADD, "add")(1, 1, tuple(make())))


def test_an_array_of_the_host_is_refused_on_a_gpu(device):
    if device.type == "cpu":
        pytest.skip("the CPU device takes arrays of the host")
    launch = lambda: heddle.RawKernel(ADD, "add")(1, 1, (np.zeros(8, "f"), *arrays(2), 4))
    refuses(TypeError, "hint: copy it with cuda.to_device()", launch)


def test_an_array_that_may_not_be_written_is_refused(cpu):
    fixed = np.zeros(8, "f")
    fixed.flags.writeable = False
    launch = lambda: heddle.RawKernel(ADD, "add")(1, 1, (fixed, fixed, fixed, 4))
    refuses(ValueError, "parameter 3 (c) is 'float *': the array is read-only", launch)


@pytest.mark.parametrize("arguments", [3, {"n": 3}, np.zeros(2)], ids=["int", "dict", "array"])
def test_arguments_without_a_tuple_are_refused(device, arguments):
    wrong = heddle.RawKernel("__global__ void k(int n) {}", "k")
    refuses(TypeError, "hint: one argument is written (x,)", lambda: wrong(1, 1, arguments))


PAIR = "struct Pair { int a; double b; };\n__global__ void k(Pair p) {}"


def test_a_structure_of_another_size_is_refused(device):
    packed = np.array([(1, 2)], [("a", "i4"), ("b", "f8")])[0]
    launch = lambda: heddle.RawKernel(PAIR, "k")(1, 1, (packed,))
    refuses(TypeError, "parameter 1 (p) is 'Pair': has 16 bytes, the value has 12", launch)


@pytest.mark.parametrize("value", [None, 3, {"a": 1}, "ab"], ids=["None", "int", "dict", "str"])
def test_a_value_that_is_no_structure_is_refused(device, value):
    launch = lambda: heddle.RawKernel(PAIR, "k")(1, 1, (value,))
    refuses(TypeError, "takes a scalar of a structured dtype, not", launch)


SHARED = "__global__ void k(int* x) { extern __shared__ int s[]; s[threadIdx.x] = x[0]; x[0] = s[x[0]]; }"

# The mistake, the grid, the block, the bytes of shared memory, and the message.
SHAPES = [
    ("2048 threads", 1, 2048, 0, ValueError, "block of 2048 threads (2048, 1, 1)"),
    ("no threads", 1, 0, 0, ValueError, "the block has an extent of 0"),
    ("fewer than no threads", 1, -1, 0, ValueError, "the block has an extent of -1"),
    ("a deep block", 1, (1, 1, 65), 0, ValueError, "this device takes at most 64 along z"),
    (
        "four extents",
        1,
        (1, 1, 1, 1),
        0,
        ValueError,
        "the block has 4 dimensions; it must have 1 to 3",
    ),
    (
        "half a thread",
        1,
        1.5,
        0,
        TypeError,
        "the block must be an int or a tuple of ints, not float",
    ),
    ("no blocks", 0, 1, 0, ValueError, "the grid has an extent of 0"),
    ("a wide grid", 2**31, 1, 0, ValueError, "this device takes at most 2147483647 along x"),
    ("a tall grid", (1, 65536), 1, 0, ValueError, "this device takes at most 65535 along y"),
    (
        "a megabyte of shared memory",
        1,
        1,
        1 << 20,
        ValueError,
        "(static 0, dynamic 1048576): this device takes at most",
    ),
    (
        "less than no shared memory",
        1,
        1,
        -4,
        ValueError,
        "the dynamic shared memory must be a non-negative number of bytes, not -4",
    ),
]


@pytest.mark.parametrize(
    "grid, block, shared, exception, text", [s[1:] for s in SHAPES], ids=[s[0] for s in SHAPES]
)
def test_a_launch_of_an_impossible_shape_is_refused(device, grid, block, shared, exception, text):
    launch = lambda: heddle.RawKernel(SHARED, "k")(
        grid, block, (arrays_of_int(),), shared_mem=shared
    )
    refuses(exception, text, launch)


def arrays_of_int():
    return cuda.to_device(np.zeros(8, "i4"))


def test_a_refused_launch_names_the_kernel_as_the_source_does(device):
    refuses(
        ValueError,
        "kernel k(int*)",
        lambda: heddle.RawKernel(SHARED, "k")(1, 2048, (arrays_of_int(),)),
    )


def test_more_threads_than_launch_bounds_promise_are_refused(device):
    bounded = heddle.RawKernel("__global__ void __launch_bounds__(64) k() {}", "k")
    refuses(
        ValueError,
        "block of 128 threads (128, 1, 1): this kernel takes at most 64 threads per block",
        lambda: bounded(1, 128),
    )


def test_too_much_static_shared_memory_is_refused(device):
    source = kernel(
        "__shared__ int s[100000]; s[threadIdx.x] = out[0]; __syncthreads(); out[0] = s[out[1]];"
    )
    # The CPU device sees it at the launch, a GPU's compiler before.
    with pytest.raises((ValueError, LoweringError), match="400000 bytes"):
        heddle.RawKernel(source, "k")(1, 1, (arrays_of_int(),))
    assert_usable()


# The mistake, the program, the name that is asked for, and the message.
NAMES = [
    (
        "no kernel of that name",
        ADD,
        "sub",
        "there is no kernel named 'sub' in this program; its kernels are: add",
    ),
    ("no kernel at all", "__device__ int k() { return 1; }", "k", "its kernels are: none"),
    ("an empty program", "", "k", "its kernels are: none"),
    (
        "two kernels",
        "__global__ void k(int*) {} __global__ void k(float*) {}",
        "k",
        "several kernels are named 'k': k(int*), k(float*)\n  hint: use one of these names, with its parameters",
    ),
    (
        "a variable",
        "__device__ int v; __global__ void k() { v = 1; }",
        "v",
        "its kernels are: k\n  hint: it is a variable: ask for it with get_global()",
    ),
    (
        "the address of a variable",
        "__device__ int v; __global__ void k() { v = 1; }",
        "&v",
        "hint: it is a variable: ask for it with get_global()",
    ),
    (
        "two namespaces",
        "namespace a { __global__ void k() {} } namespace b { __global__ void k() {} }",
        "k",
        "its kernels are: a::k, b::k\n  hint: the name has the namespace or the class in it",
    ),
    (
        "a template",
        "template <class T> __global__ void k(T*) {}",
        "k",
        "a template is a kernel once name_expressions= has an instance",
    ),
    (
        "an instance of a template",
        "template <class T> __global__ void k(T*) {}",
        "k<float>",
        "hint: compile this instance of the template: name_expressions=['k<float>']",
    ),
    (
        "a function without __global__",
        'extern "C" void k() {}',
        "k",
        'hint: declare it with extern "C" __global__ void k(...)',
    ),
]


def test_a_kernel_is_no_variable(device):
    text = "no variable named 'add' in this program; its variables are: none\n  hint: it is a kernel: ask for it with"
    refuses(ValueError, text, lambda: heddle.RawModule(code=ADD).get_global("add"))


def test_a_const_variable_is_not_the_hosts(device):
    source = kernel("out[0] = v[out[0]];", "__device__ const int v[] = {1, 2};")
    text = "its variables are: none\n  hint: a const variable is none"
    refuses(ValueError, text, lambda: heddle.RawModule(code=source).get_global("v"))


def test_an_array_that_cannot_be_bfloat16_is_refused(device):
    source = "#include <cuda_bf16.h>\n__global__ void k(__nv_bfloat16* x) {}"
    launch = lambda: heddle.RawKernel(source, "k")(1, 1, (arrays_of_int(),))
    refuses(TypeError, "not of int32\n  hint: pass an array of ml_dtypes.bfloat16, or", launch)


def test_a_complex_number_is_no_half(device):
    source = "#include <cuda_fp16.h>\n__global__ void k(__half x) {}"
    refuses(
        TypeError,
        "(x) is '__half': takes a number, not complex",
        lambda: heddle.RawKernel(source, "k")(1, 1, (1j,)),
    )


@pytest.mark.parametrize("source, name, text", [n[1:] for n in NAMES], ids=[n[0] for n in NAMES])
def test_a_name_that_is_no_kernel_is_refused(device, source, name, text):
    refuses(ValueError, text, lambda: heddle.RawModule(code=source).get_function(name))


TEMPLATE = "template <class T> __global__ void scale(T* x) { *x *= 2; }\n__device__ int v;"

EXPRESSIONS = [
    (
        "scale<Real>",
        TypingError,
        "name expression 'scale<Real>':1:7: use of undeclared identifier 'Real'",
    ),
    ("grow<int>", TypingError, "use of undeclared identifier 'grow'"),
    ("scale<", TypingError, "expected expression"),
    ("", TypingError, "expected expression"),
    ('"', TypingError, "expected expression"),
    ("/*", TypingError, "unterminated /* comment"),
    ("scale<int>; int y", TypingError, "expected ')'"),
    (
        "v",
        TypingError,
        "hint: a name expression is the name of a kernel or the address of a variable",
    ),
    (
        "scale<void>",
        TypingError,
        "in instantiation of function template specialization 'scale<void>'",
    ),
    (3, TypeError, "a name expression is a string, not int"),
]


@pytest.mark.parametrize("expression, exception, text", EXPRESSIONS)
def test_a_wrong_name_expression_is_refused(device, expression, exception, text):
    refuses(
        exception,
        text,
        lambda: heddle.RawModule(code=TEMPLATE, name_expressions=[expression]).compile(),
    )


@pytest.mark.parametrize("code", [b"__global__ void k() {}", 3], ids=["bytes", "int"])
def test_a_source_that_is_no_string_is_refused(device, code):
    refuses(TypeError, "code is a string, not", lambda: heddle.RawKernel(code, "k"))


def test_half_a_surrogate_pair_in_the_source_is_refused(device):
    refuses(ValueError, "code is not valid Unicode", lambda: heddle.RawKernel("// \udcff", "k"))


def test_a_header_that_includes_itself_is_refused(device, tmp_path):
    (tmp_path / "self.h").write_text('#include "self.h"\n')
    wrong = heddle.RawKernel(ADD, "add", ("-include", str(tmp_path / "self.h")))
    refuses(TypingError, "self.h:1:10: #include nested too deeply", wrong.compile)


def test_a_mistake_in_a_header_of_another_encoding_is_shown(device, tmp_path):
    (tmp_path / "latin.h").write_bytes(b"int x = n; // \xe9\n")
    wrong = heddle.RawKernel('#include "latin.h"', "k", ("-I", str(tmp_path)))
    refuses(TypingError, "latin.h:1:9: use of undeclared identifier 'n'", wrong.compile)


def test_a_message_at_the_start_of_a_line_shows_that_line(device):
    refuses(
        TypingError,
        "   2 | wrong();\n     | ^",
        lambda: heddle.RawKernel("int x;\nwrong();", "k").compile(),
    )


def test_advice_to_use_options_that_there_are_not_is_left_out(device):
    source = kernel(NESTED["blocks"])
    with pytest.raises(TypingError) as error:
        heddle.RawKernel(source, "k").compile()
    assert "-fbracket-depth" not in str(error.value)


def ends(exception, text, source, *values):
    """Check that the kernel ends with an exception when it runs."""
    with pytest.raises(exception, match=re.escape(text)):
        heddle.RawKernel(source, "k")(1, 1, (arrays_of_int(), *values))
        cuda.synchronize()


def test_a_message_shows_few_of_many_operators_that_do_not_fit(device):
    source = kernel("Two x; out[0] = x % x;", "struct Two { operator int(); operator long(); };")
    with pytest.raises(TypingError, match="use of overloaded operator '%' is ambiguous") as error:
        heddle.RawKernel(source, "k").compile()
    assert len(str(error.value).splitlines()) < 40


def test_a_failed_assertion_leaves_the_process_alive(device):
    ends(AssertionError, "<cuda source>:2: out[0] == 1", kernel("assert(out[0] == 1);"))


def test_a_trap_leaves_the_process_alive(device):
    ends(RuntimeError, "<cuda source>:2: __trap() was called", kernel("__trap();"))


def test_a_function_without_its_return_leaves_the_process_alive(device):
    ends(
        RuntimeError, "ended without the 'return'", kernel("out[0] = f();", "__device__ int f() {}")
    )


def results(source, *values):
    out = arrays_of_int()
    heddle.RawKernel(source, "k")(1, 1, (out, *values))
    return out.copy_to_host().tolist()


def test_division_by_zero_leaves_the_process_alive(device):
    assert results(kernel("out[0] = 1 / out[1]; out[2] = 1 / 0;"))[0] == -1
    assert_usable()


def test_a_shift_by_more_than_the_width_leaves_the_process_alive(device):
    results(kernel("out[0] = 1 << (out[1] + 40); out[2] = 1 << 40;"))
    assert_usable()


def test_a_loop_without_an_end_does_not_run_into_other_code(run_python):
    ended = run_python(
        """
import os, threading
import numpy as np
import heddle
source = "__global__ void k(int* out) { do out[0] = 1; while (out[0]); }"
threading.Timer(2, os._exit, [7]).start()
heddle.RawKernel(source, "k")(1, 1, (np.zeros(1, "i4"),))
""",
        HEDDLE_DEVICE="cpu",
    )
    assert ended.returncode == 7
