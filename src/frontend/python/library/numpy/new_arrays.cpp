// Array creation in host functions. Functions in heddle/host_library create other arrays with these primitives.

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/dtypes.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

enum Contents : unsigned { Unset, Zeros };

Type typeNewArray(CallTyping &t) {
  Type shape = t.type(0);
  std::vector<Type> extents = shape.isTuple() ? shape->elements : std::vector<Type>{shape};
  for (Type extent : extents)
    if (!extent.isInteger())
      t.failAt(0, "a shape is made of integers, not " + extent.name());
  Type element = t.argument(1) && !t.type(1).is(TypeKind::None) ? parseDtype(t, 1) : float64Type();
  return arrayType(element, unsigned(extents.size()));
}

Parts emitNewArray(CallEmission &c) {
  Value &shape = *c.argument(0);
  Parts extents = c.e.parts(shape);
  for (size_t i = 0; i < extents.size(); ++i) {
    Type type = shape.type.isTuple() ? shape.type->elements[i] : shape.type;
    extents[i] = cast(c.e, extents[i], type, int64Type());
  }
  return allocateArray(c.e, c.call, extents, c.row.data == Zeros);
}

// np.where(condition, x, y) for numbers; applies to arrays like other elementwise functions.

Type typeWhere(CallTyping &t) {
  t.requireScalar(0);
  for (unsigned i : {1, 2})
    if (!t.type(1).isTime() || !t.type(2).isTime())
      t.requireNumber(i);
  Type type = unify(t.type(1), t.type(2));
  if (!type)
    t.fail("np.where takes two values of types that go together");
  return type;
}
Parts emitWhere(CallEmission &c) {
  Type type = c.call.type;
  llvm::Value *condition = emitScalarTruth(c.e, c.e.parts(*c.argument(0))[0], c.argument(0)->type);
  Parts yes = convert(c.e, c.e.parts(*c.argument(1)), c.argument(1)->type, type);
  Parts no = convert(c.e, c.e.parts(*c.argument(2)), c.argument(2)->type, type);
  for (size_t i = 0; i < yes.size(); ++i)
    yes[i] = c.b.CreateSelect(condition, yes[i], no[i]);
  return yes;
}

// The state words of a random number generator, for heddle/host_library/random/mersenne_twister.py.

Type typeRandomState(CallTyping &t) {
  t.requireInteger(0);
  return arrayType(intType(32, false), 1);
}
Parts emitRandomState(CallEmission &c) {
  llvm::Module &module = c.e.module().module();
  auto *type = llvm::FunctionType::get(c.b.getPtrTy(), {c.b.getInt32Ty()}, false);
  auto *f = llvm::cast<llvm::Function>(
      module.getOrInsertFunction(simt::randomWordsFunction, type).getCallee());
  // A call always finds the same words, because it runs on one thread.
  f->setDoesNotAccessMemory();
  f->setWillReturn();
  f->setDoesNotThrow();
  llvm::Value *words = c.b.CreateAddrSpaceCast(c.b.CreateCall(f, {c.scalar(0, intType(32, false))}),
                                               c.b.getPtrTy(c.call.type->space));
  return makeConstantShapeArray(c.e, words, {int64_t(simt::randomWords)}, intType(32, false));
}

constexpr LibraryRow rows[] = {
    withMeaning({"numpy.where", "(condition, x, y)", "x where the condition holds, else y.",
                 typeWhere, emitWhere},
                Meaning::Elementwise),
    {"numpy.empty", "(shape, dtype=)",
     "A new uninitialized array in C order, of float64 by default.", typeNewArray, emitNewArray,
     Unset},
    {"host.random_words", "(generator)", "The state of a generator of random numbers.",
     typeRandomState, emitRandomState},
    {"numpy.zeros", "(shape, dtype=)", "A new array of zeros in C order, of float64 by default.",
     typeNewArray, emitNewArray, Zeros},
};

} // namespace

llvm::ArrayRef<LibraryRow> newArrayLibrary() {
  static constexpr auto table = mapRows(rows, hostOnly, withKnownEffects);
  return table;
}

} // namespace heddle::python
