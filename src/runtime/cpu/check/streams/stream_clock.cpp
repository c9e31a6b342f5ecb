#include "runtime/cpu/check/streams/stream_clock.h"

#include <algorithm>

namespace heddle::cpu {

bool StreamClock::covers(uint32_t stream, uint64_t number) const {
  if (number <= all_)
    return true;
  auto found = later_.find(stream);
  return found != later_.end() && number <= found->second;
}

void StreamClock::add(uint32_t stream, uint64_t number) {
  if (number <= all_)
    return;
  uint64_t &last = later_[stream];
  last = std::max(last, number);
}

void StreamClock::addAllStreams(uint64_t number) {
  if (number <= all_)
    return;
  all_ = number;
  std::erase_if(later_, [&](const auto &entry) { return entry.second <= number; });
}

void StreamClock::add(const StreamClock &other) {
  addAllStreams(other.all_);
  for (auto [stream, number] : other.later_)
    add(stream, number);
}

} // namespace heddle::cpu
