#include "runtime/cpu/host_functions.h"

// Each function is declared under a name of ours and without its type: a table holds all of them, and no header's
// declaration or overload stands in the way.
#define HEDDLE_STRING_OF(x) #x
#define HEDDLE_STRING(x) HEDDLE_STRING_OF(x)
#define HEDDLE_DECLARE(name)                                                                       \
  void heddleHost_##name() __asm__(HEDDLE_STRING(__USER_LABEL_PREFIX__) #name);

extern "C" {
#define HEDDLE_LIBM(name) HEDDLE_DECLARE(name) HEDDLE_DECLARE(name##f)
#define HEDDLE_LIBC(name) HEDDLE_DECLARE(name)
#include "runtime/cpu/host_functions.def"
}

namespace heddle::cpu {

#define HEDDLE_ROW(name) {#name, reinterpret_cast<void *>(&heddleHost_##name)},

const HostFunction hostFunctions[] = {
#define HEDDLE_LIBM(name) HEDDLE_ROW(name) HEDDLE_ROW(name##f)
#define HEDDLE_LIBC(name) HEDDLE_ROW(name)
#include "runtime/cpu/host_functions.def"
    {nullptr, nullptr}};

} // namespace heddle::cpu
