"""Page rank of a small web: a sparse matrix in rows, launches by forall, a reduction that says when to stop."""

import numpy as np
from numba import cuda


@cuda.jit
def spread(first, columns, weights, rank, new_rank, damping):
    row = cuda.grid(1)
    if row < first.size - 1:
        total = 0.0
        for entry in range(first[row], first[row + 1]):
            total += weights[entry] * rank[columns[entry]]
        new_rank[row] = (1 - damping) / new_rank.size + damping * total


@cuda.jit
def difference(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = abs(a[i] - b[i])


@cuda.reduce
def add(a, b):
    return a + b


rng = np.random.default_rng(3)
pages = 70
links = (rng.random((pages, pages)) < 0.1).astype(float)
links[0] = 1
links /= links.sum(axis=0)
columns = [np.nonzero(row)[0] for row in links]
first = cuda.to_device(np.r_[0, np.cumsum([len(c) for c in columns])].astype(np.int32))
weights = cuda.to_device(np.concatenate([links[i, c] for i, c in enumerate(columns)]))
columns = cuda.to_device(np.concatenate(columns).astype(np.int32))

rank = cuda.to_device(np.full(pages, 1 / pages))
new_rank, changes = cuda.device_array_like(rank), cuda.device_array_like(rank)
for rounds in range(100):
    spread.forall(pages)(first, columns, weights, rank, new_rank, 0.85)
    difference.forall(pages)(rank, new_rank, changes)
    rank, new_rank = new_rank, rank
    if add(changes) < 1e-12:
        break

expected = np.full(pages, 1 / pages)
for _ in range(100):
    expected = 0.15 / pages + 0.85 * links @ expected
print(np.allclose(rank.copy_to_host(), expected), rounds < 99)
