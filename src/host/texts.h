// Strings of compiled code: code points of 1 byte, where all are below 256, or of 4.
#pragma once

#include "runtime/cpu/code/host_functions.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::host {

struct Text {
  const char *data;
  int64_t length;
  int64_t width;

  uint32_t at(int64_t i) const {
    return width == 1 ? uint8_t(data[i]) : reinterpret_cast<const uint32_t *>(data)[i];
  }
};

/// What Python makes of values: a string in memory of the thread's own, or a bool.
struct MadeByPython {
  bool isText = true;
  bool isTrue = false; ///< of a bool
  std::vector<char> data;
  int64_t length = 0;
  int64_t width = 1;
};

/// Makes a text by Python of values that lie in `slots`. `how` is "str", "repr", "format" of a value and a format,
/// "percent" of a format and values, "str.format", or the name of a method of strings. A letter of `types` says what the
/// next value is: `i u` integers, `f d` floats of 32 and 64 bits, `c z` complex numbers, `b` a bool, `s` a string, `n` None,
/// `(...)` a tuple. Whether that worked; where not, Python has the exception.
using PythonText = bool (*)(const char *how, const char *types, const uint64_t *slots,
                            MadeByPython &made);
void setPythonText(PythonText maker);

/// UTF-8, in which half of a surrogate pair is three bytes.
std::string utf8Of(const Text &text);

/// The functions of the runtime for strings.
llvm::ArrayRef<cpu::HostFunction> textFunctions();

} // namespace heddle::host
