// Converts printf formats to those of simt.print.
#pragma once

#include <string>
#include <vector>

namespace heddle::cudacpp {

/// The argument type of a conversion. The numbers match __heddle_kinds in headers/heddle/output.h.
enum class PrintedKind { Integer = 0, Float = 1, Address = 2 };

/// A printf argument and its extension to 64 bits.
struct PrintedValue {
  PrintedKind kind = PrintedKind::Integer;
  char conversion = 'd';
  unsigned bits = 64; ///< width of the value before extension
  bool isSigned = false;
};

struct PrintFormat {
  std::string text; ///< for simt.print
  std::vector<PrintedValue> values;
  std::string problem; ///< an error message; empty if the format is valid
};

/// Converts a printf format: removes the length modifiers, and describes the arguments in the result's `values`.
PrintFormat readPrintFormat(const std::string &format);

} // namespace heddle::cudacpp
