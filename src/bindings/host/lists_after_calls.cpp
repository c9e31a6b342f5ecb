#include "bindings/host/lists_after_calls.h"

#include "bindings/host/results.h"

#include "llvm/ADT/DenseMap.h"

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

class ItemsAfter {
public:
  ItemsAfter(Type element, host::Owner &list, llvm::ArrayRef<uint64_t> before, PyObject *object)
      : element_(element), list_(list), before_(before), object_(object),
        countBefore_(list.slots ? int64_t(before.size()) / list.slots : 0) {}

  nb::list convertItems() {
    nb::list items;
    for (int64_t i = 0; i < list_.size; ++i)
      items.append(convertItem(i));
    return items;
  }

private:
  nb::object convertItem(int64_t i) {
    if (nb::object known = objectBeforeCall(i); known.is_valid())
      return known;
    if (element_ == python::randomGeneratorType())
      throw nb::type_error("a random generator was put into a list that did not hold it; lists "
                           "of generators can only be reordered and shortened");
    return ResultReader(nullptr, {}, {}, 0).readElement(element_, list_, i);
  }

  llvm::ArrayRef<uint64_t> slotsBeforeCall(int64_t i) const {
    return before_.slice(size_t(i * list_.slots), size_t(list_.slots));
  }

  nb::object objectBeforeCall(int64_t i) {
    const auto *slots = reinterpret_cast<const uint64_t *>(list_.elements) + i * list_.slots;
    llvm::ArrayRef<uint64_t> now(slots, size_t(list_.slots));
    int64_t place = i;
    if (i >= countBefore_ || slotsBeforeCall(i) != now) {
      bool isObject = list_.owners || element_ == python::randomGeneratorType();
      if (!isObject) // another number, which needs no identity
        return {};
      for (; listed_ < countBefore_; ++listed_)
        places_.try_emplace(slotsBeforeCall(listed_), listed_);
      auto found = places_.find(now);
      if (found == places_.end())
        return {};
      place = found->second;
    }
    // Python code that the function called may have shortened the list.
    return place < PyList_Size(object_) ? nb::borrow(PyList_GetItem(object_, place)) : nb::object();
  }

  Type element_;
  host::Owner &list_;
  llvm::ArrayRef<uint64_t> before_;
  PyObject *object_;
  int64_t countBefore_, listed_ = 0;
  llvm::DenseMap<llvm::ArrayRef<uint64_t>, int64_t>
      places_; ///< of the first `listed_` items before
};

} // namespace

nb::list readListAfterCall(Type element, host::Owner &list, llvm::ArrayRef<uint64_t> before,
                           PyObject *object) {
  return ItemsAfter(element, list, before, object).convertItems();
}

} // namespace heddle
