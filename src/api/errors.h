// What the library throws, as the one exception of its interface.
#pragma once

#include "heddle/error.h"

namespace heddle::v1::detail {

/// Throws the exception that is being handled as an Error.
[[noreturn]] void throwAsError();

/// Does `work`; what it throws is an Error.
template <typename Work> auto translated(Work work) {
  try {
    return work();
  } catch (...) {
    throwAsError();
  }
}

} // namespace heddle::v1::detail
