// printf's formats as simt.print takes them.
#pragma once

#include <string>
#include <vector>

namespace heddle::cudacpp {

/// What a conversion takes; the numbers are those of __heddle_kinds in headers/heddle/output.h.
enum class PrintedKind { Integer = 0, Float = 1, Address = 2 };

/// How a value of printf's is brought to 64 bits.
struct PrintedValue {
  PrintedKind kind = PrintedKind::Integer;
  char conversion = 'd';
  unsigned bits = 64; ///< the value's own width, which the rest is an extension of
  bool isSigned = false;
};

struct PrintFormat {
  std::string text; ///< for simt.print
  std::vector<PrintedValue> values;
  std::string problem; ///< why it cannot be one; empty when it can
};

/// `format` with length modifiers taken out, and what they said.
PrintFormat readPrintFormat(const std::string &format);

} // namespace heddle::cudacpp
