"""numba names that Heddle lacks: those that numba has removed, and those internal to numba, with alternatives.

Names are without the prefix "numba."; ``*`` matches anything. The first matching row applies. The page
docs/reference/names_of_numba.md is generated from the same rows.
"""

import fnmatch

_amd = "use numba.cuda, for NVIDIA GPUs and the CPU; heddle does not compile for GPUs of AMD"

# Names that numba has removed, and the alternative that numba recommends.
FORMER = {
    "generated_jit": "use @overload of numba.extending",
    "autojit": "use jit",
    "cuda.autojit": "use cuda.jit",
    "roc": _amd,
    "hsa": _amd,
    "jitclass": "from numba.experimental import jitclass",
}

_extending = "use @overload of numba.extending, and register_jitable"
_models = "user-defined types have a StructModel, a PrimitiveModel or an OpaqueModel"
_compiling = (
    "use cuda.compile for PTX, kernel.inspect_asm() and kernel.inspect_llvm() for a kernel's code"
)
_typing = "use numba.typeof, numba.types and isinstance with its classes"
_linking = (
    "use cuda.declare_device(link=) with CUDA C++, or heddle.RawModule(path=) for PTX and cubins"
)
_debugging = "attach a debugger to the process; @cuda.jit(debug=True) describes kernels to cuda-gdb"
_ufuncs = "use vectorize and guvectorize"
_ir = "heddle has no numba IR: rewrite the source or the ast of the function"
_in_core = {
    "runtime*": "heddle does not count allocations: measure the memory of the process",
    "serialize*": "use pickle or cloudpickle: kernels and functions can be pickled",
    "caching*": "use njit(cache=True) or cuda.jit(cache=True)",
    "event*": "measure with time.perf_counter, or with cuda.event",
    "withcontexts*": "use numba.objmode",
    "environment*": "use globals, closure variables and arguments",
    "debuginfo*": "use cuda.jit(debug=True, opt=False)",
    "options*": "use the options of njit and cuda.jit",
    "target_extension*": "use njit for the CPU and cuda.jit for GPUs",
    "datamodel*": _models,
    "extending.*": _extending,
    **dict.fromkeys(["types*", "typing*", "typeconv*", "typeinfer*"], _typing),
    "errors.*": "catch numba.core.errors.NumbaError or a subclass",
    **dict.fromkeys(
        ["ir", "ir.*", "ir_utils*", "inline_closurecall*", "analysis*", "rewrites*", "transforms*"],
        _ir,
    ),
    **dict.fromkeys(["interpreter*", "postproc*", "ssa*", "controlflow*", "byteflow*"], _ir),
    "*": _compiling,
}
_in_misc = {
    "quicksort*": "use np.sort",
    "mergesort*": "use np.sort",
    "timsort*": "use np.sort with kind='stable'",
    "appdirs*": "use the package platformdirs",
    "numba_*": "use 'heddle info'",
    "help*": "see docs/reference",
    "coverage_support*": "use HEDDLE_DISABLE_JIT=1 for coverage",
    "inspection*": "use inspect_asm() and inspect_llvm() of functions",
    "dump_style*": "use inspect_asm() and inspect_llvm() of functions",
    "llvm_pass_timings*": "heddle does not measure its passes",
    "*": "use the names of numba and numba.extending",
}
_driver = "use cuda.get_current_device(), cuda.current_context() and device arrays"

# Names internal to numba's compiler and runtime, and the alternative.
INSIDE = (
    *(
        (f"{module}gdb{rest}", _debugging)
        for module in ["", "misc.special.", "cuda.misc.special."]
        for rest in ["", "_*"]
    ),
    *((f"cuda.{module}", _ufuncs) for module in ["vectorizers", "deviceufunc", "ufuncs"]),
    ("pycc*", "use @njit with a signature and cache=True: the code is compiled once and kept"),
    ("stencils*", "use numba.stencil"),
    ("parfors*", "use njit(parallel=True) and prange"),
    ("cuda.cudadrv.nvvm.*", _compiling),
    ("cuda.cudadrv.nvrtc.*", "use heddle.RawModule for CUDA C++"),
    ("cuda.cudadrv.libs.*", "heddle needs no library of the CUDA toolkit"),
    ("cuda.cudadrv.runtime.*", "use cuda.runtime.get_version()"),
    ("cuda.cudadrv.drvapi.*", _driver),
    ("cuda.cudadrv.driver.*Python*", _linking),
    ("cuda.cudadrv.driver.*ink*", _linking),
    ("cuda.cudadrv.driver.*Module", _linking),
    ("cuda.cudadrv.driver.load_module_image", _linking),
    ("cuda.cudadrv.*", _driver),
    ("cuda.args.*", _typing),
    ("cuda.cache_hints.*", "use the operations of numba.cuda"),
    ("cuda.cg.*", "use cuda.cg.this_grid()"),
    ("cuda.decorators.*", "use cuda.jit"),
    ("cuda.kernels.transpose.*", _driver),
    ("cuda.random.*", "use create_xoroshiro128p_states"),
    ("cuda.simulator.*", "there is no simulator: kernels run on the CPU as on a GPU"),
    ("cuda.dim3", _typing),
    ("cuda.grid_group", _typing),
    ("cuda.config_default_cc", "use cuda.compile(cc=)"),
    ("cuda.numba_cuda_default_ptx_cc", "use cuda.compile(cc=)"),
    ("cuda.testing.*", "use the names of numba.cuda.testing that test suites use"),
    ("cuda.tests.*", "use numba.cuda.testing"),
    ("cuda.extending.*", _extending),
    ("extending.models.*", _models),
    ("extending.*", _extending),
    ("cuda.launchconfig.*", "a kernel reads its launch from cuda.gridDim and cuda.blockDim"),
    ("cuda.descriptor*", _compiling),
    ("cuda.compiler.*", _compiling),
    ("cuda.dispatcher.*Cache*", "use @cuda.jit(cache=True)"),
    ("cuda.dispatcher.*", _compiling),
    ("cuda.typing*", _typing),
    ("types.*", _typing),
    ("cuda.types.*", _typing),
    ("cuda.vector_types.*", "use the types by name, such as cuda.float32x4"),
    ("*np.numpy_support.*", "use from_dtype, as_dtype and NumPy"),
    ("errors.*", "catch numba.core.errors.NumbaError or a subclass"),
    *(
        (f"{package}.{module}", advice)
        for package in ["core", "cuda.core"]
        for module, advice in _in_core.items()
    ),
    ("core", _compiling),
    ("cuda.core", _compiling),
    ("cuda.stubs.*", "use the operations of numba.cuda"),
    ("cuda.intrinsics.*", "use the operations of numba.cuda"),
    ("cuda.api_util.*", "use cuda.device_array"),
    ("cuda.models*", _models),
    ("cuda.fp8*", "use arrays of ml_dtypes' float8 types, and cuda_fp8.h in CUDA C++"),
    (
        "cuda._internal.cuda_fp8*",
        "use arrays of ml_dtypes' float8 types, and cuda_fp8.h in CUDA C++",
    ),
    ("cuda._internal*", "use numba.cuda.bf16 and numba.cuda.fp16"),
    ("cuda.memory_management*", "kernels do not allocate memory: pass arrays"),
    ("cuda.cuda_paths", "heddle needs no library of the CUDA toolkit"),
    *(
        (f"cuda.{module}", _compiling)
        for module in [
            "codegen",
            "compiler_lock",
            "cudadecl",
            "cudaimpl",
            "cudamath",
            "debuginfo",
            "flags",
            "initialize",
            "itanium_mangler",
            "libdevicedecl",
            "libdevicefuncs",
            "libdeviceimpl",
            "locks",
            "lowering",
            "mathimpl",
            "nvvmutils",
            "printimpl",
            "serialize",
            "simulator_init",
            "target",
            "utils",
            "cloudpickle",
            "cext",
            "cpython",
            "datamodel",
            "typeconv",
            "implementation",
            "misc",
            "np",
            "literal",
        ]
    ),
    ("cloudpickle*", "use the package cloudpickle"),
    ("cuda.optional", "a kernel's argument may be None without a declaration"),
    ("cuda.deferred_type", "declare the types of a signature in full"),
    ("ffi*", _typing),
    ("cuda.ffi*", _typing),
    ("test", "use pytest"),
    *((f"misc.{module}", advice) for module, advice in _in_misc.items()),
    ("misc", _in_misc["*"]),
    ("cpython*", _compiling),
)


def suggest_for_numba_name(name):
    """The alternative to a name internal to numba; None for other names."""
    return next((text for pattern, text in INSIDE if fnmatch.fnmatchcase(name, pattern)), None)
