"""Programs that import numba get heddle: which names exist, and the messages for the others."""

import ast
import importlib
import inspect
import pickle
from pathlib import Path

import numpy as np
import pytest

import heddle
from heddle import cuda, errors

# Statements that programs begin with, each run in a process of its own by ``heddle run``.
IMPORTS = """
from numba import cuda
import numba
import numba.cuda
import numba.cuda as cuda
from numba import cuda, float32, int32, types
from numba import *
from numba.cuda import *
from numba import *; experimental.jitclass
from numba.types import *; optional, deferred_type
from numba.core.types import npytypes, scalars; npytypes.Array, scalars.Complex, scalars.Integer
from numba.extending import *; models, register_model, typeof_impl, lower_setattr
from numba import boolean, f8, i4, void, uint8, intp
from numba.types import float32, int64
from numba.types import UniTuple, Tuple, Array
from numba.core import types
from numba.core import types, config, errors
from numba.core.errors import NumbaPerformanceWarning
from numba.core.errors import TypingError, NumbaTypeError, UnsupportedError, LoweringError, NumbaError
from numba.errors import NumbaWarning
from numba import config
from numba import typeof
from numba import NumbaPerformanceWarning, TypingError
from numba import __version__
from numba.cuda import jit, grid, gridsize, syncthreads, atomic, shared, local, const, threadIdx
from numba.cuda import threadIdx, blockIdx, blockDim, gridDim, laneid, warpsize
from numba.cuda import CudaSupportError, KernelRuntimeError
from numba.cuda import types
from numba.cuda.cudadrv import driver, devices
from numba.cuda.cudadrv.devicearray import DeviceNDArray
from numba.cuda.cudadrv.driver import CudaAPIError
from numba.cuda.cudadrv.error import CudaSupportError
from numba.cuda.cudadrv.devices import gpus, get_context
from numba.cuda.dispatcher import jit
from numba.cuda.errors import KernelRuntimeError
from numba.np.numpy_support import as_dtype, from_dtype
from numba.np import numpy_support
from numba.cuda.np.numpy_support import carray, farray, numpy_version, is_contiguous, is_fortran
from numba.cuda.compiler import compile, compile_all, compile_ptx, compile_ptx_for_current_device
from numba.cuda.testing import unittest, CUDATestCase, ContextResettingTestCase, skip_on_cudasim, skip_unless_cudasim
from numba.cuda.testing import skip_if_external_memmgr, skip_unless_cc_53, skip_unless_cc_60, cc_X_or_above
from numba.cuda.tests.support import TestCase, captured_stdout, override_config, linux_only
from numba.tests.support import captured_stderr, run_in_subprocess
from numba.cuda.kernels.transpose import transpose
from numba.core.registry import CPUDispatcher
from numba.np.ufunc import vectorize, guvectorize
from numba.np.ufunc.gufunc import GUFunc
from numba.np.ufunc.dufunc import DUFunc
from numba.core.dispatcher import Dispatcher
from numba.cuda.cudadrv.driver import NumbaCUDAMemoryManager
from numba.extending import intrinsic
from numba.cuda.extending import intrinsic
from numba.extending import typeof_impl, as_numba_type, type_callable, models, register_model, make_attribute_wrapper
from numba.extending import lower_builtin, lower_getattr, box, unbox, NativeValue, infer, infer_getattr
from numba.cuda.extending import core_models, typeof_impl, register_model, type_callable, lower_builtin
from numba.core.typing.templates import AttributeTemplate, AbstractTemplate, ConcreteTemplate, signature
from numba.core.imputils import lower_builtin, lower_constant, impl_ret_untracked, Registry
from numba.core.datamodel import models, register_default
from numba.core.typing.asnumbatype import as_numba_type
from numba.cuda.typing.templates import AttributeTemplate
from numba.cuda.cudadecl import registry
from numba.cuda.cudaimpl import lower, lower_attr, registry
from numba.cuda.models import register_model
from numba.core.pythonapi import box, unbox, NativeValue
from numba.cuda.cudadrv import nvvm, drvapi, enums, libs, linkable_code, dummyarray, error, nvrtc
from numba.cuda.cudadrv.driver import driver, host_to_device, device_to_host, LinkerError
from numba.cuda.cudadrv.devicearray import auto_device, is_contiguous, from_array_like, from_record_like
from numba.cuda.cudadrv.error import NvvmError, NvvmSupportError, CudaDriverError, CCSupportError
from numba.cuda.cudadrv.linkable_code import CUSource, PTXSource, LTOIR
from numba.cuda import api, decorators, dispatcher, vector_types, simulator, descriptor, Dim3, alias
from numba.cuda.api import from_cuda_array_interface
from numba.cuda.dispatcher import CUDADispatcher
from numba.cuda.simulator.kernel import FakeCUDAKernel
from numba.cuda.simulator.kernelapi import FakeCUDALocal, FakeCUDAShared
from numba.cuda.simulator.cudadrv.nvvm import is_available
from numba.cuda.simulator.cudadrv.driver import driver
from numba.cuda.simulator.cudadrv.devices import gpus
from numba.cuda.simulator.cudadrv.error import CudaSupportError
from numba.cuda.cudadrv.runtime import runtime
from numba.core.decorators import cfunc, jit, njit
from numba.parfors.parfor import ensure_parallel_support; ensure_parallel_support()
import numba; numba.parfors.parfor.ensure_parallel_support()
from numba.stencils.stencil import stencil
from numba.np.ufunc.decorators import guvectorize, vectorize
from numba.experimental.jitclass.decorators import jitclass
from numba.misc.special import literal_unroll, prange, typeof
from numba.cuda.extending import overload, register_jitable
from numba.core.typing.typeof import typeof
from numba.core.typing import signature
from numba.core.errors import NumbaInvalidConfigWarning, NumbaDebugInfoWarning, NumbaIRAssumptionWarning
from numba.types import Literal, Optional, StarArgTuple, literal, unicode_type, signed_domain, BaseTuple
import numba.cuda.testing
import numba.cuda.cudadrv.nvvm
""".strip().splitlines()


def test_programs_find_what_they_import(run_script):
    check = "\n".join(f"namespace = {{}}; exec({line!r}, namespace)" for line in IMPORTS)
    result = run_script(check)
    assert (result.stderr, result.returncode) == ("", 0)


def test_numba_cuda_is_heddle_cuda(run_script):
    result = run_script(
        "import numba, heddle\n"
        "from numba import cuda\n"
        "import numba.core.types, numba.core.errors, numba.core.config\n"
        "assert cuda is heddle.cuda is numba.cuda\n"
        "assert numba.types is numba.core.types is heddle.types\n"
        "assert numba.core.errors is heddle.errors and numba.config is heddle.config\n"
        "assert numba.float32 == heddle.float32 and numba.typeof is heddle.typeof\n"
        "assert heddle.cuda.__name__ == heddle.cuda.__spec__.name == 'heddle.cuda'\n"
    )
    assert result.stderr == ""


def test_each_part_of_the_version_of_the_stand_in_is_a_number_and_version_info_names_heddle(
    run_script,
):
    result = run_script(
        "import numba\n"
        "assert numba.version_info.full == tuple(int(n) for n in numba.__version__.split('.'))\n"
        "print(numba.__version__, numba.version_info.string, numba)\n"
    )
    assert result.stderr == ""
    compared, version, module = result.stdout.split(" ", 2)
    assert "heddle" in version and "heddle" in module
    assert f"numba {compared}," in (Path(__file__).parent / "names_of_numba.txt").read_text()


@pytest.mark.parametrize(
    "statement",
    [
        "from numba import generated_jit",
        "from numba import cuda, generated_jit",
        "from numba.cuda import deviceufunc",
        "from numba.cuda import deviceufunc, no_such_thing",
        "from numba.core import ir",
        "from numba.extending import SentryLiteralArgs",
        "import numba.cuda.codegen",
        "from numba.cuda.testing import get_conda_ctk_libdir",
        "from numba.cuda.cudadrv.nvvm import NVVM",
    ],
)
def test_an_import_of_a_name_that_heddle_lacks_is_an_import_error_that_names_heddle(
    run_script, statement
):
    result = run_script(f"try:\n    {statement}\nexcept ImportError as error:\n    print(error)\n")
    assert result.stderr == ""
    assert "heddle" in result.stdout


def test_an_attribute_that_heddle_lacks_is_an_attribute_error_that_names_heddle(run_script):
    result = run_script(
        "import numba\n"
        "assert not hasattr(numba, 'generated_jit') and not hasattr(numba.cuda, 'deviceufunc')\n"
        "try:\n    numba.generated_jit\nexcept AttributeError as error:\n    print(error)\n"
    )
    assert result.stderr == ""
    assert result.stdout.startswith(
        "heddle has no 'generated_jit', and numba no longer has it: use @overload"
    )


@pytest.mark.parametrize(
    ("name", "advice"),
    [("roc", "use numba.cuda"), ("hsa", "use numba.cuda"), ("cuda.autojit", "use cuda.jit")],
)
@pytest.mark.parametrize("statement", ["import numba.{0}", "import numba, numba.cuda; numba.{0}"])
def test_a_name_that_numba_has_removed_has_advice(run_script, name, advice, statement):
    statement = statement.format(name)
    result = run_script(f"try:\n    {statement}\nexcept Exception as error:\n    print(error)\n")
    assert result.stdout.startswith(
        f"heddle has no {name!r}, and numba no longer has it: {advice}"
    ), result.stderr


def test_the_errors_of_numba_are_those_that_heddle_raises():
    for name in ("TypingError", "NumbaTypeError", "NumbaValueError", "RequireLiteralValue"):
        assert issubclass(errors.TypingError, getattr(errors, name))
    assert issubclass(errors.LoweringError, errors.NumbaError)
    assert issubclass(errors.NumbaPerformanceWarning, errors.NumbaWarning)
    assert issubclass(errors.KernelRuntimeError, RuntimeError)


def test_install_and_uninstall_leave_no_trace(run_heddle, tmp_path):
    (tmp_path / "program.py").write_text(
        "import sys\n"
        "from heddle import compat\n"
        "compat.install()\n"
        "compat.install()\n"
        "import numba.cuda.cudadrv.driver\n"
        "compat.uninstall()\n"
        "compat.uninstall()\n"
        "assert not compat.are_standins_installed()\n"
        "assert not [name for name in sys.modules if name.split('.')[0] == 'numba']\n"
    )
    result = run_heddle("run", "-m", "program")
    assert result.stderr == ""


def test_a_numba_that_is_imported_already_is_not_replaced(run_script):
    result = run_script(
        "import sys, types\n"
        "from heddle import compat\n"
        "compat.uninstall()\n"
        "sys.modules['numba'] = types.ModuleType('numba')\n"
        "try:\n    compat.install()\nexcept ImportError as error:\n    print(error)\n"
    )
    assert result.stderr == ""
    assert "numba was imported before heddle took its place" in result.stdout


def test_a_notebook_loads_heddle_as_an_extension(run_script):
    result = run_script(
        "import heddle\n"
        "heddle.compat.uninstall()\n"
        "heddle.load_ipython_extension(None)\n"
        "from numba import cuda\n"
        "assert cuda is heddle.cuda\n"
        "heddle.unload_ipython_extension(None)\n"
        "assert not heddle.compat.are_standins_installed()\n"
    )
    assert result.stderr == ""


# Messages for names outside a program run by ``heddle run``


def test_a_name_of_earlier_releases_of_numba_has_a_successor():
    with pytest.raises(AttributeError, match=r"no 'jitclass'.*: from numba.experimental import"):
        _ = heddle.jitclass


def test_an_import_from_heddle_says_it_too():
    with pytest.raises(ImportError, match=r"no 'generated_jit'.*: use @overload"):
        from heddle import generated_jit  # noqa: F401


def test_a_name_that_nobody_has_is_just_not_there():
    with pytest.raises(AttributeError, match=r"heddle has no 'cuda\.no_such_thing'$"):
        _ = cuda.no_such_thing


def test_an_operation_that_a_namespace_lacks_says_so():
    with pytest.raises(AttributeError, match=r"heddle has no 'cuda\.atomic\.multiply'"):
        _ = cuda.atomic.multiply


# Operations of the device, on the host


def test_an_operation_does_not_run_on_the_host():
    with pytest.raises(RuntimeError, match=r"cuda\.grid only works inside a kernel"):
        cuda.grid(1)


def test_an_operation_in_a_namespace_does_not_run_on_the_host():
    with pytest.raises(RuntimeError, match=r"cuda\.atomic\.add only works inside a kernel"):
        cuda.atomic.add([0], 0, 1)


def test_an_index_has_no_value_on_the_host():
    with pytest.raises(RuntimeError, match=r"cuda\.threadIdx\.x only works inside a kernel"):
        _ = cuda.threadIdx.x + 1


def test_an_operation_shows_its_parameters_and_its_documentation():
    assert "ndim" in inspect.signature(cuda.grid).parameters
    assert inspect.getdoc(cuda.grid).startswith("cuda.grid(")


@pytest.mark.parametrize("operation", [cuda.grid, cuda.atomic, cuda.atomic.add, cuda.shared])
def test_an_operation_can_be_pickled(operation):
    assert pickle.loads(pickle.dumps(operation)) is operation


# Stubs for type checkers


@pytest.mark.parametrize(
    "stub", ["__init__.pyi", "types/__init__.pyi", "cuda/__init__.pyi", "_heddle.pyi"]
)
def test_every_name_in_a_stub_exists(stub):
    package = Path(heddle.__file__).parent
    module = importlib.import_module(
        ".".join(["heddle", *Path(stub).with_suffix("").parts]).removesuffix(".__init__")
    )
    missing = [
        name
        for name in names_in_stub((package / stub).read_text())
        if not hasattr_path(module, name)
    ]
    assert missing == []


def names_in_stub(text):
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            yield from (alias.asname for alias in node.names if alias.asname)
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if not target.id.startswith("_"))
        elif isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name
            yield from (
                f"{node.name}.{m.name}" for m in node.body if isinstance(m, ast.FunctionDef)
            )


def hasattr_path(found, path):
    for name in path.split("."):
        if not hasattr(found, name):
            return False
        found = getattr(found, name)
    return True


def test_a_kernel_that_uses_a_name_of_numbas_inside_is_told_what_to_use():
    @cuda.jit
    def k(x):
        x[0] = cuda.vectorizers(x[0])

    with pytest.raises(
        errors.TypingError, match="heddle has no 'cuda.vectorizers', .*: use vectorize and"
    ):
        k[1, 32](np.zeros(1))


def test_a_kernel_that_misspells_a_name_is_told_of_the_right_one():
    @cuda.jit
    def k(x):
        x[0] = cuda.syncthread()

    with pytest.raises(errors.TypingError, match="did you mean 'syncthreads'"):
        k[1, 32](np.zeros(1))


def test_a_call_of_a_function_of_the_host_is_told():
    @cuda.jit
    def k(x):
        x[0] = np.median(x)

    with pytest.raises(
        errors.TypingError, match="a kernel cannot call NumPy's 'median', which runs"
    ):
        k[1, 32](np.zeros(1))


@pytest.mark.parametrize("package", ["numba.core.typing", "numba.cuda.typing", "numba.typing"])
def test_typeof_is_a_function_in_the_module_of_its_name(run_script, package):
    result = run_script(f"from {package}.typeof import typeof\nprint(typeof(1.5))\n")
    assert (result.stderr, result.stdout) == ("", "float64\n")


def test_no_launch_is_known_outside_of_numbas_compiler(run_script):
    result = run_script(
        "from numba.cuda import launchconfig\nprint(launchconfig.current_launch_config())\n"
        "try:\n    launchconfig.ensure_current_launch_config()\n"
        "except RuntimeError as error:\n    print(error)\n"
    )
    assert result.stdout == "None\nno kernel is being compiled for a launch on this thread\n"


def test_compiling_ahead_by_pycc_is_refused_with_what_to_use_instead():
    from heddle.support.missing_names import describe_missing_name

    assert describe_missing_name("heddle", "pycc").endswith(
        "is internal to numba: use @njit with a signature and cache=True: the code is compiled once and kept"
    )


def test_no_module_of_ours_is_taken_for_one_of_numba_cuda():
    """numba-cuda, if installed, searches for modules whose names contain numba.cuda."""
    root = Path(heddle.__file__).parent
    modules = (
        ".".join(("heddle", *p.relative_to(root).with_suffix("").parts)) for p in root.rglob("*.py")
    )
    assert [name for name in modules if "numba.cuda" in name] == []
