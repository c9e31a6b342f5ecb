// Content hashes: names for cached things.
#pragma once

#include "llvm/Support/BLAKE3.h"

#include <string>
#include <string_view>

namespace heddle {

/// Collects parts into one hash (BLAKE3, 160 bits). Each part is hashed with its length, so that moving a byte from one
/// part to the next changes the result.
class Hash {
public:
  Hash &add(std::string_view part);
  Hash &add(uint64_t number);
  /// 40 hexadecimal digits. The hash is used up.
  std::string hex();

private:
  llvm::BLAKE3 state_;
};

/// The hash of one piece of bytes.
std::string hashOf(std::string_view bytes);

} // namespace heddle
