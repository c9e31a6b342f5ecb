#include <cuda/atomic>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>

struct Pair {
  cuda::std::array<int, 3> numbers;
  cuda::std::optional<float> maybe;
};
extern "C" __global__ void contain(const int *in, int *out, Pair pair) {
  cuda::std::span<const int> all(in, 256);
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(out[0]);
  auto [first, size] = cuda::std::make_tuple(pair.numbers[1], (int)all.size());
  counter.fetch_add(cuda::std::clamp(first, 1, size), cuda::memory_order_relaxed);
  if (in[threadIdx.x] > 500) pair.maybe = in[threadIdx.x];
  out[threadIdx.x + 1] = pair.maybe.value_or(first);
}
