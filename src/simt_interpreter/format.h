// The text that simt.print writes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::interpreter {

/// Formats as ops.def says of Print. `next` gives the next 8 bytes of the operands, `textAt` the C string at an address.
std::string formatPrint(const std::string &format, const std::function<uint64_t()> &next,
                        const std::function<std::string(uint64_t)> &textAt);

} // namespace heddle::interpreter
