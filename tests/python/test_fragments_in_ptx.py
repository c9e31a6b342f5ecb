"""The PTX of cuda.wmma and cuda.pipeline for each architecture. ptxas assembles it if it is installed."""

import re
import shutil
import subprocess

import ml_dtypes
import numpy as np
import pytest

import heddle
from heddle import cuda, float16, float32, types
from heddle.cuda import wmma

ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
T4, A100, H100 = (7, 5), (8, 0), (9, 0)


@pytest.fixture
def assemble(tmp_path):
    """A function that compiles a kernel for a GPU. Returns its PTX and, with ptxas, the bytes of spilled registers."""

    def compile_kernel(kernel, signature, gpu):
        ptx, _ = cuda.compile_ptx(kernel, signature, cc=gpu)
        spills = 0
        if ptxas:
            path = tmp_path / "k.ptx"
            path.write_text(ptx)
            command = [ptxas, "-v", f"-arch=sm_{gpu[0]}{gpu[1]}", path, "-o", tmp_path / "k.cubin"]
            found = subprocess.run(command, check=True, capture_output=True, text=True)
            spills = sum(map(int, re.findall(r"(\d+) bytes (?:stack|spill)", found.stderr)))
        return ptx, spills

    return compile_kernel


def instructions(ptx, *prefixes):
    found = re.findall(r"(?:^|[{;])\s*(?:@!?%\w+\s+)?([a-z][\w.:]+)[\s;]", ptx, re.M)
    return [i for i in found if i.startswith(prefixes)]


def make_product(dtype, sum_type, shape, layout_b=wmma.row_major):
    m, n, k = shape

    def kernel(a, b, c):
        tile = cuda.shared.array((32, 32), sum_type)
        fa = wmma.fragment(wmma.matrix_a, m, n, k, dtype)
        fb = wmma.fragment(wmma.matrix_b, m, n, k, dtype, layout_b)
        sums = wmma.fragment(wmma.accumulator, m, n, k, sum_type)
        wmma.load_matrix_sync(fa, a, (0, 0))
        wmma.load_matrix_sync(fb, b, (0, 0))
        wmma.load_matrix_sync(sums, c, (0, 0))
        wmma.mma_sync(sums, fa, fb, sums)
        wmma.store_matrix_sync(tile.T, (0, 0), sums)
        cuda.syncwarp()
        c[0, cuda.threadIdx.x] = tile[0, cuda.threadIdx.x]

    return kernel


KINDS = {
    "f16": (np.float16, np.float32, types.float16, "f32"),
    "bf16": (ml_dtypes.bfloat16, np.float32, types.bfloat16, "f32"),
    "s8": (np.int8, np.int32, types.int8, "s32"),
    "u8": (np.uint8, np.int32, types.uint8, "s32"),
    "tf32": (wmma.tf32, np.float32, types.float32, "f32"),
    "f64": (np.float64, np.float64, types.float64, "f64"),
}
OF_16 = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
SHAPES = [(kind, shape) for kind in list(KINDS)[:4] for shape in OF_16]
SHAPES += [("tf32", (16, 16, 8)), ("f64", (8, 8, 4))]


@pytest.mark.parametrize("kind, shape", SHAPES)
def test_fragments_use_tensor_cores(assemble, kind, shape):
    dtype, sum_type, factor, sums = KINDS[kind]
    kernel = make_product(dtype, sum_type, shape)
    total = getattr(types, np.dtype(sum_type).name)
    ptx, spills = assemble(kernel, (factor[:, ::1], factor[:, ::1], total[:, ::1]), A100)
    name = "m{}n{}k{}".format(*shape)
    product = f"{sums}.{sums}" if kind == "f16" else f"{sums}.{kind}.{kind}.{sums}"
    assert instructions(ptx, "wmma", "shfl") == [
        f"wmma.load.a.sync.aligned.row.{name}.global.{kind}",
        f"wmma.load.b.sync.aligned.row.{name}.global.{kind}",
        f"wmma.load.c.sync.aligned.row.{name}.global.{sums}",
        f"wmma.mma.sync.aligned.row.row.{name}.{product}",
        f"wmma.store.d.sync.aligned.col.{name}.shared.{sums}",
    ]
    assert ".local" not in ptx and spills == 0


def test_turing_multiplies_halves(assemble):
    kernel = make_product(np.float16, np.float32, (16, 16, 16), wmma.col_major)
    signature = (float16[:, ::1], float16[::1, :], float32[:, ::1])
    ptx, _ = assemble(kernel, signature, T4)
    assert instructions(ptx, "wmma.mma") == ["wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"]


@pytest.mark.parametrize("kind, shape", [s for s in SHAPES if s[0] in ("bf16", "tf32", "f64")])
def test_turing_refuses_other_floats(kind, shape):
    dtype, sum_type, factor, _ = KINDS[kind]
    total = getattr(types, np.dtype(sum_type).name)
    signature = (factor[:, ::1], factor[:, ::1], total[:, ::1])
    with pytest.raises(
        heddle.UnsupportedError, match="from compute capability 8.0 on; this GPU has 7.5"
    ):
        cuda.compile_ptx(make_product(dtype, sum_type, shape), signature, cc=T4)


def copy(x, out):
    tile = cuda.shared.array((2, 64), np.float32)
    i = cuda.threadIdx.x
    cuda.pipeline.memcpy_async(tile, (0, i), x, i)
    cuda.pipeline.memcpy_async(tile, (0, 2 * i), x, 2 * i, 2)
    cuda.pipeline.memcpy_async(tile, (1, 4 * i), x, 4 * i, 4)
    cuda.pipeline.commit()
    cuda.pipeline.wait_prior(1)
    cuda.syncthreads()
    out[i] = tile[0, 63 - i]


@pytest.mark.parametrize("gpu", [A100, H100])
def test_copies_run_in_the_background(assemble, gpu):
    ptx, _ = assemble(copy, (float32[::1], float32[::1]), gpu)
    assert instructions(ptx, "cp") == [
        "cp.async.ca.shared.global",
        "cp.async.ca.shared.global",
        "cp.async.cg.shared.global",
        "cp.async.commit_group",
        "cp.async.wait_group",
    ]
    addresses = r"\[%r\d+(?:\+\d+)?\], \[%rd\d+(?:\+\d+)?\]"
    sizes = re.findall(rf"cp.async.c[ag].shared.global {addresses}, (\d+);", ptx)
    assert sizes == ["4", "8", "16"]


def test_turing_copies_immediately(assemble):
    ptx, _ = assemble(copy, (float32[::1], float32[::1]), T4)
    assert instructions(ptx, "cp") == []
    assert len(instructions(ptx, "st.shared")) == 3


def test_a_product_in_tiles_stays_in_registers(assemble):
    """Sixteen accumulators for each warp, with copies of the next tiles in the background."""
    depth, stages = 32, 2

    def product(a, b, c):
        tiles_a = cuda.shared.array((stages, 64, depth + 8), np.float16)
        tiles_b = cuda.shared.array((stages, depth, 72), np.float16)
        t = cuda.threadIdx.x
        sums = wmma.fragment(wmma.accumulator, 16, 16, 16, np.float32, shape=(4, 4))
        fa = wmma.fragment(wmma.matrix_a, 16, 16, 16, np.float16, shape=4)
        fb = wmma.fragment(wmma.matrix_b, 16, 16, 16, np.float16, shape=4)
        wmma.fill_fragment(sums, 0)
        for step in range(a.shape[1] // depth + 1):
            if step * depth < a.shape[1]:
                for i in range(8):
                    cuda.pipeline.memcpy_async(
                        tiles_a, (step % 2, t, 4 * i), a, (t, step * depth + 4 * i), 4
                    )
                    cuda.pipeline.memcpy_async(
                        tiles_b, (step % 2, t // 2, 4 * i), b, (step * depth + t // 2, 4 * i), 4
                    )
            cuda.pipeline.commit()
            cuda.pipeline.wait_prior(1)
            cuda.syncthreads()
            if step:
                for k in range(0, depth, 16):
                    for i in range(4):
                        wmma.load_matrix_sync(fa[i], tiles_a, ((step - 1) % 2, 16 * i, k))
                        wmma.load_matrix_sync(fb[i], tiles_b, ((step - 1) % 2, k, 16 * i))
                    for i in range(4):
                        for j in range(4):
                            wmma.mma_sync(sums[i, j], fa[i], fb[j], sums[i, j])
            cuda.syncthreads()
        for i in range(4):
            for j in range(4):
                for e in range(sums[i, j].num_elements):
                    sums[i, j].x[e] *= 2
                wmma.store_matrix_sync(c, (16 * i, 16 * j), sums[i, j])

    signature = (float16[:, ::1], float16[:, ::1], float32[:, ::1])
    ptx, spills = assemble(product, signature, H100)
    assert ".local" not in ptx and spills == 0
    assert len(instructions(ptx, "wmma.mma")) % 32 == 0
