#include "backend/nvptx/codegen/remove_division_guards.h"

#include "backend/nvptx/operations/device_code.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

namespace heddle::nvptx {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// `base + offset`, the form in which InstCombine compares sums with constants.
struct Sum {
  Value *base;
  APInt offset;
};

Sum splitConstantOffset(Value *v) {
  Value *base;
  const APInt *offset;
  if (match(v, m_AddLike(m_Value(base), m_APInt(offset))))
    return {base, *offset};
  return {v, APInt::getZero(v->getType()->getIntegerBitWidth())};
}

/// A condition that is true for the values of `base` in `values`.
struct RangeTest {
  Value *base;
  ConstantRange values;

  RangeTest inverse() const { return {base, values.inverse()}; }
};

std::optional<RangeTest> matchRangeTest(Value *condition) {
  CmpPredicate predicate;
  Value *compared;
  const APInt *limit;
  if (!match(condition, m_ICmp(predicate, m_Value(compared), m_APInt(limit))))
    return std::nullopt;
  Sum sum = splitConstantOffset(compared);
  return RangeTest{sum.base,
                   ConstantRange::makeExactICmpRegion(predicate, *limit).subtract(sum.offset)};
}

/// A select of `inner` except for some values of a variable.
struct Exception {
  RangeTest test;
  Value *result; ///< for the values in the test
  Value *inner;
};

/// Matches a select with `inner` as one of its results. With `inner` null, matches a select whose exceptional result is
/// 1.
std::optional<Exception> matchExceptionalSelect(SelectInst &select, const Value *inner) {
  std::optional<RangeTest> test = matchRangeTest(select.getCondition());
  Value *whenTrue = select.getTrueValue(), *whenFalse = select.getFalseValue();
  if (!test || whenTrue == whenFalse)
    return std::nullopt;
  if (inner ? whenFalse == inner : match(whenTrue, m_One()))
    return Exception{*test, whenTrue, whenFalse};
  if (inner ? whenTrue == inner : match(whenFalse, m_One()))
    return Exception{test->inverse(), whenFalse, whenTrue};
  return std::nullopt;
}

/// Matches a divisor that is 1 in place of some values.
std::optional<Exception> matchGuardedDivisor(Value *divisor) {
  Value *y;
  if (match(divisor, m_UMax(m_Value(y), m_One()))) {
    Sum sum = splitConstantOffset(y);
    return Exception{{sum.base, ConstantRange(-sum.offset)}, nullptr, y};
  }
  auto *select = dyn_cast<SelectInst>(divisor);
  return select ? matchExceptionalSelect(*select, nullptr) : std::nullopt;
}

/// True if `a` is -b.
bool isNegation(const Value *a, Value *b) {
  const APInt *x, *y;
  Sum sum = splitConstantOffset(b);
  if (match(a, m_APInt(x)) && match(b, m_APInt(y)))
    return *x == -*y;
  return isKnownNegation(a, b) ||
         match(a, m_Sub(m_SpecificInt(-sum.offset), m_Specific(sum.base))) ||
         (sum.offset.isOne() && match(a, m_Not(m_Specific(sum.base))));
}

/// Some of the divisors for which LLVM's divisions may be undefined.
struct Divisors {
  bool zero = false, minusOne = false;

  explicit operator bool() const { return zero || minusOne; }
};

/// The value of an integer expression of `base` and constants; null if it is something else.
ConstantInt *evaluateForBase(Value *v, const Value *base, ConstantInt *value, unsigned depth = 0) {
  constexpr unsigned maxDepth = 4;
  if (v == base)
    return value;
  auto *i = dyn_cast<Instruction>(v);
  if (!i || !isa<BinaryOperator, CastInst>(i) || depth == maxDepth)
    return dyn_cast<ConstantInt>(v);
  SmallVector<Constant *, 2> operands;
  for (Value *operand : i->operands()) {
    operands.push_back(evaluateForBase(operand, base, value, depth + 1));
    if (!operands.back())
      return nullptr;
  }
  return dyn_cast_or_null<ConstantInt>(ConstantFoldInstOperands(i, operands, i->getDataLayout()));
}

/// The divisors for which a test is true; nullopt if it may be true for others, or twice for one.
std::optional<Divisors> findExceptionalDivisors(const RangeTest &test, Value *divisor) {
  if (test.values.isEmptySet() || test.values.isFullSet() || test.values.isSizeLargerThan(2))
    return std::nullopt;
  Divisors found;
  for (APInt v = test.values.getLower(); v != test.values.getUpper(); ++v) {
    ConstantInt *y =
        evaluateForBase(divisor, test.base, ConstantInt::get(divisor->getContext(), v));
    if (!y || !(y->isZero() || y->isMinusOne()) || (y->isZero() ? found.zero : found.minusOne))
      return std::nullopt;
    (y->isZero() ? found.zero : found.minusOne) = true;
  }
  return found;
}

/// The operands of a division in the source. They may be results of other divisions, which are replaced.
struct Operands {
  WeakTrackingVH x, y;
  bool isSigned;

  bool operator==(const Operands &other) const {
    return x == other.x && y == other.y && isSigned == other.isSigned;
  }
};

/// A division with its guards.
class GuardedDivision {
public:
  /// Returns nullopt if `division` has no guards, or if its result for a replaced divisor is used.
  static std::optional<GuardedDivision> matchGuardedDivision(BinaryOperator &division);

  bool is64Bit() const { return division_->getType()->isIntegerTy(64); }
  bool isRemainder() const {
    return division_->getOpcode() == Instruction::SRem ||
           division_->getOpcode() == Instruction::URem;
  }
  Instruction &instruction() const { return *division_; }
  const Operands &operands() const { return operands_; }

  /// Replaces the division by `result`. If `isQuotientBased`, a remainder is x for a divisor of zero.
  void replaceDivisionAndGuards(Value &result, bool isQuotientBased);

private:
  GuardedDivision(BinaryOperator &division, Value *divisor)
      : division_(&division), operands_{division.getOperand(0), divisor,
                                        division.getOpcode() == Instruction::SDiv ||
                                            division.getOpcode() == Instruction::SRem} {}
  void collectGuardingSelects(const RangeTest &guard);
  bool foldThroughConstantOperation(Instruction &user);
  void addGuardingSelect(SelectInst &select, const Exception &exception, Divisors replaced);

  /// A select of the result for 0, for -1, or for both.
  struct ResultSelect {
    SelectInst *select;
    Value *inner;
    bool isNative;           ///< the instruction gives this result
    bool isNativeByQuotient; ///< x - x / y * y gives this result
  };

  BinaryOperator *division_;
  Operands operands_;
  Divisors unsafe_; ///< divisors whose results must be replaced
  SmallVector<ResultSelect, 2> selects_;
  SmallVector<Instruction *, 2> users_; ///< instructions between the division and its selects
  Constant *forZero_ = nullptr,
           *forMinusOne_ = nullptr; ///< the constant results after these; null: not constant
};

std::optional<GuardedDivision> GuardedDivision::matchGuardedDivision(BinaryOperator &division) {
  Type *type = division.getType();
  if (!division.isIntDivRem() ||
      !(type->isIntegerTy(64) || (type->isIntegerTy() && type->getIntegerBitWidth() <= 32)))
    return std::nullopt;
  std::optional<Exception> guard = matchGuardedDivisor(division.getOperand(1));
  if (!guard)
    return std::nullopt;
  GuardedDivision found(division, guard->inner);
  std::optional<Divisors> replaced = findExceptionalDivisors(guard->test, guard->inner);
  if (!replaced)
    return std::nullopt;
  found.unsafe_ = *replaced;
  if (!found.isRemainder() && !found.is64Bit())
    found.forZero_ = ConstantInt::getAllOnesValue(type);
  if (found.isRemainder())
    found.forMinusOne_ = ConstantInt::getNullValue(type);
  else if (auto *x = dyn_cast<ConstantInt>(division.getOperand(0)))
    found.forMinusOne_ = ConstantInt::get(type, -x->getValue());
  found.collectGuardingSelects(guard->test);
  return found.unsafe_ ? std::nullopt : std::optional(found);
}

/// Follows the result to the selects that replace it. InstCombine moves operations with constants before these.
void GuardedDivision::collectGuardingSelects(const RangeTest &guard) {
  Value *v = division_;
  while (unsafe_ && v->hasOneUse()) {
    auto *user = cast<Instruction>(v->user_back());
    if (auto *select = dyn_cast<SelectInst>(user)) {
      std::optional<Exception> exception = matchExceptionalSelect(*select, v);
      if (!exception || exception->test.base != guard.base ||
          !guard.values.contains(exception->test.values))
        return;
      std::optional<Divisors> replaced = findExceptionalDivisors(exception->test, operands_.y);
      if (!replaced)
        return;
      addGuardingSelect(*select, *exception, *replaced);
    } else if (!foldThroughConstantOperation(*user)) {
      return;
    }
    v = user;
  }
}

void GuardedDivision::addGuardingSelect(SelectInst &select, const Exception &exception,
                                        Divisors replaced) {
  unsafe_.zero &= !replaced.zero;
  unsafe_.minusOne &= !replaced.minusOne;
  Value *result = exception.result;
  bool isNativeForMinusOne =
      forMinusOne_ ? result == forMinusOne_
                   : !isRemainder() && users_.empty() && isNegation(result, operands_.x);
  bool isNative = (!replaced.zero || (forZero_ && result == forZero_)) &&
                  (!replaced.minusOne || isNativeForMinusOne);
  bool isDividend = !replaced.minusOne && isRemainder() && users_.empty() && result == operands_.x;
  selects_.push_back({&select, exception.inner, isNative, isNative || isDividend});
}

/// Steps over an operation with constants.
bool GuardedDivision::foldThroughConstantOperation(Instruction &user) {
  if (!isa<BinaryOperator, CastInst, ICmpInst>(user) || user.getType()->isVectorTy() ||
      (user.isIntDivRem() && !isa<Constant>(user.getOperand(1))))
    return false;
  auto fold = [&](Constant *result) -> Constant * {
    SmallVector<Constant *, 2> operands;
    for (Value *operand : user.operands())
      operands.push_back(isa<Constant>(operand) ? cast<Constant>(operand) : result);
    return result ? ConstantFoldInstOperands(&user, operands, user.getDataLayout()) : nullptr;
  };
  if (isa<BinaryOperator, ICmpInst>(user) && !isa<Constant>(user.getOperand(0)) &&
      !isa<Constant>(user.getOperand(1)))
    return false;
  forZero_ = fold(forZero_);
  forMinusOne_ = fold(forMinusOne_);
  users_.push_back(&user);
  return true;
}

void GuardedDivision::replaceDivisionAndGuards(Value &result, bool isQuotientBased) {
  // The flags may not hold for the results for 0 and -1.
  for (Instruction *user : users_)
    user->dropPoisonGeneratingFlags();
  SmallVector<WeakTrackingVH, 4> unused;
  // From the last to the first, as each select is the next one's operand.
  for (const ResultSelect &s : reverse(selects_))
    if (isQuotientBased ? s.isNativeByQuotient : s.isNative) {
      s.select->replaceAllUsesWith(s.inner);
      unused.push_back(s.select);
    }
  division_->replaceAllUsesWith(&result);
  unused.push_back(division_);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
}

/// Emits `name`, div or rem, for up to 32 bits.
Value *emitPtxDivision(IRBuilder<> &b, const char *name, const Operands &operands) {
  auto widen = [&](Value *v) { return b.CreateIntCast(v, b.getInt32Ty(), operands.isSigned); };
  const char *type = operands.isSigned ? ".s32" : ".u32";
  Value *result = emitPtxInstruction(b, Twine(name) + type + " $0, $1, $2;",
                                     {widen(operands.x), widen(operands.y)});
  return b.CreateTrunc(result, operands.x->getType());
}

/// Replaces divisions. The quotient and the remainder of two numbers use one instruction.
class Replacement {
public:
  explicit Replacement(const DominatorTree &tree) : tree_(tree) {}

  /// Replaces the first of `divisions`, which are in reverse post-order.
  void replaceFirstDivision(MutableArrayRef<GuardedDivision> divisions) {
    GuardedDivision &division = divisions.front();
    const Operands &operands = division.operands();
    IRBuilder<> b(&division.instruction());
    if (division.is64Bit()) {
      auto opcode = Instruction::BinaryOps(division.instruction().getOpcode());
      Value *result = b.CreateBinOp(opcode, operands.x, getOrEmitOpaqueCopy(*operands.y));
      return division.replaceDivisionAndGuards(*result, false);
    }
    Value *quotient = findDominatingQuotient(division);
    bool needsQuotient =
        !division.isRemainder() || quotient || isBeforeQuotient(division, divisions.drop_front());
    if (!needsQuotient)
      return division.replaceDivisionAndGuards(*emitPtxDivision(b, "rem", operands), false);
    if (!quotient) {
      quotient = emitPtxDivision(b, "div", operands);
      quotients_.push_back({operands, cast<Instruction>(quotient)});
    }
    if (!division.isRemainder())
      return division.replaceDivisionAndGuards(*quotient, false);
    Value *product = b.CreateMul(quotient, operands.y);
    division.replaceDivisionAndGuards(*b.CreateSub(operands.x, product), true);
  }

private:
  /// A copy of a divisor about which LLVM knows nothing. It may be zero.
  Value *getOrEmitOpaqueCopy(Value &y) {
    Value *&hidden = hidden_[&y];
    if (!hidden) {
      IRBuilder<> b(tree_.getRoot(), tree_.getRoot()->getFirstInsertionPt());
      if (auto *i = dyn_cast<Instruction>(&y))
        b.SetInsertPoint(*i->getInsertionPointAfterDef());
      hidden = emitPtxInstruction(b, "mov.b64 $0, $1;", {&y});
    }
    return hidden;
  }

  Value *findDominatingQuotient(const GuardedDivision &division) const {
    for (const auto &[known, quotient] : quotients_)
      if (known == division.operands() && tree_.dominates(quotient, &division.instruction()))
        return quotient;
    return nullptr;
  }

  /// True if the quotient of the remainder's operands is computed later.
  bool isBeforeQuotient(const GuardedDivision &remainder, ArrayRef<GuardedDivision> later) const {
    return any_of(later, [&](const GuardedDivision &other) {
      return !other.isRemainder() && other.operands() == remainder.operands() &&
             tree_.dominates(&remainder.instruction(), &other.instruction());
    });
  }

  const DominatorTree &tree_;
  SmallDenseMap<Value *, Value *, 4> hidden_;
  SmallVector<std::pair<Operands, Instruction *>, 4> quotients_;
};

} // namespace

PreservedAnalyses RemoveDivisionGuards::run(Function &f, FunctionAnalysisManager &am) {
  SmallVector<GuardedDivision, 4> divisions;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&f))
    for (Instruction &i : *block)
      if (auto *operation = dyn_cast<BinaryOperator>(&i))
        if (auto division = GuardedDivision::matchGuardedDivision(*operation))
          divisions.push_back(*division);
  if (divisions.empty())
    return PreservedAnalyses::all();
  Replacement replacement(am.getResult<DominatorTreeAnalysis>(f));
  MutableArrayRef<GuardedDivision> left = divisions;
  for (; !left.empty(); left = left.drop_front())
    replacement.replaceFirstDivision(left);
  return PreservedAnalyses::allInSet<CFGAnalyses>();
}

} // namespace heddle::nvptx
