// The kernels of cpu_kernels.py in OpenCL C: the same algorithms, blocks and shared memory. A kernel has the parameters
// of its namesake, followed by the arrays' extents, which pointers do not carry (cpu_opencl.py passes them).

#define TILE 16

kernel void vector_add(global const float *a, global const float *b, global float *c, int size) {
  int i = get_global_id(0);
  if (i < size)
    c[i] = a[i] + b[i];
}

kernel void saxpy(int n, float a, global const float *x, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + y[i];
}

kernel void saxpy_by_grid_stride(int n, float a, global const float *x, global float *y) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    y[i] = a * x[i] + y[i];
}

kernel void naive_matmul(global const float *a, global const float *b, global float *c, int rows, int columns,
                         int depth) {
  int x = get_global_id(0), y = get_global_id(1);
  if (y < rows && x < columns) {
    float total = 0;
    for (int k = 0; k < depth; ++k)
      total += a[y * depth + k] * b[k * columns + x];
    c[y * columns + x] = total;
  }
}

kernel void naive_matmul_x_as_row(global const float *a, global const float *b, global float *c, int rows, int columns,
                                  int depth) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < rows && y < columns) {
    float total = 0;
    for (int k = 0; k < depth; ++k)
      total += a[x * depth + k] * b[k * columns + y];
    c[x * columns + y] = total;
  }
}

kernel void tiled_matmul(global const float *a, global const float *b, global float *c) {
  local float tile_a[TILE][TILE], tile_b[TILE][TILE];
  int x = get_global_id(0), y = get_global_id(1);
  int tx = get_local_id(0), ty = get_local_id(1);
  int n = get_global_size(0);
  float total = 0;
  for (int step = 0; step < get_num_groups(0); ++step) {
    tile_a[ty][tx] = a[y * n + tx + step * TILE];
    tile_b[ty][tx] = b[(ty + step * TILE) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k)
      total += tile_a[ty][k] * tile_b[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = total;
}

kernel void mandelbrot(int w, int h, int most, global int *out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) {
    float cr = -2.0f + 3.0f * x / w, ci = -1.5f + 3.0f * y / h;
    float zr = 0, zi = 0;
    int n = 0;
    while (n < most && zr * zr + zi * zi < 4.0f) {
      float next = zr * zr - zi * zi + cr;
      zi = 2.0f * zr * zi + ci;
      zr = next;
      ++n;
    }
    out[y * w + x] = n;
  }
}

kernel void block_sums(global const float *x, global float *out) {
  local float part[256];
  int t = get_local_id(0);
  part[t] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 128; step > 0; step /= 2) {
    if (t < step)
      part[t] += part[t + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0)
    out[get_group_id(0)] = part[0];
}

kernel void histogram(global const uchar *x, global int *bins, int size) {
  local int own[256];
  int t = get_local_id(0);
  own[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < size; i += get_global_size(0))
    atomic_add(&own[x[i]], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], own[t]);
}

kernel void transpose(global const float *x, global float *out) {
  local float tile[32][33];
  int tx = get_local_id(0), ty = get_local_id(1);
  int n = get_global_size(0);
  int column = get_group_id(0) * 32 + tx, row = get_group_id(1) * 32 + ty;
  for (int k = 0; k < 32; k += 8)
    tile[ty + k][tx] = x[(row + k) * n + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  column = get_group_id(1) * 32 + tx, row = get_group_id(0) * 32 + ty;
  for (int k = 0; k < 32; k += 8)
    out[(row + k) * n + column] = tile[tx][ty + k];
}

kernel void heat_step(global const float *u, global float *v, int height, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  if (0 < x && x < width - 1 && 0 < y && y < height - 1) {
    int i = y * width + x;
    v[i] = u[i] + 0.2f * (u[i - width] + u[i + width] + u[i - 1] + u[i + 1] - 4.0f * u[i]);
  }
}

// Blelloch's inclusive scan: each block of 256 threads scans 512 elements.
kernel void scan_of_blocks(global const float *x, global float *out) {
  local float sums[512];
  int t = get_local_id(0), start = get_group_id(0) * 512, offset = 1;
  sums[t] = x[start + t], sums[t + 256] = x[start + t + 256];
  for (int active = 256; active > 0; active /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < active) {
      int low = offset * (2 * t + 1) - 1, high = offset * (2 * t + 2) - 1;
      sums[high] += sums[low];
    }
    offset *= 2;
  }
  if (t == 0)
    sums[511] = 0;
  for (int active = 1; active < 512; active *= 2) {
    offset /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < active) {
      int low = offset * (2 * t + 1) - 1, high = offset * (2 * t + 2) - 1;
      float before = sums[low];
      sums[low] = sums[high];
      sums[high] += before;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[start + t] = sums[t] + x[start + t];
  out[start + t + 256] = sums[t + 256] + x[start + t + 256];
}

kernel void bitonic_sort_of_blocks(global float *x) {
  local float keys[1024];
  int t = get_local_id(0);
  keys[t] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int size = 2; size <= 1024; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      int other = t ^ distance;
      if (other > t) {
        float a = keys[t], b = keys[other];
        if ((a > b) == ((t & size) == 0))
          keys[t] = b, keys[other] = a;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  x[get_global_id(0)] = keys[t];
}

kernel void n_body(global const float *x, global const float *y, global const float *z, global const float *m,
                   global float *fx, global float *fy, global float *fz) {
  local float sx[256], sy[256], sz[256], sm[256];
  int i = get_global_id(0), t = get_local_id(0);
  float px = x[i], py = y[i], pz = z[i];
  float ax = 0, ay = 0, az = 0;
  for (int tile = 0; tile < get_num_groups(0); ++tile) {
    int j = tile * 256 + t;
    sx[t] = x[j], sy[t] = y[j], sz[t] = z[j], sm[t] = m[j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 256; ++k) {
      float dx = sx[k] - px, dy = sy[k] - py, dz = sz[k] - pz;
      float squared = dx * dx + dy * dy + dz * dz + 1e-3f;
      float inverse = 1.0f / sqrt(squared);
      float force = sm[k] * inverse * inverse * inverse;
      ax += force * dx;
      ay += force * dy;
      az += force * dz;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  fx[i] = ax, fy[i] = ay, fz[i] = az;
}

kernel void sparse_product(global const int *starts, global const int *columns, global const float *values,
                           global const float *x, global float *y, int rows) {
  int row = get_global_id(0);
  if (row < rows) {
    float total = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k)
      total += values[k] * x[columns[k]];
    y[row] = total;
  }
}

kernel void floyd_warshall_step(global float *distances, int k, int n) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j < n) {
    float over = distances[i * n + k] + distances[k * n + j];
    if (over < distances[i * n + j])
      distances[i * n + j] = over;
  }
}

kernel void black_scholes(global const float *price, global const float *strike, global const float *years,
                          global float *call, global float *put, int size) {
  int i = get_global_id(0);
  if (i < size) {
    float rate = 0.02f, volatility = 0.3f;
    float root = sqrt(years[i]);
    float d1 = log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i];
    d1 /= volatility * root;
    float d2 = d1 - volatility * root;
    float discount = strike[i] * exp(-rate * years[i]);
    float n1 = 0.5f * erfc(-d1 * 0.70710678f), n2 = 0.5f * erfc(-d2 * 0.70710678f);
    call[i] = price[i] * n1 - discount * n2;
    put[i] = discount * (1.0f - n2) - price[i] * (1.0f - n1);
  }
}

// LU decomposition without pivoting; each block takes one 16 x 16 matrix.
kernel void lu_of_blocks(global float *a) {
  local float s[TILE][TILE];
  int tx = get_local_id(0), ty = get_local_id(1);
  int at = (get_group_id(0) * TILE + ty) * TILE + tx;
  s[ty][tx] = a[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < TILE - 1; ++k) {
    if (tx == k && ty > k)
      s[ty][k] /= s[k][k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx > k && ty > k)
      s[ty][tx] -= s[ty][k] * s[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a[at] = s[ty][tx];
}

// One diagonal of 16 x 16 tiles; each tile has 31 diagonals of elements.
kernel void needleman_wunsch_diagonal(global int *scores, global const int *similarity, int diagonal, int penalty,
                                      int width) {
  local int t[TILE + 1][TILE + 1];
  int tx = get_local_id(0);
  int tiles = (width - 1) / TILE;
  int bx = max(0, diagonal - tiles + 1) + (int)get_group_id(0);
  int by = diagonal - bx;
  int x0 = bx * TILE, y0 = by * TILE;
  if (tx == 0)
    t[0][0] = scores[y0 * width + x0];
  t[tx + 1][0] = scores[(y0 + tx + 1) * width + x0];
  t[0][tx + 1] = scores[y0 * width + x0 + tx + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < 2 * TILE - 1; ++m) {
    int y = m - tx;
    if (0 <= y && y < TILE) {
      int x = tx + 1;
      int match = t[y][x - 1] + similarity[(y0 + y) * (width - 1) + x0 + tx];
      t[y + 1][x] = max(match, max(t[y + 1][x - 1], t[y][x]) - penalty);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < TILE; ++y)
    scores[(y0 + y + 1) * width + x0 + tx + 1] = t[y + 1][tx + 1];
}

// Prices a European call per block with a binomial lattice of 255 steps.
kernel void option_lattices(global const float *price, global const float *strike, global float *out) {
  local float values[256];
  int t = get_local_id(0);
  float up = 1.0189f, chance = 0.4991f, discount = 0.99992f;
  float s = price[get_group_id(0)], k = strike[get_group_id(0)];
  values[t] = max(s * pow(up, 2.0f * t - 255.0f) - k, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 255; step > 0; --step) {
    float value = 0;
    if (t < step)
      value = discount * (chance * values[t + 1] + (1.0f - chance) * values[t]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < step)
      values[t] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0)
    out[get_group_id(0)] = values[0];
}
