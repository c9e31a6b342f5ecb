// What is parsed when Heddle is built: what every program has, and headers that take long to parse. Of those a program
// sees nothing until it includes them; their include guards are macros, which the parsed form keeps.
#include "heddle/prelude.h"
// clang-format off: needs the prelude.
#include "heddle/bfloat16.h"
#include "heddle/half.h"
#include <cooperative_groups.h>
// clang-format on
