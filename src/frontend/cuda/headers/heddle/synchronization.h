#pragma once

__HEDDLE_OP(void, __heddle_barrier, "simt.barrier", int)
__HEDDLE_OP(int, __heddle_barrier_count, "simt.barrier.count", int, bool)
__HEDDLE_OP(int, __heddle_barrier_and, "simt.barrier.and", int, bool)
__HEDDLE_OP(int, __heddle_barrier_or, "simt.barrier.or", int, bool)
__HEDDLE_OP(void, __heddle_grid_barrier, "simt.grid.barrier", int)
__HEDDLE_OP(void, __heddle_fence_block, "simt.fence.block")
__HEDDLE_OP(void, __heddle_fence_device, "simt.fence.device")
__HEDDLE_OP(void, __heddle_fence_system, "simt.fence.system")
__HEDDLE_OP(void, __heddle_nanosleep, "simt.nanosleep", unsigned)

// A macro, because Clang has a builtin with this name.
#define __syncthreads() __heddle_barrier(0)
__HEDDLE_FN int __syncthreads_count(int p) { return __heddle_barrier_count(0, p != 0); }
__HEDDLE_FN int __syncthreads_and(int p) { return __heddle_barrier_and(0, p != 0); }
__HEDDLE_FN int __syncthreads_or(int p) { return __heddle_barrier_or(0, p != 0); }
// Barrier 0 to 15 of the block, for all of its threads or some.
__HEDDLE_FN void __barrier_sync(unsigned number) {
  asm volatile("barrier.sync %0;" ::"r"(number) : "memory");
}
__HEDDLE_FN void __barrier_sync_count(unsigned number, unsigned threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__HEDDLE_FN void __threadfence_block() { __heddle_fence_block(); }
__HEDDLE_FN void __threadfence() { __heddle_fence_device(); }
__HEDDLE_FN void __threadfence_system() { __heddle_fence_system(); }
// place: the scope of simt.atomic.*: 0 block, 1 device, 2 system.
__HEDDLE_FN void __heddle_fence(int place) {
  if (place == 0)
    __heddle_fence_block();
  else if (place == 1)
    __heddle_fence_device();
  else
    __heddle_fence_system();
}
__HEDDLE_FN void __nanosleep(unsigned ns) { __heddle_nanosleep(ns); }
// No launch overlaps with the one before it: launches never have CUDA's attribute that allows this.
__HEDDLE_FN void cudaGridDependencySynchronize() {}
__HEDDLE_FN void cudaTriggerProgrammaticLaunchCompletion() {}
