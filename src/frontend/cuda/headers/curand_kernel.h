// cuRAND's device generators XORWOW, Philox, MRG32k3a and Sobol, with the same states, seeds and sequences.
#pragma once
#include "heddle/random/mrg32k3a.h"
#include "heddle/random/philox.h"
#include "heddle/random/xorwow.h"
// clang-format off: these headers need those above.
#include "heddle/random/distributions.h"
#include "heddle/random/sobol.h"
