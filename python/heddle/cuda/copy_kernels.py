"""A kernel that copies elements between arrays with different layouts.

Elements of any dtype are copied as unsigned integers. Axes that can be traversed with one stride in both arrays are
merged. A launch handles up to four remaining axes; more axes need several launches.
"""

import itertools
import math

from heddle._heddle import DeviceArrayBase
from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.cuda.host_memory import find_window
from heddle.cuda.layout import address_of
from heddle.cuda.streams import Stream

# The package heddle.cuda, which exports these names, is incomplete while this file is loaded.
grid, gridsize = find_intrinsic("cuda.grid"), find_intrinsic("cuda.gridsize")

_most_axes = 4
_threads = 256
_most_blocks = 1 << 16


@jit
def _copy_words(target, source):
    _, n1, n2, n3 = target.shape
    for i in range(grid(1), target.size, gridsize(1)):
        rest, d = i // n3, i % n3
        rest, c = rest // n2, rest % n2
        a, b = rest // n1, rest % n1
        target[a, b, c, d] = source[a, b, c, d]


def copy_elements(target, source, native, device):
    """Copies between two non-overlapping arrays of one device, of equal shape and dtype.

    target, source: windows of device memory; the source may have axes of stride 0. native: the native stream in whose
    order the copy runs.
    """
    if not target.size:
        return
    axes = _merge_axes(_list_extents_and_strides(target, source))
    word = _choose_word_size(target, source, axes)
    if target.itemsize > word:
        axes.append((target.itemsize // word, word, word))
    outer, inner = axes[:-_most_axes], axes[-_most_axes:]
    inner = [(1, word, word)] * (_most_axes - len(inner)) + inner
    elements = math.prod(extent for extent, _, _ in inner)
    blocks = min(-(-elements // _threads), _most_blocks)
    launch = _copy_words[blocks, _threads, Stream._wrap_native(native)]
    for place in itertools.product(*(range(extent) for extent, _, _ in outer)):
        starts = [
            address_of(array) + sum(i * axis[side] for i, axis in zip(place, outer, strict=True))
            for side, array in ((1, target), (2, source))
        ]
        launch(
            _view_as_words(target, starts[0], inner, 1, word, device),
            _view_as_words(source, starts[1], inner, 2, word, device),
        )


def _list_extents_and_strides(target, source):
    """(extent, target stride, source stride) of the axes with several elements, by decreasing target stride."""
    axes = zip(target.shape, target.strides, source.strides, strict=True)
    return sorted((axis for axis in axes if axis[0] > 1), key=lambda axis: -abs(axis[1]))


def _merge_axes(axes):
    """Merges an outer axis with an inner one if, in both arrays, its stride spans the inner axis exactly."""
    merged = []
    for extent, to, start in axes:
        if merged and merged[-1][1] == extent * to and merged[-1][2] == extent * start:
            extent *= merged.pop()[0]
        merged.append((extent, to, start))
    return merged


def _choose_word_size(target, source, axes):
    """The size in bytes of the largest integer that divides the element size, all strides and both addresses."""
    steps = [step for _, *both in axes for step in both]
    common = math.gcd(target.itemsize, address_of(target), address_of(source), *steps)
    return min(common & -common, 8)


def _view_as_words(array, address, axes, side, word, device):
    """A part of an array as integers of ``word`` bytes. side: 1 for the target's strides, 2 for the source's."""
    shape = tuple(extent for extent, _, _ in axes)
    strides = tuple(axis[side] for axis in axes)
    typestr = f"{'|' if word == 1 else '<'}u{word}"
    alive = find_window(array) or array
    return DeviceArrayBase(device, address, shape, strides, typestr, False, alive)
