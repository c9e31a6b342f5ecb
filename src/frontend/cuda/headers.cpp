#include "frontend/cuda/headers.h"

// Of parsed_prelude.cpp.in; null where that is not linked.
extern "C" {
[[gnu::weak]] extern const char heddle_prelude_begin[];
[[gnu::weak]] extern const char heddle_prelude_end[];
}

namespace heddle::cudacpp {

llvm::StringRef parsedPrelude() {
  return {heddle_prelude_begin, size_t(heddle_prelude_end - heddle_prelude_begin)};
}

} // namespace heddle::cudacpp
