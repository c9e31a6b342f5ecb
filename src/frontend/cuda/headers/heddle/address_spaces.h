// Queries of a generic pointer's address space, and addresses relative to an address space.
#pragma once

// inferAddressSpaces() expands the queries __heddle_is_in_* and __heddle_is_known_in_*. The latter are false for pointers
// whose address space the code does not show.
#define __HEDDLE_SPACE(Name, name, space)                                                          \
  __HEDDLE_OP(unsigned, __heddle_is_in_##name, "__heddle_is_in_" #name, const void *)              \
  __HEDDLE_OP(unsigned, __heddle_is_known_in_##name, "__heddle_is_known_in_" #name, const void *)  \
  __HEDDLE_FN unsigned __is##Name(const void *p) { return __heddle_is_in_##name(p); }              \
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
