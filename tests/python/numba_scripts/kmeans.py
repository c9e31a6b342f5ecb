import math

import numpy as np
from numba import cuda, float64, int32

K = 3


@cuda.jit(device=True)
def squared_distance(points, i, centroids, k):
    total = 0.0
    for d in range(points.shape[1]):
        diff = points[i, d] - centroids[k, d]
        total += diff * diff
    return total


@cuda.jit
def assign_points(points, centroids, labels):
    i = cuda.grid(1)
    if i < points.shape[0]:
        best, best_distance = -1, math.inf
        for k in range(centroids.shape[0]):
            distance = squared_distance(points, i, centroids, k)
            if distance < best_distance:
                best, best_distance = k, distance
        labels[i] = best


@cuda.jit
def sum_clusters(points, labels, sums, counts):
    local_sums = cuda.shared.array((K, 2), dtype=float64)
    local_counts = cuda.shared.array(K, dtype=int32)
    tid = cuda.threadIdx.x
    if tid < K:
        local_sums[tid, 0] = local_sums[tid, 1] = 0
        local_counts[tid] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < points.shape[0]:
        for d in range(2):
            cuda.atomic.add(local_sums, (labels[i], d), points[i, d])
        cuda.atomic.add(local_counts, labels[i], 1)
    cuda.syncthreads()
    if tid < K:
        cuda.atomic.add(sums, (tid, 0), local_sums[tid, 0])
        cuda.atomic.add(sums, (tid, 1), local_sums[tid, 1])
        cuda.atomic.add(counts, tid, local_counts[tid])


rng = np.random.default_rng(0)
centres = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 6.0]])
points = np.concatenate([rng.normal(c, 0.5, (500, 2)) for c in centres])
centroids = points[[0, 600, 1200]].copy()

labels = np.zeros(len(points), np.int32)
threads = 128
blocks = math.ceil(len(points) / threads)
for _ in range(5):
    sums, counts = np.zeros((K, 2)), np.zeros(K, np.int32)
    assign_points[blocks, threads](points, centroids, labels)
    sum_clusters[blocks, threads](points, labels, sums, counts)
    centroids = sums / counts[:, None]

np.testing.assert_allclose(centroids, [points[labels == k].mean(axis=0) for k in range(K)])
print(np.rint(centroids).tolist(), counts.tolist())
