"""NumPy work on arrays in device memory that the host can access, in the order of the current stream.

All of it goes through ``run_in_stream_order``. The work is host code, so it first waits for the work in the stream and
is finished on return. While the stream captures, the work is recorded instead and runs at each launch of the graph.
"""

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.cuda.host_memory import record_host_write_for_check, record_stream_access_for_check
from heddle.cuda.native_devices import native_devices

_UNSUPPORTED = 900

# NumPy functions that write to their first argument.
_WRITERS = {"at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}


def get_native_array_stream():
    """The runtime stream that implements CuPy's current stream on the CPU device, which owns the arrays' memory."""
    return _heddle.array_stream(native_devices()[-1])


def run_in_stream_order(work, writes, arrays_of, stream=None):
    """Run ``work()`` in stream order; return its result, which ``arrays_of`` has converted to CuPy arrays.

    stream: None means the current stream. writes: whether the work writes to existing memory and returns nothing.
    While the stream captures, work that returns arrays also runs at once, to create them; each launch of the graph then
    overwrites them.
    """
    stream = get_native_array_stream() if stream is None else stream
    if not stream.capturing:
        stream.wait_for_earlier_work()
        result = work()
        return None if writes else arrays_of(result)
    if writes:
        stream.call_in_order(work)
        return None
    result = arrays_of(work())
    stream.call_in_order(lambda: _copy_results_into_arrays(result, work()))
    return result


def wait_for_values(what, stream=None):
    """Wait until the host can read the results of all work given to the stream. Raises CUDARuntimeError while the
    stream captures. what: the call that reads, for the message. stream: None means the current stream."""
    stream = get_native_array_stream() if stream is None else stream
    if stream.capturing:
        raise CUDARuntimeError(
            _UNSUPPORTED,
            f"{what} waits for work that the graph runs later: call end_capture() first",
        )
    stream.wait_for_earlier_work()


def to_numpy_views(value):
    """``value`` with its device arrays replaced by NumPy arrays over the same memory. Waits for nothing."""
    if isinstance(value, _heddle.DeviceArrayBase):
        seen = value._get_numpy_view()
        record_stream_access_for_check(get_native_array_stream(), seen, writes=False)
        record_host_write_for_check(seen)  # the function may write to any argument
        return seen
    if type(value) in (tuple, list):
        return type(value)(to_numpy_views(item) for item in value)
    return value


def writes_to_argument(function, args, keywords):
    """True if a call of a NumPy function or ufunc with these arguments writes to one of them."""
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        return True
    return keywords.get("out") is not None or function.__name__ in _WRITERS


def _copy_results_into_arrays(kept, again):
    if isinstance(kept, (tuple, list)):
        for one, other in zip(kept, again, strict=True):
            _copy_results_into_arrays(one, other)
    elif isinstance(kept, _heddle.DeviceArrayBase):
        if kept.shape != np.shape(again):
            raise ValueError(
                f"a graph's arrays keep their shapes: an array had shape {kept.shape} during the capture and would "
                f"now have {np.shape(again)}"
            )
        target = kept._get_numpy_view()
        record_host_write_for_check(target)
        np.copyto(target, again)
