"""Textures and surfaces: cupy.cuda.texture, and the CUDA C++ functions that read and write them."""

import numpy as np
import pytest

import heddle.compat.cupy as cp
from heddle.compat.cupy import runtime
from heddle.compat.cupy.texture import (
    ChannelFormatDescriptor,
    CUDAarray,
    ResourceDescriptor,
    SurfaceObject,
    TextureDescriptor,
    TextureObject,
)

pytestmark = pytest.mark.usefixtures("device")

WRAP, CLAMP, MIRROR, BORDER = range(4)
ONE_FLOAT = ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
BEYOND = 7.0


def run(body, *args, parameters, threads=1):
    source = f'extern "C" __global__ void k({parameters}) {{ {body} }}'
    cp.RawKernel(source, "k")((1,), threads if isinstance(threads, tuple) else (threads,), args)


def array_of(values, desc=ONE_FLOAT, flags=0):
    """The rows of values as elements; a last axis holds the numbers of each element."""
    extents = values.shape[: values.ndim - (desc.channels > 1)][::-1]
    array = CUDAarray(desc, *extents, flags=flags)
    array.copy_from(cp.asarray(values))
    return array


def texture_of(array, **how):
    resource = ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    return TextureObject(resource, TextureDescriptor(**how))


def resolved(i, n, mode, normalized):
    """The element that an index selects, according to the CUDA C++ Programming Guide; None for the border."""
    if 0 <= i < n or mode == BORDER:
        return i if 0 <= i < n else None
    if mode == CLAMP or not normalized:
        return min(max(i, 0), n - 1)
    i %= n if mode == WRAP else 2 * n
    return i if i < n else 2 * n - 1 - i


def expected(image, x, y, mode, linear, normalized):
    height, width = image.shape

    def texel(i, j):
        i, j = resolved(i, width, mode, normalized), resolved(j, height, mode, normalized)
        return BEYOND if i is None or j is None else image[j, i]

    if normalized:
        x, y = x * width, y * height
    if not linear:
        return texel(int(np.floor(x)), int(np.floor(y)))
    i, j = int(np.floor(x - 0.5)), int(np.floor(y - 0.5))
    a, b = x - 0.5 - i, y - 0.5 - j
    upper = (1 - a) * texel(i, j) + a * texel(i + 1, j)
    return (1 - b) * upper + b * ((1 - a) * texel(i, j + 1) + a * texel(i + 1, j + 1))


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("linear", [0, 1])
@pytest.mark.parametrize("mode", [WRAP, CLAMP, MIRROR, BORDER])
def test_points_inside_and_beyond_an_image(mode, linear, normalized):
    random = np.random.default_rng(1)
    image = random.random((5, 6), np.float32)
    scale = (1, 1) if normalized else (6, 5)
    x, y = ((np.arange(-96, 160) / 64 + 0.003) * s for s in scale)  # not where elements meet
    x, y = x.astype(np.float32), random.permutation(y).astype(np.float32)
    texture = texture_of(
        array_of(image),
        addressModes=(mode, mode),
        filterMode=linear,
        borderColors=(BEYOND,),
        normalizedCoords=normalized,
    )
    out = cp.zeros(256, np.float32)
    parameters = "float* out, cudaTextureObject_t t, const float* x, const float* y"
    body = "int i = threadIdx.x; out[i] = tex2D<float>(t, x[i], y[i]);"
    run(body, out, texture, cp.asarray(x), cp.asarray(y), parameters=parameters, threads=256)
    points = zip(x.astype(float), y.astype(float), strict=True)
    values = [expected(image, *point, mode, linear, normalized) for point in points]
    np.testing.assert_allclose(out.get(), values, atol=1e-3)


def test_elements_of_four_bytes_as_they_are_and_from_0_to_1():
    pixels = np.random.default_rng(0).integers(0, 256, (4, 5, 4)).astype(np.uint8)
    array = array_of(pixels, ChannelFormatDescriptor(8, 8, 8, 8, 1))
    same, parts = cp.zeros((4, 5, 4), np.uint8), cp.zeros((4, 5, 4), np.float32)
    body = """int x = threadIdx.x, y = threadIdx.y; same[5 * y + x] = tex2D<uchar4>(t, x, y);
    float4 v; tex2D(&v, scaled, x + .5f, y + .5f); parts[5 * y + x] = v;"""
    parameters = "uchar4* same, float4* parts, cudaTextureObject_t t, cudaTextureObject_t scaled"
    scaled = texture_of(array, filterMode=1, readMode=runtime.cudaReadModeNormalizedFloat)
    run(body, same, parts, texture_of(array), scaled, parameters=parameters, threads=(5, 4))
    np.testing.assert_array_equal(same.get(), pixels)
    np.testing.assert_allclose(parts.get(), pixels / 255, rtol=1e-6)


def test_a_volume_is_interpolated_along_three_axes():
    volume = np.random.default_rng(0).random((3, 4, 5), np.float32)
    out = cp.zeros(2, np.float32)
    body = "out[0] = tex3D<float>(t, 2.5f, 1.5f, 1.5f); out[1] = tex3D<float>(t, 3, 2, 2);"
    texture = texture_of(array_of(volume), filterMode=1)
    run(body, out, texture, parameters="float* out, cudaTextureObject_t t")
    np.testing.assert_allclose(out.get(), [volume[1, 1, 2], volume[1:, 1:3, 2:4].mean()], rtol=1e-5)


@pytest.mark.parametrize(
    "read", ["tex2DLod<float>(t, x, y, 3.0f)", "tex2DGrad<float>(t, x, y, d, d)"]
)
def test_each_level_of_a_texture_is_its_only_one(read):
    image = np.arange(12, dtype=np.float32).reshape(3, 4)
    texture = texture_of(array_of(image), filterMode=1)
    out = cp.zeros(1, np.float32)
    body = f"float x = 1.75f, y = 2.0f; float2 d = make_float2(4, 4); out[0] = {read};"
    run(body, texture, out, parameters="cudaTextureObject_t t, float* out")
    assert out[0] == expected(image, 1.75, 2.0, CLAMP, 1, False)


@pytest.mark.parametrize(
    "read, same",
    [
        ("tex1DGrad<float>(t, 1.75f, 4.0f, 4.0f)", "tex1D<float>(t, 1.75f)"),
        ("tex3DGrad<float>(t, 1.75f, 2, 1, d, d)", "tex3D<float>(t, 1.75f, 2, 1)"),
    ],
)
def test_gradients_change_no_value(read, same):
    values = np.random.default_rng(0).random((3, 4, 5) if "3D" in read else 5, np.float32)
    texture, out = texture_of(array_of(values), filterMode=1), cp.zeros(2, np.float32)
    body = f"float4 d = make_float4(4, 4, 4, 0); out[0] = {read}; out[1] = {same};"
    run(body, texture, out, parameters="cudaTextureObject_t t, float* out")
    assert out[0] == out[1] != 0


@pytest.mark.parametrize("normalized", [0, 1])
def test_the_four_elements_around_a_point_are_gathered(normalized):
    image = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    two = ChannelFormatDescriptor(32, 32, 0, 0, runtime.cudaChannelFormatKindFloat)
    texture = texture_of(array_of(image, two), normalizedCoords=normalized)
    out = cp.zeros((2, 4), np.float32)
    x, y = (2.1 / 4, 1.2 / 3) if normalized else (2.1, 1.2)
    run(
        f"out[0] = tex2Dgather<float4>(t, {x}f, {y}f); tex2Dgather(out + 1, t, {x}f, {y}f, 1);",
        texture,
        out,
        parameters="cudaTextureObject_t t, float4* out",
    )
    around = [image[1, 1], image[1, 2], image[0, 2], image[0, 1]]
    np.testing.assert_array_equal(out.get(), np.transpose(around))


def test_linear_memory_is_fetched_by_number_and_is_0_beyond_its_end():
    desc = ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindSigned)
    numbers, out = cp.arange(10, dtype=np.int32), cp.zeros(12, np.int32)
    resource = ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=numbers, chDesc=desc, sizeInBytes=40
    )
    body = "out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x);"
    texture = TextureObject(resource, TextureDescriptor())
    run(body, out, texture, parameters="int* out, cudaTextureObject_t t", threads=12)
    assert out.tolist() == [*range(10), 0, 0]


def test_rows_of_an_array_are_a_texture():
    rows, out = cp.asarray(np.arange(24, dtype=np.float32).reshape(3, 8)), cp.zeros(1, np.float32)
    resource = ResourceDescriptor(
        runtime.cudaResourceTypePitch2D,
        arr=rows,
        chDesc=ONE_FLOAT,
        width=6,
        height=3,
        pitchInBytes=32,
    )
    texture = TextureObject(resource, TextureDescriptor())
    run(
        "*out = tex2D<float>(t, 9, 1);",
        out,
        texture,
        parameters="float* out, cudaTextureObject_t t",
    )
    assert out[0] == 13


def test_a_surface_is_written_and_read():
    array = CUDAarray(ONE_FLOAT, 6, 4, flags=runtime.cudaArraySurfaceLoadStore)
    surface = SurfaceObject(ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array))
    body = """int x = threadIdx.x, y = threadIdx.y; surf2Dwrite(x + 10.f * y, s, 4 * x, y);
    surf2Dwrite(surf2Dread<float>(s, 4 * x, y) + 1, s, 4 * x, y);
    surf2Dwrite(99.f, s, 100, -1, cudaBoundaryModeZero);"""
    run(body, surface, parameters="cudaSurfaceObject_t s", threads=(6, 4))
    out = np.zeros((4, 6), np.float32)
    array.copy_to(out)
    np.testing.assert_array_equal(out, np.add.outer(10 * np.arange(4), np.arange(6)) + 1)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: ChannelFormatDescriptor(32, 8, 0, 0, 2), "1, 2 or 4 numbers"),
        (
            lambda: CUDAarray(ONE_FLOAT, 4).copy_from(np.zeros(3, "f")),
            "the array has 12 bytes, the CUDAarray 16",
        ),
        (
            lambda: texture_of(CUDAarray(ChannelFormatDescriptor(8, 0, 0, 0, 1), 4), filterMode=1),
            "cudaReadModeNormalizedFloat",
        ),
    ],
)
def test_what_makes_no_texture_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("kind", ["U", "uint64"])
def test_an_elementwise_kernel_takes_a_texture(kind):
    values = np.arange(12, dtype="f").reshape(3, 4)
    kernel = cp.ElementwiseKernel(
        f"T x, {kind} image, uint64 width",
        "T y",
        "y = x + tex2D<T>(image, (float)(i % width), (float)(i / width))",
        "plus_texel",
    )
    x = cp.ones((3, 4), "f")
    assert kernel(x, texture_of(array_of(values)), 4).tolist() == (values + 1).tolist()
