// cuRAND's device generators, with its states, seeds and sequences: XORWOW, Philox, MRG32k3a and Sobol.
#pragma once
#include "heddle/random/mrg32k3a.h"
#include "heddle/random/philox.h"
#include "heddle/random/xorwow.h"
// clang-format off: needs them.
#include "heddle/random/distributions.h"
#include "heddle/random/sobol.h"
