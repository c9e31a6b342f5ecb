#include "runtime/cpu/check/shadow_memory.h"

#include <algorithm>

namespace heddle::cpu {

void AccessSet::addAndDropRedundant(const Stamp &access) {
  if (!current_.empty()) {
    const Stamp &last = current_.back();
    if (last.block != access.block) {
      bool isFirst = !others_[0].exists() || others_[0].block == last.block;
      others_[!isFirst] = last;
    }
    if (last.block != access.block || last.epoch != access.epoch)
      current_.clear();
  }
  auto at = std::ranges::lower_bound(current_, access.thread, {}, &Stamp::thread);
  if (at != current_.end() && at->thread == access.thread)
    *at = access;
  else
    current_.insert(at, access);
}

ShadowMemory::Page &ShadowMemory::pageAt(uint64_t address, bool needsBytes) {
  uint64_t number = address / pageBytes;
  if (number != lastNumber_) {
    std::unique_ptr<Page> &page = pages_[number];
    if (!page)
      page = std::make_unique<Page>();
    last_ = page.get();
    lastNumber_ = number;
  }
  if (needsBytes && last_->granule != 1)
    splitIntoBytes(*last_);
  return *last_;
}

void ShadowMemory::moveCells(uint64_t from, uint64_t to, uint64_t bytes) {
  for (uint64_t number = from / pageBytes; number * pageBytes < from + bytes; ++number) {
    auto source = pages_.extract(number);
    if (!source)
      continue;
    std::unique_ptr<Page> &target = pages_[number - from / pageBytes + to / pageBytes];
    if (!target) {
      target = std::move(source.mapped());
      continue;
    }
    for (Page *page : {target.get(), source.mapped().get()})
      if (target->granule != source.mapped()->granule && page->granule != 1)
        splitIntoBytes(*page);
    for (size_t i = 0; i < target->cells.size(); ++i)
      if (!target->cells[i].isAccessed())
        target->cells[i] = std::move(source.mapped()->cells[i]);
  }
  lastNumber_ = ~uint64_t(0);
}

void ShadowMemory::splitIntoBytes(Page &page) {
  std::vector<Cell> bytes(pageBytes);
  for (uint64_t i = 0; i < pageBytes; ++i) {
    const Cell &word = page.cells[i / wordBytes];
    Cell &cell = bytes[i];
    cell.write = word.write;
    cell.read = word.read;
    if (word.reads)
      cell.reads = std::make_unique<AccessSet>(*word.reads);
    if (word.atomics)
      cell.atomics = std::make_unique<AccessSet>(*word.atomics);
  }
  page.cells = std::move(bytes);
  page.granule = 1;
}

} // namespace heddle::cpu
