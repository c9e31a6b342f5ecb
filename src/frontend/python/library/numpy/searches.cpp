// Positions in sorted arrays: np.searchsorted, np.digitize.

#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

/// Fails unless argument `i` is a one-dimensional array of real numbers, as sorted arrays are.
void requireSearchableArray(CallTyping &t, unsigned i) {
  Type array = t.type(i);
  if (!array.isArray() || array->ndim != 1 || !array->element.isScalar())
    t.failAt(i, std::string(t.row().displayName()) +
                    " takes a 1-D array of real numbers here, not " + array.name());
}

void requireSingleValue(CallTyping &t, unsigned i) {
  if (t.type(i).isArray() || t.type(i).isTuple())
    t.failAt(i,
             std::string(t.row().displayName()) + " of several values makes a new array, which " +
                 t.rules().plural + " do not",
             "search for one value at a time, in a loop");
  t.requireScalar(i);
}

/// A search for a value in an array.
class Search {
public:
  Search(CallEmission &c, Value &array, Value &value)
      : e_(c.e), b_(c.b), elements_(c.e, array), element_(array.type->element),
        value_(c.e.parts(value)[0]), type_(value.type) {}

  llvm::Value *size() { return elements_.extent(0); }

  /// True if the last element is below the first.
  llvm::Value *isDescending() {
    llvm::Value *last = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax,
                                                 b_.CreateSub(size(), e_.int64(1)), e_.int64(0));
    Variable result(e_, {b_.getFalse()});
    e_.emitLoop(
        b_.CreateZExt(b_.CreateICmpSGT(size(), e_.int64(0)), b_.getInt64Ty()), [&](llvm::Value *) {
          result.set(
              {emitSortsBefore(elements_.at(last)[0], element_, elements_.first()[0], element_)});
        });
    return result.get()[0];
  }

  /// The number of elements before the value: those that sort before it, and the equal ones if `afterEqual` holds.
  llvm::Value *countElementsBefore(llvm::Value *afterEqual, llvm::Value *descending) {
    Variable low(e_, {e_.int64(0)}), high(e_, {size()});
    // Each iteration halves the interval.
    llvm::Value *zeros = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, size(), b_.getFalse());
    e_.emitLoop(b_.CreateSub(e_.int64(64), zeros), [&](llvm::Value *) {
      llvm::Value *from = low.get()[0], *to = high.get()[0];
      llvm::Value *open = b_.CreateICmpSLT(from, to);
      llvm::Value *middle = b_.CreateLShr(b_.CreateAdd(from, to), e_.int64(1));
      llvm::Value *known = b_.CreateSelect(open, middle, e_.int64(0));
      llvm::Value *mirrored = b_.CreateSub(b_.CreateSub(size(), e_.int64(1)), known);
      llvm::Value *v = elements_.at(b_.CreateSelect(descending, mirrored, known))[0];
      llvm::Value *before =
          b_.CreateSelect(afterEqual, b_.CreateNot(emitSortsBefore(value_, type_, v, element_)),
                          emitSortsBefore(v, element_, value_, type_));
      low.assignIf(b_.CreateAnd(open, before), {b_.CreateAdd(middle, e_.int64(1))});
      high.assignIf(b_.CreateAnd(open, b_.CreateNot(before)), {middle});
    });
    return low.get()[0];
  }

private:
  llvm::Value *isNan(llvm::Value *v, Type type) {
    return type.isFloat() ? b_.CreateFCmpUNO(v, v) : b_.getFalse();
  }
  /// Orders like NumPy's sort: NaNs are last.
  llvm::Value *emitSortsBefore(llvm::Value *a, Type ta, llvm::Value *c, Type tc) {
    llvm::Value *below = compare(e_, CompareOp::Lt, a, ta, c, tc);
    return b_.CreateOr(below, b_.CreateAnd(isNan(c, tc), b_.CreateNot(isNan(a, ta))));
  }

  Emitter &e_;
  llvm::IRBuilder<> &b_;
  ElementsOf elements_;
  Type element_;
  llvm::Value *value_;
  Type type_;
};

Type typeSearchsorted(CallTyping &t) {
  requireSearchableArray(t, 0);
  requireSingleValue(t, 1);
  const Constant *side = t.constant(2);
  if (t.argument(2) && !(side && side->kind == ConstantKind::String &&
                         (side->text == "left" || side->text == "right")))
    t.failAt(2, "side is the constant 'left' or 'right'");
  return int64Type();
}
Parts emitSearchsorted(CallEmission &c) {
  bool right = c.argument(2) && c.argument(2)->constant->text == "right";
  return {Search(c, *c.argument(0), *c.argument(1))
              .countElementsBefore(c.b.getInt1(right), c.b.getFalse())};
}

Type typeDigitize(CallTyping &t) {
  requireSingleValue(t, 0);
  requireSearchableArray(t, 1);
  if (t.argument(2))
    t.requireScalar(2);
  return int64Type();
}
Parts emitDigitize(CallEmission &c) {
  Search search(c, *c.argument(1), *c.argument(0));
  llvm::Value *right = c.argument(2) ? c.scalar(2, boolType()) : c.b.getFalse();
  llvm::Value *descending = search.isDescending();
  llvm::Value *place = search.countElementsBefore(c.b.CreateNot(right), descending);
  return {c.b.CreateSelect(descending, c.b.CreateSub(search.size(), place), place)};
}

constexpr LibraryRow rows[] = {
    asUnlisted(
        {"numpy.searchsorted", "(a, v, side=)",
         "The number of elements of a sorted array below v, or not above v with side='right'.",
         typeSearchsorted, emitSearchsorted, 0, true}),
    asUnlisted({"numpy.digitize", "(x, bins, right=)",
                "The index of the bin that contains x. The bins are ascending or descending.",
                typeDigitize, emitDigitize, 0, true}),
};

} // namespace

llvm::ArrayRef<LibraryRow> searchLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
