#include "runtime/cpu/check/happens_before.h"

#include <algorithm>

namespace heddle::cpu {

namespace {

uint64_t packThreadKey(uint32_t block, uint32_t thread) { return uint64_t(block) << 16 | thread; }

} // namespace

void Knowledge::addBlock(uint32_t block, uint32_t epoch) {
  uint32_t &known = blocks_[block];
  known = std::max(known, epoch);
}

void Knowledge::addThread(uint32_t block, uint32_t thread, uint32_t epoch, uint32_t time) {
  Time &known = threads_[packThreadKey(block, thread)];
  known = std::max(known, Time(epoch, time));
}

void Knowledge::add(const Knowledge &other) {
  for (auto [block, epoch] : other.blocks_)
    addBlock(block, epoch);
  for (auto [key, time] : other.threads_) {
    Time &known = threads_[key];
    known = std::max(known, time);
  }
}

bool Knowledge::covers(const Stamp &access) const {
  auto block = blocks_.find(access.block);
  if (block != blocks_.end() && access.epoch < block->second)
    return true;
  auto thread = threads_.find(packThreadKey(access.block, access.thread));
  return thread != threads_.end() && Time(access.epoch, access.time) < thread->second;
}

void BlockKnowledge::add(uint32_t epoch, const Knowledge &what) {
  if (epochs_.empty() || epochs_.back().first != epoch)
    epochs_.push_back({epoch, {}});
  epochs_.back().second.add(what);
}

void BlockKnowledge::mergeEarlierInto(uint32_t epoch, Knowledge &to) const {
  for (const auto &[when, known] : epochs_)
    if (when < epoch)
      to.add(known);
}

bool BlockKnowledge::coversBefore(uint32_t epoch, const Stamp &access) const {
  return std::ranges::any_of(epochs_, [&](const auto &entry) {
    return entry.first < epoch && entry.second.covers(access);
  });
}

HappensBefore::Block &HappensBefore::blockAt(uint32_t block) {
  if (block != lastNumber_) {
    std::unique_ptr<Block> &found = blocks_[block];
    if (!found)
      found = std::make_unique<Block>(threadsPerBlock_);
    last_ = found.get();
    lastNumber_ = block;
  }
  return *last_;
}

void HappensBefore::keepOnlyBlock(uint32_t block) {
  if (block == lastNumber_ && blocks_.size() == 1)
    return;
  std::erase_if(blocks_, [&](const auto &entry) { return entry.first != block; });
  lastNumber_ = ~0u;
}

size_t HappensBefore::countGridBarriersBefore(uint32_t block, uint32_t epoch) {
  auto found = blocks_.find(block);
  if (found == blocks_.end())
    return 0;
  const std::vector<uint32_t> &all = found->second->gridBarriers;
  return size_t(std::ranges::upper_bound(all, epoch) - all.begin());
}

bool HappensBefore::isOrderedByBarrier(const Stamp &earlier, uint32_t block, uint32_t thread) {
  Block &mine = blockAt(block);
  Thread &me = mine.threads[thread];
  if (earlier.block == block) {
    if (earlier.thread == thread || earlier.epoch < me.epoch)
      return true;
    if (earlier.thread / lanes == thread / lanes) {
      const std::unique_ptr<Warp> &warp = mine.warps[thread / lanes];
      if (warp && earlier.time < warp->clocks[thread % lanes][earlier.thread % lanes])
        return true;
    }
  } else if (!mine.gridBarriers.empty() && countGridBarriersBefore(earlier.block, earlier.epoch) <
                                               countGridBarriersBefore(block, me.epoch)) {
    return true;
  }
  return false;
}

bool HappensBefore::isOrderedByRelease(const Stamp &earlier, uint32_t block, uint32_t thread) {
  Block &mine = blockAt(block);
  const Thread &me = mine.threads[thread];
  return me.known.covers(earlier) || mine.acquired.coversBefore(me.epoch, earlier);
}

bool HappensBefore::hasAcquired(const Stamp &atomic, uint32_t block, uint32_t thread,
                                uint64_t address) {
  Block &mine = blockAt(block);
  Thread &me = mine.threads[thread];
  auto own = me.atomics.find(address);
  if (own != me.atomics.end() && own->second.covers(atomic))
    return true;
  auto ofBlock = mine.atomics.find(address);
  return ofBlock != mine.atomics.end() && ofBlock->second.coversBefore(me.epoch, atomic);
}

void HappensBefore::passGridBarrier(uint32_t block, uint32_t thread) {
  Block &mine = blockAt(block);
  uint32_t next = ++mine.threads[thread].epoch;
  if (mine.gridBarriers.empty() || mine.gridBarriers.back() < next)
    mine.gridBarriers.push_back(next);
}

void HappensBefore::advanceThreadsToNewestEpoch(uint32_t block) {
  std::vector<Thread> &threads = blockAt(block).threads;
  uint32_t newest = std::ranges::max_element(threads, {}, &Thread::epoch)->epoch;
  for (Thread &thread : threads)
    thread.epoch = newest;
}

void HappensBefore::passWarpBarrier(uint32_t block, uint32_t thread, uint32_t mask) {
  Block &mine = blockAt(block);
  std::unique_ptr<Warp> &warp = mine.warps[thread / lanes];
  if (!warp)
    warp = std::make_unique<Warp>();
  uint32_t lane = thread % lanes;
  auto meeting = std::ranges::find(warp->meetings, mask, &Meeting::mask);
  if (meeting == warp->meetings.end())
    meeting = warp->meetings.insert(meeting, {mask});
  if (meeting->arrived >> lane & 1)
    meeting->arrived = 0; // a new round
  meeting->arrived |= 1u << lane;
  warp->clocks[lane][lane] = ++mine.threads[thread].time;

  std::array<uint32_t, lanes> joined{};
  Knowledge known;
  auto forEachArrived = [&](auto visit) {
    for (uint32_t other = 0; other < lanes; ++other)
      if (meeting->arrived >> other & 1)
        visit(other);
  };
  uint32_t first = thread - lane;
  forEachArrived([&](uint32_t other) {
    for (uint32_t i = 0; i < lanes; ++i)
      joined[i] = std::max(joined[i], warp->clocks[other][i]);
    known.add(mine.threads[first + other].known);
  });
  forEachArrived([&](uint32_t other) {
    warp->clocks[other] = joined;
    if (!known.empty())
      mine.threads[first + other].known.add(known);
  });
}

void HappensBefore::addKnowledge(Block &block, Thread &thread, const Knowledge &what) {
  if (what.empty())
    return;
  thread.known.add(what);
  block.acquired.add(thread.epoch, what);
}

void HappensBefore::recordFence(uint32_t block, uint32_t thread, simt::Scope scope) {
  Block &mine = blockAt(block);
  Thread &me = mine.threads[thread];
  me.fence = {me.epoch, ++me.time, scope};
  if (mine.fences.empty() || mine.fences.back().epoch != me.epoch)
    mine.fences.push_back(*me.fence);
  mine.fences.back().scope = std::max(mine.fences.back().scope, scope);
  addKnowledge(mine, me, std::exchange(me.pendingBlock, {}));
  if (scope != simt::Scope::Block)
    addKnowledge(mine, me, std::exchange(me.pendingDevice, {}));
}

void HappensBefore::acquire(uint32_t block, uint32_t thread, uint64_t address, simt::Scope scope,
                            bool needsFence) {
  auto found = released_.find(address);
  if (found == released_.end())
    return;
  Block &mine = blockAt(block);
  Thread &me = mine.threads[thread];
  auto take = [&](const Knowledge &what, Knowledge &pending) {
    if (needsFence)
      pending.add(what);
    else
      addKnowledge(mine, me, what);
  };
  if (!found->second.atomics.empty()) {
    me.atomics[address].add(found->second.atomics);
    mine.atomics[address].add(me.epoch, found->second.atomics);
  }
  if (auto own = found->second.blocks.find(block); own != found->second.blocks.end())
    take(own->second, me.pendingBlock);
  if (scope != simt::Scope::Block)
    take(found->second.device, me.pendingDevice);
}

void HappensBefore::release(uint32_t block, uint32_t thread, uint64_t address, simt::Scope scope) {
  Block &mine = blockAt(block);
  Thread &me = mine.threads[thread];
  auto publish = [&](const Knowledge &what, simt::Scope fenceScope) {
    Released &released = released_[address];
    released.atomics.addThread(block, thread, me.epoch, me.time + 1);
    released.blocks[block].add(what);
    if (scope != simt::Scope::Block && fenceScope != simt::Scope::Block)
      released.device.add(what);
  };
  if (me.fence) {
    Knowledge what = me.known;
    mine.acquired.mergeEarlierInto(me.fence->epoch, what);
    what.addBlock(block, me.fence->epoch);
    what.addThread(block, thread, me.fence->epoch, me.fence->time);
    publish(what, me.fence->scope);
  }
  // Fences that other threads executed before a barrier.
  auto fence = std::find_if(mine.fences.rbegin(), mine.fences.rend(),
                            [&](const Thread::Fence &f) { return f.epoch < me.epoch; });
  if (fence != mine.fences.rend() && (!me.fence || me.fence->epoch <= fence->epoch)) {
    Knowledge what;
    mine.acquired.mergeEarlierInto(fence->epoch + 1, what);
    what.addBlock(block, fence->epoch + 1);
    publish(what, fence->scope);
  }
}

bool HappensBefore::isReleased(const Stamp &access, uint64_t address, uint32_t toBlock) const {
  auto found = released_.find(address);
  if (found == released_.end())
    return false;
  const Released &released = found->second;
  auto own = released.blocks.find(toBlock);
  return released.device.covers(access) ||
         (own != released.blocks.end() && own->second.covers(access));
}

} // namespace heddle::cpu
