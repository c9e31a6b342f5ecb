"""Host programs with changed arguments and with lines in another order.

Each line runs, whatever the previous lines raised. A changed line may do anything as long as the process survives and
an error describes what is wrong; no line accesses an invented address.
"""

import ast
import contextlib
import functools
import io
import re
import sys
import traceback
from pathlib import Path

from mistakes_in_python import copy_as_value, find_places

PROGRAMS = Path(__file__).parent / "host_programs.txt"

# Replacements for arguments, one per line.
VALUES = """
None
True
0
1
-1
3
2.5
2**70
1e300
float('nan')
1j
'text'
b'bytes'
''
()
(1, 2)
(2**40, 2**40)
(-1, 3)
[1, 2]
{'a': 1}
...
slice(None, None, -1)
object()
len
int
values
values[::2]
values[:0]
array
out
np.zeros((2, 3), 'c16')
np.zeros(3, [('a', 'i4')])
np.float16(1)
np.int64(-3)
np.datetime64('2020')
np.dtype('V3')
'f4'
'O'
cupy
cuda
cuda.stream()
cupy.cuda.Stream.null
types.float32
types.int32[:]
jitted
plain
Point(1, 2)
"""
values = [ast.parse(line, mode="eval").body for line in VALUES.strip().split("\n")]

# The names that the lines use.
PRELUDE = '''
import collections, math, sys
import cupy, cupyx, cupyx.jit, cupyx.profiler, cupy.cuda.nvtx, cupy.cuda.compiler
import numba, numba.core.errors, numba.extending
import numpy, numpy as np
from numba import cuda, float64, int32, int64, types
from numba.cuda import launchconfig
from numba.cuda.kernels.transpose import transpose
from numba.np import numpy_support

SOURCE = """
__constant__ float factor;
template <class T> __global__ void twice(T *x) {}
extern "C" __global__ void scale(float *x, float f, int n) { if (n == 12345) x[0] = f; }
"""
Point = collections.namedtuple("Point", "x y")
values = np.arange(64, dtype="f4")
array, out = cupy.ones((8, 8), "f4"), cupy.zeros((8, 8), "f4")
def plain(a, b):
    a[0] = b
jitted = cuda.jit(debug=True, opt=False)(plain)
def print_nothing(*arguments):
    pass
def make_address(size, device):
    return values.ctypes.data
'''


@functools.cache
def read_programs():
    return [text.split("\n") for text in PROGRAMS.read_text().strip().split("\n\n")]


def make_mistake(rng):
    lines = list(rng.choice(read_programs()))
    for _ in range(rng.randint(2, 6)):
        rng.choice(CHANGES)(lines, rng.randrange(len(lines)), rng)
    return "\n".join(lines)


def change_arguments(lines, at, rng):
    tree = ast.parse(lines[at])
    spots = [
        (holder, key)
        for call in ast.walk(tree)
        if isinstance(call, (ast.Call, ast.Subscript, ast.keyword, ast.Assign))
        for holder, key in find_places(ast.Module([call], []), ast.expr)
        if isinstance(getattr(holder[key], "ctx", ast.Load()), ast.Load) and key != "func"
    ]
    if spots:
        holder, key = rng.choice(spots)
        holder[key] = copy_as_value(rng.choice(values))
        lines[at] = ast.unparse(ast.fix_missing_locations(tree))


def change_argument_count(lines, at, rng):
    tree = ast.parse(lines[at])
    if calls := [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        call = rng.choice(calls)
        if call.args and rng.random() < 0.5:
            del call.args[rng.randrange(len(call.args))]
        else:
            call.args.append(copy_as_value(rng.choice(values)))
        lines[at] = ast.unparse(ast.fix_missing_locations(tree))


def swap_lines(lines, at, rng):
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def repeat_line(lines, at, rng):
    lines.insert(rng.randrange(len(lines)), lines[at])


def remove_line(lines, at, rng):
    if len(lines) > 1:
        del lines[at]


CHANGES = (change_arguments,) * 6 + (change_argument_count, swap_lines, repeat_line, remove_line)


@functools.cache
def make_prelude():
    import heddle.compat

    heddle.compat.install()
    names = {"__name__": "host_program"}
    exec(PRELUDE, names)
    return names


def run_lines(source):
    """The errors that the lines raise, each with its line."""
    names = dict(make_prelude())
    found = []
    with contextlib.redirect_stdout(io.StringIO()):
        for line in source.split("\n"):
            try:
                exec(line, names)
            except Exception as error:
                if not is_raised_by_cupy(error):
                    found.append((line, error))
    sys.modules["cupy"].cuda.Stream.null.use()
    return found


def is_raised_by_cupy(error):
    """True if the error comes from an installed CuPy itself, which is not tested here except for kernels."""
    frames = traceback.extract_tb(error.__traceback__)
    return re.search(r"-packages/cupyx?/", frames[-1].filename) is not None


def describes_mistake(error):
    """True if an error's text seems to describe the mistake."""
    text = str(error)
    inside = "internal error", "std::", "bad_cast", "incompatible function arguments"
    return bool(text) and not any(words in text for words in inside)
