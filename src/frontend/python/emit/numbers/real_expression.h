// Expression templates for floating-point formulas: each C++ operator emits the corresponding SIMT IR.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::python {

/// A float or double IR value with arithmetic operators. C++ constants in an expression are converted to its type.
struct Real {
  llvm::IRBuilderBase *b;
  llvm::Value *v;

  Real(llvm::IRBuilderBase &b, llvm::Value *v) : b(&b), v(v) {}
  Real with(llvm::Value *other) const { return {*b, other}; }
  Real with(double constant) const { return {*b, llvm::ConstantFP::get(v->getType(), constant)}; }
  bool isDouble() const { return v->getType()->isDoubleTy(); }
  /// The constant `ifDouble` or `ifFloat`, according to the type of this value.
  Real with(double ifDouble, double ifFloat) const { return with(isDouble() ? ifDouble : ifFloat); }
};

/// An i1 value in emitted code.
struct Condition {
  llvm::IRBuilderBase *b;
  llvm::Value *v;

  Condition(llvm::IRBuilderBase &b, llvm::Value *v) : b(&b), v(v) {}
};

inline Real operator-(Real x) { return x.with(x.b->CreateFNeg(x.v)); }

#define HEDDLE_REAL_OPERATOR(op, create)                                                           \
  inline Real operator op(Real x, Real y) { return x.with(x.b->create(x.v, y.v)); }                \
  inline Real operator op(Real x, double y) { return x op x.with(y); }                             \
  inline Real operator op(double x, Real y) { return y.with(x) op y; }
HEDDLE_REAL_OPERATOR(+, CreateFAdd)
HEDDLE_REAL_OPERATOR(-, CreateFSub)
HEDDLE_REAL_OPERATOR(*, CreateFMul)
HEDDLE_REAL_OPERATOR(/, CreateFDiv)
#undef HEDDLE_REAL_OPERATOR

#define HEDDLE_REAL_COMPARISON(op, create)                                                         \
  inline Condition operator op(Real x, Real y) { return {*x.b, x.b->create(x.v, y.v)}; }           \
  inline Condition operator op(Real x, double y) { return x op x.with(y); }
HEDDLE_REAL_COMPARISON(==, CreateFCmpOEQ)
HEDDLE_REAL_COMPARISON(!=, CreateFCmpUNE)
HEDDLE_REAL_COMPARISON(<, CreateFCmpOLT)
HEDDLE_REAL_COMPARISON(<=, CreateFCmpOLE)
HEDDLE_REAL_COMPARISON(>, CreateFCmpOGT)
HEDDLE_REAL_COMPARISON(>=, CreateFCmpOGE)
#undef HEDDLE_REAL_COMPARISON

inline Condition operator&&(Condition x, Condition y) { return {*x.b, x.b->CreateAnd(x.v, y.v)}; }
inline Condition operator||(Condition x, Condition y) { return {*x.b, x.b->CreateOr(x.v, y.v)}; }
inline Condition operator!(Condition x) { return {*x.b, x.b->CreateNot(x.v)}; }

inline Real select(Condition c, Real yes, Real no) {
  return yes.with(c.b->CreateSelect(c.v, yes.v, no.v));
}
inline Real select(Condition c, double yes, Real no) { return select(c, no.with(yes), no); }
inline Real select(Condition c, Real yes, double no) { return select(c, yes, yes.with(no)); }

#define HEDDLE_REAL_FUNCTION(name, op)                                                             \
  inline Real name(Real x) { return x.with(simt::call(*x.b, simt::Op::op, {x.v})); }
HEDDLE_REAL_FUNCTION(exp, Exp)
HEDDLE_REAL_FUNCTION(expm1, Expm1)
HEDDLE_REAL_FUNCTION(log, Log)
HEDDLE_REAL_FUNCTION(log1p, Log1p)
HEDDLE_REAL_FUNCTION(sin, Sin)
HEDDLE_REAL_FUNCTION(cos, Cos)
HEDDLE_REAL_FUNCTION(tan, Tan)
HEDDLE_REAL_FUNCTION(sinh, Sinh)
HEDDLE_REAL_FUNCTION(cosh, Cosh)
HEDDLE_REAL_FUNCTION(tanh, Tanh)
HEDDLE_REAL_FUNCTION(asinh, Asinh)
#undef HEDDLE_REAL_FUNCTION

inline Real atan2(Real y, Real x) { return x.with(simt::call(*x.b, simt::Op::Atan2, {y.v, x.v})); }
inline Real hypot(Real x, Real y) { return x.with(simt::call(*x.b, simt::Op::Hypot, {x.v, y.v})); }
inline Real pow(Real x, Real y) { return x.with(simt::call(*x.b, simt::Op::Pow, {x.v, y.v})); }
inline Real sqrt(Real x) { return x.with(x.b->CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x.v)); }
inline Real abs(Real x) { return x.with(x.b->CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.v)); }
inline Real trunc(Real x) { return x.with(x.b->CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x.v)); }
inline Real copysign(Real size, Real sign) {
  return size.with(size.b->CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size.v, sign.v));
}
inline Real copysign(double size, Real sign) { return copysign(sign.with(size), sign); }

inline Condition isNan(Real x) { return {*x.b, x.b->CreateFCmpUNO(x.v, x.v)}; }
inline Condition isInfinite(Real x) {
  return abs(x) == x.with(llvm::ConstantFP::getInfinity(x.v->getType()));
}
inline Condition isFinite(Real x) {
  return abs(x) < x.with(llvm::ConstantFP::getInfinity(x.v->getType()));
}

/// The larger and the smaller of two numbers that are not NaN.
inline Real larger(Real x, Real y) { return select(x > y, x, y); }
inline Real smaller(Real x, Real y) { return select(x > y, y, x); }

} // namespace heddle::python
