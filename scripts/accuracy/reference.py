"""The exact values that results are compared with, from reference.cpp."""

import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


class Result(ctypes.Structure):
    """``Result`` of reference.cpp."""

    _fields_ = [
        *((name, ctypes.c_double) for name in ("worst", "at", "at2", "found")),
        *((name, ctypes.c_double) for name in ("absolute", "absolute_at")),
        ("wrong", ctypes.c_uint64),
        *((name, ctypes.c_double) for name in ("wrong_at", "wrong_at2")),
        ("count", ctypes.c_uint64),
    ]


class Reference:
    """The functions of reference.cpp, compiled with g++."""

    def __init__(self):
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "libreference.so"
            options = ["-O2", "-std=gnu++17", "-shared", "-fPIC", "-ffp-contract=off"]
            command = ["g++", *options, HERE / "reference.cpp", "-o", library, "-lquadmath"]
            subprocess.run(command, check=True)
            self._library = ctypes.CDLL(str(library))
        self._library.largestGap.restype = ctypes.c_double

    def compare(self, name, x, y, found):
        """Compare a C function's results with the exact values. name: without the final f for float. y: None for
        functions of one argument.

        found: an array of the values from each device. Returns one Result per device.
        """
        is_float = x.dtype == np.float32
        function = self._library.compareFloats if is_float else self._library.compareDoubles
        return self._call_comparison(
            function, name, [_get_pointer(x), _get_pointer(y)], len(x), found
        )

    def compare_strided_floats(self, name, first, step, n, found):
        """Compare, as ``compare`` does, at the n floats whose bits are first, first + step and so on."""
        arguments = [ctypes.c_uint32(first), ctypes.c_uint32(step)]
        return self._call_comparison(self._library.compareStridedFloats, name, arguments, n, found)

    def merge_results(self, results, others):
        """Add the results for other arguments to ``results``, device by device."""
        self._library.mergeResults(results, others, ctypes.c_uint(len(results)))

    def largest_gap(self, name, x, y=None):
        """The largest distance between the float and double references at float32 arguments, in units of float."""
        n = ctypes.c_uint64(len(x))
        return self._library.largestGap(name.encode(), _get_pointer(x), _get_pointer(y), n)

    def _call_comparison(self, function, name, arguments, n, found):
        function.restype = ctypes.c_bool
        results = (Result * len(found))()
        values = (ctypes.c_void_p * len(found))(*(a.ctypes.data for a in found))
        count = ctypes.c_uint(len(found))
        if not function(name.encode(), *arguments, ctypes.c_uint64(n), values, count, results):
            raise ValueError(f"reference.cpp has no function {name}")
        return results


def _get_pointer(array):
    return None if array is None else ctypes.c_void_p(array.ctypes.data)
