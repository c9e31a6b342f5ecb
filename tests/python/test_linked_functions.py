"""CUDA C++ device functions called by Python kernels: cuda.declare_device, cuda.jit(link=)."""

import numpy as np
import pytest

from heddle import config, cuda, types
from heddle.errors import TypingError, UnsupportedError

SOURCE = r"""
extern "C" __device__ int add(int *result, int a, int b) { *result = a + b; return 0; }
extern "C" __device__ int mul(float *result, float a, float b) { *result = a * b; return 0; }
extern "C" __device__ int sum(double *result, const double *x, long long n) {
  *result = 0;
  for (long long i = 0; i < n; ++i) *result += x[i];
  return 0;
}
namespace plain {
__device__ unsigned char low(unsigned int x) { return x; }
}
extern "C" __device__ void fill(float *x, int n, float v) { for (int i = 0; i < n; ++i) x[i] = v; }
extern "C" __device__ int fails(int *result, int status) { *result = 1; return status; }
extern "C" __device__ bool odd(long long x) { return x % 2; }
"""
code = cuda.CUSource(SOURCE, "functions.cu")


def declare(name, sig, **options):
    return cuda.declare_device(name, sig, **{"link": code, **options})


def result(function, *args, dtype="f8"):
    """The result of the device function for these arguments in a kernel."""

    @cuda.jit
    def k(out):
        out[0] = function(*args)

    out = cuda.to_device(np.zeros(1, dtype))
    k[1, 1](out)
    return out.copy_to_host()[0]


def test_a_function_of_cpp_is_called(device):
    assert result(declare("add", "int32(int32, int32)"), 40, 2) == 42


def test_two_functions_of_one_file_are_called(device):
    add, mul = declare("add", "int32(int32, int32)"), declare("mul", "float32(float32, float32)")

    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        x[i] = mul(x[i], 2) + add(i, 1)

    x = cuda.to_device(np.ones(64, "f"))
    k[2, 32](x)
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(64) + 3)


def test_arguments_are_converted_to_the_declared_types(device):
    assert result(declare("mul", "float32(float32, float32)"), 3, 0.5) == 1.5


def test_an_array_is_passed_by_its_address(device):
    total = declare("sum", types.float64(types.CPointer(types.float64), types.int64))

    @cuda.jit
    def k(out, x):
        out[0] = total(x, x.size)

    out = cuda.to_device(np.zeros(1))
    k[1, 1](out, cuda.to_device(np.arange(10.0)))
    assert out.copy_to_host()[0] == 45


def test_a_part_of_an_array_and_shared_memory_are_passed_by_their_addresses(device):
    total = declare("sum", "float64(CPointer(float64), int64)")

    @cuda.jit
    def k(out, x):
        s = cuda.shared.array(2, types.float64)
        s[0] = s[1] = 0.5
        out[0] = total(x[2:4], 2) + total(s, 2)

    out = cuda.to_device(np.zeros(1))
    k[1, 1](out, cuda.to_device(np.arange(10.0)))
    assert out.copy_to_host()[0] == 6


def test_what_the_function_writes_comes_back(device):
    fill = declare("fill", "void(CPointer(float32), int32, float32)", abi="c")

    @cuda.jit
    def k(x):
        fill(x, x.size, 7)

    x = np.zeros(5, "f")
    k[1, 1](x)
    assert x.tolist() == [7] * 5


@pytest.mark.parametrize(
    "name, sig, args, expected",
    [
        ("plain::low", "uint8(uint32)", (0x1234,), 0x34),
        ("odd", "boolean(int64)", (-3,), 1),
        ("odd", "boolean(int64)", (4,), 0),
    ],
)
def test_the_c_abi_returns_the_result(device, name, sig, args, expected):
    assert result(declare(name, sig, abi="c"), *args) == expected


def test_a_file_is_linked_with_the_headers_beside_it(device, tmp_path):
    (tmp_path / "half.h").write_text("#define HALF(x) ((x) / 2)\n")
    file = tmp_path / "functions.cu"
    file.write_text(
        '#include "half.h"\nextern "C" __device__ int half(int *r, int x) { *r = HALF(x); return 0; }'
    )
    assert result(cuda.declare_device("half", "int32(int32)", link=str(file)), 8) == 4


def test_the_kernel_links_what_the_declaration_does_not(device):
    add = cuda.declare_device("add", "int32(int32, int32)")

    @cuda.jit(link=[code])
    def k(out):
        out[0] = add(1, 2)

    out = cuda.to_device(np.zeros(1, "i4"))
    k[1, 1](out)
    assert out.copy_to_host()[0] == 3


def test_options_reach_the_source(device):
    source = cuda.CUSource(
        'extern "C" __device__ int n(int *r) { *r = N; return 0; }', options=("-DN=9",)
    )
    assert result(cuda.declare_device("n", "int32()", link=source)) == 9


def test_a_python_function_and_a_kernel_may_have_the_names_of_linked_ones(device):
    mul = declare("mul", "float32(float32, float32)")

    @cuda.jit
    def add(out):
        out[0] = mul(3, 4)

    out = cuda.to_device(np.zeros(1, "f"))
    add[1, 1](out)
    assert out.copy_to_host()[0] == 12


def test_device_functions_of_python_call_them(device):
    add = declare("add", "int32(int32, int32)")

    @cuda.jit(device=True)
    def twice(x):
        return add(x, x)

    assert result(twice, 21) == 42


SHARED = r"""
__constant__ int weights[2] = {3, 5};
__device__ int counter = 100;
extern "C" __device__ int reversed(int *result, int x) {
  __shared__ int s[32];
  s[threadIdx.x] = x;
  __syncthreads();
  *result = s[31 - threadIdx.x] * weights[threadIdx.x % 2] + counter;
  return 0;
}"""


def test_linked_code_has_shared_memory_barriers_and_variables(device):
    function = cuda.declare_device("reversed", "int32(int32)", link=cuda.CUSource(SHARED))

    @cuda.jit
    def k(x):
        x[cuda.threadIdx.x] = function(x[cuda.threadIdx.x])

    x = cuda.to_device(np.arange(32, dtype="i4"))
    k[1, 32](x)
    i = np.arange(32)
    np.testing.assert_array_equal(x.copy_to_host(), (31 - i) * np.where(i % 2, 5, 3) + 100)


def test_linked_code_prints_and_asserts_with_its_own_lines(device, capfd):
    source = cuda.CUSource(
        'extern "C" __device__ int f(int *r, int x) {\n  printf("x is %d\\n", x);\n'
        "  assert(x > 0);\n  return *r = 0;\n}",
        "check.cu",
    )
    f = cuda.declare_device("f", "int32(int32)", link=source)
    assert result(f, 5) == 0
    with pytest.raises(AssertionError, match="check.cu:3: x > 0"):
        result(f, -5)
        cuda.synchronize()
    assert "x is 5" in capfd.readouterr().out


def test_a_status_other_than_zero_ends_the_kernel(device):
    fails = declare("fails", "int32(int32)")
    assert result(fails, 0) == 1
    with pytest.raises(RuntimeError, match=r"fails\(\) returned a status that is not 0"):
        result(fails, 3)
        cuda.synchronize()


COMPLEX = """
#include <cupy/complex.cuh>
extern "C" __device__ int square(complex<double> *result, complex<double> z) { *result = z * z; return 0; }
"""


def test_complex_numbers_are_passed_and_returned(device):
    square = cuda.declare_device("square", "complex128(complex128)", link=cuda.CUSource(COMPLEX))
    assert result(square, 1 + 2j, dtype="D") == (1 + 2j) ** 2


def test_cffi_gives_the_address_of_an_array(device):
    ffi = pytest.importorskip("cffi").FFI()
    total = declare("sum", "float64(CPointer(float64), int64)")

    @cuda.jit
    def k(out, x):
        out[0] = total(ffi.from_buffer(x), 3)

    out = cuda.to_device(np.zeros(1))
    k[1, 1](out, cuda.to_device(np.arange(10.0)))
    assert out.copy_to_host()[0] == 3


# Mistakes


def refuses(exception, text, work):
    with pytest.raises(exception) as error:
        work()
    assert text in str(error.value)


@pytest.mark.parametrize(
    "name, sig, abi, text",
    [
        ("nothing", "int32(int32)", "numba", "no __device__ function 'nothing' in the linked code"),
        ("add", "int32(int32)", "numba", "it has 2 parameters, the declaration has 1"),
        ("add", "int32(int32, int64)", "numba", "parameter 2 is declared as int64"),
        ("add", "int32(int32, float32)", "numba", "parameter 2 is declared as float32"),
        ("add", "int64(int32, int32)", "numba", "its result is declared as int64"),
        ("sum", "float64(CPointer(float32), int64)", "numba", "parameter 1 is declared as float32*"),
        ("odd", "boolean(int64)", "numba", 'it returns no status\n'),
        ("odd", "int32(int64)", "c", "its result is declared as int32"),
    ],
)  # fmt: skip
def test_a_declaration_that_is_not_the_functions_is_refused(device, name, sig, abi, text):
    function = declare(name, sig, abi=abi)
    args = tuple(1 for _ in function.sig.args)
    if "CPointer" in sig:
        return refuses(TypingError, text, lambda: kernel_of_pointer(function))
    refuses(TypingError, text, lambda: result(function, *args))


def kernel_of_pointer(function):
    @cuda.jit
    def k(x):
        x[0] = function(x, 1)

    k[1, 1](cuda.to_device(np.zeros(2, "f")))


def test_the_message_has_what_cpp_declares_and_where_python_does(device):
    add = cuda.declare_device("add", "int32(int32)", link=code)
    with pytest.raises(TypingError) as error:
        result(add, 1)
    assert "functions.cu has int add(int *result, int a, int b)" in str(error.value)
    assert 'add = cuda.declare_device("add", "int32(int32)", link=code)' in str(error.value)


def test_overloads_are_chosen_by_symbol(device):
    source = cuda.CUSource(
        "__device__ int f(int x) { return 1; } __device__ int f(float x) { return 2; }"
    )
    by_name = cuda.declare_device("f", "int32(int32)", link=source, abi="c")
    refuses(TypingError, "several functions called 'f'", lambda: result(by_name, 1))
    assert result(cuda.declare_device("_Z1ff", "int32(float32)", link=source, abi="c"), 1) == 2


def test_a_template_is_no_function(device):
    source = cuda.CUSource("template <typename T> __device__ T f(T x) { return x; }")
    f = cuda.declare_device("f", "int32(int32)", link=source, abi="c")
    refuses(TypingError, "it is a template: write a function that calls", lambda: result(f, 1))


def test_code_that_nobody_links_is_missed(device):
    f = cuda.declare_device("f", "int32(int32)")
    refuses(TypingError, "'f' is declared, but no linked code defines it", lambda: result(f, 1))


def test_errors_of_the_source_have_its_lines(device):
    source = cuda.CUSource('extern "C" __device__ int f(int *r) {\n  return nothing;\n}', "bad.cu")
    f = cuda.declare_device("f", "int32()", link=source)
    refuses(TypingError, "bad.cu:2", lambda: result(f))


def test_what_kernels_cannot_have_is_refused_in_linked_code_too(device):
    source = cuda.CUSource(
        'extern "C" __device__ int f(int *r) {\n  static thread_local int n; *r = ++n; return 0;\n}',
        "bad.cu",
    )
    f = cuda.declare_device("f", "int32()", link=source)
    refuses(UnsupportedError, "bad.cu:2", lambda: result(f))


def test_an_argument_that_does_not_convert_is_refused_at_the_call(device):
    f = declare("sum", "float64(CPointer(float64), int64)")
    refuses(TypingError, "declares 'arg0' as float64*", lambda: result(f, 1, 2))


def test_a_strided_array_has_no_address_to_pass(device):
    total = declare("sum", "float64(CPointer(float64), int64)")

    @cuda.jit
    def k(out, x):
        out[0] = total(x[::2], 2)

    refuses(TypingError, "declares 'arg0' as float64*", lambda: k[1, 1](np.zeros(1), np.zeros(4)))


def test_a_call_needs_the_declared_number_of_arguments(device):
    refuses(
        TypingError,
        "add() needs an argument for 'arg1'",
        lambda: result(declare("add", "int32(int32, int32)"), 1),
    )


@pytest.mark.parametrize(
    "work, exception, text",
    [
        (lambda: cuda.declare_device("f", "float32[:](int32)"), TypeError, "CPointer(float32)"),
        (lambda: cuda.declare_device("f", "(int32,)"), TypeError, "has no result"),
        (
            lambda: cuda.declare_device("f", "int32()", abi="d"),
            NotImplementedError,
            "abi is 'numba' or 'c'",
        ),
        (lambda: cuda.declare_device(3, "int32()"), TypeError, "the function's name"),
        (lambda: cuda.declare_device("f", "int32()", link="f.cpp"), ValueError, "one of .cu .ptx"),
        (lambda: cuda.declare_device("f", "int32()", link="f.cu"), FileNotFoundError, "f.cu"),
        (
            lambda: cuda.declare_device("f", "int32()", link=3),
            TypeError,
            "link takes paths and code",
        ),
        (
            lambda: cuda.declare_device("f", "int32()", link=cuda.PTXSource("x")),
            NotImplementedError,
            "PTX",
        ),
        (
            lambda: cuda.jit(link=[cuda.Object(b"x")])(lambda: 0),
            NotImplementedError,
            "machine code",
        ),
        (lambda: cuda.jit(link=["f.cu"], device=True), ValueError, "link= is for kernels"),
        (lambda: cuda.CUSource(3), TypeError, "the code is a string"),
        (lambda: cuda.CUSource("", options=("-what",)), ValueError, "unknown option '-what'"),
        (lambda: declare("add", "int32(int32, int32)")(1, 2), TypeError, "is a device function"),
    ],
)
def test_wrong_declarations_are_refused_at_once(work, exception, text):
    refuses(exception, text, work)


TWICE = 'extern "C" __device__ int twice(int *out, int a) { *out = a * 2; return 0; }'
FOUR_TIMES = """
extern "C" __device__ int twice(int *out, int a);
extern "C" __device__ int four_times(int *out, int a) {
  int half;
  twice(&half, a);
  return twice(out, half);
}
"""


@pytest.mark.parametrize("listed", [list, tuple, set])
def test_sources_of_one_list_call_each_other(device, listed):
    link = listed([cuda.CUSource(FOUR_TIMES, "four.cu"), cuda.CUSource(TWICE, "two.cu")])
    four_times = cuda.declare_device("four_times", "int32(int32)", link=link)

    @cuda.jit
    def kernel(out):
        out[cuda.threadIdx.x] = four_times(cuda.threadIdx.x)

    out = np.zeros(3, np.int32)
    kernel[1, 3](out)
    assert out.tolist() == [0, 4, 8]


def test_a_mistake_in_the_second_of_two_sources_names_its_file_and_line(device):
    wrong = cuda.CUSource("\n__device__ int y() { return x; }", "wrong.cu")
    twice = cuda.declare_device("twice", "int32(int32)", link=[wrong, cuda.CUSource(TWICE)])

    @cuda.jit
    def kernel(out):
        out[0] = twice(1)

    with pytest.raises(TypingError, match=r"wrong\.cu:2:.*undeclared identifier 'x'"):
        kernel[1, 1](np.zeros(1, np.int32))


def test_headers_are_looked_for_in_the_folders_of_the_setting(device, tmp_path, monkeypatch):
    (tmp_path / "seven.cuh").write_text("constexpr int seven = 7;\n")
    monkeypatch.setattr(config, "CUDA_NVRTC_EXTRA_SEARCH_PATHS", f"/nowhere:{tmp_path}")
    source = '#include "seven.cuh"\nextern "C" __device__ int f(int *r) { *r = seven; return 0; }'
    assert result(declare("f", "int32()", link=cuda.CUSource(source))) == 7


ARRAYS = r"""
extern "C" __device__ int total(float *result, void *, void *, long long count, long long bytes, const float *x,
                                long long rows, long long columns, long long down, long long right) {
  *result = bytes == 4 && count == rows * columns ? 0 : -1;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      *result += *(const float *)((const char *)x + i * down + j * right);
  return 0;
}
"""


def test_an_array_in_the_signature_comes_with_its_extents_and_strides(device):
    total = declare("total", "float32(float32[:, :])", link=cuda.CUSource(ARRAYS))

    @cuda.jit
    def k(x, out):
        out[0] = total(x[::2, 1:])

    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    out = cuda.to_device(np.zeros(1, np.float32))
    k[1, 1](cuda.to_device(x), out)
    assert out.copy_to_host()[0] == x[::2, 1:].sum()


def test_a_function_without_the_parameters_of_an_array_is_told(device):
    sum_ = declare("sum", "float64(float64[:])")
    with pytest.raises(
        TypingError, match=r"(?s)parameters, the declaration has 7.*hint: an array is"
    ):

        @cuda.jit("(float64[:],)")
        def k(x):
            x[0] = sum_(x)
