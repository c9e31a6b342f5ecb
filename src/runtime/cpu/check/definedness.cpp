#include "runtime/cpu/check/definedness.h"

#include <algorithm>

namespace heddle::cpu {

void Definedness::begin(bool runsBlocksTogether) {
  own_ = {};
  runsBlocksTogether_ = runsBlocksTogether;
  block_ = ~0u;
  begun_.clear();
  loads_.clear();
  loadCount_ = 0;
}

bool Definedness::enterBlock(uint32_t block, uint64_t shared, uint64_t sharedBytes) {
  if (block == block_)
    return false;
  block_ = block;
  shared_ = shared;
  sharedBytes_ = sharedBytes;
  if (!runsBlocksTogether_)
    own_ = {}; // of a block that has ended
  else if (!begun_.insert(block).second)
    return false;
  own_.add(shared, sharedBytes);
  return true;
}

Definedness::Ranges Definedness::findUndefined(uint64_t address, uint64_t bytes) const {
  Ranges ranges;
  own_.appendRanges(address, bytes, ranges);
  if (device_)
    device_->appendUndefined(address, bytes, ranges);
  return ranges;
}

uint64_t Definedness::recordLoad(UndefinedLoad load, uint64_t bytes) {
  Ranges undefined = findUndefined(load.address, bytes);
  if (undefined.empty())
    return 0;
  uint64_t mask = 0;
  for (auto [address, length] : undefined)
    for (uint64_t i = 0; i < length; ++i)
      mask |= uint64_t(1) << (address + i - load.address);
  load.address = undefined.front().first;
  load.isShared = load.address - shared_ < sharedBytes_;
  load.isGlobal =
      load.isGlobal || (device_ && device_->contains(reinterpret_cast<const void *>(load.address)));
  if (loads_.size() < maxLoads)
    loads_.push_back(load);
  else
    loads_[loadCount_ % maxLoads] = load;
  return ++loadCount_ << maskBits | mask;
}

const UndefinedLoad &Definedness::loadOf(uint64_t definedness) const {
  return loads_[((definedness >> maskBits) - 1) % maxLoads];
}

void Definedness::markDefined(uint64_t address, uint64_t bytes) {
  own_.remove(address, bytes);
  if (device_)
    device_->markDefined(address, bytes);
}

void Definedness::store(uint64_t address, uint64_t bytes, uint64_t definedness) {
  markDefined(address, bytes);
  for (uint64_t i = 0; i < std::min(bytes, maskBits); ++i)
    if (definedness >> i & 1)
      markUndefined(address + i, 1);
}

void Definedness::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  Ranges undefined = findUndefined(from, bytes);
  markDefined(to, bytes);
  for (auto [address, length] : undefined)
    markUndefined(address - from + to, length);
}

void Definedness::markUndefined(uint64_t address, uint64_t bytes) {
  if (!device_ || !device_->markUndefined(address, bytes))
    own_.add(address, bytes);
}

} // namespace heddle::cpu
