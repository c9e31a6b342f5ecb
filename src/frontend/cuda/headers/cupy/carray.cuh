#pragma once
#include "heddle/carray.h"
#include <cuda_fp16.h>
#include <cupy/float16.cuh>
