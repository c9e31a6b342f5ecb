// The contents of the precompiled header: the prelude, which every program includes, and headers that are slow to
// parse. Headers that declare names in namespace std are excluded, because programs that do not include them may
// define the same names.
#include "heddle/prelude.h"
// clang-format off: needs the prelude.
#include "heddle/bfloat16.h"
#include "heddle/half.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
// clang-format on
