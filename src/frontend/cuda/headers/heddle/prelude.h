// The declarations that every CUDA C++ program can use without including a header. SIMT operations are declared by name
// (src/simt/ir/ops.def). PlaceSites replaces site 0 by the location of the call in the program.
// clang-format off: each header needs those before it.
#include "heddle/qualifiers.h"
#include "heddle/moves.h"
#include "heddle/vector_types.h"
#include "heddle/indices.h"
#include "heddle/synchronization.h"
#include "heddle/warps.h"
#include "heddle/atomics.h"
#include "heddle/scoped_atomics.h"
#include "heddle/integers.h"
#include "heddle/math.h"
#include "heddle/conversions.h"
#include "heddle/bessel.h"
#include "heddle/memory.h"
#include "heddle/pitched_memory.h"
#include "heddle/address_spaces.h"
#include "heddle/simd.h"
#include "heddle/output.h"
#include "heddle/heap.h"
// clang-format on
