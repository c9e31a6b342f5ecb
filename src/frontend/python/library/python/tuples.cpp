// Methods of tuples: tuple(t), t.index(x), t.count(x).

#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/rows/typing_rules.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/slices.h"

namespace heddle::python {
namespace {

Type typeTuple(CallTyping &t) {
  if (!t.argument(0))
    return tupleType({});
  if (!t.type(0).isTuple())
    t.failAt(0, "tuple() takes a tuple, not " + t.type(0).name(),
             "write the elements out, as in (a[0], a[1])");
  t.call().constant = t.argument(0)->constant;
  return tupleType(t.type(0)->elements);
}
Parts emitTuple(CallEmission &c) { return c.argument(0) ? c.e.parts(*c.argument(0)) : Parts{}; }

bool isNumber(Type t) { return t.isScalar() || t.isComplex(); }

Type typeIndexOrCount(CallTyping &t) {
  for (Type element : t.type(0)->elements)
    if (!isNumber(element))
      t.failAt(0, std::string(t.row().lastName()) + "() takes a tuple of numbers, not " +
                      t.type(0).name());
  t.requireNumber(1);
  return int64Type();
}
/// True if element `i` of the tuple equals the number.
llvm::Value *emitElementEquals(CallEmission &c, size_t i) {
  Type tuple = c.argument(0)->type;
  Parts element = tupleElement(c.e, c.e.parts(*c.argument(0)), tuple, i);
  return emitEqualNumbers(c.e, element, tuple->elements[i], c.e.parts(*c.argument(1)),
                          c.argument(1)->type);
}

/// The first index of the number; ValueError if there is none.
Parts emitIndexOfValue(CallEmission &c) {
  llvm::Value *place = c.e.int64(-1);
  for (size_t i = c.argument(0)->type->elements.size(); i-- > 0;)
    place = c.b.CreateSelect(emitElementEquals(c, i), c.e.int64(int64_t(i)), place);
  c.e.trapIf(c.b.CreateICmpSLT(place, c.e.int64(0)), c.call.span, "ValueError",
             "tuple.index(x): x is not in the tuple");
  return {place};
}

Parts emitCountOfValue(CallEmission &c) {
  llvm::Value *count = c.e.int64(0);
  for (size_t i = 0; i < c.argument(0)->type->elements.size(); ++i)
    count = c.b.CreateAdd(count, c.b.CreateZExt(emitElementEquals(c, i), c.b.getInt64Ty()));
  return {count};
}

constexpr LibraryRow rows[] = {
    forClass(
        {"builtins.tuple", "(t=)", "A tuple with the elements of a tuple.", typeTuple, emitTuple},
        [](Type t) {
          return t.isTuple() && !isSliceValue(t) && !isLiteralList(t) && !isLiteralDict(t);
        }),
    {"tuple.index", "(self, x)",
     "The index of the first element that equals x. Raises ValueError if there is none.",
     typeIndexOrCount, emitIndexOfValue, 0, true},
    {"tuple.count", "(self, x)", "The number of elements that equal x.", typeIndexOrCount,
     emitCountOfValue, 0, true},
};

} // namespace

llvm::ArrayRef<LibraryRow> tupleLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
