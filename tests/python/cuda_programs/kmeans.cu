// A step of k-means: the nearest centre of each point (features are stored feature by feature),
// then the sums and counts of the new centres, first in shared memory.
constexpr float FLT_MAX = 3.402823466e+38F;

__global__ void assign(const float *__restrict__ features, const float *__restrict__ centers,
                       int *__restrict__ membership, int npoints, int nclusters, int nfeatures) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= npoints)
    return;
  int index = -1;
  float min_dist = FLT_MAX;
  for (int c = 0; c < nclusters; c++) {
    float dist = 0.0f;
    for (int f = 0; f < nfeatures; f++) {
      const float diff = features[f * npoints + point] - centers[c * nfeatures + f];
      dist += diff * diff;
    }
    if (dist < min_dist) {
      min_dist = dist;
      index = c;
    }
  }
  membership[point] = index;
}

__global__ void accumulate(const float *__restrict__ features, const int *__restrict__ membership,
                           float *sums, int *counts, int npoints, int nclusters, int nfeatures) {
  extern __shared__ float shared[];
  float *localSums = shared;
  int *localCounts = (int *)&shared[nclusters * nfeatures];
  for (int i = threadIdx.x; i < nclusters * nfeatures; i += blockDim.x)
    localSums[i] = 0.f;
  for (int i = threadIdx.x; i < nclusters; i += blockDim.x)
    localCounts[i] = 0;
  __syncthreads();

  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point < npoints) {
    const int c = membership[point];
    atomicAdd(&localCounts[c], 1);
    for (int f = 0; f < nfeatures; f++)
      atomicAdd(&localSums[c * nfeatures + f], features[f * npoints + point]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < nclusters * nfeatures; i += blockDim.x)
    atomicAdd(&sums[i], localSums[i]);
  for (int i = threadIdx.x; i < nclusters; i += blockDim.x)
    atomicAdd(&counts[i], localCounts[i]);
}
