// What every CUDA C++ program has without including anything. Operations of SIMT IR are declared under their own names
// (src/simt/ir/ops.def); site 0 is replaced by the place of the call in the program.
// clang-format off: each needs those before it.
#include "heddle/qualifiers.h"
#include "heddle/moves.h"
#include "heddle/vector_types.h"
#include "heddle/indices.h"
#include "heddle/synchronization.h"
#include "heddle/warps.h"
#include "heddle/atomics.h"
#include "heddle/integers.h"
#include "heddle/math.h"
#include "heddle/conversions.h"
#include "heddle/bessel.h"
#include "heddle/memory.h"
#include "heddle/address_spaces.h"
#include "heddle/simd.h"
#include "heddle/output.h"
#include "heddle/heap.h"
// clang-format on
