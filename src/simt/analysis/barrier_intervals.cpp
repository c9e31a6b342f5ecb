#include "simt/analysis/barrier_intervals.h"

#include "simt/analysis/sync_points.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Larger kernels are one interval.
constexpr unsigned maxSegments = 2048;

} // namespace

BarrierIntervals::BarrierIntervals(Function &kernel)
    : kernel_(kernel), analyses_(makeBlockUniformity()),
      uniformity_(analyses_.functionAnalyses().getResult<UniformityInfoAnalysis>(kernel)),
      dominators_(kernel), postDominators_(kernel) {
  makeSegments();
  isKnown_ = firsts_.size() <= maxSegments && none_of(kernel, [&](const BasicBlock &block) {
               return uniformity_.hasDivergentTerminator(block) &&
                      countSuccessorsReaching(block, postDominators_, isBlockBarrier) > 1;
             });
  if (!isKnown_)
    return;
  for (Segment segment = 0; segment < firsts_.size(); ++segment)
    reachable_.push_back(reachableFrom(segment));
}

void BarrierIntervals::makeSegments() {
  starts_.push_back(0);
  for (const BasicBlock &block : kernel_) {
    auto &segments = segments_[&block];
    auto begin = [&](const Instruction &first) {
      segments.push_back(Segment(firsts_.size()));
      firsts_.push_back(&first);
    };
    begin(block.front());
    for (const Instruction &i : block)
      if (isBlockBarrier(i)) {
        begin(*i.getNextNode());
        starts_.push_back(segments.back());
      }
    if (uniformity_.hasDivergentTerminator(block))
      divergent_.push_back(segments.back());
  }
}

BarrierIntervals::Segment BarrierIntervals::segmentOf(const Instruction &i) const {
  ArrayRef<Segment> segments = segments_.find(i.getParent())->second;
  for (Segment segment : reverse(segments))
    if (segment == segments.front() || firsts_[segment] == &i || firsts_[segment]->comesBefore(&i))
      return segment;
  llvm_unreachable("the first segment begins with the block");
}

BitVector BarrierIntervals::reachableFrom(Segment from, const BitVector *avoided) const {
  BitVector seen(unsigned(firsts_.size()));
  SmallVector<Segment> open{from};
  seen.set(from);
  while (!open.empty()) {
    Segment segment = open.pop_back_val();
    const BasicBlock *block = firsts_[segment]->getParent();
    if (segments_.find(block)->second.back() != segment)
      continue; // a barrier ends the segment
    for (const BasicBlock *next : successors(block)) {
      Segment first = segments_.find(next)->second.front();
      if (seen[first] || (avoided && (*avoided)[first]))
        continue;
      seen.set(first);
      open.push_back(first);
    }
  }
  return seen;
}

bool BarrierIntervals::isOnCycle(Segment segment) const {
  const BasicBlock *block = firsts_[segment]->getParent();
  return segments_.find(block)->second.back() == segment &&
         any_of(successors(block), [&](const BasicBlock *next) {
           return reaches(segments_.find(next)->second.front(), segment);
         });
}

/// Threads that run the same segments up to a branch part there only if it is divergent.
bool BarrierIntervals::mayReachInOneInterval(Segment start, Segment a, Segment b) const {
  if (!reaches(start, a) || !reaches(start, b))
    return false;
  return reaches(a, b) || reaches(b, a) || any_of(divergent_, [&](Segment branch) {
           return reaches(start, branch) && reaches(branch, a) && reaches(branch, b);
         });
}

bool BarrierIntervals::mayRunInSameInterval(const Instruction &a, const Instruction &b) const {
  if (!isKnown_)
    return true;
  Segment first = segmentOf(a), second = segmentOf(b);
  return any_of(starts_,
                [&](Segment start) { return mayReachInOneInterval(start, first, second); });
}

bool BarrierIntervals::isUniformPerInterval(const Value &v) const {
  const auto *i = dyn_cast<Instruction>(&v);
  return i && isKnown_ && uniformity_.isUniform(&v) && !isOnCycle(segmentOf(*i));
}

const std::vector<BitVector> &BarrierIntervals::reachableWithoutPassing(Segment definition) const {
  auto [entry, isNew] = around_.try_emplace(definition);
  if (!isNew)
    return entry->second;
  BitVector avoided(unsigned(firsts_.size()));
  avoided.set(definition);
  for (Segment start : starts_)
    entry->second.push_back(start == definition ? BitVector(avoided.size())
                                                : reachableFrom(start, &avoided));
  return entry->second;
}

bool BarrierIntervals::haveSameValueAt(const Instruction &v, const Instruction &a,
                                       const Instruction &b) const {
  Segment definition = segmentOf(v), first = segmentOf(a), second = segmentOf(b);
  const std::vector<BitVector> &around = reachableWithoutPassing(definition);
  return all_of(enumerate(starts_), [&](auto entry) {
    auto [i, start] = entry;
    if (!mayReachInOneInterval(start, first, second))
      return true;
    auto isThrough = [&, start = start](Segment to) {
      return reaches(start, definition) && reaches(definition, to);
    };
    return !(isThrough(first) && around[i][second]) && !(isThrough(second) && around[i][first]);
  });
}

bool BarrierIntervals::isRunByAllThreads(const BasicBlock &target) const {
  auto [entry, isNew] = runByAll_.try_emplace(&target, true);
  if (!isNew)
    return entry->second;
  SmallVector<const BasicBlock *> open{&kernel_.getEntryBlock()};
  SmallPtrSet<const BasicBlock *, 16> seen{open.front()};
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (block == &target)
      continue;
    if (uniformity_.hasDivergentTerminator(*block) && !postDominators_.dominates(&target, block))
      return entry->second = false;
    for (const BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        open.push_back(next);
  }
  return true;
}

bool BarrierIntervals::isBefore(const Instruction &a, const Instruction &b) const {
  return isKnown_ && dominators_.dominates(&a, &b) && isRunByAllThreads(*a.getParent());
}

bool BarrierIntervals::mayRunAfter(const Instruction &a, const Instruction &b) const {
  return !isKnown_ || reaches(segmentOf(a), segmentOf(b));
}

} // namespace heddle::simt
