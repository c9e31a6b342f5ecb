#include "backend/cpu/codegen/divide_vectors.h"

#include "backend/cpu/codegen/vector_room.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Of numbers that are divided as float64.
constexpr unsigned shortBits = 51;
/// 1.5 * 2^52: the last bit of a float64 about as large counts ones, so that a short integer and it add up to both.
constexpr double onesAsLastBit = 0x1.8p52;
constexpr uint64_t bitsOfThat = 0x4338000000000000;

bool dividesLong(const BinaryOperator &i) {
  return i.isIntDivRem() && isa<FixedVectorType>(i.getType()) &&
         i.getType()->getScalarSizeInBits() == 64 && !isa<Constant>(i.getOperand(1));
}

class Division {
public:
  explicit Division(BinaryOperator &i)
      : i_(i), type_(*cast<FixedVectorType>(i.getType())),
        floats_(*FixedVectorType::get(Type::getDoubleTy(i.getContext()), type_.getNumElements())),
        x_(i.getOperand(0)), y_(i.getOperand(1)) {}

  void replace();

private:
  bool isSigned() const {
    return i_.getOpcode() == Instruction::SDiv || i_.getOpcode() == Instruction::SRem;
  }
  bool wantsQuotient() const {
    return i_.getOpcode() == Instruction::SDiv || i_.getOpcode() == Instruction::UDiv;
  }
  Constant *everywhere(uint64_t n) const { return ConstantInt::get(&type_, n); }
  Value *areShort(IRBuilderBase &b) const;
  Value *asFloats(IRBuilderBase &b, Value *v) const;
  Value *byFloats(IRBuilderBase &b) const;
  Value *laneByLane(BasicBlock &before, BasicBlock &after) const;

  BinaryOperator &i_;
  FixedVectorType &type_, &floats_;
  Value *x_, *y_;
};

/// Whether all lanes of both have so few bits that float64 divides them.
Value *Division::areShort(IRBuilderBase &b) const {
  uint64_t half = isSigned() ? uint64_t(1) << (shortBits - 1) : 0;
  Value *x = b.CreateAdd(x_, everywhere(half)), *y = b.CreateAdd(y_, everywhere(half));
  uint64_t most = (uint64_t(1) << shortBits) - 1;
  Value *longer = b.CreateOrReduce(b.CreateAnd(b.CreateOr(x, y), everywhere(~most)));
  return b.CreateICmpEQ(longer, b.getInt64(0));
}

Value *Division::asFloats(IRBuilderBase &b, Value *v) const {
  Value *sum = b.CreateBitCast(b.CreateAdd(v, everywhere(bitsOfThat)), &floats_);
  return b.CreateFSub(sum, ConstantFP::get(&floats_, onesAsLastBit));
}

Value *Division::byFloats(IRBuilderBase &b) const {
  Value *x = asFloats(b, x_), *y = asFloats(b, y_);
  Value *result = b.CreateUnaryIntrinsic(Intrinsic::trunc, b.CreateFDiv(x, y));
  if (!wantsQuotient())
    result = b.CreateFSub(x, b.CreateFMul(result, y)); // exact, all of them
  Value *sum = b.CreateFAdd(result, ConstantFP::get(&floats_, onesAsLastBit));
  return b.CreateSub(b.CreateBitCast(sum, &type_), everywhere(bitsOfThat));
}

/// From one block to another, through a loop.
Value *Division::laneByLane(BasicBlock &before, BasicBlock &after) const {
  Function &f = *before.getParent();
  Type *element = type_.getElementType();
  auto *array = ArrayType::get(element, type_.getNumElements());
  AllocaInst *numbers = roomFor(*array, f), *divisors = roomFor(*array, f);
  BasicBlock *loop = BasicBlock::Create(f.getContext(), "divide", &f, &after);
  IRBuilder<> b(&before);
  b.SetCurrentDebugLocation(i_.getDebugLoc());
  b.CreateAlignedStore(x_, numbers, vectorRoomAlign);
  b.CreateAlignedStore(y_, divisors, vectorRoomAlign);
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
  return b.CreateAlignedLoad(&type_, numbers, vectorRoomAlign);
}

void Division::replace() {
  Function &f = *i_.getFunction();
  auto block = [&](const char *name, BasicBlock *before) {
    return BasicBlock::Create(f.getContext(), name, &f, before);
  };
  IRBuilder<> b(&i_);
  x_ = b.CreateFreeze(x_);
  y_ = b.CreateFreeze(y_);
  // Lanes that divide by 1, as those do that do not run, have any number.
  Value *lanes, *divisor, *known = wantsQuotient() ? x_ : everywhere(0);
  bool isGuarded = hasGuardedDivisor(i_, lanes, divisor);
  if (isGuarded) {
    lanes = b.CreateFreeze(lanes);
    x_ = b.CreateSelect(lanes, x_, everywhere(0));
  }
  Value *areShort = this->areShort(b);

  BasicBlock *before = i_.getParent(), *after = SplitBlock(before, &i_);
  after->setName("divided");
  BasicBlock *quick = block("quick", after), *each = block("each", after),
             *eachDivided = block("divided.each", after);
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  b.CreateCondBr(areShort, quick, each);
  b.SetInsertPoint(quick);
  Value *byFloats = this->byFloats(b);
  b.CreateBr(after);
  Value *inTurn = laneByLane(*each, *eachDivided);
  b.SetInsertPoint(eachDivided);
  b.CreateBr(after);
  b.SetInsertPoint(after, after->begin());
  PHINode *result = b.CreatePHI(&type_, 2);
  result->addIncoming(byFloats, quick);
  result->addIncoming(inTurn, eachDivided);
  i_.replaceAllUsesWith(isGuarded ? b.CreateSelect(lanes, result, known) : result);
  i_.eraseFromParent();
}

} // namespace

bool hasGuardedDivisor(const BinaryOperator &i, Value *&lanes, Value *&divisor) {
  return i.isIntDivRem() && i.getType()->isVectorTy() &&
         match(i.getOperand(1), m_Select(m_Value(lanes), m_Value(divisor), m_One())) &&
         lanes->getType()->isVectorTy();
}

PreservedAnalyses DivideVectors::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<BinaryOperator *> divisions;
  for (Instruction &i : instructions(f))
    if (auto *division = dyn_cast<BinaryOperator>(&i); division && dividesLong(*division))
      divisions.push_back(division);
  for (BinaryOperator *division : divisions)
    Division(*division).replace();
  return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::cpu
