#include "backend/nvptx/operations/atomics.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"
#include "simt/passes/lowering.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace heddle::nvptx {

using namespace llvm;
using RMW = AtomicRMWInst;

namespace {

/// PTX's name of an operation and the letter of the type that it takes; nothing where PTX has no instruction (PTX ISA
/// 9.0, atom).
struct AtomInstruction {
  const char *name;
  char type;
};

std::optional<AtomInstruction> instructionFor(RMW::BinOp op, const Type *t) {
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

/// What memory holds after `call`, when it held `old`.
Value *newValue(IRBuilderBase &b, const CallInst &call, simt::Op op, Value *old) {
  Value *operand = call.getArgOperand(1);
  if (op == simt::Op::AtomicCas)
    return b.CreateSelect(b.CreateICmpEQ(old, operand), call.getArgOperand(2), old);
  if (std::optional<RMW::BinOp> same = simt::sameOperation(op, call.getType()->isFloatingPointTy()))
    return buildAtomicRMWValue(*same, b, old, operand);
  // Ordered comparisons: false when either side is NaN, so that memory stays as it is.
  Value *replaces =
      op == simt::Op::AtomicMin ? b.CreateFCmpOLT(operand, old) : b.CreateFCmpOGT(operand, old);
  return b.CreateSelect(replaces, operand, old);
}

/// LLVM writes atomicrmw without its scope, which PTX reads as the device's.
Value *lowerForSystem(IRBuilderBase &b, const AtomInstruction &instruction, Value *pointer,
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

Value *lowerCas(IRBuilderBase &b, CallInst &call) {
  auto *exchange = b.CreateAtomicCmpXchg(
      call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2), MaybeAlign(),
      AtomicOrdering::Monotonic, AtomicOrdering::Monotonic, scopeOf(call));
  return b.CreateExtractValue(exchange, 0);
}

/// A thread's own stack (PTX has no atomics on local memory).
Value *lowerPlain(IRBuilderBase &b, CallInst &call, simt::Op op) {
  Value *pointer = call.getArgOperand(0);
  Value *old = b.CreateLoad(call.getType(), pointer);
  b.CreateStore(newValue(b, call, op, old), pointer);
  return old;
}

///       first = volatile load
///     loop:
///       old = phi(first, seen); next = new(old); next == old ? done : attempt
///     attempt:
///       (seen, ok) = cmpxchg(old, next); ok ? done : loop
Value *lowerWithLoop(IRBuilderBase &b, CallInst &call, simt::Op op) {
  Value *pointer = call.getArgOperand(0);
  Type *type = call.getType();
  Type *bits = b.getIntNTy(type->getScalarSizeInBits());
  BasicBlock *before = call.getParent();
  Function *f = before->getParent();
  BasicBlock *done = SplitBlock(before, &call);
  BasicBlock *loop = BasicBlock::Create(b.getContext(), "atomic", f, done);
  BasicBlock *attempt = BasicBlock::Create(b.getContext(), "atomic.attempt", f, done);

  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  // A guess, which the exchange checks. Not an atomic load: where nothing is ever exchanged the parameter becomes
  // readonly, and LLVM 22 crashes when it selects an atomic load from such a parameter.
  LoadInst *first = b.CreateAlignedLoad(bits, pointer, Align(type->getScalarSizeInBits() / 8),
                                        /*isVolatile=*/true);
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  PHINode *oldBits = b.CreatePHI(bits, 2);
  Value *old = b.CreateBitCast(oldBits, type);
  Value *next = b.CreateBitCast(newValue(b, call, op, old), bits);
  b.CreateCondBr(b.CreateICmpEQ(next, oldBits), done, attempt);

  b.SetInsertPoint(attempt);
  auto *exchange =
      b.CreateAtomicCmpXchg(pointer, oldBits, next, MaybeAlign(), AtomicOrdering::Monotonic,
                            AtomicOrdering::Monotonic, scopeOf(call));
  oldBits->addIncoming(first, before);
  oldBits->addIncoming(b.CreateExtractValue(exchange, 0), attempt);
  b.CreateCondBr(b.CreateExtractValue(exchange, 1), done, loop);

  f->addFnAttr(atomicLoopAttribute);
  return old;
}

void lower(CallInst &call, simt::Op op) {
  IRBuilder<> b(&call);
  std::optional<RMW::BinOp> same = simt::sameOperation(op, call.getType()->isFloatingPointTy());
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
    old = lowerPlain(b, call, op);
  } else if (op == simt::Op::AtomicCas) {
    old = lowerCas(b, call);
  } else if (auto instruction = same ? instructionFor(*same, call.getType()) : std::nullopt) {
    old = scopeOf(call) == SyncScope::System
              ? lowerForSystem(b, *instruction, call.getArgOperand(0), operand)
              : b.CreateAtomicRMW(*same, call.getArgOperand(0), operand, MaybeAlign(),
                                  AtomicOrdering::Monotonic, scopeOf(call));
  } else {
    old = lowerWithLoop(b, call, op);
  }
  replaceCall(call, old);
}

} // namespace

PreservedAnalyses LowerAtomics::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (CallInst *call : simtCalls(f)) {
    simt::Op op = *simt::calledOp(call);
    if (!simt::info(op).has(simt::ArgMemory))
      continue;
    lower(*call, op);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
