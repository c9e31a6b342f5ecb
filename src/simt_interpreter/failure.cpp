#include "simt_interpreter/failure.h"

namespace heddle::interpreter {

const char *nameOfFailureKind(FailureKind kind) {
  const char *names[] = {"trap", "bounds",     "space",    "misaligned", "readonly",   "undefined",
                         "mask", "divergence", "deadlock", "endless",    "unsupported"};
  return names[unsigned(kind)];
}

} // namespace heddle::interpreter
