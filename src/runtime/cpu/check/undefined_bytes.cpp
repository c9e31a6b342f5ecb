#include "runtime/cpu/check/undefined_bytes.h"

#include <algorithm>
#include <bit>

namespace heddle::cpu {

template <class Visit>
void UndefinedBytes::forEachPage(uint64_t address, uint64_t bytes, Visit visit) {
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t first = address % pageBytes, length = std::min(pageBytes - first, end - address);
    visit(address / pageBytes, first, first + length);
    address += length;
  }
}

template <class Visit> void UndefinedBytes::forEachWord(uint64_t first, uint64_t end, Visit visit) {
  while (first < end) {
    uint64_t shift = first % wordBits, length = std::min(wordBits - shift, end - first);
    uint64_t mask = length == wordBits ? ~uint64_t(0) : (uint64_t(1) << length) - 1;
    visit(first / wordBits, mask << shift);
    first += length;
  }
}

void UndefinedBytes::add(uint64_t address, uint64_t bytes) {
  forEachPage(address, bytes, [&](uint64_t number, uint64_t first, uint64_t end) {
    Page &page = pages_[number];
    forEachWord(first, end, [&](uint64_t word, uint64_t mask) {
      page.count += uint32_t(std::popcount(mask & ~page.words[word]));
      page.words[word] |= mask;
    });
  });
}

void UndefinedBytes::remove(uint64_t address, uint64_t bytes) {
  forEachPage(address, bytes, [&](uint64_t number, uint64_t first, uint64_t end) {
    auto found = pages_.find(number);
    if (found == pages_.end())
      return;
    Page &page = found->second;
    forEachWord(first, end, [&](uint64_t word, uint64_t mask) {
      page.count -= uint32_t(std::popcount(mask & page.words[word]));
      page.words[word] &= ~mask;
    });
    if (!page.count)
      pages_.erase(found);
  });
}

void UndefinedBytes::appendRanges(uint64_t address, uint64_t bytes,
                                  std::vector<Range> &ranges) const {
  auto append = [&](uint64_t start, uint64_t length) {
    if (!ranges.empty() && ranges.back().first + ranges.back().second == start)
      ranges.back().second += length;
    else
      ranges.emplace_back(start, length);
  };
  forEachPage(address, bytes, [&](uint64_t number, uint64_t first, uint64_t end) {
    auto found = pages_.find(number);
    if (found == pages_.end())
      return;
    forEachWord(first, end, [&](uint64_t word, uint64_t mask) {
      uint64_t start = number * pageBytes + word * wordBits;
      for (uint64_t bits = found->second.words[word] & mask; bits;) {
        auto low = uint64_t(std::countr_zero(bits)),
             length = uint64_t(std::countr_one(bits >> low));
        append(start + low, length);
        bits = low + length == wordBits ? 0 : bits >> (low + length) << (low + length);
      }
    });
  });
}

} // namespace heddle::cpu
