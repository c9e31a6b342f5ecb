// Lists. heddle/host_library/lists.py implements further methods in Python on top of these.

#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/emitter.h"

namespace heddle::python {
namespace {

enum AppendMode : unsigned { Exact, Converting };

/// The Python expression that converts a number `x` to type `to`.
std::string formatConversionTo(Type to) {
  std::string function = to.isBool()              ? "bool"
                         : to == int64Type()      ? "int"
                         : to == float64Type()    ? "float"
                         : to == complexType(128) ? "complex"
                                                  : "np." + to.name();
  return function + "(x)";
}

Type typeAppend(CallTyping &t) {
  Type list = t.type(0), item = t.type(1), element = list->element;
  std::string problem = "cannot append " + item.name() + " to " + list.name();
  if (!listAcceptsItem(list, item))
    t.failAt(1, problem, "the elements of a list have the type of its first items");
  if (t.row().data == Exact && !list.isShared() && !convertsWithoutNarrowing(item, element)) {
    Type both = unify(element, item);
    t.failAt(1, problem,
             (element.isScalar() ? "write " + formatConversionTo(element) : "convert the item") +
                 (both ? ", or make it a list of " + both.name() + " from the start" : ""));
  }
  return noneType();
}
Parts emitAppend(CallEmission &c) {
  appendToList(c.e, *c.argument(0), *c.argument(1));
  return {};
}

Type typePop(CallTyping &t) { return t.type(0)->element; }
Parts emitPop(CallEmission &c) { return popFromList(c.e, *c.argument(0), c.call); }

constexpr LibraryRow rows[] = {
    withWrites(withMeaning({"list.append", "(self, item)", "Appends the item to the list.",
                            typeAppend, emitAppend, Exact},
                           Meaning::Append),
               "self"),
    withWrites(withMeaning({"list._append_converted", "(self, item)",
                            "Appends the item, converted to the type of the items.", typeAppend,
                            emitAppend, Converting},
                           Meaning::Append),
               "self"),
    withWrites({"list.pop", "(self)",
                "Removes and returns the last item. Raises IndexError if the list is empty.",
                typePop, emitPop},
               "self"),
};

} // namespace

llvm::ArrayRef<LibraryRow> listLibrary() {
  static constexpr auto table = mapRows(rows, hostOnly, withKnownEffects);
  return table;
}

} // namespace heddle::python
