// cuRAND's generators for kernels: XORWOW, Philox and MRG32k3a, with its states, seeds and sequences.
#pragma once
#include "heddle/random/mrg32k3a.h"
#include "heddle/random/philox.h"
#include "heddle/random/xorwow.h"
// clang-format off: needs them.
#include "heddle/random/distributions.h"
