// The precompiled declarations: those of every program, and headers that are slow to parse. The latter stay invisible
// until a program includes them, except for namespaces other than std, of which programs define parts themselves.
#include "heddle/prelude.h"
// clang-format off: needs the prelude.
#include "heddle/bfloat16.h"
#include "heddle/half.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
// clang-format on
