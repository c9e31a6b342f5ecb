// Accelerations of bodies under each other's gravity: a block reads the bodies in tiles through
// shared memory. A body is a float4: its place and its mass.
__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj, float softeningSquared) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + softeningSquared;
  float invDist = rsqrtf(distSqr);
  float s = bj.w * (invDist * invDist * invDist);
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

extern "C" __global__ void integrateBodies(const float4 *__restrict__ pos, float4 *__restrict__ vel,
                                           int n, float dt, float softeningSquared) {
  extern __shared__ float4 sharedPos[];
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  float4 position = index < n ? pos[index] : make_float4(0, 0, 0, 0);
  float3 acc = {0.0f, 0.0f, 0.0f};

  for (int tile = 0; tile < n; tile += blockDim.x) {
    sharedPos[threadIdx.x] =
        tile + threadIdx.x < n ? pos[tile + threadIdx.x] : make_float4(0.f, 0.f, 0.f, 0.f);
    __syncthreads();
#pragma unroll 4
    for (unsigned int counter = 0; counter < blockDim.x; counter++)
      acc = bodyBodyInteraction(acc, position, sharedPos[counter], softeningSquared);
    __syncthreads();
  }
  if (index >= n)
    return;
  float4 velocity = vel[index];
  velocity.x += acc.x * dt;
  velocity.y += acc.y * dt;
  velocity.z += acc.z * dt;
  vel[index] = velocity;
}
