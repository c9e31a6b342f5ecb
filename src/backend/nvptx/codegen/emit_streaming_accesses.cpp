#include "backend/nvptx/codegen/emit_streaming_accesses.h"

#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <string>

namespace heddle::nvptx {

using namespace llvm;

namespace {

std::string registerLetter(unsigned bits) { return bits <= 16 ? "h" : bits == 32 ? "r" : "l"; }

/// PTX has no registers of 8 bits.
Type *registerType(LLVMContext &c, unsigned bits) {
  return IntegerType::get(c, std::max(bits, 16u));
}

void replaceLoad(LoadInst &load, unsigned bits) {
  IRBuilder<> b(&load);
  Value *pointer = load.getPointerOperand();
  auto *type = FunctionType::get(registerType(b.getContext(), bits), {pointer->getType()}, false);
  InlineAsm *code = InlineAsm::get(type, "ld.global.cs.b" + std::to_string(bits) + " $0, [$1];",
                                   "=" + registerLetter(bits) + ",l", /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(code, {pointer});
  call->setMemoryEffects(MemoryEffects::readOnly());
  call->setDoesNotThrow();
  load.replaceAllUsesWith(b.CreateBitCast(b.CreateTrunc(call, b.getIntNTy(bits)), load.getType()));
  load.eraseFromParent();
}

void replaceStore(StoreInst &store, unsigned bits) {
  IRBuilder<> b(&store);
  Value *pointer = store.getPointerOperand();
  Value *word = b.CreateBitCast(store.getValueOperand(), b.getIntNTy(bits));
  Type *held = registerType(b.getContext(), bits);
  auto *type = FunctionType::get(b.getVoidTy(), {pointer->getType(), held}, false);
  InlineAsm *code = InlineAsm::get(type, "st.global.cs.b" + std::to_string(bits) + " [$0], $1;",
                                   "l," + registerLetter(bits) + ",~{memory}",
                                   /*hasSideEffects=*/true);
  b.CreateCall(code, {pointer, b.CreateZExt(word, held)})->setDoesNotThrow();
  store.eraseFromParent();
}

bool isStreaming(const Instruction &i) {
  const Value *pointer = getLoadStorePointerOperand(&i);
  return pointer && i.hasMetadata(LLVMContext::MD_nontemporal) && !i.isVolatile() &&
         !i.isAtomic() && pointer->getType()->getPointerAddressSpace() == simt::Global;
}

/// The bits of a number that one instruction loads or stores; 0 for other types, and for addresses that may be unaligned.
unsigned countBits(const Instruction &access) {
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
    unsigned bits = isStreaming(i) ? countBits(i) : 0;
    if (!bits)
      continue;
    if (auto *load = dyn_cast<LoadInst>(&i))
      replaceLoad(*load, bits);
    else
      replaceStore(cast<StoreInst>(i), bits);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
