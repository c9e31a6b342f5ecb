"""Names of CuPy that programs use besides kernels: the compiler, modules, settings, runtime functions."""

import collections
import ctypes
import threading

import numpy as np
import pytest

from heddle.compat import cupy as cp
from heddle.compat import cupyx
from heddle.compat.cupy import core_names as _core
from heddle.compat.cupyx import jit

pytestmark = pytest.mark.usefixtures("cpu")

SCALE = 'extern "C" __global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }'


def test_nvrtcs_function_gives_ptx_and_the_symbols_of_expressions():
    code, symbols = cp.cuda.compiler.compile_using_nvrtc(
        "template <typename T> __global__ void k(T* x) { *x = 1; }",
        arch="80",
        name_expressions=["k<int>"],
    )
    assert b".target sm_80" in code and symbols["k<int>"].encode() in code


def test_the_core_has_what_generators_of_kernels_ask_for():
    axes = _core.internal._normalize_axis_indices
    assert (axes((-1, 0), 3), axes((-1, 0), 3, False), axes(None, 2)) == ((0, 2), (2, 0), (0, 1))
    assert _core.internal._normalize_axis_index(-1, 3) == 2 and _core.internal.prod([2, 3]) == 6
    assert [_core._scalar.get_typename(kind) for kind in ("i8", "e", "D")] == [
        "long long",
        "float16",
        "thrust::complex<double>",
    ]
    with pytest.raises(np.exceptions.AxisError):
        axes((3,), 3)


def test_the_core_has_the_warp_size_and_the_accelerators():
    assert _core._get_warpsize() == 32
    before = _core.get_reduction_accelerators()
    _core._accelerator.set_reduction_accelerators(["cub", 2])
    assert _core.get_reduction_accelerators() == [_core._accelerator.ACCELERATOR_CUB, 2]
    with pytest.raises(ValueError, match="Unknown accelerator: 'cup'"):
        _core.set_reduction_accelerators(["cup"])
    _core.set_reduction_accelerators(before)


def test_the_local_runtime_has_the_version_of_the_runtime():
    assert cp.cuda.runtime._getLocalRuntimeVersion() == cp.cuda.runtime.runtimeGetVersion()


def test_elements_are_copied_and_converted():
    out = cp.zeros((2, 2), "f")
    assert _core.elementwise_copy(cp.array([1, 2]), out) is out and out.tolist() == [[1, 2], [1, 2]]


def test_nvrtcs_function_raises_the_exception_of_programs_that_do_not_compile():
    with pytest.raises(cp.cuda.compiler.CompileException, match="identifier 'y'"):
        cp.cuda.compiler.compile_using_nvrtc("__global__ void k(int* x) { *x = y; }")


def test_a_compiled_source_is_a_module_with_functions_and_variables():
    module = cp.cuda.compile_with_cache("__device__ int n[3];" + SCALE)
    x = cp.ones(4, np.float32)
    scale = module.get_function("scale")
    scale((1,), (4,), (x, np.float32(3)))
    scale.linear_launch(4, (x, np.float32(2)))
    assert isinstance(module, cp.cuda.Module) and isinstance(scale, cp.cuda.Function)
    assert (x.tolist(), module.get_global("n").mem.size) == ([6] * 4, 12)


def test_an_empty_module_says_how_it_is_filled():
    with pytest.raises(RuntimeError, match=r"call load_file\(\) or load\(\) first"):
        cp.cuda.Module().get_function("k")


def test_a_raw_kernel_has_its_function_and_no_file():
    kernel = cp.RawKernel(SCALE, "scale")
    assert kernel.kernel.max_threads_per_block > 0 and kernel.file_path is None


def test_the_toolkits_folder_is_the_one_that_the_environment_names(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_PATH", str(tmp_path))
    assert cp.cuda.get_cuda_path() == str(tmp_path)


def test_settings_of_errors_last_as_long_as_their_block():
    with cupyx.errstate(linalg="raise"):
        inside = cupyx.geterr()["linalg"]
    assert (inside, cupyx.geterr()["linalg"]) == ("raise", "ignore")


def test_settings_of_errors_that_cupy_lacks_are_refused():
    with pytest.raises(NotImplementedError, match="divide= is not supported"):
        cupyx.seterr(divide="raise")


def test_arrays_travel_by_dlpack_without_a_copy():
    x = cp.arange(3)
    y = cp.fromDlpack(x.toDlpack())
    y[0] = 7
    host = np.zeros(2)
    cp.from_dlpack(host)[1:] = 5
    assert (x.tolist(), host.tolist(), type(y)) == ([7, 1, 2], [0, 5], cp.ndarray)


def test_scattered_extremes_see_every_value_of_an_index():
    high, low = cp.zeros(2), cp.zeros(2)
    cupyx.scatter_max(high, cp.array([0, 0, 1]), cp.array([3.0, 5.0, -1.0]))
    cupyx.scatter_min(low, cp.array([0, 0, 1]), cp.array([-3.0, -5.0, 1.0]))
    assert (high.tolist(), low.tolist()) == ([5, 0], [-5, 0])


def test_an_elementwise_kernel_shows_its_sources_and_settings():
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "plus", loop_prep="int a = 1")
    kernel(cp.zeros(2, np.float32))
    assert kernel.kwargs == {"loop_prep": "int a = 1"}
    assert list(kernel.cached_codes) == [("f", "f")] and "y = x + 1" in kernel.cached_code
    assert kernel._cached_codes == kernel.cached_codes


def test_a_reduction_kernel_shows_its_sources():
    kernel = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    with pytest.warns(UserWarning, match="total was not called yet"):
        assert kernel.cached_codes == {}
    with pytest.raises(ValueError, match="was not called yet"):
        kernel.cached_code
    kernel(cp.zeros(2))
    assert "a + b" in kernel.cached_code


def test_a_bound_kernel_knows_its_grid():
    @jit.rawkernel()
    def kernel(x):
        x[jit.grid(1)] = 1

    bound = kernel[2, (4, 2)]
    assert (bound.griddim, bound.blockdim) == ((2, 1, 1), (4, 2, 1))


def test_the_runtime_calls_a_function_of_the_host_when_the_stream_gets_there():
    called = threading.Event()
    stream = cp.cuda.Stream()
    cp.cuda.runtime.launchHostFunc(stream.ptr, lambda event: event.set(), called)
    stream.synchronize()
    assert called.wait(5)


def test_the_runtime_keeps_limits_and_refuses_those_that_it_lacks():
    runtime = cp.cuda.runtime
    before = runtime.deviceGetLimit(runtime.cudaLimitStackSize)
    runtime.deviceSetLimit(runtime.cudaLimitStackSize, before)
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorUnsupportedLimit"):
        runtime.deviceGetLimit(77)


def test_the_runtime_locks_the_hosts_memory_and_copies_between_devices():
    runtime = cp.cuda.runtime
    source, target = (ctypes.c_int * 2)(3, 4), (ctypes.c_int * 2)()
    runtime.hostRegister(ctypes.addressof(source), 8)
    runtime.memcpyPeer(ctypes.addressof(target), 0, ctypes.addressof(source), 0, 8)
    runtime.hostUnregister(ctypes.addressof(source))
    assert list(target) == [3, 4]


def test_a_stream_of_another_library_with_handle_0_is_the_default_one():
    Stream = collections.namedtuple("Stream", "ptr")
    scale = cp.cuda.compile_with_cache(SCALE).get_function("scale")
    x = np.ones(4, np.float32)
    scale(grid=(1, 1, 1), block=(4, 1, 1), args=[x.ctypes.data, 3.0], stream=Stream(0))
    assert x.tolist() == [3] * 4


def test_a_created_ufunc_takes_the_first_operation_that_its_inputs_convert_to():
    shift = _core.create_ufunc(
        "shift", ("ff->f", "dd->d", ("qq->q", "out0 = in0 << in1")), "out0 = (out0_type)(in0 + in1)"
    )
    assert shift.types == ["ff->f", "dd->d", "qq->q"]
    assert shift(cp.ones(2, np.float32), 2).dtype == np.float32
    assert shift(cp.array([1.5]), 1).tolist() == [2.5]
    assert shift(cp.array([3]), cp.array([2]), dtype="q").tolist() == [12]


def test_a_ufunc_of_numbers_gives_arrays_without_dimensions():
    both = _core.create_ufunc("both", ("ff->ff", "dd->dd"), "out0 = in0 + in1; out1 = in0 * in1")
    total, product = both(2.5, 3)
    assert (total.shape, total.dtype, float(total), float(product)) == ((), "f8", 5.5, 7.5)
    assert both(np.float32(2), np.float32(3))[0].dtype == "f4"


def test_a_created_ufunc_fills_its_output_and_refuses_types_that_it_lacks():
    twice = _core.create_ufunc("twice", ("f->f",), "out0 = in0 * 2")
    out = cp.zeros(2, np.float32)
    assert twice(cp.ones(2, np.float32), out=out) is out and out.tolist() == [2, 2]
    with pytest.raises(TypeError, match=r"twice has no operation for \['complex128'\]"):
        twice(cp.array([1j]))


def test_the_names_of_old_releases_are_those_of_today(run_script):
    result = run_script(
        "import cupy, cupy.core\nfrom cupy.core.raw import RawModule\n"
        "@cupy.util.memoize(for_each_device=True)\ndef compiled():\n    return object()\n"
        "print(compiled() is compiled(), cupy.core.ElementwiseKernel is cupy.ElementwiseKernel)\n",
        env={"HEDDLE_DEVICE": "cpu"},
    )
    assert (result.stderr, result.stdout) == ("", "True True\n")


def test_modules_are_there_without_an_import_of_them():
    assert cp._core is _core
    assert cp._util.memoize is cp.memoize
