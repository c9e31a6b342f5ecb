"""NumPy's work on arrays in device memory that the host reaches, in the order of the current stream.

All of it goes through ``run_in_order``. The work is host code, so it waits for what the stream holds and is done on
return; while the stream captures, it is recorded and done at each launch of the graph instead.
"""

import numpy as np

from heddle import _heddle
from heddle.compat.cupy.cuda_errors import CUDARuntimeError
from heddle.cuda.native_devices import native_devices

_UNSUPPORTED = 900

# Functions of NumPy that write to their first argument.
_WRITERS = {"at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}


def current_stream():
    """The runtime's stream that is CuPy's current one on the CPU device, whose memory the arrays are in."""
    return _heddle.array_stream(native_devices()[-1])


def run_in_order(work, writes, arrays_of, stream=None):
    """``work()`` in the order of a stream, the current one when None; its NumPy arrays become CuPy's by ``arrays_of``.

    writes: it writes to memory that is there, and returns nothing that is used.
    A captured piece of work that does not write is done at once, too, for the shape of the array that it makes; each
    launch of the graph fills that array anew.
    """
    stream = current_stream() if stream is None else stream
    if not stream.capturing:
        stream.wait_for_turn()
        result = work()
        return None if writes else arrays_of(result)
    if writes:
        stream.callback(work)
        return None
    result = arrays_of(work())
    stream.callback(lambda: _renew(result, work()))
    return result


def wait_for_values(what, stream=None):
    """Waits until the host can read what the stream, the current one when None, has been given so far. Raises
    CUDARuntimeError when the stream captures. what: the call that reads."""
    stream = current_stream() if stream is None else stream
    if stream.capturing:
        raise CUDARuntimeError(
            _UNSUPPORTED, f"{what} waits for work that the graph does later: end_capture() first"
        )
    stream.wait_for_turn()


def host_values(value):
    """``value`` with NumPy's arrays over the same memory in the place of device arrays. Waits for nothing."""
    if isinstance(value, _heddle.DeviceArrayBase):
        return value._window()
    if type(value) in (tuple, list):
        return type(value)(host_values(item) for item in value)
    return value


def writes_to_argument(function, args, keywords):
    """Whether a call of a function of NumPy, or a ufunc, writes to an array that it is given."""
    if isinstance(function, np.ufunc) and len(args) > function.nin:
        return True
    return keywords.get("out") is not None or function.__name__ in _WRITERS


def _renew(kept, again):
    if isinstance(kept, (tuple, list)):
        for one, other in zip(kept, again, strict=True):
            _renew(one, other)
    elif isinstance(kept, _heddle.DeviceArrayBase):
        if kept.shape != np.shape(again):
            raise ValueError(
                f"a graph's arrays keep their shapes: one had {kept.shape} when it was captured, and has "
                f"{np.shape(again)} now"
            )
        np.copyto(kept._window(), again)
