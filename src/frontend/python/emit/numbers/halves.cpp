#include "frontend/python/emit/numbers/halves.h"
#include "frontend/python/emit/numbers/scalars.h"

namespace heddle::python {

using llvm::Intrinsic::ID;

llvm::Value *emitFloatIntrinsic(llvm::IRBuilder<> &b, ID id,
                                llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Type *type = operands[0]->getType();
  if (!type->is16bitFPTy())
    return b.CreateIntrinsic(id, {type}, operands);
  llvm::SmallVector<llvm::Value *, 4> wide;
  for (llvm::Value *operand : operands)
    wide.push_back(b.CreateFPExt(operand, b.getFloatTy()));
  return b.CreateFPTrunc(b.CreateIntrinsic(id, {b.getFloatTy()}, wide), type);
}

namespace {

/// Converts an integer to a double between the same two 16-bit floats: if it does not fit, a sticky low bit represents
/// the bits that are cut off.
llvm::Value *integerToDoubleRoundingToOdd(Emitter &e, llvm::Value *v, Type from) {
  llvm::IRBuilder<> &b = e.b;
  if (from->bits == 64) {
    constexpr int64_t cut = (1 << 11) - 1; // a double has 53 bits
    llvm::Value *rest = b.CreateICmpNE(b.CreateAnd(v, e.int64(cut)), e.int64(0));
    llvm::Value *sticky = b.CreateOr(b.CreateAnd(v, e.int64(~cut)),
                                     b.CreateShl(b.CreateZExt(rest, b.getInt64Ty()), 11));
    llvm::Value *size =
        from.isSigned() ? b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v, b.getFalse()) : v;
    v = b.CreateSelect(b.CreateICmpULT(size, e.int64(int64_t(1) << 53)), v, sticky);
  }
  return cast(e, v, from, float64Type());
}

/// The neighbor of the half `h` (not NaN), one step away from zero or towards it.
llvm::Value *nextHalf(Emitter &e, llvm::Value *h, bool away) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *bits = b.CreateBitCast(h, b.getInt16Ty());
  llvm::Value *step = llvm::ConstantInt::getSigned(b.getInt16Ty(), away ? 1 : -1);
  return b.CreateBitCast(b.CreateAdd(bits, step), h->getType());
}

} // namespace

llvm::Value *roundToHalf(Emitter &e, llvm::Value *v, Type from, Type half, Rounding rounding) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *exact =
      from.isFloat() ? cast(e, v, from, float64Type()) : integerToDoubleRoundingToOdd(e, v, from);
  llvm::Value *h = cast(e, exact, float64Type(), half);
  if (rounding == Rounding::Nearest)
    return h;
  llvm::Value *back = cast(e, h, half, float64Type());
  llvm::Value *nil = llvm::ConstantFP::get(back->getType(), 0);
  llvm::Value *above = b.CreateFCmpOGT(back, exact), *below = b.CreateFCmpOLT(back, exact);
  llvm::Value *negative = b.CreateFCmpOLT(exact, nil);
  bool lowers = rounding == Rounding::Down, raises = rounding == Rounding::Up;
  if (rounding == Rounding::Zero) {
    llvm::Value *outside = b.CreateSelect(negative, below, above);
    return b.CreateSelect(outside, nextHalf(e, h, /*away=*/false), h);
  }
  llvm::Value *wrong = lowers ? above : below;
  // A step down leads away from zero for negative numbers. From zero, it leads to the smallest number with the right
  // sign.
  llvm::Value *away = raises ? b.CreateNot(negative) : negative;
  llvm::Value *moved =
      b.CreateSelect(away, nextHalf(e, h, /*away=*/true), nextHalf(e, h, /*away=*/false));
  return b.CreateSelect(wrong, moved, h);
}

llvm::Value *halfToInteger(Emitter &e, llvm::Value *v, Type to, Rounding rounding) {
  static constexpr ID roundings[] = {llvm::Intrinsic::rint, llvm::Intrinsic::trunc,
                                     llvm::Intrinsic::floor, llvm::Intrinsic::ceil};
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *whole =
      b.CreateUnaryIntrinsic(roundings[unsigned(rounding)], b.CreateFPExt(v, b.getFloatTy()));
  if (to->bits >= 32)
    return cast(e, whole, float32Type(), to);
  llvm::Value *wide = cast(e, whole, float32Type(), int32Type());
  int64_t lowest = to.isSigned() ? -(int64_t(1) << (to->bits - 1)) : 0;
  int64_t highest = (int64_t(1) << (to->bits - to.isSigned())) - 1;
  wide = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, wide, e.int32(lowest));
  wide = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, wide, e.int32(highest));
  return cast(e, wide, int32Type(), to);
}

} // namespace heddle::python
