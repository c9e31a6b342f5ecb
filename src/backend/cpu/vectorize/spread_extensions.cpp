#include "backend/cpu/vectorize/spread_extensions.h"

#include "simt/ir/ops.h"
#include "simt/passes/order_threads.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr unsigned deepestSum = 6; // of expressions that are looked through

/// The operation whose result an extension may as well take from extended operands.
OverflowingBinaryOperator *spreadable(Value &v, bool isSigned) {
  auto *operation = dyn_cast<OverflowingBinaryOperator>(&v);
  if (!operation || !(isSigned ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap()))
    return nullptr;
  if (operation->getOpcode() == Instruction::Shl && !isa<ConstantInt>(operation->getOperand(1)))
    return nullptr;
  return operation;
}

class Spreading {
public:
  explicit Spreading(const LoopInfo &loops) : loops(loops) {}

  void spread(CastInst &extension, unsigned depth = 0) {
    Value &v = *extension.getOperand(0);
    bool isSigned = isa<SExtInst>(extension);
    // A number that is not negative is the same either way.
    bool either = !isSigned && extension.hasNonNeg();
    for (bool asSigned : {isSigned, true}) {
      if (asSigned != isSigned && !either)
        continue;
      if (auto *operation = spreadable(v, asSigned); operation && depth < deepestSum)
        return replace(extension, *extendOperands(extension, *operation, asSigned, depth));
      if (auto *phi = dyn_cast<PHINode>(&v); phi && isCounter(*phi, asSigned))
        return replace(extension, *extendCounter(*phi, *extension.getType(), asSigned));
    }
  }

private:
  static void replace(CastInst &extension, Value &by) {
    extension.replaceAllUsesWith(&by);
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
    if (auto *made = dyn_cast<Instruction>(result))
      isSigned ? made->setHasNoSignedWrap() : made->setHasNoUnsignedWrap();
    for (Value *v : {x, y})
      if (auto *inner = dyn_cast<CastInst>(v))
        spread(*inner, depth + 1);
    return result;
  }

  /// Whether a loop adds numbers to the phi that are the same in all its rounds, without wrapping around.
  bool isCounter(const PHINode &phi, bool isSigned) const {
    const Loop *loop = loops.getLoopFor(phi.getParent());
    if (!loop || loop->getHeader() != phi.getParent())
      return false;
    return all_of(phi.blocks(), [&](BasicBlock *from) {
      return !loop->contains(from) ||
             stepsFrom(phi, *phi.getIncomingValueForBlock(from), *loop, isSigned);
    });
  }

  static bool stepsFrom(const PHINode &phi, Value &v, const Loop &loop, bool isSigned) {
    Value *rest = &v;
    for (unsigned steps = 0; rest != &phi; ++steps) {
      auto *sum = spreadable(*rest, isSigned);
      if (!sum || steps == deepestSum)
        return false;
      if (loop.isLoopInvariant(sum->getOperand(1)) &&
          (sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Sub))
        rest = sum->getOperand(0);
      else if (loop.isLoopInvariant(sum->getOperand(0)) && sum->getOpcode() == Instruction::Add)
        rest = sum->getOperand(1);
      else
        return false;
    }
    return true;
  }

  /// The counter in 64 bits, beside the one that it is made of.
  PHINode *extendCounter(PHINode &phi, Type &type, bool isSigned) {
    PHINode *&wide = (isSigned ? signed_ : unsigned_)[&phi];
    if (wide)
      return wide;
    wide = PHINode::Create(&type, phi.getNumIncomingValues(), phi.getName(), phi.getIterator());
    wide->setDebugLoc(phi.getDebugLoc());
    PHINode *made = wide; // the map may move its values
    SmallVector<CastInst *> extensions;
    for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
      IRBuilder<> b(phi.getIncomingBlock(n)->getTerminator());
      Value *extended = extend(b, phi.getIncomingValue(n), &type, isSigned);
      made->addIncoming(extended, phi.getIncomingBlock(n));
      if (auto *extension = dyn_cast<CastInst>(extended))
        extensions.push_back(extension);
    }
    for (CastInst *extension : extensions)
      spread(*extension);
    return made;
  }

  const LoopInfo &loops;
  DenseMap<PHINode *, PHINode *> signed_, unsigned_;
};

bool isIndexOfLocalMemory(const Use &use) {
  const auto *address = dyn_cast<GetElementPtrInst>(use.getUser());
  if (!address || use.getOperandNo() == 0)
    return false;
  return address->getPointerAddressSpace() == simt::Shared ||
         isa<AllocaInst>(getUnderlyingObject(address));
}

bool isNarrowNumber(const Value &v) { return v.getType()->getIntegerBitWidth() == 32; }

} // namespace

void signLocalIndices(Function &f) {
  SmallVector<ZExtInst *> extensions;
  for (Instruction &i : instructions(f))
    if (auto *extension = dyn_cast<ZExtInst>(&i);
        extension && extension->getType()->isIntegerTy(64) && isNarrowNumber(*i.getOperand(0)))
      extensions.push_back(extension);
  for (ZExtInst *extension : extensions) {
    SmallVector<Use *> indices;
    for (Use &use : extension->uses())
      if (isIndexOfLocalMemory(use))
        indices.push_back(&use);
    if (indices.empty())
      continue;
    Value *number =
        IRBuilder<>(extension).CreateSExt(extension->getOperand(0), extension->getType());
    for (Use *use : indices) {
      use->set(number);
      // Where lane 0 does not run, its index is negative.
      cast<Instruction>(use->getUser())->dropPoisonGeneratingFlags();
    }
    if (extension->use_empty())
      extension->eraseFromParent();
  }
}

bool isLocalIndex(const CastInst &extension) {
  return isa<SExtInst>(extension) && isNarrowNumber(*extension.getOperand(0)) &&
         all_of(extension.uses(), isIndexOfLocalMemory);
}

void noteGridIndices(Function &f) {
  auto is = [](Value *v, simt::Op op) { return simt::calledOp(v) == op; };
  auto block = simt::Op(unsigned(simt::Op::BlockIdX) + unsigned(simt::threadOrderOf(f)));
  auto isStart = [&](Value *v) {
    auto *product = dyn_cast<BinaryOperator>(v);
    if (!product || product->getOpcode() != Instruction::Mul)
      return false;
    Value *x = product->getOperand(0), *y = product->getOperand(1);
    return (is(x, block) && is(y, simt::Op::BlockDimX)) ||
           (is(y, block) && is(x, simt::Op::BlockDimX));
  };
  for (Instruction &i : instructions(f)) {
    if (i.getOpcode() != Instruction::Add || !i.getType()->isIntegerTy(32))
      continue;
    for (unsigned first : {0u, 1u}) {
      Value *start = i.getOperand(first);
      if (!is(i.getOperand(1 - first), simt::Op::ThreadIdX) || !isStart(start))
        continue;
      for (Instruction *sum : {&i, cast<Instruction>(start)}) {
        sum->setHasNoUnsignedWrap();
        sum->setHasNoSignedWrap();
      }
    }
  }
}

void spreadExtensions(Function &f, const LoopInfo &loops) {
  SmallVector<CastInst *> extensions;
  for (Instruction &i : instructions(f))
    if (isa<SExtInst, ZExtInst>(i) && i.getType()->isIntegerTy(64))
      extensions.push_back(cast<CastInst>(&i));
  Spreading spreading(loops);
  for (CastInst *extension : extensions)
    spreading.spread(*extension);
}

} // namespace heddle::cpu
