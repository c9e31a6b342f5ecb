#include "backend/nvptx/codegen/emit_streaming_accesses.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr const char *streaming = "cs";

void replaceWithStreamingLoad(LoadInst &load, Type *words) {
  IRBuilder<> b(&load);
  Value *loaded = emitCachedLoad(b, load.getPointerOperand(), words, streaming, PtxOrder::Plain);
  load.replaceAllUsesWith(b.CreateBitCast(loaded, load.getType()));
  load.eraseFromParent();
}

void replaceWithStreamingStore(StoreInst &store, Type *words) {
  IRBuilder<> b(&store);
  Value *stored = b.CreateBitCast(store.getValueOperand(), words);
  emitCachedStore(b, store.getPointerOperand(), stored, streaming)->setDoesNotThrow();
  store.eraseFromParent();
}

bool isStreaming(const Instruction &i) {
  const Value *pointer = getLoadStorePointerOperand(&i);
  return pointer && i.hasMetadata(LLVMContext::MD_nontemporal) && !i.isVolatile() &&
         !i.isAtomic() && pointer->getType()->getPointerAddressSpace() == simt::Global;
}

/// The integers that one instruction loads or stores in place of the access; null for types without such an instruction,
/// and for addresses that may be unaligned.
Type *chooseWords(const Instruction &access) {
  const Type *type = getLoadStoreType(&access);
  if (type->isPtrOrPtrVectorTy())
    return nullptr;
  auto bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  if (getLoadStoreAlignment(&access).value() * 8 < bits)
    return nullptr;
  LLVMContext &c = access.getContext();
  if (bits == 128 && type->isVectorTy()) {
    unsigned wordBits = type->getScalarSizeInBits() == 64 ? 64 : 32;
    return FixedVectorType::get(IntegerType::get(c, wordBits), bits / wordBits);
  }
  bool exists = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  return exists ? IntegerType::get(c, bits) : nullptr;
}

} // namespace

PreservedAnalyses EmitStreamingAccesses::run(Function &f, FunctionAnalysisManager &am) {
  if (none_of(instructions(f), isStreaming))
    return PreservedAnalyses::all();
  am.invalidate(f, LoadStoreVectorizerPass().run(f, am));
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (Type *words = isStreaming(i) ? chooseWords(i) : nullptr) {
      if (auto *load = dyn_cast<LoadInst>(&i))
        replaceWithStreamingLoad(*load, words);
      else
        replaceWithStreamingStore(cast<StoreInst>(i), words);
    }
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
