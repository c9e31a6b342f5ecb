// Addresses of shared memory in inline PTX.
#pragma once

// The 32-bit address that instructions for shared memory take.
__HEDDLE_FN unsigned __heddle_shared_address(const void *p) {
#if __HEDDLE_GPU__
  return (unsigned)(size_t)(const __attribute__((address_space(3))) void *)p; // LLVM can fold it
#else
  return (unsigned)__cvta_generic_to_shared(p);
#endif
}
