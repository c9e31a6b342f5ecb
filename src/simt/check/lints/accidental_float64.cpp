#include "simt/check/lints/accidental_float64.h"

#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <algorithm>

namespace heddle::simt {

using namespace llvm;

namespace {

bool isDouble(const Value &v) { return v.getType()->getScalarType()->isDoubleTy(); }

bool isNarrowFloat(const Type &type) {
  const Type *scalar = type.getScalarType();
  return scalar->isFloatingPointTy() && !scalar->isDoubleTy();
}

/// An operation of a mathematical library or an intrinsic, without other effects.
bool isMathCall(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return op ? info(*op).has(Pure) : isa<CallInst>(i) && computesFromOperands(i);
}

/// True for instructions whose operands and results in float64 belong to one expression.
bool isPartOfExpression(const Instruction &i) {
  return isa<BinaryOperator, UnaryOperator, PHINode, SelectInst, FreezeInst>(i) || isMathCall(i);
}

bool beginsDoubleExpression(const Instruction &i) {
  return isa<SIToFPInst, UIToFPInst>(i) ||
         (isa<FPExtInst>(i) && isNarrowFloat(*i.getOperand(0)->getType()));
}

bool endsDoubleExpression(const Instruction &i) {
  return isa<FPTruncInst, FPToSIInst, FPToUIInst, FCmpInst>(i);
}

/// Lines of a finding.
constexpr size_t maxPlaces = 4;

/// The operations in float64 that depend on each other.
class DoubleExpression {
public:
  /// Takes the operations that are connected with `first`, and adds them to `seen`.
  DoubleExpression(Instruction &first, SmallPtrSetImpl<Instruction *> &seen) {
    parts_.insert(&first);
    for (unsigned n = 0; n < parts_.size(); ++n) {
      Instruction &i = *parts_[n];
      seen.insert(&i);
      if (isPartOfExpression(i))
        for (Value *operand : i.operands())
          addOperand(*operand);
      for (User *user : i.users())
        addUser(*cast<Instruction>(user));
    }
  }

  bool isAccidental() const { return isClosed_ && touchesFloat32_; }

  /// The lines of the operations with constants; of all operations if there are none.
  std::vector<SiteInfo> findPlacesToReport() const {
    std::vector<SiteInfo> places;
    bool anyConstant = any_of(
        parts_, [](const Instruction *i) { return isArithmeticOrMathCall(*i) && hasConstant(*i); });
    for (const Instruction *i : parts_)
      if (isArithmeticOrMathCall(*i) && (hasConstant(*i) || !anyConstant))
        addSourcePlace(*i, places);
    sort(places, [](const SiteInfo &a, const SiteInfo &b) { return a.line < b.line; });
    places.resize(std::min(places.size(), maxPlaces));
    return places;
  }

private:
  static bool isArithmeticOrMathCall(const Instruction &i) {
    return isa<BinaryOperator>(i) || isMathCall(i);
  }
  static bool hasConstant(const Instruction &i) {
    return any_of(i.operands(), [](const Use &use) { return isa<ConstantFP>(use.get()); });
  }

  static void addSourcePlace(const Instruction &i, std::vector<SiteInfo> &places) {
    SourcePosition at = sourcePositionOf(i);
    bool isKnown = any_of(places, [&](const SiteInfo &place) {
      return place.line == at.line && place.file == at.file;
    });
    if (!isKnown)
      places.push_back({"", "", at.function, at.file, at.line, at.column});
  }

  void addOperand(Value &operand) {
    auto *i = dyn_cast<Instruction>(&operand);
    if (!isDouble(operand) || isa<llvm::Constant>(operand))
      return;
    if (i && beginsDoubleExpression(*i))
      touchesFloat32_ |= isa<FPExtInst>(i);
    else if (i && isPartOfExpression(*i))
      parts_.insert(i);
    else
      isClosed_ = false; // from memory, an argument, or another thread
  }

  void addUser(Instruction &user) {
    if (endsDoubleExpression(user)) {
      touchesFloat32_ |= isa<FPTruncInst>(user);
      for (Value *operand : user.operands()) // of a comparison
        addOperand(*operand);
    } else if (isPartOfExpression(user) && isDouble(user)) {
      parts_.insert(&user);
    } else {
      isClosed_ = false;
    }
  }

  SetVector<Instruction *> parts_;
  bool isClosed_ = true;
  bool touchesFloat32_ = false;
};

} // namespace

void addAccidentalFloat64Lints(Function &f, std::vector<StaticLint> &lints) {
  SmallPtrSet<Instruction *, 32> seen;
  for (Instruction &i : instructions(f)) {
    if (!isDouble(i) || !(isa<BinaryOperator>(i) || isMathCall(i)) || seen.contains(&i))
      continue;
    DoubleExpression expression(i, seen);
    if (expression.isAccidental())
      lints.push_back({StaticLint::Float64, expression.findPlacesToReport()});
  }
}

} // namespace heddle::simt
