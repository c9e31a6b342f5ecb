"""github.com/zjin-lcf/HeCBench: hashes, sparse products, stencils, fluids, particles, images, solvers."""

import numpy as np
from entries import Kernel, Launch, divide_up, make_floats, make_ints, make_rng, make_zeros


def _kernel(folder, files, function, make, sizes, **more):
    files = (files,) if isinstance(files, str) else files
    paths = tuple(f"src/{folder}-cuda/{file}" for file in files)
    return Kernel("HeCBench", paths, function, make, sizes, label=f"{folder} {function}", **more)


def _i(number):
    return np.int32(number)


def _u(number):
    return np.uint32(number)


def _f(number):
    return np.float32(number)


def _over(count, block, arguments, **more):
    """A launch with one thread for each of ``count`` elements."""
    return Launch((divide_up(count, block),), (block,), arguments, **more)


def _over_image(width, height, block, arguments, **more):
    return Launch(
        (divide_up(width, block[0]), divide_up(height, block[1])), block, arguments, **more
    )


# Hashes and ciphers


def hash_by_murmur(n):
    lengths = make_ints(n, low=1, high=65, dtype=np.uint32)
    offsets = 64 * np.arange(n, dtype=np.uint32)
    keys = make_ints(64 * n, high=256, dtype=np.uint8)
    arguments = (keys, offsets, lengths, make_zeros(2 * n, dtype=np.uint64), _u(n))
    return _over(n, 256, arguments)


def hash_by_jenkins(n):
    lengths = make_ints(n, low=1, high=61, dtype=np.uint32)
    keys = make_ints(16 * n, high=1 << 31, dtype=np.uint32)
    seeds = make_ints(n, high=1 << 31, dtype=np.uint32)
    return _over(n, 256, (lengths, seeds, keys, np.zeros_like(seeds), _i(n)))


def hash_by_keccak(n):
    words = make_ints(n * 64 * 8 * 1024, high=1 << 31, dtype=np.uint32)
    constants = make_ints(22, high=1 << 31, dtype=np.uint32)
    return Launch((n,), (64,), (words, make_zeros(n * 64 * 8, dtype=np.uint32), constants))


def encrypt(n):
    image = make_ints(n, n, 4, high=256, dtype=np.uint8)
    keys = make_ints(4 * 4 * 16, high=256, dtype=np.uint8)
    table = make_rng().permutation(256).astype(np.uint8)
    arguments = (np.zeros_like(image), image, keys, table, _u(n), _u(10))
    return Launch((n // 4, n // 4), (1, 4), arguments)


# Sparse products


def _make_csr(rows, dtype, per_row=16):
    rng = make_rng()
    counts = rng.integers(per_row // 2, per_row * 3 // 2 + 1, rows)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(dtype)
    count = int(starts[-1])
    return starts, make_ints(count, high=rows, dtype=dtype), make_floats(count)


def multiply_csr(n):
    starts, columns, values = _make_csr(n, np.uint64)
    x = make_floats(n, low=0)
    wanted = {5: np.add.reduceat(values.astype(float) * x[columns], starts[:-1].astype(int))}
    arguments = (np.uint64(n), starts, columns, values, x, make_zeros(n))
    return _over(n, 256, arguments, wanted=wanted)


def multiply_csr_by_matrix(columns_per_block, columns=256, rows_per_block=8):
    def make(n):
        starts, indices, values = _make_csr(n, np.int32)
        dense = make_floats(n, columns)
        arguments = (_i(n), _i(columns), starts, indices, values, dense, make_zeros(n, columns))
        grid = (divide_up(n, rows_per_block), divide_up(columns, columns_per_block))
        return Launch(grid, (32, rows_per_block), arguments, 32 * rows_per_block * 8)

    return make


# Stencils and fluids


def step_hotspot(n):
    shape = (8, n, n)
    numbers = (0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.4, 0.001)
    arguments = (make_floats(*shape, low=300, high=340), make_floats(*shape), make_zeros(*shape))
    return _over_image(n, n, (64, 4), (*arguments, _i(n), _i(n), _i(8), *map(_f, numbers)))


def step_heat(n):
    arguments = (make_zeros(n, n), make_floats(n, n), _f(0.1), _f(0.6), _i(n), _i(n))
    return _over(n * n, 256, arguments)


def step_laplace(n):
    grid = make_floats(n, n, n)
    return _over_image(n, n, (32, 8), (_i(n), _i(n), _i(n), _i(n), grid, np.zeros_like(grid)))


def step_stencil(n):
    numbers = make_ints(n + 256)
    arguments = (numbers, make_zeros(n, dtype=np.int32))
    padded = np.concatenate([np.zeros(7, int), numbers])
    sums = np.convolve(padded, np.ones(15, int), "valid")[:n]
    return Launch((n // 256,), (256,), arguments, wanted={1: sums})


def step_wave(n):
    arrays = [make_floats(n, n), make_floats(n, n, low=-2), make_floats(n, n, low=0)]
    sizes = (np.uint64(n), np.uint64(n))
    return _over_image(n, n, (16, 16), (*arrays, _f(0.01), *sizes))


def step_lattice_boltzmann(n):
    speeds = [make_floats(n, n, low=0.05, high=0.06 + 0.01 * i) for i in range(9)]
    results = [make_zeros(n, n) for _ in range(9)]
    obstacles = (make_ints(n, n) < 2).astype(np.int32)
    blocks = n // 128 * n
    sums = (make_zeros(blocks), make_zeros(blocks, dtype=np.int32))
    numbers = (_f(0.0005), _f(1.7), _i(n), _i(n), _i(0))
    return _over_image(n, n, (128, 1), (*speeds, *results, obstacles, *sums, *numbers))


def find_paths(n):
    steps, width = 20, 250 - 2 * 20
    walls, source = make_ints(steps + 1, n, high=10), make_ints(n, high=10)
    arguments = (walls, source, np.zeros_like(source), make_zeros(4096, dtype=np.int32))
    numbers = (_i(steps), _i(1), _i(steps), _i(n), _i(0))
    return Launch((divide_up(n, width) + 1,), (250,), (*arguments, *numbers), changed=(2,))


def diffuse_speckles(n):
    north, south = np.maximum(np.arange(n) - 1, 0), np.minimum(np.arange(n) + 1, n - 1)
    neighbors = [a.astype(np.int32) for a in (north, south, south, north)]
    results = [make_zeros(n, n) for _ in range(5)]
    image = make_floats(n, n, low=1, high=2)
    sizes = (_f(0.5), _i(n), _i(n), np.int64(n * n))
    arguments = (*sizes, *neighbors, *results[:4], _f(0.05), results[4], image)
    return _over(n * n, 256, arguments)


# Images and transforms


def filter_bilaterally(n):
    arguments = (make_floats(n, n, low=0), make_zeros(n, n), _i(n), _i(n))
    return _over_image(n, n, (16, 16), (*arguments, _f(1), _f(0.05), _f(9)))


def find_edges(n):
    image = make_ints(n, n, 4, high=256, dtype=np.uint8)
    return _over_image(n, n, (16, 16), (image, np.zeros_like(image), _u(n), _u(n)))


def compute_entropy(n):
    image, counts = make_ints(n, n, high=16, dtype=np.int8), np.arange(26)
    logarithms = (counts * np.log2(np.maximum(counts, 1))).astype(np.float32)
    arguments = (make_zeros(n, n), image, logarithms, _i(n), _i(n))
    return _over_image(n, n, (16, 16), arguments)


def transform_by_fourier(n):
    numbers = make_floats(n, 512, 2)
    values = numbers.view(np.complex64)[..., 0]
    wanted = np.fft.fft(values.astype(complex)).astype(np.complex64)
    return Launch((n,), (64,), (numbers,), wanted={0: wanted.view(np.float32).reshape(n, 512, 2)})


def convolve_by_winograd(n):
    arguments = (make_floats(n, n), make_floats(16), make_zeros(n - 2, n - 2), _i(0), _i(0))
    return _over_image(n // 2 - 1, n // 2 - 1, (32, 8), arguments)


def rotate(n):
    return _over(n // 2, 256, (make_floats(n, n), _i(n)))


# Particles and points


def accelerate_particles(n):
    particles = make_floats(n, 10)
    arguments = (particles.view(np.uint8), _i(n), _f(1e-3), _f(6.67e-11))
    return _over(n, 256, arguments, types={0: np.float32})


def add_forces_of_neighbors(n):
    neighbors = make_ints(128, n, high=n)
    arguments = (make_floats(n, 4, low=0, high=20), make_zeros(n, 4), neighbors)
    return _over(n, 256, (*arguments, _i(n), _i(128), _f(1.5), _f(2), _f(13.5)))


_NEIGHBOR = np.dtype([("xyz", "i4", 3), ("number", "i4"), ("offset", "i8")], align=True)
_BOX = np.dtype(
    [
        ("xyz", "i4", 3),
        ("number", "i4"),
        ("offset", "i8"),
        ("count", "i4"),
        ("neighbors", _NEIGHBOR, 26),
    ],
    align=True,
)


def add_forces_of_boxes(n):
    """n x n x n boxes with 100 particles each."""
    boxes = np.zeros(n**3, _BOX)
    boxes["number"] = np.arange(n**3)
    boxes["offset"] = 100 * boxes["number"]
    number = boxes["number"].reshape(n, n, n)
    shifts = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    shifts.remove((0, 0, 0))
    for i, shift in enumerate(shifts):  # periodic, so that each box has 26 neighbors
        boxes["neighbors"]["number"][:, i] = np.roll(number, shift, (0, 1, 2)).ravel()
    boxes["neighbors"]["offset"] = 100 * boxes["neighbors"]["number"]
    boxes["count"] = 26
    count = 100 * n**3
    positions, charges = make_floats(count, 4, low=0.1), make_floats(count, low=0.1)
    forces = make_zeros(count * 16, dtype=np.uint8)
    arguments = (boxes.view(np.uint8), positions.view(np.uint8), charges, forces, _f(0.5))
    return Launch((n**3,), (128,), (*arguments, _i(n**3)), types={1: np.float32, 3: np.float32})


def find_clusters(n):
    features, clusters = make_floats(32, n), make_floats(16, 32)
    arguments = (features, clusters, make_zeros(n, dtype=np.int32), _i(16), _i(32), _i(n))
    return _over(n, 256, arguments)


def find_points_in_polygon(n):
    angles = np.linspace(0, 2 * np.pi, 600, endpoint=False)
    vertices = (
        np.stack([np.cos(angles), np.sin(angles)], 1) * (1 + 0.3 * np.sin(7 * angles))[:, None]
    )
    points = make_floats(n, 2, low=-1.5, high=1.5)
    arguments = (make_zeros(n, dtype=np.int32), points, vertices.astype(np.float32), _i(n))
    return _over(n, 256, arguments)


def measure_distances(n):
    places = make_floats(n, 4, low=-90, high=90).astype(float)
    return _over(n, 256, (places, make_zeros(n, dtype=float), _i(n)))


def reconstruct_image(n):
    waves = make_floats(1024, 4, low=0, high=0.5)
    arrays = [make_floats(n, low=low) for low in (-1, -0.5, 0)]
    arguments = (_i(1024), _i(0), *arrays, make_zeros(n), make_zeros(n))
    return _over(n, 256, arguments, constants={"ck": waves})


# Random numbers and Monte Carlo


def update_spins(n):
    spins, others = (
        (2 * make_ints(n, n // 2, low=low, high=2) - 1).clip(-1, 1).astype(np.int8)
        for low in (0, -1)
    )
    arguments = (spins, others, make_floats(n, n // 2, low=0), _f(1 / 2.269))
    return _over(n * n // 2, 128, (*arguments, np.int64(n), np.int64(n // 2)))


def walk_randomly(n):
    numbers = map(np.float64, (2, 1, 0.001, np.sqrt(0.002)))
    results = (make_zeros(1, dtype=np.int32), make_zeros(1, dtype=float))
    arguments = (_i(n), _i(n), _i(123456789), _i(1), *numbers, *results)
    return _over_image(n, n, (16, 16), arguments)


def make_random_numbers(n):
    parameters = make_ints(4096, 4, low=1, high=1 << 31, dtype=np.uint32)
    arguments = (parameters.view(np.uint8), make_zeros(n, 4096), _i(n))
    return Launch((4096 // 128,), (128,), arguments)


# Linear algebra, sorts, networks


def relax_paths(n):
    distances = make_ints(n, n, low=1, high=200, dtype=np.uint32)
    arguments = (distances, np.zeros_like(distances), _u(n), _u(n // 2))
    return _over_image(n, n, (16, 16), arguments)


def eliminate(n):
    arguments = (make_floats(n, n), make_floats(n), make_floats(n, n, low=0), _i(n), _i(0))
    return _over_image(n, n, (16, 16), arguments)


def update_lu(n):
    blocks = n // 16 - 1
    return Launch((blocks, blocks), (16, 16), (make_floats(n, n), np.uint64(n), _i(0)))


def solve_by_thomas(n):
    length = 64
    upper, lower, right = (make_floats(length, n, low=low).astype(float) for low in (-1, -0.5, 0))
    diagonal = np.full((length, n), 4.0)
    return _over(n, 128, (lower, diagonal, upper, right, _i(length), _i(n)))


def solve_by_cyclic_reduction(n):
    length = 128
    lower, upper, right = (make_floats(n, length, low=low) for low in (-1, -0.5, 0))
    arguments = (lower, np.full_like(lower, 4), upper, right, np.zeros_like(lower))
    shared = (length + 1) * 5 * 4
    return Launch((n,), (length,), (*arguments, _i(length), _i(n), _i(6)), shared)


def sort_step(n):
    return _over(n, 256, (_i(1024), _i(2), make_ints(n, high=1 << 30)))


def count_ones(n):
    numbers = make_ints(n, high=1 << 62, dtype=np.uint64)
    return _over(n, 256, (numbers, make_zeros(n, dtype=np.int32), _i(n)))


def compute_chi_squares(n):
    genes = make_ints(1024, n, high=3, dtype=np.uint8) + np.uint8(ord("0"))
    arguments = (_u(1024), _u(n), _i(512), _i(512), genes, make_zeros(n))
    return _over(n, 256, arguments)


def attend(n):
    width = 256
    keys, query = make_floats(n, width, high=0.1, low=-0.1), make_floats(width)
    arguments = (keys, query, make_zeros(n), make_zeros(1), _i(n), _i(width))
    return Launch((divide_up(n, 8),), (256,), arguments)


def take_softmax(n):
    width = 784
    numbers = make_floats(n, width)
    arguments = (_i(n), _i(width), numbers, np.zeros_like(numbers))
    powers = np.exp(numbers)
    wanted = {3: powers / powers.sum(1, keepdims=True)}
    return Launch((divide_up(n, 8),), (256,), arguments, wanted=wanted)


def normalize_groups(n):
    channels, pixels, groups = 64, 1024, 8
    numbers = make_floats(n, channels, pixels)
    results = (np.zeros_like(numbers), make_zeros(n * groups), make_zeros(n * groups))
    sizes = map(_i, (n, channels, pixels, channels // groups, groups))
    arguments = (numbers, make_floats(channels), make_floats(channels), *results, *sizes)
    return Launch((n * groups,), (512,), arguments)


_CELLS, _IMAGE = (4096, 256), (2048, 128)

KERNELS = [
    _kernel(
        "murmurhash3",
        "murmurhash3.cu",
        "MurmurHash3_x64_128_kernel",
        hash_by_murmur,
        (1 << 20, 1 << 10),
        keep="rotl64|fmix64|getblock|MurmurHash3_x64_128 ",
    ),
    _kernel("jenkins-hash", "main.cu", "jk3_hash_kernel", hash_by_jenkins, (1 << 21, 1 << 12)),
    _kernel(
        "keccaktreehash",
        ("KeccakTypes.h", "KeccakF.h", "KeccakTree.h", "KeccakTreeGPU.cu"),
        "ker_Keccak",
        hash_by_keccak,
        (64, 1),
    ),
    _kernel("aes", "kernels.cu", "AESEncrypt", encrypt, (1024, 64)),
    _kernel("simpleSpmv", ("mv.h", "kernels.cu"), "mv_csr", multiply_csr, (1 << 19, 1 << 12)),
    _kernel(
        "ge-spmm", "kernels.h", "spmm_test1<float>", multiply_csr_by_matrix(32), (1 << 16, 1 << 8)
    ),
    _kernel(
        "ge-spmm", "kernels.h", "spmm_test3<float>", multiply_csr_by_matrix(128), (1 << 16, 1 << 8)
    ),
    _kernel("hotspot3D", "3D.cu", "hotspot3d", step_hotspot, (1024, 64)),
    _kernel("heat2d", "main.cu", "dev_lapl_iter", step_heat, _CELLS),
    _kernel("laplace3d", "kernel.h", "laplace3d", step_laplace, (256, 32)),
    _kernel("stencil1d", "stencil_1d.cu", "stencil_1d", step_stencil, (1 << 24, 1 << 14)),
    _kernel("iso2dfd", ("iso2dfd.h", "iso2dfd.cu"), "iso_2dfd_kernel", step_wave, _CELLS),
    _kernel("d2q9-bgk", "main.cu", "d2q9_bgk", step_lattice_boltzmann, (2048, 128)),
    _kernel("pathfinder", "main.cu", "pathfinder", find_paths, (1 << 20, 1 << 12)),
    _kernel("srad", ("main.h", "srad_kernel.cu"), "srad", diffuse_speckles, _IMAGE),
    _kernel("bilateral", "main.cu", "bilateralFilter<6>", filter_bilaterally, _IMAGE),
    _kernel("sobel", "kernels.cu", "sobel_filter", find_edges, _CELLS),
    _kernel("entropy", "main.cu", "entropy_opt<16, 16>", compute_entropy, _IMAGE),
    _kernel(
        "fft",
        ("main.cu", "fft1D_512.h"),
        "fft1D_512",
        transform_by_fourier,
        (1 << 14, 1 << 5),
        defines="#define SINGLE_PRECISION",
        replace=(("(T2){", "T2{"),),  # NVRTC has no compound literals
    ),
    _kernel(
        "winograd",
        ("utils.h", "main.cu"),
        "winograd_conv2d",
        convolve_by_winograd,
        (4096, 4096),
        defines="#define MAP_SIZE 4096",
    ),
    _kernel("matrix-rotate", "main.cu", "rotate_matrix_parallel", rotate, (2048, 128)),
    _kernel(
        "nbody",
        ("type.hpp", "Particle.hpp", "GSimulationKernels.hpp"),
        "accelerate_particles",
        accelerate_particles,
        (32768, 1024),
    ),
    _kernel(
        "md",
        ("MD.h", "main.cu"),
        "md",
        add_forces_of_neighbors,
        (1 << 17, 1 << 10),
        defines="#define SINGLE_PRECISION",
    ),
    _kernel("lavaMD", ("main.h", "kernel.h"), "md", add_forces_of_boxes, (16, 2)),
    _kernel(
        "kmeans", ("kmeans.h", "cluster.cu"), "find_membership", find_clusters, (1 << 20, 1 << 10)
    ),
    _kernel(
        "pnpoly",
        "kernel.h",
        "pnpoly_base",
        find_points_in_polygon,
        (1 << 22, 1 << 10),
        defines="#define VERTICES 600\n#define BLOCK_SIZE_X 256",
    ),
    _kernel(
        "haversine",
        ("distance.h", "distance.cu"),
        "compute_haversine_distance",
        measure_distances,
        (1 << 21, 1 << 12),
    ),
    _kernel("mriQ", "computeQ.cu", "ComputeQ_GPU", reconstruct_image, (1 << 18, 1 << 10)),
    _kernel("ising", "main.cu", "update_lattice<true>", update_spins, (6144, 256)),
    _kernel("feynman-kac", ("util.h", "kernel.h"), "fk", walk_randomly, (256, 16)),
    _kernel("mt", ("MT.h", "MT.cu"), "mt", make_random_numbers, (4096, 64)),
    _kernel("floydwarshall", "main.cu", "floydWarshallPass", relax_paths, _CELLS),
    _kernel("gaussian", "gaussianElim.cu", "fan2", eliminate, _CELLS),
    _kernel(
        "lud",
        "lud_kernels.cu",
        "lud_internal",
        update_lu,
        _CELLS,
        defines="#define BLOCK_SIZE 16",
    ),
    _kernel("thomas", "cuThomasBatch.cu", "cuThomasBatch", solve_by_thomas, (1 << 16, 1 << 8)),
    _kernel(
        "tridiagonal",
        "pcr_kernels.cu",
        "pcr_branch_free_kernel",
        solve_by_cyclic_reduction,
        (1 << 15, 1 << 6),
    ),
    _kernel("bitonic-sort", "main.cu", "bitonic_sort", sort_step, (1 << 24, 1 << 14)),
    _kernel("popcount", "main.cu", "pc4", count_ones, (1 << 23, 1 << 14)),
    _kernel("chi2", "chi2.cu", "chi_kernel", compute_chi_squares, (1 << 16, 1 << 10)),
    _kernel("attention", "kernels.h", "attention_kernel1_warpReduce", attend, (1 << 17, 1 << 10)),
    _kernel("softmax", "main.cu", "softMax2", take_softmax, (1 << 15, 1 << 7)),
    _kernel("groupnorm", "main.cu", "groupnorm_forward_kernel2", normalize_groups, (512, 2)),
]
