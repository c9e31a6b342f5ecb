// Lists. heddle/host_library/lists.py implements further methods in Python on top of these.

#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/emitter.h"

namespace heddle::python {
namespace {

Type typeAppend(CallTyping &t) {
  if (!isItemFor(t.type(1), t.type(0)))
    t.failAt(1, "cannot append " + t.type(1).name() + " to " + t.type(0).name(),
             "the elements of a list have the type of its first items");
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
                            typeAppend, emitAppend},
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
