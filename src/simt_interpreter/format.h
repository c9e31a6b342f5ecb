// Formats the text of simt.print.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::interpreter {

/// Formats as specified for Print in ops.def. Each call of `next` returns the next 8 bytes of the operands, and
/// `textAt` the C string at an address.
std::string formatPrint(const std::string &format, const std::function<uint64_t()> &next,
                        const std::function<std::string(uint64_t)> &textAt);

} // namespace heddle::interpreter
