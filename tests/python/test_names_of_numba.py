"""Every public name of numba.cuda exists or is refused with a message, and the modules with these names work."""

import ctypes
import enum
import re
import subprocess
import sys
import unittest
import warnings
from pathlib import Path

import numpy as np
import pytest

import heddle
from heddle import cuda, extending, types
from heddle.compat.numba import (
    dispatcher,
    kernel_testing,
    numpy_support,
    simulator,
    test_support,
    transpose,
)
from heddle.cuda.cudadrv import devicearray, driver, dummyarray, enums, nvrtc, nvvm
from heddle.extension.naming import typeof_impl
from heddle.support.advised_attributes import AdvisedAttributes

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_names_of_numba.py"


def test_every_name_works_or_is_refused_and_the_page_says_so():
    # In a process of its own: another test may have imported numba itself into this one.
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_every_module_of_the_table_can_be_imported(run_script):
    result = run_script(
        "import importlib\n"
        "from heddle.support.numba_modules import MODULES\n"
        "for name in MODULES:\n"
        "    importlib.import_module(name)\n"
        "    package, _, last = name.rpartition('.')\n"
        "    exec(f'from {package} import {last}' if package else 'import numba')\n"
    )
    assert (result.stderr, result.returncode) == ("", 0)


def test_a_name_of_the_inside_says_what_to_use_instead():
    with pytest.raises(AttributeError, match="internal to numba: use cuda.compile for PTX"):
        _ = nvvm.NVVM


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("core.runtime.rtsys", "does not count allocations"),
        ("core.runtime.nrt", "does not count allocations"),
        ("core.serialize", "use pickle or cloudpickle"),
        ("core.caching", r"use njit\(cache=True\)"),
        ("core.ir_utils", "heddle has no numba IR"),
        ("misc.quicksort", "use np.sort"),
        ("misc.numba_sysinfo", "use 'heddle info'"),
        ("misc.appdirs", "use the package platformdirs"),
        ("core.compiler_machinery", "use cuda.compile for PTX"),
    ],
)
def test_a_module_of_the_inside_says_what_to_use_instead(name, advice, run_script):
    result = run_script(f"import numba.{name}")
    assert result.returncode == 1 and re.search(advice, result.stderr.splitlines()[-1])


def test_a_missing_name_of_extending_has_its_own_module():
    with pytest.raises(AttributeError, match=r"heddle has no 'extending.SentryLiteralArgs'"):
        _ = extending.SentryLiteralArgs


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("to_host", r"use copy_to_host\(\)"),
        ("sum", r"x.copy_to_host\(\).sum\(\), or use cuda.reduce"),
        ("mean", r"x.copy_to_host\(\).mean\(\), or use a kernel"),
        ("nothing", "'nothing'$"),
    ],
)
def test_a_missing_attribute_of_a_device_array_names_another(cpu, name, advice):
    array = cuda.device_array(3)
    with pytest.raises(AttributeError, match=f"'DeviceNDArray' object has no attribute .*{advice}"):
        getattr(array, name)


def test_a_property_that_raises_keeps_its_message():
    class Advised(AdvisedAttributes):
        @property
        def own(self):
            raise AttributeError("its own message")

    with pytest.raises(AttributeError, match="its own message"):
        _ = Advised().own


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("ptx", r"use inspect_asm\(\)"),
        ("definitions", "overloads maps"),
        ("bind", "load at their first launch"),
    ],
)
def test_a_missing_attribute_of_a_kernel_names_another(name, advice):
    @cuda.jit
    def kernel(x):
        x[0] = 1

    with pytest.raises(AttributeError, match=f"'Dispatcher' object has no attribute .*{advice}"):
        getattr(kernel, name)


# Types


@pytest.mark.parametrize(
    ("a_type", "classes"),
    [
        (types.int32, "Integer Number Hashable"),
        (types.float32, "Float Number"),
        (types.complex64, "Complex Number"),
        (types.boolean, "Boolean"),
        (types.float32[:], "Array Buffer ArrayCompatible IterableType"),
        (types.UniTuple(types.int32, 2), "UniTuple BaseTuple Sequence"),
        (types.Tuple([types.int32, types.float32]), "Tuple BaseTuple"),
        (types.voidptr, "CPointer RawPointer"),
        (types.NPDatetime("s"), "NPDatetime"),
        (types.NPTimedelta("ns"), "NPTimedelta"),
        (types.CharSeq(3), "CharSeq"),
        (types.UnicodeCharSeq(3), "UnicodeCharSeq"),
        (types.from_dtype(np.dtype([("x", "f4")])), "Record"),
        (types.none, "NoneType"),
        (types.unicode_type, "UnicodeType"),
        (types.literal("text"), "StringLiteral UnicodeType Literal"),
        (types.literal(3), "IntegerLiteral Literal"),
    ],
    ids=str,
)
def test_a_type_is_of_the_classes_that_numba_has_it_in(a_type, classes):
    every = [c for c in dir(types) if isinstance(getattr(types, c), type) and c[0].isupper()]
    found = {c for c in every if isinstance(a_type, getattr(types, c))}
    assert set(classes.split()) <= found
    assert not found & {"List", "DictType", "Generator", "Optional"}


def test_the_parts_of_types_can_be_read():
    pair = types.UniTuple(types.int32, 2)
    assert (len(pair), list(pair), pair[0], pair.dtype) == (
        2,
        [types.int32] * 2,
        types.int32,
        types.int32,
    )
    array = types.float32[:, ::1]
    assert (array.ndim, array.layout, array.is_c_contig, array.is_f_contig) == (2, "C", True, False)
    assert types.NPDatetime("ms").unit == "ms"
    assert types.CPointer(types.float64).dtype == types.float64
    record = types.from_dtype(np.dtype([("x", "f4"), ("y", "i4")]))
    assert record.members == [("x", types.float32), ("y", types.int32)]
    assert [(name, *field[:2]) for name, field in record.fields.items()] == [
        ("x", types.float32, 0),
        ("y", types.int32, 4),
    ]
    assert types.DictType(types.int32, types.int8).keyvalue_type == types.Tuple(
        (types.int32, types.int8)
    )


def test_the_types_of_starred_arguments_are_those_of_tuples():
    assert types.StarArgTuple((types.int32, types.float32)).types == (types.int32, types.float32)
    assert types.StarArgUniTuple(types.int32, 2) == types.UniTuple(types.int32, 2)
    assert isinstance(types.Tuple((types.int32,)), types.StarArgTuple)


def test_numbas_sets_of_types():
    assert types.int8 in types.signed_domain and types.uint8 not in types.signed_domain
    assert types.number_domain == types.integer_domain | types.real_domain | types.complex_domain


def test_a_literal_type_knows_its_value_and_its_type():
    assert types.literal(3).literal_value == 3
    assert types.unliteral(types.literal(3)) == types.int64
    assert types.literal("a") == types.literal("a") != types.literal("b")
    assert types.maybe_literal(1.5) is None


# numpy_support


def test_dtypes_become_types_and_back():
    for dtype in ("i1", "u8", "f2", "f4", "c16", "?", "M8[ns]", [("a", "i4"), ("b", "f8")]):
        dtype = np.dtype(dtype)
        assert numpy_support.as_dtype(numpy_support.from_dtype(dtype)) == dtype
    assert numpy_support.map_layout(np.zeros((2, 3)).T) == "F"
    assert numpy_support.is_contiguous(np.zeros(3)) and not numpy_support.is_fortran(
        np.zeros((2, 3))
    )
    assert numpy_support.strides_from_shape((2, 3), 8, order="F") == (8, 16)


# The driver's modules


def test_the_drivers_numbers_are_those_of_its_header():
    assert enums.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == 16
    assert (enums.CUDA_ERROR_INVALID_VALUE, enums.CUDA_ERROR_UNKNOWN) == (1, 999)


def test_bytes_are_copied_between_addresses(device):
    source, target = np.arange(64, dtype=np.uint8), np.zeros(64, np.uint8)
    memory = cuda.current_context().memalloc(64)
    driver.host_to_device(memory, source, 64)
    driver.device_to_host(target, memory, 64)
    np.testing.assert_array_equal(target, source)
    driver.device_memset(memory, 7, 32)
    other = cuda.current_context().memalloc(64)
    driver.device_to_device(other, memory, 64)
    driver.device_to_host(target, other, 64)
    np.testing.assert_array_equal(target, [*[7] * 32, *range(32, 64)])


@pytest.mark.parametrize("size", [65, -1])
def test_more_bytes_than_there_are_are_not_copied(device, size):
    memory, array = cuda.current_context().memalloc(64), np.zeros(80, np.uint8)
    for copy, arguments in [
        (driver.host_to_device, (memory, array, size)),
        (driver.device_to_host, (array, memory, size)),
        (driver.device_memset, (memory, 0, size)),
    ]:
        with pytest.raises(ValueError, match=f"has 64 bytes, not {size}|has 80 bytes, not -1"):
            copy(*arguments)


def test_the_reach_of_memory_in_bytes(device):
    array = cuda.to_device(np.zeros((4, 5), np.float32))
    first, end = driver.device_extents(array)
    assert (end - first, driver.device_memory_size(array)) == (80, 80)
    assert driver.host_memory_size(np.zeros((4, 6))[:, ::2]) == 4 * 48 - 8
    assert driver.memory_size_from_info((4, 5), (20, 4), 4) == 80
    assert driver.is_device_memory(array) and not driver.is_device_memory(np.zeros(1))
    with pytest.raises(TypeError, match="is not device memory"):
        driver.require_device_memory(np.zeros(1))


def test_the_driver_object_lists_the_devices(device):
    assert driver.driver.get_device_count() == len(cuda.gpus)
    assert driver.driver.get_device(0) == cuda.gpus[0]
    assert driver.driver.get_version() == cuda.runtime.get_version()
    with pytest.raises(AttributeError, match="internal to numba"):
        driver.driver.cuMemAlloc(1)


def test_any_object_becomes_a_device_array(device):
    array, made = devicearray.auto_device(np.arange(3))
    assert made and not devicearray.auto_device(array)[1]
    record = devicearray.from_record_like(np.zeros(1, [("x", "i4")])[0])
    assert record.dtype.names == ("x",)
    repeated = np.broadcast_to(np.zeros(3), (2, 3))
    assert devicearray.array_core(repeated).shape == (3,) and devicearray.is_contiguous(repeated)
    with pytest.raises(ValueError, match="ascontiguousarray"):
        devicearray.sentry_contiguous(np.zeros((4, 4))[::2, ::2])


def test_the_gpus_that_code_is_made_for():
    assert nvrtc.get_lowest_supported_cc() == (7, 5)
    assert nvrtc.find_closest_arch((9, 5)) == (9, 0)
    assert nvrtc.get_arch_option(8, 6) == "compute_86"
    with pytest.raises(RuntimeError, match=r"the lowest that heddle supports is 7\.5"):
        nvrtc.find_closest_arch((5, 0))


@pytest.mark.parametrize("index", [slice(1, 3), (slice(None), 2), (1, slice(1, 4, 2)), (2, 3), -1])
def test_a_layout_without_elements_is_that_of_numpys_views(index):
    values = np.zeros((4, 5))
    layout = dummyarray.Array.from_desc(64, values.shape, values.strides, values.itemsize)
    view, part = values[index], layout[index]
    start = (
        64 + view.__array_interface__["data"][0] - values.__array_interface__["data"][0]
        if view.ndim
        else None
    )
    if view.ndim:
        assert (part.shape, part.strides, part.extent.begin) == (view.shape, view.strides, start)
    else:
        assert part.extent == (64 + (2 * 5 + 3) * 8, 64 + (2 * 5 + 4) * 8)


def test_a_layout_is_reshaped_without_a_copy_or_not_at_all():
    layout = dummyarray.Array.from_desc(0, (4, 5), (40, 8), 8)
    reshaped, parts = layout.reshape(10, 2)
    assert (reshaped.shape, parts) == ((10, 2), [(0, 160)])
    with pytest.raises(NotImplementedError):
        layout[:, ::2].ravel()
    assert list(layout[:, 1:3].iter_contiguous_extent()) == [
        (8, 24),
        (48, 64),
        (88, 104),
        (128, 144),
    ]


@pytest.mark.parametrize("dtype", ["f4", "i8", "c8"])
def test_the_transpose_of_a_matrix(device, dtype):
    values = np.arange(37 * 21).reshape(37, 21).astype(dtype)
    np.testing.assert_array_equal(transpose.transpose(values).copy_to_host(), values.T)
    target = cuda.device_array((21, 37), dtype)
    assert transpose.transpose(cuda.to_device(values), target) is target
    np.testing.assert_array_equal(target.copy_to_host(), values.T)


# Test suites


def run_suite(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result


def test_a_test_case_of_numbas_runs(device):
    class Case(kernel_testing.CUDATestCase):
        def test_a_kernel(self):
            @cuda.jit
            def increment(x):
                x[cuda.grid(1)] += 1

            x = np.zeros(4, np.float32)
            increment[1, 4](x)
            self.assertPreciseEqual(x, np.ones(4, np.float32))

        @kernel_testing.skip_unless_cudasim("for the simulator")
        def test_the_simulator(self):
            self.fail("there is none")

        @kernel_testing.skip_on_cudasim("not for the simulator")
        @kernel_testing.skip_unless_cc_53
        def test_a_mark(self):
            self.assertPreciseEqual(1, 1.0)

    result = run_suite(Case)
    assert (result.testsRun, len(result.skipped), len(result.failures)) == (3, 1, 1)
    assert "is of kind int" in result.failures[0][1]


@pytest.mark.parametrize(
    ("first", "second", "options", "equal"),
    [
        (1.0, 1.0, {}, True),
        (float("nan"), float("nan"), {}, True),
        (0.0, -0.0, {}, False),
        (0.0, -0.0, {"ignore_sign_on_zero": True}, True),
        (1, True, {}, False),
        (np.int32(3), 3, {}, True),
        (1.0, 1.0 + 2**-52, {}, False),
        (1.0, 1.0 + 2**-52, {"prec": "double"}, True),
        (1.0, 1.0 + 2**-23, {"prec": "single"}, True),
        (1.0, 1.1, {"abs_tol": 0.2}, True),
        ((1, 2.0), (1, 2.0), {}, True),
        ((1, 2.0), (1, 2), {}, False),
        (1j, 1j, {}, True),
        (np.zeros(2, "f4"), np.zeros(2, "f8"), {}, False),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), {}, True),
        ("a", "a", {}, True),
    ],
)
def test_a_precise_comparison(first, second, options, equal):
    case = test_support.TestCase()
    if equal:
        case.assertPreciseEqual(first, second, **options)
    else:
        with pytest.raises(AssertionError):
            case.assertPreciseEqual(first, second, **options)


def test_settings_and_output_are_borrowed():
    with test_support.override_config("CUDA_LOW_OCCUPANCY_WARNINGS", 5):
        assert cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS == 5
    assert cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS != 5
    with test_support.captured_stdout() as out:
        print("text")
    assert out.getvalue() == "text\n"


# Kernels


def test_what_kernels_print_is_captured(run_script):
    result = run_script(
        "from numba import cuda\n"
        "from numba.cuda.testing import captured_cuda_stdout\n"
        "@cuda.jit\n"
        "def k():\n"
        "    print('thread', cuda.threadIdx.x)\n"
        "with captured_cuda_stdout() as out:\n"
        "    k[1, 1]()\n"
        "    first = out.getvalue()\n"
        "    k[1, 1]()\n"
        "print([first, 'kept'])\n"
    )
    assert result.stdout == "['thread 0\\n', 'kept']\n"


def test_a_kernel_is_of_numbas_class_and_of_no_simulators(device):
    @cuda.jit
    def k(x):
        x[0] = 1

    assert isinstance(k, dispatcher.CUDADispatcher)
    assert not isinstance(k, simulator.FakeCUDAKernel)
    x = np.zeros(1)
    k.configure(1, 1)(x)
    assert x[0] == 1


class Wrapped:
    def __init__(self, array):
        self.array = array


class Unwrap:
    """Passes a wrapped array on, and records what it was given and that the launch ended."""

    def __init__(self):
        self.given = []

    def prepare_args(self, ty, val, stream, retr):
        self.given.append((ty, stream))
        if not isinstance(val, Wrapped):
            return ty, val
        retr.append(lambda: self.given.append("launched"))
        return types.typeof(val.array), val.array


def test_an_extension_prepares_the_arguments_of_a_launch(device):
    handler = Unwrap()

    @cuda.jit(extensions=[handler])
    def add(x, n):
        x[0] += n

    x = np.zeros(1)
    add[1, 1](Wrapped(x), 3)
    assert x[0] == 3
    assert handler.given == [(None, 0), (types.int64, 0), "launched"]


def test_an_extension_is_given_the_type_that_the_program_gives_the_class(device):
    class Named(Wrapped):
        pass

    @typeof_impl.register(Named)
    def type_of_named(value, context):
        return types.typeof(value.array)

    handler = Unwrap()

    @cuda.jit(extensions=[handler])
    def add(x):
        x[0] += 3

    x = np.zeros(1)
    add[1, 1](Named(x))
    assert x[0] == 3 and handler.given[0] == (types.float64[::1], 0)


def test_an_object_that_is_no_array_is_refused_whatever_its_type_is_said_to_be(device):
    class Empty:
        pass

    typeof_impl.register(Empty, lambda value, context: types.float64[::1])
    with pytest.raises(TypeError, match="Empty"):
        cuda.jit(lambda x: None)[1, 1](Empty())


def test_an_extension_may_come_later(device):
    @cuda.jit
    def add(x, n):
        x[0] += n

    x = np.zeros(1)
    add[1, 1](x, 1)
    assert add.extensions == []
    add.extensions.append(Unwrap())
    add[1, 1](Wrapped(x), 1)
    add.forall(1, tpb=1)(Wrapped(x), 1)
    assert x[0] == 3


def test_contradicting_options_are_told():
    with pytest.warns(
        cuda.errors.NumbaInvalidConfigWarning, match="debug=True with opt=True"
    ) as told:
        cuda.jit(lambda x: None, debug=True, opt=True)
    assert told[0].filename == __file__
    with pytest.warns(cuda.errors.NumbaInvalidConfigWarning, match="debug and lineinfo"):
        cuda.jit(debug=True, opt=False, lineinfo=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cuda.jit(debug=True, opt=False)
        cuda.jit(lineinfo=True)


@pytest.fixture
def asked_for_warnings():
    """Turns on all of numba's warnings about slow launches through its settings."""
    with (
        test_support.override_config("CUDA_LOW_OCCUPANCY_WARNINGS", 1),
        test_support.override_config("CUDA_WARN_ON_IMPLICIT_COPY", 1),
    ):
        yield


def one_warning(launch):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        launch()
    return [(w.category.__name__, w.filename, str(w.message)) for w in told]


def test_a_small_grid_is_told_of_where_a_program_asks(device, asked_for_warnings):
    @cuda.jit
    def k():
        pass

    [(category, file, message)] = one_warning(lambda: k[5, 1]())
    assert (category, file) == ("NumbaPerformanceWarning", __file__)
    assert "Grid size 5" in message and "low occupancy" in message
    assert one_warning(lambda: k[128, 1]()) == []
    with test_support.override_config("DISABLE_PERFORMANCE_WARNINGS", 1):
        assert one_warning(lambda: k[1, 1]()) == []


def test_a_host_array_is_told_of_where_a_program_asks(device, asked_for_warnings):
    @cuda.jit
    def k(x):
        pass

    [(category, file, message)] = one_warning(lambda: k[128, 1](np.zeros(3)))
    assert (category, file) == ("NumbaPerformanceWarning", __file__)
    assert "Host array" in message
    for array in (cuda.to_device(np.zeros(3)), cuda.mapped_array(3), cuda.managed_array(3)):
        assert one_warning(lambda: k[128, 1](array)) == []


def test_launches_are_silent_otherwise(device):
    @cuda.jit
    def k(x):
        pass

    assert one_warning(lambda: k[1, 1](np.zeros(3))) == []


def test_a_kernels_facts_are_true_on_every_device(device):
    table = np.arange(100.0)

    @cuda.jit
    def k(x):
        shared = cuda.shared.array(32, np.float64)
        local = cuda.local.array(16, np.float32)
        constant = cuda.const.array_like(table)
        i = cuda.threadIdx.x
        for j in range(16):
            local[j] = x[j] + constant[i]
        shared[i] = local[i % 16]
        cuda.syncthreads()
        x[i] = shared[31 - i] + local[x.size % 16]

    k[1, 32](np.zeros(32))
    (args,) = k.signatures
    assert k.get_shared_mem_per_block()[args] == 256
    assert k.get_regs_per_thread()[args] > 0
    assert k.get_local_mem_per_thread()[args] >= 0
    assert k.get_max_threads_per_block()[args] >= 32
    assert k.get_const_mem_size()[args] >= 800
    variant = k.overloads[args]
    assert variant.const_mem_size == k.get_const_mem_size(args)
    assert variant.inspect_asm() == k.inspect_asm(args) and "define" in variant.inspect_llvm()
    assert k.nopython_signatures[0].args == args
    assert k.stats.cache_hits == {}


def test_a_call_of_a_device_function_is_typed():
    @cuda.jit(device=True)
    def scaled(x, n):
        return x * n

    template, signature, args, _ = scaled.get_call_template((types.float32, types.int64), {})
    assert list(signature.parameters) == ["x", "n"] and args == (types.float32, types.int64)
    assert template.cases[0].return_type == types.float64


class Color(enum.Enum):
    red = 1
    green = 2


class Count(enum.IntEnum):
    one = 1
    three = 3


def test_a_member_of_an_enumeration_by_its_name_in_brackets(device):
    @cuda.jit
    def k(x):
        x[0] = Count["three"]
        x[1] = 7 if Color["red"] is Color.red else 8
        x[2] = 7 if Color["green"] == Color.red else 8

    x = np.zeros(3)
    k[1, 1](x)
    np.testing.assert_array_equal(x, [3, 7, 8])


def test_an_enumeration_without_the_name_is_told():
    @cuda.jit
    def k(x):
        x[0] = Count["two"]

    with pytest.raises(cuda.errors.TypingError, match="cannot index enumeration 'Count'"):
        k.compile((types.float64[:],))


def test_a_launch_that_no_device_takes_has_the_drivers_code(device):
    @cuda.jit
    def k():
        pass

    with pytest.raises(driver.CudaAPIError, match="threads per block") as raised:
        k[1, 4096]()
    assert raised.value.code == enums.CUDA_ERROR_INVALID_VALUE
    assert isinstance(raised.value, ValueError)


def test_errors_are_of_numbas_classes_too():
    with pytest.raises(cuda.errors.NumbaNotImplementedError, match="no type for"):
        numpy_support.from_dtype(np.dtype(object))
    with pytest.raises(driver.LinkerError, match="cannot be linked"):
        cuda.jit(link=[cuda.PTXSource("")])
    assert issubclass(cuda.CudaSupportError, ImportError)


def test_a_memory_manager_of_another_version_is_refused():
    class Old(cuda.HostOnlyCUDAMemoryManager):
        interface_version = 2

        def memalloc(self, size):
            raise NotImplementedError

        def get_memory_info(self):
            raise NotImplementedError

        def get_ipc_handle(self, memory):
            raise NotImplementedError

    with pytest.raises(RuntimeError, match="implements version 2"):
        cuda.set_memory_manager(Old)


def test_host_memory_is_page_locked_by_its_address(device):
    values = np.arange(100)
    pinned = cuda.current_context().mempin(values, values.ctypes.data, values.nbytes)
    assert isinstance(pinned, driver.PinnedMemory) and pinned.size == values.nbytes
    np.testing.assert_array_equal(np.asarray(pinned).view(values.dtype), values)


@pytest.mark.parametrize("options", [{}, {"mapped": True}])
def test_memory_of_the_host_is_a_buffer(device, options):
    memory = cuda.current_context().memhostalloc(80, **options)
    array = np.ndarray(10, np.float64, buffer=memory)
    array[:] = np.arange(10)
    assert np.asarray(memory).view(np.float64)[9] == 9 and memoryview(memory).nbytes == 80


def test_the_reach_of_a_ctypes_value():
    assert driver.host_memory_size(ctypes.c_double(1)) == 8


def test_numbas_settings_decide_where_a_program_says_nothing():
    with test_support.override_config("CUDA_DEBUGINFO_DEFAULT", 1):
        assert cuda.jit(lambda x: None).targetoptions["debug"]
        assert not cuda.jit(lambda x: None, debug=False).targetoptions["debug"]
    with test_support.override_config("OPT", 0):
        assert not cuda.jit(lambda x: None).targetoptions["opt"]
    assert "debug" not in cuda.jit(lambda x: None).targetoptions


def test_debug_alone_is_told_of_to_programs_written_for_numba(run_script):
    result = run_script("from numba import cuda\n@cuda.jit(debug=True)\ndef k(x):\n    x[0] = 1\n")
    assert "script.py:2: NumbaInvalidConfigWarning: debug=True with opt=True" in result.stderr
    assert run_script("from numba import cuda\ncuda.jit(debug=True, opt=False)\n").stderr == ""


def test_a_decorated_function_says_what_it_was_made_of():
    def scaled(x, n):
        """n times x."""
        return x * n

    for made in (heddle.njit(scaled), cuda.jit(device=True)(scaled)):
        assert made.func_code is scaled.__code__ and made.doc == "n times x."
        assert made.typeof_pyval(np.zeros(3)) == types.float64[::1]
