#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

template <class T>
__global__ void algorithms(T *data, T *out, int n) {
  thrust::counting_iterator<int> numbers(0);
  auto squares = thrust::make_transform_iterator(numbers, [](int x) { return x * x; });
  if (threadIdx.x == 0) {
    thrust::inclusive_scan(thrust::seq, data, data + n, data);
    out[0] = thrust::reduce(thrust::seq, data, data + n, T(0), thrust::plus<T>());
    out[1] = thrust::lower_bound(thrust::seq, squares, squares + 100, data[0]) - squares;
  }
}
template __global__ void algorithms<int>(int *, int *, int);
