// What tuples have besides indices: tuple(t), t.index(x).

#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/rows/typing_rules.h"

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

Type typeIndex(CallTyping &t) {
  for (Type element : t.type(0)->elements)
    if (!isNumber(element))
      t.failAt(0, "index() takes a tuple of numbers, not " + t.type(0).name());
  t.needNumber(1);
  return int64Type();
}
/// The first place of the number; ValueError where there is none.
Parts emitIndex(CallEmission &c) {
  Type tuple = c.argument(0)->type;
  Parts all = c.e.parts(*c.argument(0)), wanted = c.e.parts(*c.argument(1));
  llvm::Value *place = c.e.int64(-1);
  for (size_t i = tuple->elements.size(); i-- > 0;) {
    llvm::Value *equal = equalNumbers(c.e, tupleElement(c.e, all, tuple, i), tuple->elements[i],
                                      wanted, c.argument(1)->type);
    place = c.b.CreateSelect(equal, c.e.int64(i), place);
  }
  c.e.trapIf(c.b.CreateICmpSLT(place, c.e.int64(0)), c.call.span, "ValueError",
             "tuple.index(x): x is not in the tuple");
  return {place};
}

constexpr LibraryRow rows[] = {
    classOf({"builtins.tuple", "(t=)", "A tuple of the elements of a tuple.", typeTuple, emitTuple},
            [](Type t) { return t.isTuple(); }),
    {"tuple.index", "(self, x)",
     "The place of the first element that equals x. ValueError when there is none.", typeIndex,
     emitIndex, 0, true},
};

} // namespace

llvm::ArrayRef<LibraryRow> tupleLibrary() {
  static constexpr auto table = eachOf(rows, everywhere);
  return table;
}

} // namespace heddle::python
