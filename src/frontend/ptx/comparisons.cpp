// Comparisons and selections (PTX ISA 9.0, 9.7.6).
#include "frontend/ptx/floats.h"
#include "frontend/ptx/step.h"

#include "llvm/ADT/StringSwitch.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

using Predicate = CmpInst::Predicate;

std::optional<Predicate> integerPredicate(StringRef name, bool isSigned) {
  auto either = [&](Predicate s, Predicate u) { return isSigned ? s : u; };
  return StringSwitch<std::optional<Predicate>>(name)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Case("lt", either(CmpInst::ICMP_SLT, CmpInst::ICMP_ULT))
      .Case("le", either(CmpInst::ICMP_SLE, CmpInst::ICMP_ULE))
      .Case("gt", either(CmpInst::ICMP_SGT, CmpInst::ICMP_UGT))
      .Case("ge", either(CmpInst::ICMP_SGE, CmpInst::ICMP_UGE))
      .Case("lo", CmpInst::ICMP_ULT)
      .Case("ls", CmpInst::ICMP_ULE)
      .Case("hi", CmpInst::ICMP_UGT)
      .Case("hs", CmpInst::ICMP_UGE)
      .Default(std::nullopt);
}

std::optional<Predicate> floatPredicate(StringRef name) {
  return StringSwitch<std::optional<Predicate>>(name)
      .Case("eq", CmpInst::FCMP_OEQ)
      .Case("ne", CmpInst::FCMP_ONE)
      .Case("lt", CmpInst::FCMP_OLT)
      .Case("le", CmpInst::FCMP_OLE)
      .Case("gt", CmpInst::FCMP_OGT)
      .Case("ge", CmpInst::FCMP_OGE)
      .Case("equ", CmpInst::FCMP_UEQ)
      .Case("neu", CmpInst::FCMP_UNE)
      .Case("ltu", CmpInst::FCMP_ULT)
      .Case("leu", CmpInst::FCMP_ULE)
      .Case("gtu", CmpInst::FCMP_UGT)
      .Case("geu", CmpInst::FCMP_UGE)
      .Case("num", CmpInst::FCMP_ORD)
      .Case("nan", CmpInst::FCMP_UNO)
      .Default(std::nullopt);
}

/// A comparison, combined with a predicate in operand 3 if the opcode requests it.
struct Comparison {
  Value *result, *opposite;
};

Comparison emitComparison(Step &s, ScalarType type, StringRef name, StringRef combination) {
  std::optional<Predicate> predicate =
      type.isFloat() ? floatPredicate(name) : integerPredicate(name, type.isSigned());
  if (!predicate || type.kind == ScalarType::Predicate || type.lanes > 1)
    s.refuse("this type does not support this comparison");
  Flush flush(s);
  Value *x = s.readInput(1, type), *y = s.readInput(2, type);
  if (type.isFloat()) {
    x = flush(x);
    y = flush(y);
  }
  Value *holds = s.b.CreateCmp(*predicate, x, y), *opposite = s.b.CreateNot(holds);
  if (combination.empty() != (s.count() == 3))
    s.refuse("combining with a predicate needs .and, .or or .xor");
  if (combination.empty())
    return {holds, opposite};
  Value *with = s.readPredicate(s.operand(3));
  auto combined = [&](Value *v) {
    return combination == "and"  ? s.b.CreateAnd(v, with)
           : combination == "or" ? s.b.CreateOr(v, with)
                                 : s.b.CreateXor(v, with);
  };
  return {combined(holds), combined(opposite)};
}

StringRef takeComparisonName(Step &s) {
  return s.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu",
                      "ltu", "leu", "gtu", "geu", "num", "nan"});
}

void setp(Step &s) {
  StringRef name = takeComparisonName(s), combination = s.takeOneOf({"and", "or", "xor"});
  auto [holds, opposite] = emitComparison(s, s.takeType(), name, combination);
  s.writePredicates(holds, opposite);
}

/// All ones, or 1.0, if the comparison holds.
void set(Step &s) {
  StringRef name = takeComparisonName(s), combination = s.takeOneOf({"and", "or", "xor"});
  ScalarType result = s.takeType();
  Value *holds = emitComparison(s, s.takeType(), name, combination).result;
  if (result.isFloat() && result.lanes == 1)
    return s.writeResult(s.b.CreateUIToFP(holds, s.llvmType(result)), result);
  if (result.isFloat() || result.bits() != 32)
    s.refuse("the result must be .u32, .s32 or .f32");
  s.writeResult(s.b.CreateSExt(holds, s.b.getInt32Ty()), result);
}

void selp(Step &s) {
  ScalarType type = s.takeType();
  Value *p = s.readPredicate(s.operand(3));
  s.writeResult(s.b.CreateSelect(p, s.readInput(1, type), s.readInput(2, type)), type);
}

/// Selects the first operand if the third is at least 0.
void slct(Step &s) {
  Flush flush(s);
  ScalarType type = s.takeType(), compared = s.takeType();
  if (compared.laneBits != 32)
    s.refuse("the operand compared with 0 must be .s32 or .f32");
  Value *c = s.readInput(3, compared);
  Value *zero = Constant::getNullValue(c->getType());
  Value *first =
      compared.isFloat() ? s.b.CreateFCmpOGE(flush(c), zero) : s.b.CreateICmpSGE(c, zero);
  s.writeResult(s.b.CreateSelect(first, s.readInput(1, type), s.readInput(2, type)), type);
}

} // namespace

ArrayRef<Row> comparisonInstructions() {
  static const Row rows[] = {
      {"setp", 3, 4, setp},
      {"set", 3, 4, set},
      {"selp", 4, 4, selp},
      {"slct", 4, 4, slct},
  };
  return rows;
}

} // namespace heddle::ptx
