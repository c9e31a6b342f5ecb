from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeVar, overload

from heddle import config as config
from heddle import cuda as cuda
from heddle import errors as errors
from heddle import types as types
from heddle._heddle import Signature, Type
from heddle.benchmarking import benchmark as benchmark
from heddle.checking.check import check as check
from heddle.compiler.host_dispatcher import HostDispatcher
from heddle.errors import CheckError as CheckError
from heddle.errors import CompileError as CompileError
from heddle.errors import CudaSupportError as CudaSupportError
from heddle.errors import HeddleError as HeddleError
from heddle.errors import InternalError as InternalError
from heddle.errors import KernelRuntimeError as KernelRuntimeError
from heddle.errors import LoweringError as LoweringError
from heddle.errors import TypingError as TypingError
from heddle.errors import UnsupportedError as UnsupportedError
from heddle.raw import RawKernel as RawKernel
from heddle.raw import RawModule as RawModule
from heddle.types import b1 as b1
from heddle.types import bfloat16 as bfloat16
from heddle.types import bool_ as bool_
from heddle.types import boolean as boolean
from heddle.types import byte as byte
from heddle.types import c8 as c8
from heddle.types import c16 as c16
from heddle.types import char as char
from heddle.types import complex64 as complex64
from heddle.types import complex128 as complex128
from heddle.types import double as double
from heddle.types import f2 as f2
from heddle.types import f4 as f4
from heddle.types import f8 as f8
from heddle.types import float16 as float16
from heddle.types import float32 as float32
from heddle.types import float64 as float64
from heddle.types import float_ as float_
from heddle.types import from_dtype as from_dtype
from heddle.types import i1 as i1
from heddle.types import i2 as i2
from heddle.types import i4 as i4
from heddle.types import i8 as i8
from heddle.types import int8 as int8
from heddle.types import int16 as int16
from heddle.types import int32 as int32
from heddle.types import int64 as int64
from heddle.types import int_ as int_
from heddle.types import intc as intc
from heddle.types import intp as intp
from heddle.types import long_ as long_
from heddle.types import longlong as longlong
from heddle.types import none as none
from heddle.types import short as short
from heddle.types import size_t as size_t
from heddle.types import ssize_t as ssize_t
from heddle.types import u1 as u1
from heddle.types import u2 as u2
from heddle.types import u4 as u4
from heddle.types import u8 as u8
from heddle.types import uchar as uchar
from heddle.types import uint as uint
from heddle.types import uint8 as uint8
from heddle.types import uint16 as uint16
from heddle.types import uint32 as uint32
from heddle.types import uint64 as uint64
from heddle.types import uintc as uintc
from heddle.types import uintp as uintp
from heddle.types import ulong as ulong
from heddle.types import ulonglong as ulonglong
from heddle.types import ushort as ushort
from heddle.types import void as void
from heddle.ufuncs.generalized import GeneralizedUfunc
from heddle.ufuncs.ufunc import Ufunc

_P = ParamSpec("_P")
_R = TypeVar("_R")
_OneSignature = str | Signature | tuple[Type, ...]

__version__: str

# Host functions

@overload
def njit(signature_or_function: Callable[_P, _R], /) -> HostDispatcher[_P, _R]: ...
@overload
def njit(
    signature_or_function: _OneSignature | list[_OneSignature] | None = None,
    *,
    nopython: bool = ...,
    cache: bool = ...,
    fastmath: Any = ...,
    error_model: str = ...,
    boundscheck: bool | None = ...,
    nogil: bool = ...,
    debug: bool = ...,
    parallel: Any = ...,
    inline: Any = ...,
    locals: dict[str, Type] = ...,
    forceobj: bool = ...,
    **options: Any,
) -> Callable[[Callable[_P, _R]], HostDispatcher[_P, _R]]: ...
@overload
def jit(signature_or_function: Callable[_P, _R], /) -> HostDispatcher[_P, _R]: ...
@overload
def jit(
    signature_or_function: _OneSignature | list[_OneSignature] | None = None,
    *,
    nopython: bool = ...,
    cache: bool = ...,
    fastmath: Any = ...,
    error_model: str = ...,
    boundscheck: bool | None = ...,
    nogil: bool = ...,
    debug: bool = ...,
    parallel: Any = ...,
    inline: Any = ...,
    locals: dict[str, Type] = ...,
    forceobj: bool = ...,
    **options: Any,
) -> Callable[[Callable[_P, _R]], HostDispatcher[_P, _R]]: ...
def jit_module(**options: Any) -> None: ...

class _Stencil:
    def __call__(self, *arrays: Any, out: Any = None) -> Any: ...

@overload
def stencil(func_or_mode: Callable[..., Any], /) -> _Stencil: ...
@overload
def stencil(
    func_or_mode: str = "constant",
    *,
    cval: Any = ...,
    neighborhood: Sequence[tuple[int, int]] = ...,
    standard_indexing: Sequence[str] = ...,
    **options: Any,
) -> Callable[[Callable[..., Any]], _Stencil]: ...
@overload
def vectorize(ftylist_or_function: Callable[..., Any], /) -> Ufunc: ...
@overload
def vectorize(
    ftylist_or_function: str | Signature | Sequence[Any] = (),
    target: str = "cpu",
    identity: Any = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Ufunc]: ...
def guvectorize(
    *args: Any,
    target: str = "cpu",
    identity: Any = None,
    writable_args: Sequence[Any] = (),
    **options: Any,
) -> Callable[[Callable[..., Any]], GeneralizedUfunc]: ...

class _CFunction:
    __name__: str
    @property
    def address(self) -> int: ...
    @property
    def ctypes(self) -> Any: ...
    @property
    def cffi(self) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def cfunc(
    sig: Any, locals: dict[str, Type] | None = None, cache: bool = False, **options: Any
) -> Callable[[Callable[..., Any]], _CFunction]: ...

class objmode:
    def __init__(self, *args: Any, **types: Any) -> None: ...
    def __enter__(self) -> objmode: ...
    def __exit__(self, *exception: object) -> None: ...

# Inside host functions

@overload
def prange(stop: int, /) -> range: ...
@overload
def prange(start: int, stop: int, step: int = 1, /) -> range: ...
def carray(ptr: Any, shape: Any, dtype: Any = None) -> Any: ...
def farray(ptr: Any, shape: Any, dtype: Any = None) -> Any: ...

# Threads of parallel loops

def get_num_threads() -> int: ...
def set_num_threads(n: int) -> None: ...
def get_thread_id() -> int: ...
def get_parallel_chunksize() -> int: ...
def set_parallel_chunksize(n: int) -> int: ...
def parallel_chunksize(n: int) -> AbstractContextManager[None]: ...
def threading_layer() -> str: ...

# Others

def typeof(value: Any) -> Type: ...
def load_ipython_extension(shell: Any) -> None: ...
def unload_ipython_extension(shell: Any) -> None: ...
