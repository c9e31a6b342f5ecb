"""CUDA C++ threads that copy whole structures, as n-body programs do with float4: vectorized on the CPU."""

import numpy as np
import pytest

from heddle.compat import cupy as cp

SOURCE = r"""
struct Cell { float x, y; int kind; };
struct Wide { double a[6]; };

__device__ float3 attraction(float4 other, float4 me, float3 sum) {
  float3 d = {other.x - me.x, other.y - me.y, other.z - me.z};
  float inverse = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 0.5f);
  float scale = other.w * inverse * inverse * inverse;
  sum.x += d.x * scale; sum.y += d.y * scale; sum.z += d.z * scale;
  return sum;
}

extern "C" __global__ void n_body(const float4 *bodies, float4 *forces, int n) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = bodies[i];
  float3 sum = {0, 0, 0};
  for (int start = 0; start < n; start += blockDim.x) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j)
      sum = attraction(tile[j], me, sum);
    __syncthreads();
  }
  forces[i] = make_float4(sum.x, sum.y, sum.z, me.w);
}

extern "C" __global__ void rotate(Cell *cells, Wide *wide, float2 *points, int n) {
  __shared__ Cell around[64];
  __shared__ Wide rows[64];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i < n) {
    around[t] = cells[i];
    rows[t] = wide[i];
  }
  __syncthreads();
  int count = min(int(blockDim.x), n - int(blockIdx.x * blockDim.x));
  if (i < n) {
    Cell next = around[(t + 1) % count];
    if (next.kind % 2)
      cells[i] = next;
    wide[i] = rows[count - 1 - t];
    float2 p = points[i];
    points[i] = make_float2(-p.y, p.x);
  }
}
"""


@pytest.fixture(scope="module")
def module():
    return cp.RawModule(code=SOURCE, options=("--std=c++17",))


def test_float4_through_shared_memory(device, module):
    n = 256
    bodies = np.random.default_rng(1).random((n, 4), dtype=np.float32)
    forces = cp.zeros((n, 4), np.float32)
    kernel = module.get_function("n_body")
    kernel((n // 64,), (64,), (cp.asarray(bodies), forces, np.int32(n)))
    place, mass = bodies[:, :3].astype(float), bodies[:, 3].astype(float)
    d = place[None] - place[:, None]
    scale = mass[None] * ((d**2).sum(axis=2) + 0.5) ** -1.5
    found = cp.asnumpy(forces)
    np.testing.assert_allclose(
        found[:, :3], (d * scale[..., None]).sum(axis=1), rtol=2e-4, atol=1e-4
    )
    np.testing.assert_array_equal(found[:, 3], bodies[:, 3])
    if device.type == "cpu":
        assert any("as vectors" in remark for remark in kernel.inspect_remarks())


@pytest.mark.parametrize("n", [64, 128, 100, 3])
def test_structures_are_moved_whole(device, module, n):
    rng = np.random.default_rng(n)
    cells = np.zeros(n, [("x", "f4"), ("y", "f4"), ("kind", "i4")])
    cells["x"], cells["y"], cells["kind"] = rng.random(n), rng.random(n), rng.integers(0, 9, n)
    wide, points = rng.random((n, 6)), rng.random((n, 2), dtype=np.float32)
    places = [cp.asarray(a.view(np.uint8).reshape(n, -1)) for a in (cells, wide, points)]
    module.get_function("rotate")((-(-n // 64),), (64,), (*places, np.int32(n)))
    found = [cp.asnumpy(a) for a in places]
    blocks = [np.arange(n)[s : s + 64] for s in range(0, n, 64)]
    after = np.concatenate([np.roll(block, -1) for block in blocks])
    moved = np.where(cells["kind"][after] % 2 == 1, cells[after], cells)
    assert found[0].tobytes() == moved.tobytes()
    np.testing.assert_array_equal(
        found[1].view("f8"), wide[np.concatenate([block[::-1] for block in blocks])]
    )
    np.testing.assert_array_equal(
        found[2].view("f4"), np.stack([-points[:, 1], points[:, 0]], axis=1)
    )
