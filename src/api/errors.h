// Conversion of the library's internal exceptions to heddle::Error.
#pragma once

#include "heddle/error.h"

namespace heddle::v1::detail {

/// Rethrows the current exception as an Error.
[[noreturn]] void rethrowAsPublicError();

/// Calls `work` and converts its exceptions to Error.
template <typename Work> auto translateErrors(Work work) {
  try {
    return work();
  } catch (...) {
    rethrowAsPublicError();
  }
}

} // namespace heddle::v1::detail
