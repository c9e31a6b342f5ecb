// A set of undefined bytes: bytes of memory that have not been written.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::cpu {

/// A set of undefined bytes, one bit each. All other memory counts as defined.
class UndefinedBytes {
public:
  /// An address range: its start and its length in bytes.
  using Range = std::pair<uint64_t, uint64_t>;

  void add(uint64_t address, uint64_t bytes);
  void remove(uint64_t address, uint64_t bytes);
  bool isEmpty() const { return pages_.empty(); }
  /// Appends the ranges of these bytes in [address, address + bytes), in order.
  void appendRanges(uint64_t address, uint64_t bytes, std::vector<Range> &ranges) const;

private:
  static constexpr uint64_t pageBytes = 4096, wordBits = 64;
  struct Page {
    std::array<uint64_t, pageBytes / wordBits> words{};
    uint32_t count = 0; ///< set bits; pages without any are removed
  };
  /// Calls `visit(page number, first bit, end)` for the pages with bits of [address, address + bytes).
  template <class Visit> static void forEachPage(uint64_t address, uint64_t bytes, Visit visit);
  /// Calls `visit(word, mask)` for the words of a page with bits of [first, end).
  template <class Visit> static void forEachWord(uint64_t first, uint64_t end, Visit visit);

  std::unordered_map<uint64_t, Page> pages_; ///< by address / pageBytes
};

} // namespace heddle::cpu
