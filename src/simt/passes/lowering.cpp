#include "simt/passes/lowering.h"

#include "simt/ir/verifier.h"

#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

bool isKernel(const Function &f) { return !f.isDeclaration() && f.hasFnAttribute(kernelAttribute); }

SmallVector<CallInst *, 8> simtCalls(Function &f) {
  SmallVector<CallInst *, 8> calls;
  for (Instruction &i : instructions(f))
    if (calledOp(&i))
      calls.push_back(cast<CallInst>(&i));
  return calls;
}

std::optional<AtomicRMWInst::BinOp> sameOperation(Op op, bool isFloat) {
  switch (op) {
  case Op::AtomicAdd:
    return isFloat ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
  case Op::AtomicSub:
    return isFloat ? AtomicRMWInst::FSub : AtomicRMWInst::Sub;
  case Op::AtomicMin:
    // atomicrmw fmin takes the number when memory holds a NaN; this operation leaves the NaN.
    return isFloat ? std::nullopt : std::optional(AtomicRMWInst::Min);
  case Op::AtomicMax:
    return isFloat ? std::nullopt : std::optional(AtomicRMWInst::Max);
  case Op::AtomicUMin:
    return AtomicRMWInst::UMin;
  case Op::AtomicUMax:
    return AtomicRMWInst::UMax;
  case Op::AtomicNanMin:
    return AtomicRMWInst::FMin;
  case Op::AtomicNanMax:
    return AtomicRMWInst::FMax;
  case Op::AtomicAnd:
    return AtomicRMWInst::And;
  case Op::AtomicOr:
    return AtomicRMWInst::Or;
  case Op::AtomicXor:
    return AtomicRMWInst::Xor;
  case Op::AtomicInc:
    return AtomicRMWInst::UIncWrap;
  case Op::AtomicDec:
    return AtomicRMWInst::UDecWrap;
  case Op::AtomicExch:
    return AtomicRMWInst::Xchg;
  default:
    return std::nullopt;
  }
}

} // namespace heddle::simt
