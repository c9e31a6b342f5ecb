"""Options of CUDA C++ programs: each has an effect visible in a kernel, a message or the device."""

import io

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.errors import TypingError

N = "__global__ void k(int* out) { out[0] = N; }"


def result(source, options, dtype="i4", values=(0, 0, 0, 0)):
    """The elements of the kernel's array after it ran."""
    there = cuda.to_device(np.array(values, dtype))
    heddle.RawKernel(source, "k", options)(1, 1, (there,))
    return there.copy_to_host().tolist()


def refuses(text, *options):
    with pytest.raises(ValueError) as error:
        heddle.RawModule(code=N, options=options)
    assert text in str(error.value)


@pytest.mark.parametrize(
    "options",
    [("-DN=7",), ("-D", "N=7"), ("--define-macro=N=7",), ("--define-macro", "N=7"), (" -DN=7 ",)],
    ids=" ".join,
)
def test_a_macro_is_defined(device, options):
    assert result(N, options)[0] == 7


def test_a_macro_without_a_value_is_one(device):
    assert result(N, ("-DN",))[0] == 1


def test_a_macro_may_take_parameters(device):
    source = "__global__ void k(int* out) { out[0] = TWICE(4); }"
    assert result(source, ("-DTWICE(x)=((x)*2)",))[0] == 8


def test_the_last_definition_of_a_macro_counts(device):
    assert result(N, ("-DN=1", "-UN", "-DN=2"))[0] == 2


@pytest.mark.parametrize("options", [("-UN",), ("-U", "N"), ("--undefine-macro=N",)], ids=" ".join)
def test_a_macro_is_undefined(device, options):
    with pytest.raises(TypingError, match="use of undeclared identifier 'N'"):
        result(N, ("-DN=7", *options))


@pytest.mark.parametrize("form", ["-I{}", "--include-path={}"])
def test_headers_come_from_a_folder(device, tmp_path, form):
    (tmp_path / "n.h").write_text("#define N 7\n")
    assert result('#include "n.h"\n' + N, (form.format(tmp_path),))[0] == 7


def test_headers_come_from_the_first_folder_that_has_them(device, tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "n.h").write_text(f"#define N {len(name)}\n")
    options = ("-I", str(tmp_path / "first"), "-I", str(tmp_path / "second"))
    assert result("#include <n.h>\n" + N, options)[0] == 5


@pytest.mark.parametrize("header", ["cuda_runtime_api.h", "cuda/std/version"])
def test_a_folder_of_nvidias_headers_is_not_read(device, tmp_path, header):
    for name in (header, "cuda_runtime.h", "vector_types.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("#error not for this compiler\n")
    source = "#include <cuda_runtime.h>\n#include <vector_types.h>\n" + N
    assert result(source, (f"-I{tmp_path}", "-DN=4"))[0] == 4


def test_a_file_is_included_before_the_source(device, tmp_path):
    (tmp_path / "n.h").write_text("#define N 7\n")
    assert result(N, ("-include", str(tmp_path / "n.h")))[0] == 7


def test_a_missing_file_to_include_is_named(device, tmp_path):
    with pytest.raises(TypingError, match="missing.h' file not found"):
        result(N, ("-include", str(tmp_path / "missing.h")))


@pytest.mark.parametrize(
    "standard, value",
    [("c++11", 201103), ("c++14", 201402), ("c++17", 201703), ("c++20", 202002)],
)
def test_the_standard_is_the_one_asked_for(device, standard, value):
    source = "__global__ void k(long long* out) { out[0] = __cplusplus; }"
    assert result(source, (f"-std={standard}",), "i8")[0] == value


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17", "c++20"])
def test_no_standard_warns_of_its_own(standard):
    log = io.StringIO()
    heddle.RawModule(code="__global__ void k() {}", options=(f"-std={standard}",)).compile(log)
    assert log.getvalue() == ""


def test_the_standard_is_cpp17_unless_asked_for_another(device):
    source = "__global__ void k(long long* out) { out[0] = __cplusplus; }"
    assert result(source, (), "i8")[0] == 201703


def test_concepts_are_there_in_cpp20(device):
    source = """
    template <class T> concept Small = sizeof(T) <= 4;
    template <Small T> __device__ T f(T x) { return x + 1; }
    __global__ void k(int* out) { out[0] = f(out[0]); }"""
    assert result(source, ("--std=c++20",))[0] == 1


@pytest.mark.parametrize("standard", ["c++14", "c++17", "c++20"])
@pytest.mark.parametrize("name", ["T", "N", "U", "n", "x", "size", "min"])
def test_a_macro_does_not_change_the_device_headers(device, standard, name):
    source = "#include <cstdint>\n__global__ void k(int* out) { out[0] = " + name + "; }"
    assert result(source, (f"-D{name}=5", "-std=" + standard))[0] == 5


@pytest.mark.parametrize(
    "header",
    [
        "type_traits",
        "array",
        "tuple",
        "functional",
        "algorithm",
        "limits",
        "cupy/complex.cuh",
        "cupy/carray.cuh",
        "cupy/float16.cuh",
        "cuda/atomic",
        "cuda/barrier",
        "cuda/pipeline",
        "curand_kernel.h",
    ],
)
def test_headers_have_no_names_that_programs_like_for_macros(device, header):
    macros = "\n".join(f"#define {letter} 7" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    source = f"{macros}\n#include <{header}>\n__global__ void k(int* out) {{ out[0] = T; }}"
    assert result(source, ())[0] == 7


@pytest.mark.parametrize("option, expected", [("-fmad=true", 2.0**-24), ("-fmad=false", 0)])
def test_products_are_contracted_as_the_option_says(device, option, expected):
    source = "__global__ void k(float* x) { x[0] = x[1] * x[1] + x[2]; }"
    values = (0, 1 + 2.0**-12, -1 - 2.0**-11, 0)
    assert result(source, (option,), "f4", values)[0] == expected


def test_a_product_that_is_used_twice_is_contracted_on_every_device(device):
    source = "__global__ void k(float* x) { float p = x[1] * x[1]; x[3] = p; x[0] = p + x[2]; }"
    found = result(source, (), "f4", (0, 1 + 2.0**-12, -1 - 2.0**-11, 0))
    assert found[0] == 2.0**-24 and found[3] == 1 + 2.0**-11


@pytest.mark.parametrize("options", [("-prec-div=false",), ("--prec-sqrt=false",)], ids=" ".join)
def test_division_and_roots_stay_exact(device, options):
    source = "__global__ void k(float* x) { x[0] = 1 / x[2]; x[1] = sqrtf(x[3]); }"
    found = result(source, options, "f4", (0, 0, 3, 2))
    assert found[:2] == [np.float32(1) / np.float32(3), np.sqrt(np.float32(2))]


class Log:
    text = ""

    def write(self, text):
        self.text += text


UNUSED = [
    ("-O3",),
    ("-Xptxas", "-v"),
    ("--ptxas-options=-v",),
    ("-Xcompiler", "-fPIC"),
    ("--expt-relaxed-constexpr", "--extended-lambda"),
    ("-rdc=true",),
    ("--relocatable-device-code=true",),
    ("--diag-suppress=177", "--display-error-number"),
    ("--extra-device-vectorization", "-dlto", "--minimal"),
    ("--maxrregcount=256",),
]


@pytest.mark.parametrize("options", UNUSED, ids=" ".join)
def test_options_for_other_compilers_are_taken(cpu, options):
    assert result("__global__ void k(int* x) { x[0] = 7; }", options)[0] == 7


@pytest.mark.parametrize("option", ["-default-device", "--device-as-default-execution-space"])
def test_functions_are_for_the_device_where_an_option_says_so(device, option):
    source = "int next(int x) { return x + 1; }\n__global__ void k(int* x) { x[0] = next(6); }"
    assert result(source, (option,))[0] == 7
    with pytest.raises(TypingError, match="call to __host__ function"):
        result(source, ())


def test_an_unused_variable_is_a_warning(cpu):
    log = Log()
    heddle.RawKernel("__global__ void k() { int j; }", "k").compile(log)
    assert "warning: unused variable 'j'" in log.text


@pytest.mark.parametrize("options, has_warnings", [((), True), (("-w",), False)])
def test_warnings_are_written_unless_an_option_says_not(device, options, has_warnings):
    log = Log()
    heddle.RawKernel("__global__ void k(int* x) { x == 0; }", "k", options).compile(log)
    assert ("warning: equality comparison result unused" in log.text) == has_warnings


def test_a_kernel_for_debugging_raises_from_its_launch(device):
    there = cuda.to_device(np.zeros(4, "i4"))
    kernel = heddle.RawKernel("__global__ void k(int* x) { assert(x[0]); }", "k", ("-G",))
    with pytest.raises(AssertionError, match="x\\[0\\]"):
        kernel(1, 1, (there,))


@pytest.mark.parametrize("option", ["-arch=sm_90", "--gpu-architecture=compute_80"])
def test_an_architecture_changes_nothing(device, option):
    assert result(N, (option, "-DN=7"))[0] == 7


@pytest.mark.parametrize(
    "options",
    [
        ("-src-in-ptx",),
        ("-gencode=arch=compute_80,code=sm_80",),
        ("-gencode", "arch=compute_80,code=sm_80"),
        ("-lcurand", "-L/usr/local/cuda/lib64", "-l", "m"),
        ("-ccbin", "/usr/bin/g++", "-allow-unsupported-compiler"),
        ("-arch=native",),
        ("-g", "-m64", "--resource-usage", "--default-stream=per-thread"),
    ],
    ids=" ".join,
)
def test_options_of_nvcc_for_the_host_or_the_linker_change_nothing(device, options):
    assert result(N, (*options, "-DN=7"))[0] == 7


def test_system_headers_come_from_a_folder(device, tmp_path):
    (tmp_path / "n.h").write_text("#define N 7\n")
    assert result('#include "n.h"\n' + N, ("-isystem", str(tmp_path)))[0] == 7


@pytest.mark.parametrize("option", ["-fwhatever", "", " ", "-O9", "-ptx", "-cubin", "file.cu"])
def test_an_unknown_option_is_refused_by_its_name(option):
    refuses(f"unknown option '{option}'\n  hint: known are -std=", option)


@pytest.mark.parametrize("option", ["-D", "-U", "-I", "-include", "-std", "-ftz", "-maxrregcount"])
def test_an_option_without_its_value_is_refused(option):
    refuses(f"option '{option}' needs a value", option)


@pytest.mark.parametrize(
    "option, text",
    [
        ("-std=c++98", "-std takes c++11, c++14, c++17 or c++20, not 'c++98'"),
        ("-std=c++23", "not 'c++23'"),
        ("-D=3", "-D needs the name of a macro, not '=3'"),
        ("-U3", "-U needs the name of a macro, not '3'"),
        ("-fmad=maybe", "'-fmad=maybe': the value must be true or false, not 'maybe'"),
        ("-ftz=1", "the value must be true or false, not '1'"),
        ("-prec-div=TRUE", "the value must be true or false, not 'TRUE'"),
        ("-maxrregcount=-1", "-maxrregcount takes a number of registers, 0 for any, not '-1'"),
        ("-arch=90", "write an architecture as sm_90 or compute_90"),
        ("-DN=\0", "has a NUL byte in it"),
    ],
)
def test_a_bad_value_is_refused(option, text):
    refuses(text, option)


def test_options_in_one_string_are_refused():
    with pytest.raises(TypeError, match="write options=\\('-DN=4',\\)"):
        heddle.RawModule(code=N, options="-DN=4")


def test_options_that_are_none_are_refused():
    with pytest.raises(TypeError, match="options is a tuple of strings, not None"):
        heddle.RawModule(code=N, options=None)


def test_an_option_that_is_no_string_is_refused():
    with pytest.raises(TypeError, match="an option is a string, not int"):
        heddle.RawModule(code=N, options=(4,))


@pytest.mark.parametrize(
    "body",
    [
        "__shared__ int s[4]; s[threadIdx.x] = 1; __syncthreads(); out[0] = s[0];",
        "int local[4] = {}; local[threadIdx.x] = 3; out[0] = local[out[1]];",
        "out[0] = table[threadIdx.x];",
        "struct { int a[4], b; } s = {}; out[0] = s.a[threadIdx.x] + s.b;",
    ],
    ids=["shared", "local", "of the program", "of a structure"],
)
def test_debug_code_checks_the_indices_of_arrays_of_constant_size(cpu, body):
    source = f"__device__ int table[4];\n__global__ void k(int* out) {{ {body} }}"
    kernel = heddle.RawKernel(source, "k", ("-G",))
    with pytest.raises(IndexError, match="2: an index is out of bounds of its array") as error:
        kernel(1, 5, (np.zeros(2, np.int32),))
    assert "thread (4, 0, 0)" in str(error.value)
    kernel(1, 4, (np.zeros(2, np.int32),))
