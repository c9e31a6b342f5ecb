// What is parsed when Heddle is built: what every program has, and headers that take long to parse. Of those a program
// sees nothing until it includes them, but namespaces that are not std: programs bring their own parts of that.
#include "heddle/prelude.h"
// clang-format off: needs the prelude.
#include "heddle/bfloat16.h"
#include "heddle/half.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
// clang-format on
