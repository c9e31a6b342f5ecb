#include "runtime/cpu/check/allocation_definedness.h"

namespace heddle::cpu {

AllocationDefinedness::AllocationDefinedness(uint64_t start, uint64_t bytes, bool isTracked)
    : start_(start), bytes_(bytes), isTracked_(isTracked),
      state_(isTracked ? State::Undefined : State::Defined), launches_(uncheckedLaunches) {}

void AllocationDefinedness::resetAfterUncheckedLaunches() {
  if (uint64_t launches = uncheckedLaunches; launches != launches_) {
    launches_ = launches;
    state_ = State::Defined;
    undefined_ = {};
  }
}

void AllocationDefinedness::markDefined(uint64_t address, uint64_t bytes) {
  resetAfterUncheckedLaunches();
  if (state_ == State::Defined || !bytes)
    return;
  if (bytes == bytes_) {
    state_ = State::Defined;
    undefined_ = {};
    return;
  }
  if (state_ == State::Undefined) {
    undefined_.add(start_, bytes_);
    state_ = State::Mixed;
  }
  undefined_.remove(address, bytes);
  if (undefined_.isEmpty())
    state_ = State::Defined;
}

void AllocationDefinedness::markUndefined(uint64_t address, uint64_t bytes) {
  resetAfterUncheckedLaunches();
  if (!isTracked_ || state_ == State::Undefined || !bytes)
    return;
  if (bytes == bytes_) {
    state_ = State::Undefined;
    undefined_ = {};
    return;
  }
  state_ = State::Mixed;
  undefined_.add(address, bytes);
}

void AllocationDefinedness::appendUndefined(uint64_t address, uint64_t bytes,
                                            std::vector<UndefinedBytes::Range> &ranges) {
  resetAfterUncheckedLaunches();
  if (state_ == State::Undefined && bytes)
    ranges.emplace_back(address, bytes);
  else if (state_ == State::Mixed)
    undefined_.appendRanges(address, bytes, ranges);
}

} // namespace heddle::cpu
