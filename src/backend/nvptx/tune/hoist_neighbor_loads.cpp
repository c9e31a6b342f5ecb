#include "backend/nvptx/tune/hoist_neighbor_loads.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr int64_t chunkBytes = 16; // of the widest load

/// A load from base + offset.
struct Place {
  LoadInst *load;
  const Value *base;
  int64_t offset;
  int64_t bytes;
};

std::optional<Place> decomposeLoadAddress(Instruction &i, const DataLayout &layout) {
  auto *load = dyn_cast<LoadInst>(&i);
  if (!load || !load->isSimple())
    return std::nullopt;
  Type *pointer = load->getPointerOperandType();
  APInt offset(layout.getIndexTypeSizeInBits(pointer), 0);
  const Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  TypeSize size = layout.getTypeStoreSize(load->getType());
  if (base->getType() != pointer || size.isScalable() || size.getFixedValue() > chunkBytes)
    return std::nullopt;
  return Place{load, base, offset.getSExtValue(), int64_t(size.getFixedValue())};
}

/// True if both loads are known to be from the same aligned 16 bytes.
bool isSameChunk(const Place &a, const Place &b) {
  if (a.base != b.base)
    return false;
  for (const Place &aligned : {a, b}) {
    if (aligned.load->getAlign().value() < chunkBytes)
      continue;
    int64_t first = std::min(a.offset, b.offset) - aligned.offset;
    int64_t end = std::max(a.offset + a.bytes, b.offset + b.bytes) - aligned.offset;
    return first >= 0 && end <= chunkBytes;
  }
  return false;
}

/// The loads at the end of `block` before which no instruction writes memory.
SmallVector<Place> findLastLoads(BasicBlock &block, const DataLayout &layout) {
  SmallVector<Place> loads;
  for (Instruction &i : reverse(block)) {
    if (i.mayWriteToMemory())
      break;
    if (std::optional<Place> place = decomposeLoadAddress(i, layout))
      loads.push_back(*place);
  }
  return loads;
}

/// Moves loads at the start of `block` next to loads of its only predecessor. Returns true if it moved any.
bool hoistLoads(BasicBlock &block, const DataLayout &layout) {
  BasicBlock *before = block.getUniquePredecessor();
  if (!before || before == &block)
    return false;
  SmallVector<Place> above = findLastLoads(*before, layout);
  bool changed = false;
  for (Instruction &i : make_early_inc_range(block)) {
    if (above.empty() || i.mayWriteToMemory())
      break;
    std::optional<Place> place = decomposeLoadAddress(i, layout);
    const Place *neighbor =
        place ? find_if(above, [&](const Place &p) { return isSameChunk(p, *place); })
              : above.end();
    if (neighbor == above.end())
      continue;
    IRBuilder<> b(neighbor->load);
    Value *address = b.CreateConstGEP1_64(b.getInt8Ty(), neighbor->load->getPointerOperand(),
                                          uint64_t(place->offset - neighbor->offset));
    place->load->moveBefore(neighbor->load->getIterator());
    place->load->setOperand(LoadInst::getPointerOperandIndex(), address);
    place->load->dropUBImplyingAttrsAndMetadata();
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses HoistNeighborLoads::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : f)
    changed |= hoistLoads(block, f.getDataLayout());
  return changed ? PreservedAnalyses::allInSet<CFGAnalyses>() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
