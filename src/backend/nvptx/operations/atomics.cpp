#include "backend/nvptx/operations/atomics.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"
#include "simt/passes/atomics.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace heddle::nvptx {

using namespace llvm;
using RMW = AtomicRMWInst;

namespace {

/// The name of PTX's atom instruction and its type letter; nullopt if PTX has no such instruction (PTX ISA 9.0, atom).
struct AtomInstruction {
  const char *name;
  char type;
};

std::optional<AtomInstruction> findAtomInstruction(RMW::BinOp op, const Type *t) {
  if (t->getScalarSizeInBits() > 64)
    return std::nullopt;
  switch (op) {
  case RMW::Add:
    return AtomInstruction{"add", 'u'};
  case RMW::FAdd:
    return AtomInstruction{"add", 'f'};
  case RMW::Min:
    return AtomInstruction{"min", 's'};
  case RMW::Max:
    return AtomInstruction{"max", 's'};
  case RMW::UMin:
    return AtomInstruction{"min", 'u'};
  case RMW::UMax:
    return AtomInstruction{"max", 'u'};
  case RMW::And:
    return AtomInstruction{"and", 'b'};
  case RMW::Or:
    return AtomInstruction{"or", 'b'};
  case RMW::Xor:
    return AtomInstruction{"xor", 'b'};
  case RMW::Xchg:
    return AtomInstruction{"exch", 'b'};
  case RMW::UIncWrap:
  case RMW::UDecWrap:
    if (t->isIntegerTy(32))
      return AtomInstruction{op == RMW::UIncWrap ? "inc" : "dec", 'u'};
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

SyncScope::ID scopeOf(const CallInst &call) {
  const auto *scope = cast<ConstantInt>(call.getArgOperand(call.arg_size() - 1));
  LLVMContext &c = call.getContext();
  switch (simt::Scope(scope->getZExtValue())) {
  case simt::Scope::Block:
    return c.getOrInsertSyncScopeID("block");
  case simt::Scope::Device:
    return c.getOrInsertSyncScopeID("device");
  case simt::Scope::System:
    break;
  }
  return SyncScope::System;
}

/// Emits an atom instruction with system scope as inline PTX. LLVM would write atomicrmw without a scope, which PTX
/// interprets as device scope.
Value *emitSystemAtomic(IRBuilderBase &b, const AtomInstruction &instruction, Value *pointer,
                        Value *operand) {
  Type *type = operand->getType();
  unsigned bits = type->getScalarSizeInBits();
  unsigned space = pointer->getType()->getPointerAddressSpace();
  const char *where = space == simt::Global ? ".global" : space == simt::Shared ? ".shared" : "";
  std::string text = "atom.relaxed.sys" + std::string(where) + "." + instruction.name + "." +
                     instruction.type + std::to_string(bits) + " $0, [$1], $2;";
  Type *held = instruction.type == 'f' ? type : b.getIntNTy(bits);
  const char *constraints = instruction.type == 'f'
                                ? (bits == 32 ? "=f,l,f,~{memory}" : "=d,l,d,~{memory}")
                                : (bits == 32 ? "=r,l,r,~{memory}" : "=l,l,l,~{memory}");
  auto *signature = FunctionType::get(held, {pointer->getType(), held}, false);
  InlineAsm *code = InlineAsm::get(signature, text, constraints, /*hasSideEffects=*/true);
  return b.CreateBitCast(b.CreateCall(code, {pointer, b.CreateBitCast(operand, held)}), type);
}

Value *lowerToCompareExchangeLoop(IRBuilderBase &b, CallInst &call) {
  call.getFunction()->addFnAttr(atomicLoopAttribute);
  unsigned bits = call.getType()->getScalarSizeInBits();
  // Not an atomic load: if no exchange remains, the parameter becomes readonly, and LLVM 22 crashes when it selects an
  // atomic load from a readonly parameter.
  LoadInst *guess = b.CreateAlignedLoad(b.getIntNTy(bits), call.getArgOperand(0), Align(bits / 8),
                                        /*isVolatile=*/true);
  return simt::lowerToCompareAndSwapLoop(b, call, guess, scopeOf(call));
}

void lowerAtomic(CallInst &call) {
  IRBuilder<> b(&call);
  std::optional<RMW::BinOp> same = simt::equivalentAtomicRMW(call);
  Value *operand = call.getArgOperand(1);
  if (same == RMW::FSub) {
    same = RMW::FAdd;
    operand = b.CreateFNeg(operand);
  } else if (same == RMW::Sub) {
    same = RMW::Add;
    operand = b.CreateNeg(operand);
  }
  Value *old;
  if (isa<AllocaInst>(getUnderlyingObject(call.getArgOperand(0), 0))) {
    old = simt::lowerToLoadAndStore(b, call); // PTX does not support atomics on local memory
  } else if (simt::calledOp(&call) == simt::Op::AtomicCas) {
    old = simt::lowerToCompareAndSwap(b, call, scopeOf(call));
  } else if (auto instruction = same ? findAtomInstruction(*same, call.getType()) : std::nullopt) {
    old = scopeOf(call) == SyncScope::System
              ? emitSystemAtomic(b, *instruction, call.getArgOperand(0), operand)
              : b.CreateAtomicRMW(*same, call.getArgOperand(0), operand, MaybeAlign(),
                                  AtomicOrdering::Monotonic, scopeOf(call));
  } else {
    old = lowerToCompareExchangeLoop(b, call);
  }
  replaceCall(call, old);
}

} // namespace

PreservedAnalyses LowerAtomics::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<CallInst *, 8> calls = simt::atomicCalls(f);
  for (CallInst *call : calls)
    lowerAtomic(*call);
  return calls.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::nvptx
