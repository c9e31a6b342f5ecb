"""Exceptions of raw kernels with CuPy or its substitute: they belong to heddle's and CuPy's classes."""

import io
import pickle

import pytest

import heddle
import heddle.compat.cupy as cp

pytestmark = pytest.mark.usefixtures("cpu")

CompileException = cp.cuda.compiler.CompileException
CUDADriverError = cp.cuda.driver.CUDADriverError
WRONG = "__global__ void k(int *x) {\n  x[0] = y;\n}"
classes = pytest.mark.parametrize("kernels", [heddle, cp])


@classes
def test_a_program_that_does_not_compile_is_both(kernels):
    with pytest.raises(CompileException, match="identifier 'y'") as caught:
        kernels.RawKernel(WRONG, "k", ("-DN=3",)).compile()
    error = caught.value
    assert isinstance(error, heddle.TypingError) and error.get_message() == str(error)
    assert (error.source, error.options, error.backend) == (WRONG, ("-DN=3",), "nvrtc")


def elementwise(operation, **pieces):
    return cp.ElementwiseKernel("T x", "T z", operation, "twice", **pieces)


def reduction(*pieces, **others):
    return cp.ReductionKernel("T x", "T z", *pieces, "total", **others)


@pytest.mark.parametrize(
    "kernel, place",
    [
        (elementwise("z = x +"), "twice:1:8: expected expression\n   1 | z = x +;\n"),
        (elementwise("\n  z = y;\n"), "twice:2:7: use of undeclared identifier 'y'"),
        (elementwise("z = (x // of"), "twice:2:1: expected ')'"),
        (elementwise("z = f(x)", preamble="\n#define N"), "twice:1:5: use of undeclared"),
        (elementwise("z = x", preamble="\nint f(;"), "twice, preamble:2:7: expected"),
        (elementwise("z = x", loop_prep="int n = y"), "twice, loop_prep:1:9: use of"),
        (elementwise("z = x", after_loop="y = 1;"), "twice, after_loop:1:1: use of"),
        (elementwise("z = x; }"), "program of twice:"),
        (reduction("x * y", "a + b", "z = a", "0"), "total, map_expr:1:5: use of"),
        (reduction("x", "a +", "z = a", "0"), "total, reduce_expr:1:4: expected"),
        (reduction("x", "a + b", "z = ", "0"), "total, post_map_expr:1:4: expected"),
        (reduction("x", "a + b", "z = a", "y"), "total, identity:1:1: use of"),
    ],
)
def test_a_mistake_in_a_piece_is_shown_in_the_piece(kernel, place):
    with pytest.raises(CompileException) as caught:
        kernel(cp.ones(3))
    assert str(caught.value).startswith(place)


@pytest.mark.parametrize("operation", ["z = x; // all", "#if 1\nz = x;\n#endif", "{ z = x; }"])
def test_an_operation_ends_as_its_author_likes(operation):
    assert list(elementwise(operation, loop_prep="// nothing")(cp.ones(2))) == [1, 1]


def test_the_program_is_written_with_its_lines():
    out = io.StringIO()
    with pytest.raises(CompileException) as caught:
        cp.RawModule(code=WRONG).compile()
    caught.value.dump(out)
    assert out.getvalue().startswith("NVRTC compilation error: <cuda source>:2:10: use of")
    assert "\n1 __global__ void k(int *x) {\n2   x[0] = y;\n3 }\n-----\n" in out.getvalue()


def test_an_exception_of_the_compiler_is_pickled():
    with pytest.raises(CompileException) as caught:
        cp.RawModule(code=WRONG).compile()
    restored = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(restored, heddle.TypingError) and str(restored) == str(caught.value)
    own = CompileException("text", "source", "file", ("-w",))
    assert pickle.loads(pickle.dumps(own)).get_message() == "text"


@classes
def test_a_missing_kernel_is_both(kernels):
    with pytest.raises(CUDADriverError, match="CUDA_ERROR_NOT_FOUND: named symbol") as caught:
        kernels.RawModule(code="__global__ void k() {}").get_function("f")
    assert isinstance(caught.value, ValueError) and caught.value.status == 500


@classes
def test_a_missing_file_is_both(kernels):
    with pytest.raises(CUDADriverError, match="CUDA_ERROR_FILE_NOT_FOUND") as caught:
        kernels.RawModule(path="/nowhere.cubin")
    assert isinstance(caught.value, FileNotFoundError) and caught.value.status == 301


@classes
def test_a_launch_that_is_refused_is_both(kernels):
    kernel = kernels.RawKernel("__global__ void k() {}", "k")
    with pytest.raises(CUDADriverError, match="CUDA_ERROR_INVALID_VALUE.*at most 1024") as caught:
        kernel((1,), (2000,), ())
    assert isinstance(caught.value, ValueError)


def test_a_kernel_that_launches_kernels_is_refused_in_words():
    source = "__global__ void f() {}\n__global__ void k() { f<<<1, 1>>>(); }"
    with pytest.raises(CUDADriverError, match="there is no dynamic parallelism") as caught:
        cp.RawKernel(source, "k").compile()
    assert isinstance(caught.value, CompileException)
    with pytest.raises(CompileException, match="a kernel cannot launch kernels"):
        cp.RawKernel(source, "k", backend="nvcc").compile()


def test_a_grid_that_cannot_run_at_once_shrinks_with_a_warning():
    source = "__global__ void k(int *n) { if (!threadIdx.x) atomicAdd(n, 1); }"
    kernel = cp.RawKernel(source, "k", enable_cooperative_groups=True)
    blocks = cp.zeros(1, "i")
    with pytest.warns(UserWarning, match=r"the grid of k is reduced to \d+ blocks"):
        kernel((10**6,), (64,), (blocks,))
    assert 0 < int(blocks[0]) < 10**6


def test_a_grid_of_two_dimensions_does_not_shrink():
    kernel = cp.RawKernel("__global__ void k() {}", "k", enable_cooperative_groups=True)
    with pytest.raises(CUDADriverError, match="run at the same time"):
        kernel((1000, 1000), (64,), ())


def test_jitify_changes_nothing():
    kernel = cp.RawKernel("#include <type_traits>\n__global__ void k() {}", "k", jitify=True)
    kernel((1,), (1,), ())
    with pytest.raises(cp.cuda.compiler.JitifyException):
        cp.RawKernel(WRONG, "k", jitify=True).compile()


def test_without_cupy_the_exceptions_are_heddles_own(run_python):
    result = run_python(
        "import heddle\n"
        "try: heddle.RawModule(code='__global__ void k() {}').get_function('f')\n"
        "except ValueError as error: print(type(error).__name__, error.args[0][:8])\n",
        HEDDLE_DEVICE="cpu",
    )
    assert result.stdout == "ValueError there is\n", result.stderr


def test_an_exception_of_a_launch_is_pickled():
    with pytest.raises(CUDADriverError) as caught:
        cp.RawKernel("__global__ void k() {}", "k")((1,), (2000,), ())
    restored = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(restored, ValueError) and "at most 1024" in str(restored)
