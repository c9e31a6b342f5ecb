// Definitions that depend on compile options. Included after the prelude, which is the same for all programs.
#pragma once

#include <cassert>

#include "heddle/cache_hints.h"
#include "heddle/wide_atomics.h"

#undef __CUDA_ARCH__
#define __CUDA_ARCH__ __HEDDLE_ARCHITECTURE__

#ifdef __HEDDLE_DEFAULT_IS_DEVICE__
#pragma clang force_cuda_host_device begin
#endif
