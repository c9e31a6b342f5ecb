#include "codegen/divide_vectors.h"

#include "codegen/vector_slots.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Maximum width of integers that are divided as float64.
constexpr unsigned maxExactBits = 51;
/// 1.5 * 2^52: at this magnitude, the last bit of a float64 has weight 1, so adding a short integer is exact.
constexpr double integerBias = 0x1.8p52;
constexpr uint64_t integerBiasBits = 0x4338000000000000;

bool is64BitVectorDivision(const BinaryOperator &i) {
  return i.isIntDivRem() && isa<FixedVectorType>(i.getType()) &&
         i.getType()->getScalarSizeInBits() == 64 && !isa<Constant>(i.getOperand(1));
}

class VectorDivision {
public:
  explicit VectorDivision(BinaryOperator &i)
      : i_(i), type_(*cast<FixedVectorType>(i.getType())),
        floats_(*FixedVectorType::get(Type::getDoubleTy(i.getContext()), type_.getNumElements())),
        x_(i.getOperand(0)), y_(i.getOperand(1)) {}

  void replace();

private:
  bool isSigned() const {
    return i_.getOpcode() == Instruction::SDiv || i_.getOpcode() == Instruction::SRem;
  }
  bool computesQuotient() const {
    return i_.getOpcode() == Instruction::SDiv || i_.getOpcode() == Instruction::UDiv;
  }
  Constant *splat(uint64_t n) const { return ConstantInt::get(&type_, n); }
  Value *emitAllShortTest(IRBuilderBase &b) const;
  Value *toFloats(IRBuilderBase &b, Value *v) const;
  Value *divideAsFloats(IRBuilderBase &b) const;
  Value *divideInLoop(BasicBlock &before, BasicBlock &after) const;

  BinaryOperator &i_;
  FixedVectorType &type_, &floats_;
  Value *x_, *y_;
};

/// Emits a test of whether all lanes of both operands fit in maxExactBits.
Value *VectorDivision::emitAllShortTest(IRBuilderBase &b) const {
  uint64_t half = isSigned() ? uint64_t(1) << (maxExactBits - 1) : 0;
  Value *x = b.CreateAdd(x_, splat(half)), *y = b.CreateAdd(y_, splat(half));
  uint64_t maxExact = (uint64_t(1) << maxExactBits) - 1;
  Value *longer = b.CreateOrReduce(b.CreateAnd(b.CreateOr(x, y), splat(~maxExact)));
  return b.CreateICmpEQ(longer, b.getInt64(0));
}

Value *VectorDivision::toFloats(IRBuilderBase &b, Value *v) const {
  Value *sum = b.CreateBitCast(b.CreateAdd(v, splat(integerBiasBits)), &floats_);
  return b.CreateFSub(sum, ConstantFP::get(&floats_, integerBias));
}

Value *VectorDivision::divideAsFloats(IRBuilderBase &b) const {
  Value *x = toFloats(b, x_), *y = toFloats(b, y_);
  Value *result = b.CreateUnaryIntrinsic(Intrinsic::trunc, b.CreateFDiv(x, y));
  if (!computesQuotient())
    result = b.CreateFSub(x, b.CreateFMul(result, y)); // all exact
  Value *sum = b.CreateFAdd(result, ConstantFP::get(&floats_, integerBias));
  return b.CreateSub(b.CreateBitCast(sum, &type_), splat(integerBiasBits));
}

/// Emits a division loop from `before` to `after`.
Value *VectorDivision::divideInLoop(BasicBlock &before, BasicBlock &after) const {
  Function &f = *before.getParent();
  Type *element = type_.getElementType();
  auto *array = ArrayType::get(element, type_.getNumElements());
  AllocaInst *numbers = createVectorSlot(*array, f), *divisors = createVectorSlot(*array, f);
  BasicBlock *loop = BasicBlock::Create(f.getContext(), "divide", &f, &after);
  IRBuilder<> b(&before);
  b.SetCurrentDebugLocation(i_.getDebugLoc());
  b.CreateAlignedStore(x_, numbers, vectorSlotAlign);
  b.CreateAlignedStore(y_, divisors, vectorSlotAlign);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *lane = b.CreatePHI(b.getInt64Ty(), 2, "lane");
  Value *number = b.CreateInBoundsGEP(element, numbers, lane);
  Value *divisor = b.CreateLoad(element, b.CreateInBoundsGEP(element, divisors, lane));
  b.CreateStore(b.CreateBinOp(i_.getOpcode(), b.CreateLoad(element, number), divisor), number);
  Value *next = b.CreateNUWAdd(lane, b.getInt64(1));
  lane->addIncoming(b.getInt64(0), &before);
  lane->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(type_.getNumElements())), loop, &after);
  b.SetInsertPoint(&after);
  return b.CreateAlignedLoad(&type_, numbers, vectorSlotAlign);
}

void VectorDivision::replace() {
  Function &f = *i_.getFunction();
  auto block = [&](const char *name, BasicBlock *before) {
    return BasicBlock::Create(f.getContext(), name, &f, before);
  };
  IRBuilder<> b(&i_);
  x_ = b.CreateFreeze(x_);
  y_ = b.CreateFreeze(y_);
  // Inactive lanes, which divide by 1, may hold any number.
  Value *lanes, *divisor, *known = computesQuotient() ? x_ : splat(0);
  bool isGuarded = matchGuardedDivisor(i_, lanes, divisor);
  if (isGuarded) {
    lanes = b.CreateFreeze(lanes);
    x_ = b.CreateSelect(lanes, x_, splat(0));
  }
  Value *emitAllShortTest = this->emitAllShortTest(b);

  BasicBlock *before = i_.getParent(), *after = SplitBlock(before, &i_);
  after->setName("divided");
  BasicBlock *quick = block("quick", after), *each = block("each", after),
             *eachDivided = block("divided.each", after);
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  b.CreateCondBr(emitAllShortTest, quick, each);
  b.SetInsertPoint(quick);
  Value *divideAsFloats = this->divideAsFloats(b);
  b.CreateBr(after);
  Value *loopResult = divideInLoop(*each, *eachDivided);
  b.SetInsertPoint(eachDivided);
  b.CreateBr(after);
  b.SetInsertPoint(after, after->begin());
  PHINode *result = b.CreatePHI(&type_, 2);
  result->addIncoming(divideAsFloats, quick);
  result->addIncoming(loopResult, eachDivided);
  i_.replaceAllUsesWith(isGuarded ? b.CreateSelect(lanes, result, known) : result);
  i_.eraseFromParent();
}

} // namespace

bool matchGuardedDivisor(const BinaryOperator &i, Value *&lanes, Value *&divisor) {
  return i.isIntDivRem() && i.getType()->isVectorTy() &&
         match(i.getOperand(1), m_Select(m_Value(lanes), m_Value(divisor), m_One())) &&
         lanes->getType()->isVectorTy();
}

PreservedAnalyses DivideVectors::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<BinaryOperator *> divisions;
  for (Instruction &i : instructions(f))
    if (auto *division = dyn_cast<BinaryOperator>(&i); division && is64BitVectorDivision(*division))
      divisions.push_back(division);
  for (BinaryOperator *division : divisions)
    VectorDivision(*division).replace();
  return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::cpu
