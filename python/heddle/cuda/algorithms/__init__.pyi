from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from heddle.cuda.cudadrv.devicearray import DeviceNDArray

_Stream = Any  # a Stream, 0 or None, a driver's handle, or another library's stream
_HostArray = np.ndarray[Any, Any]
_Array = TypeVar("_Array", DeviceNDArray, _HostArray)
_Operator = Callable[[Any, Any], Any]

def all(array: Any, out: DeviceNDArray | None = None, stream: _Stream = 0) -> Any: ...
def any(array: Any, out: DeviceNDArray | None = None, stream: _Stream = 0) -> Any: ...
def argmax(array: Any, stream: _Stream = 0) -> Any: ...
def argmin(array: Any, stream: _Stream = 0) -> Any: ...
def argsort(array: _Array, descending: bool = False, stream: _Stream = 0) -> _Array: ...
def exclusive_scan(
    array: Any,
    init: complex = 0,
    function: _Operator | None = None,
    dtype: DTypeLike | None = None,
    out: DeviceNDArray | None = None,
    stream: _Stream = 0,
) -> Any: ...
@overload
def histogram(
    array: DeviceNDArray,
    bins: int | ArrayLike = 10,
    range: Sequence[float] | None = None,
    stream: _Stream = 0,
) -> tuple[DeviceNDArray, _HostArray]: ...
@overload
def histogram(
    array: ArrayLike,
    bins: int | ArrayLike = 10,
    range: Sequence[float] | None = None,
    stream: _Stream = 0,
) -> tuple[_HostArray, _HostArray]: ...
def inclusive_scan(
    array: Any,
    function: _Operator | None = None,
    dtype: DTypeLike | None = None,
    out: DeviceNDArray | None = None,
    stream: _Stream = 0,
) -> Any: ...
def max(array: Any, out: DeviceNDArray | None = None, stream: _Stream = 0) -> Any: ...
def merge(
    first: _Array, second: _Array, descending: bool = False, stream: _Stream = 0
) -> _Array: ...
def min(array: Any, out: DeviceNDArray | None = None, stream: _Stream = 0) -> Any: ...
def prod(
    array: Any,
    dtype: DTypeLike | None = None,
    out: DeviceNDArray | None = None,
    stream: _Stream = 0,
) -> Any: ...
def segmented_reduce(
    array: _Array,
    offsets: Any,
    operation: Literal["sum", "prod", "min", "max"] | _Operator = "sum",
    init: complex | None = None,
    dtype: DTypeLike | None = None,
    stream: _Stream = 0,
) -> _Array: ...
def select(
    array: _Array, condition: _Array | Callable[[Any], Any], stream: _Stream = 0
) -> _Array: ...
def sort(array: _Array, descending: bool = False, stream: _Stream = 0) -> _Array: ...
def sort_by_key(
    keys: _Array, values: _Array, descending: bool = False, stream: _Stream = 0
) -> tuple[_Array, _Array]: ...
def sum(
    array: Any,
    dtype: DTypeLike | None = None,
    out: DeviceNDArray | None = None,
    stream: _Stream = 0,
) -> Any: ...
@overload
def unique(array: _Array, return_counts: Literal[False] = False, stream: _Stream = 0) -> _Array: ...
@overload
def unique(
    array: _Array, return_counts: Literal[True], stream: _Stream = 0
) -> tuple[_Array, _Array]: ...
