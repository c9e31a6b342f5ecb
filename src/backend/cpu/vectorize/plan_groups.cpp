#include "backend/cpu/vectorize/plan_groups.h"

#include "backend/cpu/vectorize/can_widen.h"
#include "backend/cpu/vectorize/obstacles.h"
#include "simt/analysis/accesses.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/checks.h"
#include "simt/ir/ops.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

#include <cstdlib>

namespace heddle::cpu {

using namespace llvm;

namespace {

bool isMemoryBound(const Function &kernel) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> backEdges;
  FindFunctionBackedges(kernel, backEdges);
  if (!backEdges.empty() || simt::hasSyncPoints(kernel))
    return false;
  unsigned accesses = 0, operations = 0;
  for (const Instruction &i : instructions(kernel)) {
    std::optional<simt::Op> op = simt::calledOp(&i);
    if (op && runsPerLane(*op)) // also, SLEEF functions benefit from the largest registers
      return false;
    accesses += getLoadStorePointerOperand(&i) != nullptr;
    operations += (isa<UnaryOperator, BinaryOperator>(i) && i.getType()->isFloatingPointTy()) ||
                  i.isIntDivRem();
  }
  return operations < thresholds::minOperationsPerAccess * accesses;
}

bool isSmallWithoutCalls(const Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &i : *block) {
      if (simt::isCheck(i) || simt::isWrap(i))
        continue;
      bool calls = isa<CallInst>(i) && !isa<IntrinsicInst>(i);
      if (calls || ++size > thresholds::maxSmallCodeSize)
        return false;
    }
  return true;
}

/// Detects kernels whose loops mostly walk through rows of memory with adjacent threads, as in a matrix product:
/// `sum += a[y * n + k] * b[k * n + x]`. Returns the size of the largest element that they load. Lanes that fill one
/// register read only half a cache line of each row, and threads with the next y read the same rows again.
std::optional<int64_t> maxElementBytesOfRowLoops(const LoopInfo &loops,
                                                 const simt::Accesses &accesses) {
  bool reads = false;
  int64_t maxBytes = 0;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    if (!isSmallWithoutCalls(*loop))
      return std::nullopt;
    for (const simt::Access &access : accesses.in(*loop)) {
      std::optional<int64_t> stride = access.strideAlong(simt::Axis::X);
      if (!stride || (*stride != 0 && *stride != access.bytes()))
        return std::nullopt;
      maxBytes = std::max(maxBytes, access.bytes());
      reads |= *stride != 0 && !loop->isLoopInvariant(&access.address());
    }
  }
  return reads ? std::optional(maxBytes) : std::nullopt;
}

/// Returns true if threads that are neighbors along y, not along x, access adjacent memory, as for one array of a
/// transposition.
bool accessesMemoryAlongY(const simt::Accesses &accesses) {
  auto isShort = [](std::optional<int64_t> stride) {
    return stride && std::abs(*stride) < int64_t(cacheLineBytes);
  };
  return any_of(accesses.all(), [&](const simt::Access &access) {
    std::optional<int64_t> alongY = access.strideAlong(simt::Axis::Y);
    return !isShort(access.strideAlong(simt::Axis::X)) && isShort(alongY) && *alongY != 0;
  });
}

} // namespace

Plan planGroups(Function &kernel, const GroupChoices &choices, char axis, bool always) {
  Plan plan = planOf(kernel);
  plan.axis = axis;
  std::optional<int64_t> rowElementBytes;
  if (!simt::hasSyncPoints(kernel)) {
    DominatorTree dominators(kernel);
    LoopInfo loops(dominators);
    simt::Accesses accesses(kernel, loops);
    rowElementBytes = maxElementBytesOfRowLoops(loops, accesses);
    plan.accessesColumns = accessesMemoryAlongY(accesses);
  }
  // For other block shapes, the analysis might not succeed again.
  bool isWide = plan.block && choices.wideRows != choices.rows && rowElementBytes &&
                choices.wideRows.width * *rowElementBytes <= cacheLineBytes;
  if (simt::hasWarpOperations(kernel)) {
    plan.grouped = Grouped::ByWarps;
    plan.groups = choices.warps;
  } else {
    plan.grouped = isWide ? Grouped::ByWideRows : Grouped::ByRows;
    plan.groups = isWide ? choices.wideRows : choices.rows;
  }
  plan.walksRows = plan.isVectorized() && rowElementBytes;
  plan.isMemoryBound = plan.isVectorized() && isMemoryBound(kernel);
  if (std::optional<std::string> reason = always ? std::nullopt : whyNotProfitable(kernel))
    plan.disableGroups(std::move(*reason));
  return plan;
}

} // namespace heddle::cpu
