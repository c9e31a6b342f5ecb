// Queries of a generic pointer's address space, and addresses relative to an address space.
#pragma once

#define __HEDDLE_SPACE(Name, name, space)                                                          \
  __HEDDLE_FN unsigned __is##Name(const void *p) {                                                 \
    unsigned inside;                                                                               \
    asm("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }"                        \
        : "=r"(inside)                                                                             \
        : "l"(p));                                                                                 \
    return inside;                                                                                 \
  }                                                                                                \
  __HEDDLE_FN size_t __cvta_generic_to_##name(const void *p) {                                     \
    size_t address;                                                                                \
    asm("cvta.to." space ".u64 %0, %1;" : "=l"(address) : "l"(p));                                 \
    return address;                                                                                \
  }                                                                                                \
  __HEDDLE_FN void *__cvta_##name##_to_generic(size_t address) {                                   \
    void *p;                                                                                       \
    asm("cvta." space ".u64 %0, %1;" : "=l"(p) : "l"(address));                                    \
    return p;                                                                                      \
  }
__HEDDLE_SPACE(Global, global, "global")
__HEDDLE_SPACE(Shared, shared, "shared")
__HEDDLE_SPACE(Constant, constant, "const")
__HEDDLE_SPACE(Local, local, "local")
#undef __HEDDLE_SPACE
__HEDDLE_FN unsigned __isGridConstant(const void *) { return 0; }
