"""cuda.pipeline: copies from global to shared memory that run in the background on GPUs."""

import numpy as np
import pytest

import heddle
from heddle import cuda


def copy_in_chunks(x, count):
    """Copies 64 elements through shared memory, and reverses their order."""

    @cuda.jit
    def kernel(x, out):
        tile = cuda.shared.array(64, x.dtype)
        i = cuda.threadIdx.x
        if i * count < 64:
            cuda.pipeline.memcpy_async(tile, i * count, x, i * count, count)
        cuda.pipeline.commit()
        cuda.pipeline.wait_prior(0)
        cuda.syncthreads()
        out[i] = tile[63 - i]

    out = np.zeros_like(x)
    kernel[1, 64](x, out)
    return out


@pytest.mark.parametrize(
    "dtype, count",
    [
        *[(np.int8, count) for count in (4, 8, 16)],
        *[(np.float16, count) for count in (2, 4, 8)],
        *[(np.float32, count) for count in (1, 2, 4)],
        *[(np.float64, count) for count in (1, 2)],
        (np.complex128, 1),
    ],
)
def test_a_thread_copies_elements(device, dtype, count):
    x = np.arange(64).astype(dtype)
    np.testing.assert_array_equal(copy_in_chunks(x, count), x[::-1])


def test_one_element_is_the_default(device):
    @cuda.jit
    def kernel(x, out):
        tile = cuda.shared.array((4, 32), np.float32)
        i = cuda.threadIdx.x
        cuda.pipeline.memcpy_async(tile, (2, i), x, (1, 31 - i))
        cuda.pipeline.commit()
        cuda.pipeline.wait_prior(0)
        out[i] = tile[2, i]

    x, out = np.arange(64, dtype="f").reshape(2, 32), np.zeros(32, "f")
    kernel[1, 32](x, out)
    np.testing.assert_array_equal(out, x[1, ::-1])


def test_copies_of_later_tiles_overlap_with_computations(device):
    """With several stages, wait_prior leaves the newest groups in flight."""
    stages = 3

    @cuda.jit
    def sums(x, out):
        tiles = cuda.shared.array((stages, 64), np.int32)
        i, total = cuda.threadIdx.x, 0
        count = x.shape[0]
        for step in range(stages - 1):
            if step < count:
                cuda.pipeline.memcpy_async(tiles, (step, i), x, (step, i))
            cuda.pipeline.commit()
        for step in range(count):
            cuda.pipeline.wait_prior(stages - 2)
            cuda.syncthreads()
            ahead = step + stages - 1
            if ahead < count:
                cuda.pipeline.memcpy_async(tiles, (ahead % stages, i), x, (ahead, i))
            cuda.pipeline.commit()
            total = 3 * total + tiles[step % stages, 63 - i]
        out[i] = total

    x = np.random.default_rng(1).integers(0, 100, (17, 64)).astype(np.int32)
    out = np.zeros(64, np.int64)
    sums[1, 64](x, out)
    expected = np.zeros(64, np.int64)
    for row in x:
        expected = 3 * expected + row[::-1]
    np.testing.assert_array_equal(out, expected)


def test_negative_indices_count_from_the_end(device):
    @cuda.jit
    def kernel(x, out):
        tile = cuda.shared.array(8, np.float32)
        cuda.pipeline.memcpy_async(tile, -4, x, (-1, -4), 4)
        cuda.pipeline.commit()
        cuda.pipeline.wait_prior(0)
        out[cuda.threadIdx.x] = tile[4 + cuda.threadIdx.x]

    x, out = np.arange(16, dtype="f").reshape(2, 8), np.zeros(4, "f")
    kernel[1, 1](x, out[:1])
    assert out[0] == 12


def copy_once(x, place, count):
    @cuda.jit
    def kernel(x):
        tile = cuda.shared.array((8, 16), np.float32)
        cuda.pipeline.memcpy_async(tile, place, x, place, count)
        cuda.pipeline.commit()
        cuda.pipeline.wait_prior(0)

    kernel[1, 1](x)


@pytest.mark.parametrize(
    "place, count, error, message",
    [
        (
            (0, 14),
            4,
            IndexError,
            "the last of the 4 elements to copy, 17, is out of bounds for axis 1",
        ),
        ((8, 0), 4, IndexError, "index 8 is out of bounds for axis 0"),
        ((0, 2), 4, ValueError, "a copy of 16 bytes must start at a multiple of 16 bytes"),
    ],
)
def test_a_copy_that_a_gpu_cannot_make_raises(cpu, place, count, error, message):
    with pytest.raises(error, match=message):
        copy_once(np.zeros((9, 16), "f"), place, count)


def test_elements_that_are_not_adjacent_raise(cpu):
    with pytest.raises(ValueError, match="the elements to copy are not adjacent in memory"):
        copy_once(np.zeros((8, 32), "f")[:, ::2], (0, 0), 4)


@pytest.mark.parametrize(
    "call, message",
    [
        ("memcpy_async(tile, 0, x, 0, 3)", "has 4, 8 or 16 bytes, not 12"),
        ("memcpy_async(tile, 0, x, 0, 3)", "copy count=4 elements of float32 at a time"),
        ("memcpy_async(tile, 0, x, 0, x.size)", "count must be a positive constant"),
        ("memcpy_async(x, 0, tile, 0)", "from global to shared memory: this is not an array of"),
        ("memcpy_async(tile, 0, tile, 0)", "this is not an array argument of the kernel"),
        ("memcpy_async(tile, 0, y, 0)", "the arrays have different elements: float32 and float64"),
        ("memcpy_async(tile, 0, z, 0)", "one number for each dimension"),
        ("memcpy_async(tile, 0, z.T, (0, 0), 4)", "the array is in Fortran order"),
        ("wait_prior(x.size)", r"wait_prior\(\) takes a constant from 0 to 7"),
        ("wait_prior(8)", r"wait_prior\(\) takes a constant from 0 to 7"),
    ],
)
def test_wrong_operands_are_a_typing_error(call, message):
    scope = {"cuda": cuda, "np": np}
    body = "tile = cuda.shared.array(8, np.float32)"
    exec(f"def kernel(x, y, z):\n  {body}\n  cuda.pipeline.{call}", scope)
    with pytest.raises(heddle.TypingError, match=message):
        cuda.jit("void(float32[::1], float64[::1], float32[:,::1])")(scope["kernel"])
