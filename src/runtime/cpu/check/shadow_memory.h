// Shadow memory: the last accesses to each location, in a checked launch.
#pragma once

#include "simt/check/checked_access.h"
#include "simt/ir/sites.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::cpu {

/// An access of a thread. The counts of barriers and fences that the thread had passed tell when it happened.
struct Stamp {
  uint32_t block = 0;  ///< linear index in the grid
  uint32_t epoch = 0;  ///< barriers that the thread had passed
  uint32_t time = 0;   ///< warp barriers and fences that the thread had passed
  uint32_t site = ~0u; ///< ~0: no access
  uint32_t locks = 0;  ///< ID of the set of locks that the thread holds (LockSets)
  uint16_t thread = 0; ///< linear index in the block
  simt::Scope scope = simt::Scope::System;                  ///< of an atomic
  bool isFlag = false, isGuess = false, isInFlight = false; ///< see simt::CheckedAccess

  bool exists() const { return site != ~0u; }
  bool isSameThread(const Stamp &other) const {
    return block == other.block && thread == other.thread;
  }
};

/// A selection of the accesses to one location by several threads: the latest access of each thread of the last block
/// and epoch, and one access of each of two other blocks.
class AccessSet {
public:
  void addAndDropRedundant(const Stamp &access);
  template <class Visit> void forEach(Visit visit) const {
    for (const Stamp &access : others_)
      if (access.exists())
        visit(access);
    for (const Stamp &access : current_)
      visit(access);
  }

private:
  Stamp others_[2];
  std::vector<Stamp> current_; ///< by thread
};

/// The last accesses to one location.
struct Cell {
  Stamp write;
  Stamp read;                       ///< the last read since the write; unused if there are `reads`
  std::unique_ptr<AccessSet> reads; ///< reads since the write, once two of them are unordered
  std::unique_ptr<AccessSet> atomics; ///< atomics since the write

  bool isAccessed() const { return write.exists() || read.exists() || reads || atomics; }
};

/// Cells by address: one per 4 bytes, or one per byte in pages with smaller accesses.
class ShadowMemory {
public:
  /// Calls `visit(cell)` for the cells of [address, address + bytes).
  template <class Visit> void forEach(uint64_t address, uint64_t bytes, Visit visit) {
    bool needsBytes = (address | bytes) % wordBytes != 0;
    for (uint64_t end = address + bytes; address < end;) {
      Page &page = pageAt(address, needsBytes);
      uint64_t pageEnd = (address / pageBytes + 1) * pageBytes,
               stop = end < pageEnd ? end : pageEnd;
      for (; address < stop; address += page.granule)
        visit(page.cells[address % pageBytes / page.granule]);
    }
  }

  /// Calls `visit(address, bytes, cell)` for the accessed cells of [low, high), by address.
  template <class Visit> void forEachAccessed(uint64_t low, uint64_t high, Visit visit) const {
    for (uint64_t number = low / pageBytes; number * pageBytes < high; ++number)
      if (auto page = pages_.find(number); page != pages_.end())
        visitPage(number, *page->second, [&](uint64_t address, uint64_t bytes, const Cell &cell) {
          if (address < high && address + bytes > low)
            visit(address, bytes, cell);
        });
  }
  /// Calls `visit(address, bytes, cell)` for all accessed cells, page by page.
  template <class Visit> void forEachAccessed(Visit visit) const {
    for (const auto &[number, page] : pages_)
      visitPage(number, *page, visit);
  }
  /// Calls `visit(cell)` for the cells of a range that accessed pages have.
  template <class Visit> void forEachExisting(uint64_t address, uint64_t bytes, Visit visit) {
    for (uint64_t number = address / pageBytes; number * pageBytes < address + bytes; ++number)
      if (auto found = pages_.find(number); found != pages_.end()) {
        Page &page = *found->second;
        for (size_t i = 0; i < page.cells.size(); ++i)
          if (number * pageBytes + i * page.granule - address < bytes)
            visit(page.cells[i]);
      }
  }
  uint64_t countPages() const { return pages_.size(); }

  static constexpr uint64_t pageBytes = 1024;
  /// Bytes of cells for a page with one cell per word. A page with smaller accesses needs more: it has one per byte.
  static constexpr uint64_t bytesPerPage = pageBytes / sizeof(uint32_t) * sizeof(Cell);
  /// Moves the cells of [from, from + bytes) to `to`; `to - from` must be a multiple of pageBytes. Accesses that a
  /// target cell already has are kept.
  void moveCells(uint64_t from, uint64_t to, uint64_t bytes);

private:
  static constexpr uint64_t wordBytes = 4;
  struct Page {
    uint64_t granule = wordBytes; ///< bytes per cell
    std::vector<Cell> cells{pageBytes / wordBytes};
  };
  template <class Visit> static void visitPage(uint64_t number, const Page &page, Visit visit) {
    for (size_t i = 0; i < page.cells.size(); ++i)
      if (page.cells[i].isAccessed())
        visit(number * pageBytes + i * page.granule, page.granule, page.cells[i]);
  }
  Page &pageAt(uint64_t address, bool needsBytes);
  static void splitIntoBytes(Page &page);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t lastNumber_ = ~uint64_t(0);
  Page *last_ = nullptr;
};

/// The last accesses to each location of global memory in a launch.
struct RecordedAccesses {
  ShadowMemory memory;
  const std::vector<simt::SiteInfo> *sites = nullptr; ///< of the kernel
  bool hasFence = false;                              ///< threads of the launch executed a fence
};

} // namespace heddle::cpu
