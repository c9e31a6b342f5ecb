// Iterators in index order: np.ndindex, np.ndenumerate, np.nditer.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

/// The extents: the arguments, or the elements of a single tuple argument.
std::vector<Type> requireNdindexExtents(CallTyping &t) {
  std::vector<Type> types;
  if (t.argumentCount() == 1 && t.type(0).isTuple())
    types = t.type(0)->elements;
  else
    for (unsigned i = 0; i < t.argumentCount(); ++i)
      types.push_back(t.type(i));
  for (Type type : types)
    if (!type.isInteger())
      t.fail("np.ndindex takes a shape, made of integers, not " + type.name());
  return types;
}
Type typeNdIndex(CallTyping &t) {
  size_t count = requireNdindexExtents(t).size();
  return iteratorType(IteratorKind::NdIndex, {tupleType(std::vector<Type>(count, int64Type()))});
}
/// A negative extent gives no indices.
Parts emitNdIndex(CallEmission &c) {
  Parts out;
  for (unsigned i = 0; i < c.argumentCount(); ++i) {
    Value &v = *c.argument(i);
    Parts parts = c.e.parts(v);
    for (size_t k = 0; k < parts.size(); ++k) {
      Type type = v.type.isTuple() ? v.type->elements[k] : v.type;
      out.push_back(c.b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smax, cast(c.e, parts[k], type, int64Type()), c.e.int64(0)));
    }
  }
  return out;
}

Type typeNdEnumerate(CallTyping &t) {
  if (!t.type(0).isArray())
    t.failAt(0, "np.ndenumerate takes an array, not " + t.type(0).name());
  return iteratorType(IteratorKind::NdEnumerate, {t.type(0)});
}

/// Accepts one array, or a tuple of arrays with the same rank.
Type typeNdIter(CallTyping &t) {
  std::vector<Type> arrays{t.type(0)};
  if (t.type(0).isTuple())
    arrays = t.type(0)->elements;
  for (Type array : arrays)
    if (!array.isArray() || array->ndim != arrays[0]->ndim)
      t.failAt(0, "np.nditer takes an array, or a tuple of arrays of one shape, not " +
                      t.type(0).name());
  if (arrays.empty())
    t.failAt(0, "np.nditer takes at least one array");
  return iteratorType(IteratorKind::NdIter, std::move(arrays));
}
Parts emitNdIter(CallEmission &c) {
  Parts all = c.e.parts(*c.argument(0));
  const std::vector<Type> &arrays = c.call.type->elements;
  unsigned n = arrays[0]->ndim;
  llvm::Value *differs = c.b.getFalse();
  for (size_t i = 1; i < arrays.size(); ++i)
    for (unsigned axis = 0; axis < n; ++axis)
      differs =
          c.b.CreateOr(differs, c.b.CreateICmpNE(all[1 + axis], all[i * (1 + 2 * n) + 1 + axis]));
  if (arrays.size() > 1)
    c.e.trapIf(differs, c.call.span, "ValueError", "np.nditer of arrays of different shapes");
  return all;
}
Parts emitFirstArgument(CallEmission &c) { return c.e.parts(*c.argument(0)); }

constexpr LibraryRow rows[] = {
    asUnlisted({"numpy.ndindex", "(*shape)", "Iterates over the indices of a shape, as tuples.",
                typeNdIndex, emitNdIndex}),
    asUnlisted({"numpy.ndenumerate", "(arr)",
                "Iterates over pairs of an index tuple and an element.", typeNdEnumerate,
                emitFirstArgument}),
    asUnlisted(
        {"numpy.nditer", "(op)",
         "Iterates over the elements of an array, or of a tuple of arrays of equal shape, as "
         "zero-dimensional arrays.",
         typeNdIter, emitNdIter}),
};

} // namespace

llvm::ArrayRef<LibraryRow> iteratorLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
