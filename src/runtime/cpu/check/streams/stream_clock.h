// Sets of stream operations that happen before some point.
#pragma once

#include <cstdint>
#include <map>

namespace heddle::cpu {

/// A set of operations: for each stream, all operations up to some number. Operations are numbered in the order in
/// which host threads enqueue them.
class StreamClock {
public:
  bool covers(uint32_t stream, uint64_t number) const;
  /// Adds the operations of a stream up to this one.
  void add(uint32_t stream, uint64_t number);
  /// Adds the operations of all streams up to this one.
  void addAllStreams(uint64_t number);
  void add(const StreamClock &other);

private:
  uint64_t all_ = 0; ///< operations up to this number are in the set
  std::map<uint32_t, uint64_t>
      later_; ///< by stream: the last operation, which is later than `all_`
};

} // namespace heddle::cpu
