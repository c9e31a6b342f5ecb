// Blurs a signal with weights in constant memory: a CUDA C++ kernel in a C++ program, on a GPU or the CPU.
//
//     blur                       on the GPU if there is one
//     HEDDLE_DEVICE=cpu blur     on the CPU

#include <heddle/heddle.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

const char *const source = R"(
__constant__ float weights[2 * RADIUS + 1];

// Each block loads its part of the signal and RADIUS neighbors on both sides into shared memory once.
template <typename T> __global__ void blur(const T *in, T *out, int n) {
  extern __shared__ unsigned char memory[];
  T *tile = reinterpret_cast<T *>(memory);
  int first = blockIdx.x * blockDim.x - RADIUS;
  for (int i = threadIdx.x; i < blockDim.x + 2 * RADIUS; i += blockDim.x)
    tile[i] = first + i >= 0 && first + i < n ? in[first + i] : T(0);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T sum = 0;
  for (int k = 0; k <= 2 * RADIUS; ++k)
    sum += weights[k] * tile[threadIdx.x + k];
  out[i] = sum;
}
)";

/// The kernel's result for element i, computed on the host.
double blurredAt(const std::vector<double> &signal, const std::vector<float> &weights, int i) {
  int radius = int(weights.size()) / 2;
  double sum = 0;
  for (int k = -radius; k <= radius; ++k)
    if (i + k >= 0 && i + k < int(signal.size()))
      sum += weights[k + radius] * signal[i + k];
  return sum;
}

int run() {
  auto device = heddle::Device::preferred();
  heddle::Module module(device, source, {"-DRADIUS=2"}, {"blur<double>"});
  heddle::Kernel blur = module.function("blur<double>");

  const std::vector<float> weights = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  module.global<float>("weights").copyFrom(weights);

  const int n = 1 << 20, threads = 256;
  std::vector<double> signal(n);
  for (int i = 0; i < n; ++i)
    signal[i] = std::sin(i * 0.01);
  heddle::Buffer<double> in(device, signal), out(device, n);

  heddle::Stream stream(device);
  heddle::Event begin(device), end(device);
  heddle::Launch how{(n + threads - 1) / threads, threads};
  how.dynamicSharedBytes = (threads + 4) * sizeof(double);
  how.stream = &stream;
  stream.record(begin);
  blur.launch(how, in, out, n);
  stream.record(end);
  stream.synchronize();

  std::vector<double> result = out.toVector();
  double error = 0;
  for (int i = 0; i < n; ++i)
    error = std::fmax(error, std::fabs(result[i] - blurredAt(signal, weights, i)));
  std::printf("%s: blurred %d values in %.3f ms, largest error %g\n", device.name().c_str(), n,
              end.millisecondsSince(begin), error);
  return error < 1e-12 ? 0 : 1;
}

} // namespace

int main() {
  try {
    return run();
  } catch (const heddle::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
