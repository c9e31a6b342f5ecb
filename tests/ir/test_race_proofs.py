"""Proofs that threads cannot race: the plan of the race filter for CUDA C++ kernels of one block shape.

A proven array needs no cells. Each kernel's parameter `a` is the array in question.
"""

import subprocess
from pathlib import Path

import pytest
from test_filecheck import find_heddle_opt

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
ROW = "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"

# Blocks of 64 threads, in a grid along x.
PROVEN = {
    "own element": f"{INDEX} if (i < n) a[i] = b[i];",
    "without a guard": f"{INDEX} a[i] += 1;",
    "offset by a parameter": f"{INDEX} a[i + m] = a[i + m] + b[i];",
    "members of a structure": f"{INDEX} a[3 * i] = 1; a[3 * i + 2] = a[3 * i + 1];",
    "grid stride": "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
    " i += gridDim.x * blockDim.x) a[i] *= 2;",
    "rows of constant length": f"{INDEX} for (int j = 0; j < 10; j++) a[10 * i + j] = j;",
    "rows of varying length": f"{INDEX} for (int j = 0; j < m; j++) a[i * m + j] = j;",
    "columns": f"{INDEX} if (i < n) for (int j = 0; j < m; j++) a[j * n + i] = j;",
    "one thread of each block": "if (threadIdx.x == 0) a[blockIdx.x] = n;",
    "one thread, in an else": "if (threadIdx.x != 0) return; a[blockIdx.x] = n;",
    "two elements per thread": "int s = blockIdx.x * 128, t = threadIdx.x;"
    " a[s + t] = 1; a[s + t + 64] = 2;",
    "64-bit indices": "long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; a[i] = 1;",
    "unsigned indices": "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1;",
    "backwards": f"{INDEX} a[n - 1 - i] = 1;",
    "read only": f"{INDEX} if (i < n) b[i] = a[0] + a[n - 1 - i];",
    "atomics only": f"{INDEX} atomicAdd(a + i % 7, 1);",
}
UNPROVEN = {
    "one element": "a[0] = n;",
    "neighbor": f"{INDEX} if (i < n - 1) a[i] = a[i + 1];",
    "half the threads' elements": f"{INDEX} a[i / 2] = 1;",
    "modulo": f"{INDEX} a[i % n] = 1;",
    "index in the block only": "a[threadIdx.x] = 1;",
    "index of the block only": "a[blockIdx.x] = 1;",
    "blocks that overlap": "a[blockIdx.x * 32 + threadIdx.x] = 1;",
    "elements that overlap": f"{INDEX} a[2 * i] = 1; a[2 * i + 2] = 1;",
    "from data": f"{INDEX} a[b[i]] = 1;",
    "rows that overlap": f"{INDEX} for (int j = 0; j <= m; j++) a[i * m + j] = j;",
    "columns without a guard": f"{INDEX} for (int j = 0; j < m; j++) a[j * n + i] = j;",
    "columns with a guard that is too wide": f"{INDEX} if (i <= n) for (int j = 0; j < m; j++)"
    " a[j * n + i] = j;",
    "negative columns": f"{INDEX} int x = i - 3; if (x < n) for (int j = 0; j < m; j++)"
    " a[j * n + x] = j;",
    "a smaller stride": "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
    " i += blockDim.x) a[i] *= 2;",
    "one thread, with others elsewhere": f"{INDEX} a[i] = 1; if (threadIdx.x == 0) a[n] = 2;",
    "two threads": "if (threadIdx.x < 2) a[blockIdx.x] = n;",
    "two orders": f"{INDEX} a[i] = 1; a[n - 1 - i] = 2;",
    "atomics and a load": f"{INDEX} atomicAdd(a, 1); b[i] = a[0];",
    "pairs": f"{INDEX} a[i] = 1; a[i ^ 1] = 2;",
    "multiple that may be zero": f"{INDEX} a[i * m] = 1;",
    "byte of a word": f"{INDEX} a[i] = 1; ((char *)a)[i] = 1;",
}
# Blocks of 16 x 16 threads.
PROVEN_IN_2D = {
    "matrix": f"{ROW} if (x < n) a[y * n + x] = 1;",
    "transposed": f"{ROW} if (y < n) a[x * n + y] = 1;",
    "matrix of constant width": f"{ROW} if (x < 100) a[y * 100 + x] = 1;",
    "three parts": f"{ROW} if (x < n && y < m) for (int k = 0; k < 3; k++) a[(k * m + y) * n + x] = k;",
    "after a return": f"{ROW} if (x >= n || y >= m) return; a[y * n + x] = a[y * n + x] + 1;",
    "pivot row and column": f"{ROW} if (x < n && y < n && m >= 0 && m < n)"
    " a[y * n + x] += a[y * n + m] * a[m * n + x];",
}
UNPROVEN_IN_2D = {
    "a row": f"{ROW} a[x] = 1;",
    "a column": f"{ROW} a[y] = 1;",
    "matrix without a guard": f"{ROW} a[y * n + x] = 1;",
    "guard of the other axis": f"{ROW} if (y < n) a[y * n + x] = 1;",
    "matrix and its transpose": f"{ROW} if (x < n && y < n) a[y * n + x] = a[x * n + y];",
    "sum of the axes": f"{ROW} a[x + y] = 1;",
}

# A shared array of 64 elements, in blocks of 64 threads.
SHARED = "__shared__ int s[64]; int t = threadIdx.x;"
PROVEN_IN_BLOCKS = {
    "tile": "for (int k = 0; k < n; k++) { s[t] = b[k * 64 + t]; __syncthreads();"
    " for (int j = 0; j < 64; j++) a[t] += s[j]; __syncthreads(); }",
    "after a barrier": "s[t] = b[t]; __syncthreads(); a[t] = s[63 - t];",
    "tree": "s[t] = b[t]; for (int h = 32; h > 0; h /= 2) { __syncthreads();"
    " if (t < h) s[t] += s[t + h]; } if (t == 0) a[blockIdx.x] = s[0];",
    "Blelloch's tree": "s[t] = b[t]; for (int h = 1; h < 64; h *= 2) { __syncthreads();"
    " if ((2 * t + 2) * h <= 64) s[(2 * t + 2) * h - 1] += s[(2 * t + 1) * h - 1]; }"
    " __syncthreads(); a[t] = s[t];",
    "pivot": "s[t] = b[t]; for (int k = 0; k < 63; k++) { __syncthreads(); if (t > k) s[t] -= s[k]; }"
    " __syncthreads(); a[t] = s[t];",
    "an element that one thread writes again": "s[t] = b[t]; if (t == 0) s[0] = 1;"
    " __syncthreads(); a[t] = s[t];",
    "an element that no other thread writes": "s[t] = b[t]; __syncthreads();"
    " if (t < 63) s[t] += 1; if (t == 0) s[63] = 1;"
    " __syncthreads(); a[t] = s[t];",
    "sides of a branch that all threads take": "s[t] = b[t]; __syncthreads();"
    " if (n) s[t] = 1; else a[t] = s[63 - t];",
}
UNPROVEN_IN_BLOCKS = {
    "without a barrier": "s[t] = b[t]; a[t] = s[63 - t];",
    "without a barrier in a loop": "for (int k = 0; k < n; k++) { s[t] = b[k * 64 + t]; __syncthreads();"
    " for (int j = 0; j < 64; j++) a[t] += s[j]; }",
    "half written": "if (t < 32) s[t] = b[t]; __syncthreads(); a[t] = s[63 - t];",
    "written after a return": "if (t >= n) return; s[t] = b[t]; __syncthreads(); a[t] = s[63 - t];",
    "written later": "if (n) { __syncthreads(); a[t] = s[63 - t]; } s[t] = b[t];",
    "a stride that changes before a barrier": "s[t] = b[t]; __syncthreads();"
    " for (int h = n; h < 64; h *= 2) s[t * h % 64] += 1; __syncthreads(); a[t] = s[t];",
    "an element that one other thread writes": "s[t] = b[t]; if (t == 0) s[63] = 1; __syncthreads(); a[t] = s[t];",
    # The last thread of each step writes this element, but only in the last step without a barrier before the reset.
    "an element of a tree": "s[t] = b[t]; for (int h = 32; h; h /= 2) { __syncthreads();"
    " if (t < h) s[64 / h * (t + 1) - 1] += 1; } if (t == 0) s[63] = 0; __syncthreads(); a[t] = s[t];",
    "different barriers": "s[t] = b[t]; __syncthreads(); if (t < 32) { s[t] = 1; __syncthreads(); a[t] = s[t]; }"
    " else { __syncthreads(); s[63 - t] = 2; }",
}


def plan_of(body, folder, suffix):
    """The lines of the filter's plan for a kernel with this body."""
    source = folder / "k.cu"
    source.write_text(f'extern "C" __global__ void k(int *a, int *b, int n, int m) {{ {body} }}\n')
    opt = Path(find_heddle_opt())
    front = subprocess.run(
        [opt.with_name("cuda-to-simt"), source], capture_output=True, text=True, check=True
    )
    passes = f"-passes=inline-device-functions,insert-race-filter{suffix}"
    back = subprocess.run(
        [opt, passes, "-S", "-"], input=front.stdout, capture_output=True, text=True, check=True
    )
    table = next(line for line in back.stdout.splitlines() if line.startswith("!simt.filter"))
    nodes = [name.strip() for name in table.split("{")[1].rstrip("}").split(",")]
    lines = back.stdout.splitlines()
    return [next(line for line in lines if line.startswith(f"{n} = ")) for n in nodes]


def needs_cells(body, folder, suffix=""):
    plan = plan_of(body, folder, suffix)
    (a,) = [line for line in plan if '"argument 0 ' in line]
    return "cells" in a


@pytest.mark.parametrize("name", PROVEN)
def test_proven(name, tmp_path):
    assert not needs_cells(PROVEN[name], tmp_path)


@pytest.mark.parametrize("name", UNPROVEN)
def test_unproven(name, tmp_path):
    assert needs_cells(UNPROVEN[name], tmp_path)


@pytest.mark.parametrize("name", PROVEN_IN_2D)
def test_proven_in_two_dimensions(name, tmp_path):
    assert not needs_cells(PROVEN_IN_2D[name], tmp_path, "-in-2d")


@pytest.mark.parametrize("name", UNPROVEN_IN_2D)
def test_unproven_in_two_dimensions(name, tmp_path):
    assert needs_cells(UNPROVEN_IN_2D[name], tmp_path, "-in-2d")


def needs_shared_cells(name, bodies, folder):
    plan = plan_of(f"{SHARED} {bodies[name]}", folder, "")
    (s,) = [line for line in plan if '"shared ' in line]
    return "cells" in s


@pytest.mark.parametrize("name", PROVEN_IN_BLOCKS)
def test_proven_in_blocks(name, tmp_path):
    assert not needs_shared_cells(name, PROVEN_IN_BLOCKS, tmp_path)


@pytest.mark.parametrize("name", UNPROVEN_IN_BLOCKS)
def test_unproven_in_blocks(name, tmp_path):
    assert needs_shared_cells(name, UNPROVEN_IN_BLOCKS, tmp_path)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("while (atomicCAS(a, 0, 1)) ; a[1] = 1; atomicExch(a, 0);", "a loop waits"),
        ('printf("%d", n);', "it prints"),
        ("atomicAdd_block(a, 1);", "scope of its block"),
        ("int *p = (int *)malloc(4); *p = 1;", "pointer of unknown origin"),
        ("int **p = (int **)a; *p[n] = 1;", "pointer of unknown origin"),
    ],
)
def test_obstacles(body, reason, tmp_path):
    assert reason in plan_of(body, tmp_path, "")[0]
