// What benchmarks/cpu.py compares the CPU device with: the same work as loops with OpenMP, written by hand.
#include <algorithm>
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

/// c = a @ b in the order i, k, j, which reads rows.
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

/// The sum of each 256 elements.
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
}
