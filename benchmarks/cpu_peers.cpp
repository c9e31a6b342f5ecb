// The peers of benchmarks/cpu.py: the same work as hand-written loops with OpenMP.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" {

void vector_add(int64_t n, const float *a, const float *b, float *c) {
#pragma omp parallel for simd
  for (int64_t i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

void saxpy(int64_t n, float a, const float *x, float *y) {
#pragma omp parallel for simd
  for (int64_t i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i];
}

/// c = a @ b with the loop order i, k, j, which reads rows.
void matmul(int64_t n, const float *a, const float *b, float *c) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i) {
    std::fill(c + i * n, c + (i + 1) * n, 0.0f);
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

/// The tiled kernel as loops over the threads of a block between its barriers.
void tiled_matmul(int64_t n, const float *a, const float *b, float *c) {
  constexpr int tile = 16;
  int64_t blocks = n / tile;
#pragma omp parallel for collapse(2)
  for (int64_t by = 0; by < blocks; ++by)
    for (int64_t bx = 0; bx < blocks; ++bx) {
      alignas(64) float as[tile][tile], bs[tile][tile], total[tile][tile] = {};
      for (int64_t step = 0; step < blocks; ++step) {
        for (int y = 0; y < tile; ++y)
          for (int x = 0; x < tile; ++x) {
            as[y][x] = a[(by * tile + y) * n + step * tile + x];
            bs[y][x] = b[(step * tile + y) * n + bx * tile + x];
          }
        for (int y = 0; y < tile; ++y)
          for (int k = 0; k < tile; ++k)
            for (int x = 0; x < tile; ++x)
              total[y][x] += as[y][k] * bs[k][x];
      }
      for (int y = 0; y < tile; ++y)
        for (int x = 0; x < tile; ++x)
          c[(by * tile + y) * n + bx * tile + x] = total[y][x];
    }
}

void mandelbrot(int64_t w, int64_t h, int most, int *out) {
#pragma omp parallel for schedule(dynamic)
  for (int64_t y = 0; y < h; ++y)
    for (int64_t x = 0; x < w; ++x) {
      float cr = -2.0f + 3.0f * x / w, ci = -1.5f + 3.0f * y / h, zr = 0, zi = 0;
      int n = 0;
      while (n < most && zr * zr + zi * zi < 4.0f) {
        float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
        ++n;
      }
      out[y * w + x] = n;
    }
}

/// The sum of each block of 256 elements.
void block_sums(int64_t n, const float *x, float *out) {
#pragma omp parallel for
  for (int64_t block = 0; block < n / 256; ++block) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < 256; ++i)
      sum += x[block * 256 + i];
    out[block] = sum;
  }
}

void histogram(int64_t n, const uint8_t *x, int *bins) {
  std::fill(bins, bins + 256, 0);
#pragma omp parallel
  {
    int own[256] = {};
#pragma omp for
    for (int64_t i = 0; i < n; ++i)
      ++own[x[i]];
#pragma omp critical
    for (int i = 0; i < 256; ++i)
      bins[i] += own[i];
  }
}

void transpose(int64_t n, const float *x, float *out) {
#pragma omp parallel for collapse(2)
  for (int64_t y0 = 0; y0 < n; y0 += 32)
    for (int64_t x0 = 0; x0 < n; x0 += 32)
      for (int64_t i = y0; i < y0 + 32; ++i)
        for (int64_t j = x0; j < x0 + 32; ++j)
          out[i * n + j] = x[j * n + i];
}

void heat_step(int64_t n, const float *u, float *v) {
#pragma omp parallel for
  for (int64_t y = 1; y < n - 1; ++y)
#pragma omp simd
    for (int64_t x = 1; x < n - 1; ++x) {
      const float *c = u + y * n + x;
      v[y * n + x] = c[0] + 0.2f * (c[-n] + c[n] + c[-1] + c[1] - 4 * c[0]);
    }
}

void scan_of_blocks(int64_t n, const float *x, float *out) {
#pragma omp parallel for
  for (int64_t block = 0; block < n / 512; ++block) {
    float sum = 0;
    for (int64_t i = block * 512; i < (block + 1) * 512; ++i)
      out[i] = sum += x[i];
  }
}

/// Sorts a copy: sorted input would be faster to sort.
void sort_of_blocks(int64_t n, const float *x) {
#pragma omp parallel for
  for (int64_t block = 0; block < n / 1024; ++block) {
    float keys[1024];
    std::copy(x + block * 1024, x + (block + 1) * 1024, keys);
    std::sort(keys, keys + 1024);
    volatile float kept = keys[7];
    (void)kept;
  }
}

void n_body(int64_t n, const float *x, const float *y, const float *z, const float *m, float *fx,
            float *fy, float *fz) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i) {
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (int64_t j = 0; j < n; ++j) {
      float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
      float force = m[j] * inverse * inverse * inverse;
      ax += force * dx;
      ay += force * dy;
      az += force * dz;
    }
    fx[i] = ax, fy[i] = ay, fz[i] = az;
  }
}

void sparse_product(int64_t rows, const int *starts, const int *columns, const float *values,
                    const float *x, float *y) {
#pragma omp parallel for
  for (int64_t row = 0; row < rows; ++row) {
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k)
      sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

void floyd_warshall_step(int64_t n, float *d, int64_t k) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i)
#pragma omp simd
    for (int64_t j = 0; j < n; ++j)
      d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

void black_scholes(int64_t n, const float *price, const float *strike, const float *years,
                   float *call, float *put) {
#pragma omp parallel for simd
  for (int64_t i = 0; i < n; ++i) {
    float root = std::sqrt(years[i]);
    float d1 =
        (std::log(price[i] / strike[i]) + (0.02f + 0.5f * 0.3f * 0.3f) * years[i]) / (0.3f * root);
    float d2 = d1 - 0.3f * root, discount = strike[i] * std::exp(-0.02f * years[i]);
    float n1 = 0.5f * std::erfc(-d1 * 0.70710678f), n2 = 0.5f * std::erfc(-d2 * 0.70710678f);
    call[i] = price[i] * n1 - discount * n2;
    put[i] = discount * (1 - n2) - price[i] * (1 - n1);
  }
}

void lu_of_blocks(int64_t matrices, float *a) {
#pragma omp parallel for
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    float *s = a + matrix * 256;
    for (int k = 0; k < 15; ++k)
      for (int y = k + 1; y < 16; ++y) {
        float factor = s[y * 16 + k] /= s[k * 16 + k];
        for (int x = k + 1; x < 16; ++x)
          s[y * 16 + x] -= factor * s[k * 16 + x];
      }
  }
}

void needleman_wunsch_diagonal(int64_t n, int *scores, const int *similarity, int64_t diagonal,
                               int penalty) {
  int64_t tiles = n / 16, first = std::max<int64_t>(0, diagonal - tiles + 1);
  int64_t count = std::min(diagonal, tiles - 1) - first + 1;
#pragma omp parallel for
  for (int64_t b = 0; b < count; ++b) {
    int64_t x0 = (first + b) * 16, y0 = (diagonal - first - b) * 16;
    for (int64_t y = y0 + 1; y <= y0 + 16; ++y)
      for (int64_t x = x0 + 1; x <= x0 + 16; ++x) {
        int *here = scores + y * (n + 1) + x;
        int match = here[-n - 2] + similarity[(y - 1) * n + x - 1];
        *here = std::max(match, std::max(here[-1], here[-n - 1]) - penalty);
      }
  }
}

void option_lattices(int64_t options, const float *price, const float *strike, float *out) {
  const float up = 1.0189f, chance = 0.4991f, discount = 0.99992f;
#pragma omp parallel for
  for (int64_t i = 0; i < options; ++i) {
    float values[256];
    for (int t = 0; t < 256; ++t)
      values[t] = std::max(price[i] * std::pow(up, 2.0f * t - 255.0f) - strike[i], 0.0f);
    for (int step = 255; step > 0; --step)
      for (int t = 0; t < step; ++t)
        values[t] = discount * (chance * values[t + 1] + (1 - chance) * values[t]);
    out[i] = values[0];
  }
}
}
