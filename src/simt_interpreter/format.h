// Formats the text of simt.print.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::interpreter {

/// Formats as specified for Print in ops.def. `next` returns the operands' next 8 bytes, `textAt` the C string at an
/// address.
std::string formatPrint(const std::string &format, const std::function<uint64_t()> &next,
                        const std::function<std::string(uint64_t)> &textAt);

} // namespace heddle::interpreter
