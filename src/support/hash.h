// Content hashes that name cache entries.
#pragma once

#include "llvm/Support/BLAKE3.h"

#include <string>
#include <string_view>

namespace heddle {

/// Hashes a sequence of parts (BLAKE3, 160 bits). The hash covers each part's length, so moving a byte from one part to
/// the next changes it.
class Hash {
public:
  Hash &add(std::string_view part);
  Hash &add(uint64_t number);
  /// Returns the hash as 40 hexadecimal digits. Must be the last call, because it finalizes the hash.
  std::string hex();

private:
  llvm::BLAKE3 state_;
};

/// The hash of a byte string.
std::string hashOf(std::string_view bytes);

} // namespace heddle
