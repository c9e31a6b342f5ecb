#include "codegen/split_wide_stores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <numeric>

namespace heddle::cpu {

using namespace llvm;

namespace {

/// A plain or masked vector store.
struct VectorStore {
  Value *stored, *address, *mask;
  Align alignment;
};

std::optional<VectorStore> matchVectorStore(Instruction &i) {
  VectorStore store{};
  if (auto *plain = dyn_cast<StoreInst>(&i); plain && plain->isSimple())
    store = {plain->getValueOperand(), plain->getPointerOperand(), nullptr, plain->getAlign()};
  else if (auto *call = dyn_cast<IntrinsicInst>(&i);
           call && call->getIntrinsicID() == Intrinsic::masked_store)
    store = {call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2),
             call->getParamAlign(1).valueOrOne()};
  if (!store.stored || !isa<FixedVectorType>(store.stored->getType()))
    return std::nullopt;
  return store;
}

/// The number of elements per register; 0 if the vector fits in one register or elements are not whole bytes.
unsigned elementsPerSplitStore(const FixedVectorType &type, unsigned bits,
                               const DataLayout &layout) {
  uint64_t element = layout.getTypeSizeInBits(type.getElementType()).getFixedValue();
  if (element % 8 || element > bits || bits % element)
    return 0;
  unsigned count = unsigned(bits / element);
  return type.getNumElements() > count && type.getNumElements() % count == 0 ? count : 0;
}

void splitStore(Instruction &i, const VectorStore &store, unsigned count) {
  IRBuilder<> b(&i);
  auto *type = cast<FixedVectorType>(store.stored->getType());
  uint64_t step = i.getDataLayout().getTypeStoreSize(type->getElementType());
  SmallVector<int, 32> lanes(count);
  for (unsigned first = 0; first < type->getNumElements(); first += count) {
    std::iota(lanes.begin(), lanes.end(), int(first));
    Value *part = b.CreateShuffleVector(store.stored, lanes);
    Value *address = b.CreateConstGEP1_64(b.getInt8Ty(), store.address, first * step);
    Align alignment = commonAlignment(store.alignment, first * step);
    Instruction *partStore =
        store.mask ? static_cast<Instruction *>(b.CreateMaskedStore(
                         part, address, alignment, b.CreateShuffleVector(store.mask, lanes)))
                   : b.CreateAlignedStore(part, address, alignment);
    partStore->copyMetadata(i);
  }
  i.eraseFromParent();
}

} // namespace

PreservedAnalyses SplitWideStores::run(Function &f, FunctionAnalysisManager &) {
  unsigned bits = 0;
  if (f.getFnAttribute("prefer-vector-width").getValueAsString().getAsInteger(10, bits))
    return PreservedAnalyses::all();
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    std::optional<VectorStore> store = matchVectorStore(i);
    if (!store)
      continue;
    auto *type = cast<FixedVectorType>(store->stored->getType());
    if (unsigned count = elementsPerSplitStore(*type, bits, i.getDataLayout())) {
      splitStore(i, *store, count);
      changed = true;
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
