"""Messages for names that heddle does not have: those of numba, in the form that each way of asking expects."""

import sys
from opcode import opmap

# Public names of numba modules, by heddle's name of the module. Those that heddle has are found before anyone looks
# here, so that the lists need no care when heddle learns one.
_NAMES_OF_NUMBA = {
    "heddle": """
        carray cfunc complex64 complex128 c8 c16 deferred_type experimental extending farray ffi from_dtype gdb
        generated_jit get_num_threads get_thread_id guvectorize jit jit_module jitclass literal_unroll literally njit
        objmode optional parfors pndindex prange set_num_threads stencil threading_layer typed vectorize""",
    "heddle.cuda": """
        BaseCUDAMemoryManager GetIpcHandleMixin HostOnlyCUDAMemoryManager IpcHandle LTOIR LinkableCode MappedMemory
        MemoryPointer PTXSource PinnedMemory Reduce activemask all_sync any_sync ballot_sync bf16 cg cmath compile
        compile_all compile_for_current_device compile_ptx compile_ptx_for_current_device complex64 complex128
        CUSource Cubin Fatbin Archive Object current_launch_config declare_device eq_sync extending float16 fp16
        guvectorize lanemask_lt ldca ldcg ldcs ldcv ldlu libdevice literal_unroll match_all_sync match_any_sync
        open_ipc_array random reduce set_memory_manager shfl_down_sync shfl_sync shfl_up_sync shfl_xor_sync stcg stcs
        stwb stwt syncwarp testing vectorize vote_sync_intrinsic""",
    "heddle.types": """
        Boolean CPointer Complex DType Float Function Integer Literal NPDatetime NPTimedelta NamedTuple NamedUniTuple
        Number Object Omitted Opaque Optional Record StringLiteral c16 c8 complex64 complex128 deferred_type f2
        ffi float16 optional unicode_type""",
}


def missing_name(module, name):
    """The exception to raise from a module's ``__getattr__`` for a name that it does not have.

    module: heddle's name of the module. Returns an AttributeError, so that ``hasattr`` and ``getattr`` with a default
    work; for ``from module import name``, where Python would replace an AttributeError by a text of its own, an
    ImportError.
    """
    if name.startswith("__"):
        return AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    message = describe_missing(module, name)
    if _asked_by_from_import(sys._getframe(1).f_back):
        return ImportError(message, name=module)
    return AttributeError(message, name=name)


def describe_missing(module, name):
    """The message for a name that heddle's module ``module`` does not have."""
    shown = ".".join([*module.split(".")[1:], name])
    if name in _NAMES_OF_NUMBA.get(module, "").split():
        return f"heddle has no {shown!r} yet (numba has): see the list of what works in heddle's README"
    return f"heddle has no {shown!r}"


def nearest_name(name, known):
    """The known name that ``name`` looks like a misspelling of; None when there is none."""
    from difflib import get_close_matches  # late: for messages only

    return next(iter(get_close_matches(name, known, n=1)), None)


def _asked_by_from_import(frame):
    return (
        frame is not None
        and frame.f_lasti >= 0
        and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]
    )
