"""A configured kernel as programs use it: the hooks it calls before a launch, and the types it is compiled for."""

import copy

import numpy as np
import pytest

from heddle import cuda, types
from heddle.compat.numba import launchconfig
from heddle.extending import overload


def counting():
    @cuda.jit
    def count(x):
        cuda.atomic.add(x, 0, 1)

    return count


def test_a_launch_calls_what_is_to_be_called_before_it(device):
    seen = []
    configured = counting()[2, 3]
    x = np.zeros(1, np.int32)
    configured.pre_launch_callbacks.append(
        lambda kernel, launch: seen.append((kernel.signature.args, launch.griddim, x[0]))
    )
    configured(x)
    configured(x)
    arguments = (types.int32[::1],)
    assert seen == [(arguments, (2, 1, 1), 0), (arguments, (2, 1, 1), 6)]


def test_a_call_that_raises_keeps_the_kernel_from_being_launched(device):
    configured = counting()[1, 1]
    configured.pre_launch_callbacks = [lambda kernel, launch: 1 / 0]
    x = np.zeros(1, np.int32)
    with pytest.raises(ZeroDivisionError):
        configured(x)
    assert x[0] == 0


def test_a_launch_with_extensions_is_configured_like_others(device):
    class Twice:
        def prepare_args(self, ty, val, stream, retr):
            return ty, 2 * val if ty == types.int64 else val

    @cuda.jit(extensions=[Twice()])
    def add(x, n):
        x[0] += n

    seen, x = [], np.zeros(1)
    configured = copy.copy(add[1, 1])
    configured.pre_launch_callbacks.append(lambda kernel, launch: seen.append(launch.blockdim))
    configured(x, 3)
    assert x[0] == 6 and seen == [configured.blockdim] == [(1, 1, 1)]


def test_what_is_called_before_a_launch_is_a_list():
    configured = counting()[1, 1]
    assert configured.pre_launch_callbacks == []
    with pytest.raises(TypeError, match="pre_launch_callbacks is a list"):
        configured.pre_launch_callbacks = print


def test_the_launch_that_a_kernel_is_compiled_for_is_captured(device):
    count, x = counting(), np.zeros(1, np.int32)
    with launchconfig.capture_compile_config(count) as first:
        counting()[1, 1](x)
        count[4, 8, 0, 16](x)
        count[2, 2](x)
    with launchconfig.capture_compile_config(count) as second:
        count[1, 1](x)
    found = first["config"]
    assert (found.griddim, found.blockdim, found.sharedmem) == ((4, 1, 1), (8, 1, 1), 16)
    assert second == {"config": None}


def test_an_overload_sees_the_launch_that_it_is_compiled_for(device):
    def threads():
        raise NotImplementedError

    @overload(threads)
    def of_the_launch():
        count = launchconfig.ensure_current_launch_config().blockdim[0]
        return lambda: count

    @cuda.jit
    def k(x):
        x[0] = threads()

    x = np.zeros(1, np.int32)
    k[1, 7](x)
    assert x[0] == 7 and launchconfig.current_launch_config() is None
