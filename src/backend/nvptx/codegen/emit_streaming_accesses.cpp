#include "backend/nvptx/codegen/emit_streaming_accesses.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr const char *streaming = "cs";

void replaceWithStreamingLoad(LoadInst &load, unsigned bits) {
  IRBuilder<> b(&load);
  Value *word = emitCachedLoad(b, load.getPointerOperand(), bits, streaming, PtxOrder::Plain);
  load.replaceAllUsesWith(b.CreateBitCast(word, load.getType()));
  load.eraseFromParent();
}

void replaceWithStreamingStore(StoreInst &store, unsigned bits) {
  IRBuilder<> b(&store);
  Value *word = b.CreateBitCast(store.getValueOperand(), b.getIntNTy(bits));
  emitCachedStore(b, store.getPointerOperand(), word, streaming)->setDoesNotThrow();
  store.eraseFromParent();
}

bool isStreaming(const Instruction &i) {
  const Value *pointer = getLoadStorePointerOperand(&i);
  return pointer && i.hasMetadata(LLVMContext::MD_nontemporal) && !i.isVolatile() &&
         !i.isAtomic() && pointer->getType()->getPointerAddressSpace() == simt::Global;
}

/// The bits of a number that one instruction loads or stores; 0 for other types, and for addresses that may be
/// unaligned.
unsigned supportedAccessBits(const Instruction &access) {
  Type *type = getLoadStoreType(&access);
  unsigned bits =
      type->isIntegerTy() || type->isFloatingPointTy() ? type->getPrimitiveSizeInBits() : 0;
  bool exists = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  return exists && getLoadStoreAlignment(&access) >= bits / 8 ? bits : 0;
}

} // namespace

PreservedAnalyses EmitStreamingAccesses::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    unsigned bits = isStreaming(i) ? supportedAccessBits(i) : 0;
    if (!bits)
      continue;
    if (auto *load = dyn_cast<LoadInst>(&i))
      replaceWithStreamingLoad(*load, bits);
    else
      replaceWithStreamingStore(cast<StoreInst>(i), bits);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
