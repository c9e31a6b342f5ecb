// Inline PTX as libraries of warps have it: a thread's lane, the lanes below it that agree with it, and its place among
// them, which numbers the elements that pass a test without a counter in memory.
__device__ unsigned laneId() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ unsigned lanesBelow() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

__device__ unsigned ballot(bool p) {
  unsigned lanes;
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "setp.ne.u32 p, %1, 0;\n\t"
               "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t"
               "}"
               : "=r"(lanes)
               : "r"((unsigned)p));
  return lanes;
}

// Each warp's elements above `limit` to the front of its 32 places, in order; `counts` says how many.
__global__ void lane_id(const float *in, float *out, unsigned *lanes, unsigned *counts,
                        float limit) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = laneId();
  lanes[i] = lane;
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(in + i));
  const unsigned chosen = ballot(value > limit);
  unsigned place;
  asm("popc.b32 %0, %1;" : "=r"(place) : "r"(chosen & lanesBelow()));
  if (value > limit)
    asm volatile("st.global.f32 [%0], %1;" ::"l"(out + (i - lane) + place), "f"(value) : "memory");
  if (lane == 0)
    counts[i / 32] = __popc(chosen);
}
