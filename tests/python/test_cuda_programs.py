"""CUDA C++ programs in the style of well-known samples and benchmarks, compared with NumPy."""

import math
from pathlib import Path

import numpy as np
import pytest

import heddle
from heddle import cuda

PROGRAMS = Path(__file__).parent / "cuda_programs"


def program(name, *expressions):
    """The module of a file, with kernels for the name expressions."""
    return heddle.RawModule(
        code=(PROGRAMS / f"{name}.cu").read_text(), name_expressions=expressions
    )


def blocks(elements, block):
    return -(-elements // block)


def zeros(shape, dtype):
    return cuda.to_device(np.zeros(shape, dtype))


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_matmul_in_tiles(device, rng):
    a, b = rng.random((37, 50), "f"), rng.random((50, 29), "f")
    c = zeros((37, 29), "f")
    matmul = program("matmul").get_function("matmul")
    matmul((2, 3), (16, 16), (cuda.to_device(a), cuda.to_device(b), c, 37, 29, 50))
    np.testing.assert_allclose(c.copy_to_host(), a @ b, rtol=1e-5)


@pytest.mark.parametrize("block", [1, 2, 32, 128])
def test_reduction_in_shared_memory(device, rng, block):
    x = rng.integers(-99, 99, 1000, "i4")
    partial = zeros(blocks(1000, 2 * block), "i4")
    reduce = program("reduce_shared").get_function("reduce")
    reduce(partial.size, block, (cuda.to_device(x), partial, 1000), shared_mem=4 * block)
    assert partial.copy_to_host().sum() == x.sum()


def test_reduction_by_shuffles(device):
    x = np.arange(3000, dtype="f")
    out = zeros(1, "f")
    program("reduce_shuffle").get_function("sum")(4, 128, (cuda.to_device(x), out, x.size))
    assert out.copy_to_host()[0] == x.sum()


@pytest.mark.parametrize("n", [1, 127, 128, 1000])
def test_exclusive_scan_by_blocks(device, rng, n):
    x = rng.integers(0, 100, n, "i4")
    grid = blocks(n, 128)
    out, totals, nothing = zeros(n, "i4"), zeros(grid, "i4"), zeros(1, "i4")
    module = program("scan", "scanBlocks<64>")
    scan = module.get_function("scanBlocks<64>")
    scan(grid, 64, (cuda.to_device(x), out, totals, n))
    scan(1, 64, (totals, totals, nothing, grid))
    module.get_function("addOffsets")(grid, 64, (out, totals, 128, n))
    np.testing.assert_array_equal(out.copy_to_host(), np.cumsum(x) - x)


@pytest.mark.parametrize("kernel", ["histogramShared", "histogramGlobal"])
def test_histogram_of_bytes(device, rng, kernel):
    data = rng.integers(0, 256, 4000, "u1") & rng.integers(0, 256, 4000, "u1")
    words = data.view("u4") if kernel == "histogramShared" else data.view(UCHAR4)
    hist = zeros(256, "u4")
    program("histogram").get_function(kernel)(8, 128, (hist, cuda.to_device(words), 1000))
    np.testing.assert_array_equal(hist.copy_to_host(), np.bincount(data, minlength=256))


UCHAR4 = np.dtype([(name, "u1") for name in "xyzw"], align=True)


@pytest.mark.parametrize("type, dtype", [("float", "f4"), ("double", "f8"), ("short", "i2")])
def test_transpose_through_a_tile(device, type, dtype):
    matrix = np.arange(45 * 70).reshape(45, 70).astype(dtype)
    out = zeros((70, 45), dtype)
    transpose = program("transpose", f"transpose<{type}>").get_function(f"transpose<{type}>")
    transpose((3, 2), (32, 8), (out, cuda.to_device(matrix), 70, 45))
    np.testing.assert_array_equal(out.copy_to_host(), matrix.T)


def test_stencil_with_a_halo(device, rng):
    grid = rng.random((30, 45), "f")
    out = zeros(grid.shape, "f")
    star = cuda.to_device(np.array([0.5, 0.1, 0.025], "f"))
    stencil = program("stencil", "stencil<2>").get_function("stencil<2>")
    stencil((3, 4), (16, 8), (cuda.to_device(grid), out, 45, 30, star))
    p = np.pad(grid, 2, mode="edge")
    near = p[1:-3, 2:-2] + p[3:-1, 2:-2] + p[2:-2, 1:-3] + p[2:-2, 3:-1]
    far = p[:-4, 2:-2] + p[4:, 2:-2] + p[2:-2, :-4] + p[2:-2, 4:]
    np.testing.assert_allclose(out.copy_to_host(), 0.5 * grid + 0.1 * near + 0.025 * far, 1e-5)


def hotspot_step(temp, power, cap, rx, ry, rz):
    p = np.pad(temp, 1, mode="edge")
    vertical = (p[2:, 1:-1] + p[:-2, 1:-1] - 2 * temp) * ry
    horizontal = (p[1:-1, 2:] + p[1:-1, :-2] - 2 * temp) * rx
    return temp + cap * (power + vertical + horizontal + (80 - temp) * rz)


def test_hotspot(device, rng):
    temp, power = 320 + rng.random((40, 33), "f"), rng.random((40, 33), "f")
    a, b, steps = cuda.to_device(temp), zeros(temp.shape, "f"), 2
    kernel = program("hotspot").get_function("calculate_temp")
    for _ in range(3):
        small = 16 - 2 * steps
        args = (steps, cuda.to_device(power), a, b, 33, 40, steps, 0.5, 0.1, 0.2, 0.05)
        kernel((blocks(33, small), blocks(40, small)), (16, 16), args)
        a, b = b, a
    expected = temp.astype("f8")
    for _ in range(3 * steps):
        expected = hotspot_step(expected, power, 0.5, 0.1, 0.2, 0.05)
    np.testing.assert_allclose(a.copy_to_host(), expected, rtol=1e-5)


def test_pathfinder(device, rng):
    wall = rng.integers(0, 10, (21, 150), "i4")
    steps, below = 5, cuda.to_device(wall[1:])
    a, b = cuda.to_device(wall[0]), zeros(150, "i4")
    kernel = program("pathfinder").get_function("dynproc_kernel")
    for row in range(0, 20, steps):
        kernel(blocks(150, 64 - 2 * steps), 64, (steps, below, a, b, 150, 20, row, steps))
        a, b = b, a
    best = wall[0]
    for costs in wall[1:]:
        p = np.pad(best, 1, mode="edge")
        best = costs + np.minimum(np.minimum(p[:-2], p[2:]), best)
    np.testing.assert_array_equal(a.copy_to_host(), best)


def alignment_scores(reference, penalty):
    scores = np.zeros(reference.shape, "i4")
    scores[0] = scores[:, 0] = -penalty * np.arange(len(scores))
    for i in range(1, len(scores)):
        for j in range(1, len(scores)):
            beside = max(scores[i, j - 1], scores[i - 1, j]) - penalty
            scores[i, j] = max(scores[i - 1, j - 1] + reference[i, j], beside)
    return scores


def test_needleman_wunsch(device, rng):
    tiles, penalty = 3, 10
    size = 16 * tiles + 1
    reference = rng.integers(-4, 12, (size, size), "i4")
    start = np.zeros((size, size), "i4")
    start[0] = start[:, 0] = -penalty * np.arange(size)
    matrix, there = cuda.to_device(start), cuda.to_device(reference)
    needle = program("needleman_wunsch").get_function("needle")
    for diagonal in range(2 * tiles - 1):
        first, last = max(0, diagonal - tiles + 1), min(diagonal, tiles - 1)
        needle(last - first + 1, 16, (there, matrix, size, penalty, diagonal, first))
    np.testing.assert_array_equal(matrix.copy_to_host(), alignment_scores(reference, penalty))


def test_a_step_of_k_means(device, rng):
    n, k, f = 500, 5, 3
    points, centers = rng.random((n, f), "f"), rng.random((k, f), "f")
    module = program("kmeans")
    features, membership = cuda.to_device(points.T.copy()), zeros(n, "i4")
    sums, counts = zeros((k, f), "f"), zeros(k, "i4")
    args = (features, cuda.to_device(centers), membership, n, k, f)
    module.get_function("assign")(4, 128, args)
    args = (features, membership, sums, counts, n, k, f)
    module.get_function("accumulate")(4, 128, args, shared_mem=4 * k * (f + 1))
    nearest = ((points[:, None] - centers) ** 2).sum(2).argmin(1)
    np.testing.assert_array_equal(membership.copy_to_host(), nearest)
    np.testing.assert_array_equal(counts.copy_to_host(), np.bincount(nearest, minlength=k))
    expected = [points[nearest == c].sum(0) for c in range(k)]
    np.testing.assert_allclose(sums.copy_to_host(), expected, rtol=1e-4)


NODE = np.dtype([("starting", "i4"), ("no_of_edges", "i4")])


def levels(adjacency, start):
    cost = np.full(len(adjacency), -1, "i4")
    reached, level = np.arange(len(adjacency)) == start, 0
    while reached.any():
        cost[reached] = level
        reached, level = adjacency[reached].any(0) & (cost < 0), level + 1
    return cost


def test_bfs_by_levels(device, rng):
    adjacency = rng.random((300, 300)) < 0.008
    degrees = adjacency.sum(1)
    nodes = np.zeros(300, NODE)
    nodes["no_of_edges"], nodes["starting"] = degrees, np.cumsum(degrees) - degrees
    start = np.arange(300) == 0
    mask, visited = cuda.to_device(start), cuda.to_device(start)
    updating, cost = zeros(300, "?"), cuda.to_device(np.where(start, 0, -1).astype("i4"))
    graph = cuda.to_device(nodes), cuda.to_device(np.nonzero(adjacency)[1].astype("i4"))
    module = program("bfs")
    visit, advance, more = module.get_function("visit"), module.get_function("advance"), True
    while more:
        over = zeros(1, "?")
        visit(3, 128, (*graph, mask, updating, visited, cost, 300))
        advance(3, 128, (mask, updating, visited, over, 300))
        more = over.copy_to_host()[0]
    np.testing.assert_array_equal(cost.copy_to_host(), levels(adjacency, 0))


FLOAT4 = np.dtype([(name, "f4") for name in "xyzw"], align=True)


def test_n_body_accelerations(device, rng):
    bodies, n = rng.random((150, 4), "f"), 150
    velocity = cuda.to_device(np.zeros((n, 4), "f").view(FLOAT4).ravel())
    args = (cuda.to_device(bodies.view(FLOAT4).ravel()), velocity, n, 0.5, 0.01)
    program("nbody").get_function("integrateBodies")(3, 64, args, shared_mem=64 * 16)
    r = bodies[None, :, :3].astype("f8") - bodies[:, None, :3]
    pull = bodies[:, 3] / ((r**2).sum(2) + 0.01) ** 1.5
    expected = 0.5 * (r * pull[:, :, None]).sum(1)
    result = velocity.copy_to_host().view("f4").reshape(n, 4)
    np.testing.assert_allclose(result[:, :3], expected, rtol=1e-4, atol=1e-4)


def test_radix_sort_by_passes(device, rng):
    keys = rng.integers(0, 2**16, 1000, "u4")
    grid = blocks(1000, 128)
    module = program("radix_sort")
    a, b = cuda.to_device(keys), zeros(1000, "u4")
    for shift in range(0, 16, 4):
        counts = zeros(16 * grid, "u4")
        module.get_function("count")(grid, 128, (a, counts, 1000, shift))
        counted = counts.copy_to_host()
        offsets = (np.cumsum(counted) - counted).astype("u4")
        module.get_function("scatter")(grid, 128, (a, b, cuda.to_device(offsets), 1000, shift))
        a, b = b, a
    np.testing.assert_array_equal(a.copy_to_host(), np.sort(keys))


@pytest.mark.parametrize("kernel", ["spmv_csr_scalar<float>", "spmv_csr_vector<double>"])
def test_spmv_of_compressed_rows(device, rng, kernel):
    dtype = np.dtype("f4" if "float" in kernel else "f8")
    dense = rng.random((60, 90)).astype(dtype) * (rng.random((60, 90)) < 0.4)
    rows, columns = np.nonzero(dense)
    pointers = np.searchsorted(rows, np.arange(61)).astype("i4")
    x, y = rng.random(90).astype(dtype), zeros(60, dtype)
    matrix = [
        cuda.to_device(part) for part in (pointers, columns.astype("i4"), dense[rows, columns])
    ]
    module = program("spmv", kernel)
    module.get_function(kernel)(60 * 32 // 128, 128, (60, *matrix, cuda.to_device(x), y))
    np.testing.assert_allclose(y.copy_to_host(), dense @ x, rtol=1e-5)


normal_integral = np.vectorize(lambda x: (1 + math.erf(x / math.sqrt(2))) / 2)


def test_black_scholes(device, rng):
    price, strike, years = rng.uniform([[5], [1], [0.25]], [[30], [100], [10]], (3, 200)).astype(
        "f"
    )
    call, put = zeros(100, "c8"), zeros(100, "c8")
    given = [cuda.to_device(a.view("c8")) for a in (price, strike, years)]
    program("black_scholes").get_function("BlackScholes")(
        1, 128, (call, put, *given, 0.02, 0.3, 200)
    )
    price, strike, years = (a.astype("f8") for a in (price, strike, years))
    d1 = (np.log(price / strike) + (0.02 + 0.045) * years) / (0.3 * np.sqrt(years))
    discounted = strike * np.exp(-0.02 * years)
    expected = price * normal_integral(d1)
    expected -= discounted * normal_integral(d1 - 0.3 * np.sqrt(years))
    np.testing.assert_allclose(call.copy_to_host().view("f4"), expected, atol=1e-4)
    parity = expected - price + discounted
    np.testing.assert_allclose(put.copy_to_host().view("f4"), parity, atol=1e-4)


def escape_times(w, h, crunch, x0, y0, scale):
    c = np.arange(w) * scale + x0 + 1j * (np.arange(h)[:, None] * scale + y0)
    z, count = np.zeros_like(c), np.zeros(c.shape, "u2")
    for _ in range(crunch):
        inside = z.real * z.real + z.imag * z.imag <= 4
        count += inside
        z = np.where(inside, z * z + c, z)
    return count


@pytest.mark.parametrize("type", ["float", "double"])
def test_mandelbrot_in_tiles(device, type):
    module = program("mandelbrot", f"mandelbrot<{type}>")
    picture = zeros((40, 60), "u2")
    args = (picture, 60, 40, 50, -2.0, -1.0, 0.0625, 4, 4 * 5)
    module.get_function(f"mandelbrot<{type}>")(6, (16, 8), args)
    expected = escape_times(60, 40, 50, -2.0, -1.0, 0.0625)
    # Points at the border of the set take a step more or less when products are rounded otherwise.
    assert (picture.copy_to_host() == expected).mean() > 0.99


def test_separable_convolution_with_a_filter_in_constant_memory(device, rng):
    image, weights = rng.random((50, 40), "f"), rng.random(9, "f")
    module = program("convolution")
    module.get_global("c_Kernel").copy_from_host(weights)
    source, middle, out = cuda.to_device(image), zeros(image.shape, "f"), zeros(image.shape, "f")
    module.get_function("convolutionRows")((2, 50), 32, (middle, source, 40, 50))
    module.get_function("convolutionColumns")((40, 2), 32, (out, middle, 40, 50))
    expected = np.apply_along_axis(np.convolve, 1, image, weights, "same")
    expected = np.apply_along_axis(np.convolve, 0, expected, weights, "same")
    np.testing.assert_allclose(out.copy_to_host(), expected, rtol=1e-5)


@pytest.mark.parametrize("type, dtype", [("int", "i4"), ("double", "f8")])
@pytest.mark.parametrize("size", [32, 64, 256, 512])
def test_reduction_specialized_by_templates(device, rng, type, dtype, size):
    x = rng.integers(-1000, 1000, 3000).astype(dtype)
    names = [f"reduce<{type}, {size}, {op}, false>" for op in ("Sum", "Max")]
    module = program("reduce_template", *names)
    sums, largest = zeros(2, dtype), zeros(2, dtype)
    for name, out in zip(names, (sums, largest)):
        args = (cuda.to_device(x), out, 3000)
        module.get_function(name)(2, size, args, shared_mem=size * x.itemsize)
    assert sums.copy_to_host().sum() == x.sum() and largest.copy_to_host().max() == x.max()


def test_filter_by_warp_aggregated_atomics(device, rng):
    x = rng.integers(-50, 50, 1000, "i4")
    kept, count = zeros(1000, "i4"), zeros(1, "i4")
    program("filter").get_function("filter")(8, 128, (kept, count, cuda.to_device(x), 1000))
    found = kept.copy_to_host()[: count.copy_to_host()[0]]
    np.testing.assert_array_equal(np.sort(found), np.sort(x[x > 0]))


def test_reduction_of_a_grid_by_its_last_block(device):
    x = np.arange(5000.0)
    partial, out = zeros(6, "f8"), zeros(1, "f8")
    reduce = program("grid_reduction").get_function("reduceSinglePass")
    for n in (5000, 100):
        reduce(6, 128, (cuda.to_device(x), partial, out, n), shared_mem=128 * 8)
        assert out.copy_to_host()[0] == x[:n].sum()


def test_reduction_of_a_grid_whose_blocks_wait_for_each_other(device):
    x = np.arange(5000, dtype="f") % 7
    partial, out = zeros(4, "f"), zeros(1, "f")
    program("cooperative_reduction").get_function("sum")(
        4, 128, (cuda.to_device(x), partial, out, x.size)
    )
    assert out.copy_to_host()[0] == x.sum()


PARTICLE = np.dtype([("position", "f4", 4), ("velocity", "f4", 3), ("bounces", "i4")], align=True)
BOX = np.dtype(
    [("lower", "f4", 3), ("upper", "f4", 3), ("gravity", "f8"), ("steps", "i2"), ("elastic", "?")],
    align=True,
)


def test_structures_are_arguments_and_elements(device, rng):
    start = np.zeros(100, PARTICLE)
    start["position"], start["velocity"] = rng.random((100, 4)), rng.normal(size=(100, 3))
    box = np.array(([0, 0, 0], [1, 1, 1], 9.5, 20, True), BOX)[()]
    particles = cuda.to_device(start)
    program("particles").get_function("move")(1, 128, (particles, 100, box, 0.125))
    x, v, bounces = start["position"][:, :3].copy(), start["velocity"].copy(), np.zeros(100, "i4")
    for _ in range(20):
        v[:, 2] -= np.float32(9.5 * 0.125)
        x += v * np.float32(0.125)
        outside = (x < 0) | (x > 1)
        x, v, bounces = np.clip(x, 0, 1), np.where(outside, -v, v), bounces + outside.sum(1)
    moved = particles.copy_to_host()
    np.testing.assert_allclose(moved["position"][:, :3], x, atol=1e-4)
    np.testing.assert_array_equal(moved["bounces"], bounces)


def test_dot_product_of_float64(device, rng):
    x, y, out = rng.random(1001), rng.random(1001), zeros(1, "f8")
    program("dot").get_function("dot")(4, 64, (cuda.to_device(x), cuda.to_device(y), out, 1001))
    np.testing.assert_allclose(out.copy_to_host()[0], x @ y, rtol=1e-14)


@pytest.mark.parametrize("n", [1, 1000, 1001])
def test_axpy_in_half_precision(device, rng, n):
    x, y, a = rng.random(n).astype("e"), rng.random(n).astype("e"), np.float16(1.7)
    there = cuda.to_device(y)
    program("half_axpy").get_function("axpy")(2, 64, (a, cuda.to_device(x), there, n))
    exact = a.astype("d") * x.astype("d") + y.astype("d")
    np.testing.assert_array_equal(there.copy_to_host(), exact.astype("e"))


def bit_tricks(x):
    """The expected rows of the program for one integer, computed from its digits as text."""
    b = f"{x:032b}"
    morton = "".join(high + low for high, low in zip(b[:16], b[16:]))
    texts = (b[::-1], "".join(b[i : i + 8] for i in (24, 16, 8, 0)), b[7:] + b[:7], morton)
    reversal, swapped, rotated, morton = (int(text, 2) for text in texts)
    first = 32 - b.rindex("1") if x else 0
    counts = (b.count("1"), len(b) - len(b.lstrip("0")), first)
    return *counts, reversal, swapped, rotated, morton, x ^ x >> 1, 32, x * 0x9E3779B9 >> 32


def test_tricks_with_bits(device, rng):
    x = np.append(rng.integers(0, 2**32, 60, "u4"), np.array([0, 1, 2**31, 2**32 - 1], "u4"))
    out = zeros((10, 64), "u4")
    program("bits").get_function("bits")(1, 64, (cuda.to_device(x), out, 64))
    expected = np.array([bit_tricks(int(value)) for value in x]).T
    np.testing.assert_array_equal(out.copy_to_host(), expected)


VEC2 = np.dtype([("x", "f4"), ("y", "f4")])


def test_classes_functors_and_lambdas(device, rng):
    start = rng.normal(size=(300, 2)).astype("f") * 3
    points, inside = cuda.to_device(start.view(VEC2).ravel()), zeros(1, "i4")
    program("functors").get_function("classes")(2, 64, (points, 300, 2.0, inside))
    moved = points.copy_to_host().view("f4").reshape(300, 2)
    np.testing.assert_allclose(moved, start * 2 + [6, 24], rtol=1e-6)
    distance = np.linalg.norm(start.astype("f8") - [1, 2], axis=1)
    assert inside.copy_to_host()[0] == (distance <= 3).sum()


def test_lanes_by_inline_ptx(device, rng):
    x = rng.normal(size=256).astype("f")
    out, lanes, counts = zeros(256, "f"), zeros(256, "u4"), zeros(8, "u4")
    program("lane_id").get_function("lane_id")(4, 64, (cuda.to_device(x), out, lanes, counts, 0.25))
    np.testing.assert_array_equal(lanes.copy_to_host(), np.arange(256) % 32)
    chosen = [warp[warp > 0.25] for warp in x.reshape(8, 32)]
    np.testing.assert_array_equal(counts.copy_to_host(), [len(c) for c in chosen])
    expected = [np.pad(c, (0, 32 - len(c))) for c in chosen]
    np.testing.assert_array_equal(out.copy_to_host().reshape(8, 32), expected)
