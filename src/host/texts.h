// Strings in compiled code: 1-byte code points if all are below 256, else 4-byte code points.
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

/// A result computed by Python: a string, copied to thread-local memory, or a bool.
struct MadeByPython {
  bool isText = true;
  bool isTrue = false; ///< the value of a bool
  std::vector<char> data;
  int64_t length = 0;
  int64_t width = 1;
};

/// Computes a string or bool from the values in `slots` by calling Python. `how` is "str", "repr", "format" (a value
/// and a format), "percent" (a format and values), "str.format", or the name of a string method. The letters of `types`
/// are the types of the values: `i u` integers, `f d` 32- and 64-bit floats, `c z` complex numbers, `b` a bool, `s` a
/// string, `n` None, `(...)` a tuple. On failure, returns false with a Python exception set.
using PythonText = bool (*)(const char *how, const char *types, const uint64_t *slots,
                            MadeByPython &made);
void setPythonTextMaker(PythonText maker);

/// Encodes as UTF-8; a lone surrogate becomes three bytes.
std::string toUtf8(const Text &text);

/// Runtime functions for strings.
llvm::ArrayRef<cpu::HostFunction> textFunctions();

} // namespace heddle::host
