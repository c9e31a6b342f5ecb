// The types of two- and three-dimensional memory, which programs pass to kernels.
#pragma once

struct cudaPitchedPtr {
  void *ptr;
  unsigned long pitch, xsize, ysize;
};
struct cudaExtent {
  unsigned long width, height, depth;
};
struct cudaPos {
  unsigned long x, y, z;
};
__HEDDLE_BOTH_FN cudaPitchedPtr make_cudaPitchedPtr(void *p, unsigned long pitch,
                                                    unsigned long xsize, unsigned long ysize) {
  return {p, pitch, xsize, ysize};
}
__HEDDLE_BOTH_FN cudaExtent make_cudaExtent(unsigned long width, unsigned long height,
                                            unsigned long depth) {
  return {width, height, depth};
}
__HEDDLE_BOTH_FN cudaPos make_cudaPos(unsigned long x, unsigned long y, unsigned long z) {
  return {x, y, z};
}
