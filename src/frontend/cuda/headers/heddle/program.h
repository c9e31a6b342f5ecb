// What depends on how a program is compiled: included after the prelude, which is the same for all.
#pragma once

#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : __heddle_failed("AssertionError", #__VA_ARGS__))
#endif

#undef __CUDA_ARCH__
#define __CUDA_ARCH__ __HEDDLE_ARCHITECTURE__
