"""``cuda.cg``: all threads of a launch as one group."""

import numpy as np
import pytest

from heddle import cuda
from heddle.cuda import cg
from heddle.errors import TypingError


def test_the_grid_waits_for_all_its_blocks(device):
    @cuda.jit
    def reverse(x):
        grid = cuda.cg.this_grid()
        i = cuda.grid(1)
        value = x[x.size - 1 - i]
        grid.sync()
        x[i] = value

    x = np.arange(256)
    reverse[4, 64](x)
    np.testing.assert_array_equal(x, np.arange(256)[::-1])


def test_the_grid_waits_in_every_round_of_a_loop(device):
    @cuda.jit
    def shift(x, y, rounds):
        i = cuda.grid(1)
        for _ in range(rounds):
            y[i] = x[(i + 1) % x.size]
            cg.this_grid().sync()
            x[i] = y[i]
            cg.this_grid().sync()

    x = np.arange(128)
    shift[4, 32](x, np.zeros_like(x), 40)
    np.testing.assert_array_equal(x, (np.arange(128) + 40) % 128)


def test_a_device_function_may_be_given_the_grid(device):
    @cuda.jit(device=True)
    def wait(group):
        group.sync()

    @cuda.jit
    def k(x, out):
        x[cuda.grid(1)] = cuda.grid(1)
        wait(cuda.cg.this_grid())
        out[cuda.grid(1)] = x[(cuda.grid(1) + 32) % x.size]

    out = np.zeros(64, np.int64)
    k[2, 32](np.zeros_like(out), out)
    np.testing.assert_array_equal(out, (np.arange(64) + 32) % 64)


def test_a_kernel_with_the_grid_is_launched_again_and_again(device):
    @cuda.jit
    def turn(x):
        i = cuda.grid(1)
        value = x[(i + 1) % x.size]
        cg.this_grid().sync()
        x[i] = value

    d = cuda.to_device(np.arange(96))
    for _ in range(20):
        turn[3, 32](d)
    np.testing.assert_array_equal(d.copy_to_host(), (np.arange(96) + 20) % 96)


def test_a_grid_that_cannot_run_at_once_is_refused_with_the_number_that_can(device):
    @cuda.jit
    def wait():
        cg.this_grid().sync()

    with pytest.raises(ValueError, match=r"at most \d+"):
        wait[2**31 - 1, 1024]()


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: cg.this_grid().nothing(), r"(?s)no attribute 'nothing'.*has sync\(\)"),
        (lambda: cg.this_grid().sync(1), r"was given 1 argument"),
        (lambda: cg.this_grid(1), r"was given 1 argument"),
        (lambda: cg.this_block(), "has no 'cuda.cg.this_block'"),
        (lambda: cg.this_grid() + 1, "bad operands"),
    ],
    ids=["attribute", "argument_of_sync", "argument", "block", "sum"],
)
def test_a_wrong_use_of_a_group_is_refused(device, use, message):
    with pytest.raises(TypingError, match=message):
        cuda.jit(use)[1, 1]()


def test_groups_exist_in_kernels_only():
    with pytest.raises(RuntimeError, match="only works inside a kernel"):
        cg.this_grid()
