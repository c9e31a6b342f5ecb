#include "backend/cpu/vectorize/distribute_extensions.h"

#include "simt/analysis/grid_indices.h"
#include "simt/passes/order_threads.h"
#include "simt/thresholds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Matches an operation whose result can be computed from extended operands.
OverflowingBinaryOperator *matchDistributable(Value &v, bool isSigned) {
  auto *operation = dyn_cast<OverflowingBinaryOperator>(&v);
  if (!operation || !(isSigned ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap()))
    return nullptr;
  if (operation->getOpcode() == Instruction::Shl && !isa<ConstantInt>(operation->getOperand(1)))
    return nullptr;
  return operation;
}

class ExtensionDistributor {
public:
  explicit ExtensionDistributor(const LoopInfo &loops) : loops(loops) {}

  void distribute(CastInst &extension, unsigned depth = 0) {
    Value &v = *extension.getOperand(0);
    bool isSigned = isa<SExtInst>(extension);
    // For a nonnegative value, both extensions are the same.
    bool either = !isSigned && extension.hasNonNeg();
    for (bool asSigned : {isSigned, true}) {
      if (asSigned != isSigned && !either)
        continue;
      if (auto *operation = matchDistributable(v, asSigned);
          operation && depth < thresholds::maxExpressionDepth)
        return replace(extension, *extendOperands(extension, *operation, asSigned, depth));
      if (auto *phi = dyn_cast<PHINode>(&v); phi && isInductionVariable(*phi, asSigned))
        return replace(extension, *widenInductionVariable(*phi, *extension.getType(), asSigned));
    }
  }

private:
  static void replace(CastInst &extension, Value &replacement) {
    extension.replaceAllUsesWith(&replacement);
    extension.eraseFromParent();
  }

  static Value *extend(IRBuilder<> &b, Value *v, Type *type, bool isSigned) {
    return isSigned ? b.CreateSExt(v, type) : b.CreateZExt(v, type);
  }

  Value *extendOperands(CastInst &extension, OverflowingBinaryOperator &operation, bool isSigned,
                        unsigned depth) {
    IRBuilder<> b(&extension);
    Type *type = extension.getType();
    Value *x = extend(b, operation.getOperand(0), type, isSigned),
          *y = extend(b, operation.getOperand(1), type, isSigned);
    Value *result = b.CreateBinOp(Instruction::BinaryOps(operation.getOpcode()), x, y);
    if (auto *extended = dyn_cast<Instruction>(result))
      isSigned ? extended->setHasNoSignedWrap() : extended->setHasNoUnsignedWrap();
    for (Value *v : {x, y})
      if (auto *inner = dyn_cast<CastInst>(v))
        distribute(*inner, depth + 1);
    return result;
  }

  /// Returns true for a phi to which its loop adds invariants without wraparound.
  bool isInductionVariable(const PHINode &phi, bool isSigned) const {
    const Loop *loop = loops.getLoopFor(phi.getParent());
    if (!loop || loop->getHeader() != phi.getParent())
      return false;
    return all_of(phi.blocks(), [&](BasicBlock *from) {
      return !loop->contains(from) ||
             isPhiPlusInvariants(phi, *phi.getIncomingValueForBlock(from), *loop, isSigned);
    });
  }

  static bool isPhiPlusInvariants(const PHINode &phi, Value &v, const Loop &loop, bool isSigned) {
    Value *sumOrPhi = &v;
    for (unsigned steps = 0; sumOrPhi != &phi; ++steps) {
      auto *sum = matchDistributable(*sumOrPhi, isSigned);
      if (!sum || steps == thresholds::maxExpressionDepth)
        return false;
      if (loop.isLoopInvariant(sum->getOperand(1)) &&
          (sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Sub))
        sumOrPhi = sum->getOperand(0);
      else if (loop.isLoopInvariant(sum->getOperand(0)) && sum->getOpcode() == Instruction::Add)
        sumOrPhi = sum->getOperand(1);
      else
        return false;
    }
    return true;
  }

  /// Creates a 64-bit induction variable beside the original one.
  PHINode *widenInductionVariable(PHINode &phi, Type &type, bool isSigned) {
    PHINode *&wide = (isSigned ? signed_ : unsigned_)[&phi];
    if (wide)
      return wide;
    wide = PHINode::Create(&type, phi.getNumIncomingValues(), phi.getName(), phi.getIterator());
    wide->setDebugLoc(phi.getDebugLoc());
    PHINode *made = wide; // the map may be rehashed
    SmallVector<CastInst *> extensions;
    for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
      IRBuilder<> b(phi.getIncomingBlock(n)->getTerminator());
      Value *extended = extend(b, phi.getIncomingValue(n), &type, isSigned);
      made->addIncoming(extended, phi.getIncomingBlock(n));
      if (auto *extension = dyn_cast<CastInst>(extended))
        extensions.push_back(extension);
    }
    for (CastInst *extension : extensions)
      distribute(*extension);
    return made;
  }

  const LoopInfo &loops;
  DenseMap<PHINode *, PHINode *> signed_, unsigned_;
};

bool isIndexOfSharedOrLocalArray(const Use &use) {
  const auto *address = dyn_cast<GetElementPtrInst>(use.getUser());
  if (!address || use.getOperandNo() == 0)
    return false;
  return address->getPointerAddressSpace() == simt::Shared ||
         isa<AllocaInst>(getUnderlyingObject(address));
}

bool isInt32(const Value &v) { return v.getType()->getIntegerBitWidth() == 32; }

} // namespace

void useSignedSharedAndLocalIndices(Function &f) {
  SmallVector<ZExtInst *> extensions;
  for (Instruction &i : instructions(f))
    if (auto *extension = dyn_cast<ZExtInst>(&i);
        extension && extension->getType()->isIntegerTy(64) && isInt32(*i.getOperand(0)))
      extensions.push_back(extension);
  for (ZExtInst *extension : extensions) {
    SmallVector<Use *> indices;
    for (Use &use : extension->uses())
      if (isIndexOfSharedOrLocalArray(use))
        indices.push_back(&use);
    if (indices.empty())
      continue;
    Value *number =
        IRBuilder<>(extension).CreateSExt(extension->getOperand(0), extension->getType());
    for (Use *use : indices) {
      use->set(number);
      // If lane 0 is inactive, its index may be negative.
      cast<Instruction>(use->getUser())->dropPoisonGeneratingFlags();
    }
    if (extension->use_empty())
      extension->eraseFromParent();
  }
}

bool isSharedOrLocalArrayIndex(const CastInst &extension) {
  return isa<SExtInst>(extension) && isInt32(*extension.getOperand(0)) &&
         all_of(extension.uses(), isIndexOfSharedOrLocalArray);
}

void markGridIndicesNoWrap(Function &f) {
  auto block = simt::Op(unsigned(simt::Op::BlockIdX) + unsigned(simt::threadOrderOf(f)));
  for (Instruction &i : instructions(f)) {
    if (!i.getType()->isIntegerTy(32))
      continue;
    if (Value *start = simt::findBlockStartOfGridIndex(i, block))
      for (Instruction *operation : {&i, cast<Instruction>(start)}) {
        operation->setHasNoUnsignedWrap();
        operation->setHasNoSignedWrap();
      }
  }
}

void distributeExtensions(Function &f, const LoopInfo &loops) {
  SmallVector<CastInst *> extensions;
  for (Instruction &i : instructions(f))
    if (isa<SExtInst, ZExtInst>(i) && i.getType()->isIntegerTy(64))
      extensions.push_back(cast<CastInst>(&i));
  ExtensionDistributor distributor(loops);
  for (CastInst *extension : extensions)
    distributor.distribute(*extension);
}

} // namespace heddle::cpu
