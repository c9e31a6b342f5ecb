#include "frontend/cuda/clang/device_headers.h"

// From parsed_prelude.cpp.in; null if it is not linked.
extern "C" {
[[gnu::weak]] extern const char heddle_prelude_14_begin[], heddle_prelude_14_end[];
[[gnu::weak]] extern const char heddle_prelude_17_begin[], heddle_prelude_17_end[];
}

namespace heddle::cudacpp {

llvm::StringRef parsedPrelude(llvm::StringRef standard) {
  auto between = [](const char *begin, const char *end) {
    return llvm::StringRef(begin, size_t(end - begin));
  };
  if (standard == "c++14")
    return between(heddle_prelude_14_begin, heddle_prelude_14_end);
  if (standard == "c++17")
    return between(heddle_prelude_17_begin, heddle_prelude_17_end);
  return {};
}

} // namespace heddle::cudacpp
