#include "simt/check/partial_barriers.h"

#include "simt/ir/ops.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr StringRef ending = " threads";

} // namespace

std::string makePartialBarrierMessage(uint64_t number, uint64_t threads) {
  return (info(Op::Barrier).name + " " + Twine(number) + ", " + Twine(threads) + ending).str();
}

std::optional<uint32_t> findPartialBarrierThreadCount(const SiteInfo &site) {
  StringRef message = site.message;
  if (site.kind != "barrier" || (!message.empty() && !message.consume_back(ending)))
    return std::nullopt;
  uint32_t threads = 0;
  message.rsplit(' ').second.getAsInteger(10, threads);
  return threads;
}

bool hasPartialBarriers(Function &kernel) {
  SmallVector<CallInst *> barriers;
  for (Instruction &i : instructions(kernel))
    if (calledOp(&i) == Op::Barrier)
      barriers.push_back(cast<CallInst>(&i));
  if (barriers.empty())
    return false;
  std::vector<SiteInfo> sites = sitesOf(*kernel.getParent());
  return any_of(barriers, [&](const CallInst *barrier) {
    uint64_t site = cast<ConstantInt>(barrier->getArgOperand(0))->getZExtValue();
    return site < sites.size() && findPartialBarrierThreadCount(sites[site]);
  });
}

} // namespace heddle::simt
