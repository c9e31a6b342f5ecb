// Collects uses of undefined values: values loaded from uninitialized memory.
#pragma once

#include "runtime/cpu/check/definedness.h"
#include "runtime/cpu/check/shadow_memory.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::cpu {

struct UndefinedUse {
  UndefinedLoad load;
  Stamp stamp; ///< the use: site, thread and block
  uint64_t count = 1;
};

/// Collects uses by their sites. A use that races with a store to the same memory is dropped: in another order the load
/// would have had a value, and the race is reported.
class UndefinedUses {
public:
  void add(const UndefinedUse &use);
  /// Drops uses of values loaded from these bytes: a thread that is not ordered with the loads has stored to them.
  void dropUsesOfRacedMemory(uint64_t address, uint64_t bytes);
  /// Keeps the uses so far. Later stores do not drop them: the addresses then belong to other memory.
  void mergePendingIntoReports();
  /// Returns the first use of each pair of sites, with the number of uses, and forgets all uses.
  std::vector<UndefinedUse> takeReports();

private:
  /// Limits the memory for uses that may still be dropped.
  static constexpr size_t maxPending = 1 << 20;

  std::vector<UndefinedUse> pending_;
  std::unordered_multimap<uint64_t, size_t> byAddress_; ///< positions in pending_
  std::vector<UndefinedUse> kept_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> bySites_; ///< positions in kept_
};

} // namespace heddle::cpu
