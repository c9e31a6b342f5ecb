"""The kernels of cpu.py, which follow tutorials and published benchmark suites.

With KERNELS_FROM=numba in the environment when this file is loaded, they are numba.cuda kernels for its simulator.
"""

import math
import os

if os.environ.get("KERNELS_FROM") == "numba":
    from numba import cuda, float32, int32
else:
    from heddle import cuda, float32, int32

TILE = 16


def vector_add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


def saxpy(n, a, x, y):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


def saxpy_by_grid_stride(n, a, x, y):
    for i in range(cuda.grid(1), n, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


def naive_matmul(a, b, c):
    x, y = cuda.grid(2)
    if y < c.shape[0] and x < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total


def naive_matmul_x_as_row(a, b, c):
    x, y = cuda.grid(2)
    if x < c.shape[0] and y < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[x, k] * b[k, y]
        c[x, y] = total


def tiled_matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for step in range(cuda.gridDim.x):
        tile_a[ty, tx] = a[y, tx + step * TILE]
        tile_b[ty, tx] = b[ty + step * TILE, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    c[y, x] = total


def mandelbrot(w, h, most, out):
    x, y = cuda.grid(2)
    if x < w and y < h:
        cr = float32(-2.0) + float32(3.0) * float32(x) / float32(w)
        ci = float32(-1.5) + float32(3.0) * float32(y) / float32(h)
        zr = zi = float32(0)
        n = 0
        while n < most and zr * zr + zi * zi < float32(4):
            zr, zi = zr * zr - zi * zi + cr, float32(2) * zr * zi + ci
            n += 1
        out[y, x] = n


def block_sums(x, out):
    part = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def histogram(x, bins):
    own = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    own[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(own, x[i], 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, own[t])


def warp_sums(x, out):
    part = cuda.shared.array(8, float32)
    t = cuda.threadIdx.x
    total = x[cuda.grid(1)]
    for distance in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, distance)
    if t % 32 == 0:
        part[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = part[t] if t < 8 else float32(0)
        for distance in (4, 2, 1):
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, distance)
        if t == 0:
            out[cuda.blockIdx.x] = total


def transpose(x, out):
    tile = cuda.shared.array((32, 33), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for k in range(0, 32, 8):
        tile[ty + k, tx] = x[row + k, column]
    cuda.syncthreads()
    column, row = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for k in range(0, 32, 8):
        out[row + k, column] = tile[tx, ty + k]


def scan_of_blocks(x, out):
    """Blelloch's inclusive scan: each block of 256 threads scans 512 elements."""
    sums = cuda.shared.array(512, float32)
    t = cuda.threadIdx.x
    start = cuda.blockIdx.x * 512
    sums[t], sums[t + 256] = x[start + t], x[start + t + 256]
    offset, active = 1, 256
    while active > 0:
        cuda.syncthreads()
        if t < active:
            low, high = offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1
            sums[high] += sums[low]
        offset *= 2
        active //= 2
    if t == 0:
        sums[511] = 0
    active = 1
    while active < 512:
        offset //= 2
        cuda.syncthreads()
        if t < active:
            low, high = offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1
            before = sums[low]
            sums[low] = sums[high]
            sums[high] += before
        active *= 2
    cuda.syncthreads()
    out[start + t] = sums[t] + x[start + t]
    out[start + t + 256] = sums[t + 256] + x[start + t + 256]


def scan_by_shuffles(x, out):
    """Inclusive scan of 512 elements by a block of 512 threads: within each warp, then over the 16 warps' sums."""
    sums = cuda.shared.array(16, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    lane, warp = t % 32, t // 32
    value = x[i]
    for distance in (1, 2, 4, 8, 16):
        before = cuda.shfl_up_sync(0xFFFFFFFF, value, distance)
        if lane >= distance:
            value += before
    if lane == 31:
        sums[warp] = value
    cuda.syncthreads()
    if warp == 0:
        total = sums[lane] if lane < 16 else float32(0)
        for distance in (1, 2, 4, 8):
            before = cuda.shfl_up_sync(0xFFFFFFFF, total, distance)
            if lane >= distance:
                total += before
        if lane < 16:
            sums[lane] = total
    cuda.syncthreads()
    if warp > 0:
        value += sums[warp - 1]
    out[i] = value


def bitonic_sort_of_blocks(x):
    keys = cuda.shared.array(1024, float32)
    t = cuda.threadIdx.x
    keys[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    size = 2
    while size <= 1024:
        distance = size // 2
        while distance > 0:
            other = t ^ distance
            if other > t:
                a, b = keys[t], keys[other]
                if (a > b) == ((t & size) == 0):
                    keys[t], keys[other] = b, a
            cuda.syncthreads()
            distance //= 2
        size *= 2
    x[cuda.grid(1)] = keys[t]


def n_body(x, y, z, m, fx, fy, fz):
    sx, sy = cuda.shared.array(256, float32), cuda.shared.array(256, float32)
    sz, sm = cuda.shared.array(256, float32), cuda.shared.array(256, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    px, py, pz = x[i], y[i], z[i]
    ax = ay = az = float32(0)
    for tile in range(cuda.gridDim.x):
        j = tile * 256 + t
        sx[t], sy[t], sz[t], sm[t] = x[j], y[j], z[j], m[j]
        cuda.syncthreads()
        for k in range(256):
            dx, dy, dz = sx[k] - px, sy[k] - py, sz[k] - pz
            squared = dx * dx + dy * dy + dz * dz + float32(1e-3)
            inverse = float32(1) / math.sqrt(squared)
            force = sm[k] * inverse * inverse * inverse
            ax += force * dx
            ay += force * dy
            az += force * dz
        cuda.syncthreads()
    fx[i], fy[i], fz[i] = ax, ay, az


def sparse_product(starts, columns, values, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = float32(0)
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


def floyd_warshall_step(distances, k):
    j, i = cuda.grid(2)
    n = distances.shape[0]
    if i < n and j < n:
        over = distances[i, k] + distances[k, j]
        if over < distances[i, j]:
            distances[i, j] = over


def heat_step(u, v):
    x, y = cuda.grid(2)
    if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
        v[y, x] = u[y, x] + float32(0.2) * (
            u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1] - float32(4) * u[y, x]
        )


def black_scholes(price, strike, years, call, put):
    i = cuda.grid(1)
    if i < price.size:
        rate, volatility = float32(0.02), float32(0.3)
        root = math.sqrt(years[i])
        d1 = (
            math.log(price[i] / strike[i])
            + (rate + float32(0.5) * volatility * volatility) * years[i]
        )
        d1 /= volatility * root
        d2 = d1 - volatility * root
        discount = strike[i] * math.exp(-rate * years[i])
        n1 = float32(0.5) * math.erfc(-d1 * float32(0.70710678))
        n2 = float32(0.5) * math.erfc(-d2 * float32(0.70710678))
        call[i] = price[i] * n1 - discount * n2
        put[i] = discount * (float32(1) - n2) - price[i] * (float32(1) - n1)


def lu_of_blocks(a):
    """LU decomposition without pivoting; each block takes one 16 x 16 matrix."""
    s = cuda.shared.array((TILE, TILE), float32)
    tx, ty, matrix = cuda.threadIdx.x, cuda.threadIdx.y, cuda.blockIdx.x
    s[ty, tx] = a[matrix, ty, tx]
    cuda.syncthreads()
    for k in range(TILE - 1):
        if tx == k and ty > k:
            s[ty, k] /= s[k, k]
        cuda.syncthreads()
        if tx > k and ty > k:
            s[ty, tx] -= s[ty, k] * s[k, tx]
        cuda.syncthreads()
    a[matrix, ty, tx] = s[ty, tx]


def needleman_wunsch_diagonal(scores, similarity, diagonal, penalty):
    """One diagonal of 16 x 16 tiles; each tile has 31 diagonals of elements, as in Rodinia's nw."""
    t = cuda.shared.array((TILE + 1, TILE + 1), int32)
    tx = cuda.threadIdx.x
    tiles = (scores.shape[0] - 1) // TILE
    first = max(0, diagonal - tiles + 1)
    bx = first + cuda.blockIdx.x
    by = diagonal - bx
    x0, y0 = bx * TILE, by * TILE
    if tx == 0:
        t[0, 0] = scores[y0, x0]
    t[tx + 1, 0] = scores[y0 + tx + 1, x0]
    t[0, tx + 1] = scores[y0, x0 + tx + 1]
    cuda.syncthreads()
    for m in range(2 * TILE - 1):
        y = m - tx
        if 0 <= y < TILE:
            x = tx + 1
            match = t[y, x - 1] + similarity[y0 + y, x0 + tx]
            t[y + 1, x] = max(match, max(t[y + 1, x - 1], t[y, x]) - penalty)
        cuda.syncthreads()
    for y in range(TILE):
        scores[y0 + y + 1, x0 + tx + 1] = t[y + 1, tx + 1]


def option_lattices(price, strike, out):
    """Prices a European call per block with a binomial lattice of 255 steps."""
    values = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    up, chance, discount = float32(1.0189), float32(0.4991), float32(0.99992)
    s, k = price[cuda.blockIdx.x], strike[cuda.blockIdx.x]
    values[t] = max(s * up ** (float32(2 * t) - float32(255)) - k, float32(0))
    cuda.syncthreads()
    for step in range(255, 0, -1):
        value = float32(0)
        if t < step:
            value = discount * (chance * values[t + 1] + (float32(1) - chance) * values[t])
        cuda.syncthreads()
        if t < step:
            values[t] = value
        cuda.syncthreads()
    if t == 0:
        out[cuda.blockIdx.x] = values[0]
