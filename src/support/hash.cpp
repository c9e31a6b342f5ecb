#include "support/hash.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

namespace heddle {

Hash &Hash::add(std::string_view part) {
  add(uint64_t(part.size()));
  state_.update(llvm::StringRef(part.data(), part.size()));
  return *this;
}

Hash &Hash::add(uint64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = uint8_t(number >> (8 * i));
  state_.update(llvm::ArrayRef<uint8_t>(bytes));
  return *this;
}

std::string Hash::hex() {
  auto digest = state_.final<20>();
  return llvm::toHex(llvm::ArrayRef<uint8_t>(digest.data(), digest.size()), /*LowerCase=*/true);
}

std::string hashOf(std::string_view bytes) { return Hash().add(bytes).hex(); }

} // namespace heddle
