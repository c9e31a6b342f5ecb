#include "frontend/python/rows/indexing.h"

#include "frontend/python/rows/hints.h"
#include "frontend/python/rows/row.h"
#include "frontend/python/types/fragments.h"

#include <algorithm>

namespace heddle::python {
namespace {

std::string formatCount(size_t n, const std::string &word) {
  std::string several = word == "index" ? "indices" : word + "s";
  return std::to_string(n) + " " + (n == 1 ? word : several);
}

bool isIndexType(Type t, IndexKinds kinds) {
  return t.isInteger() || t.isBool() || (kinds == IndexKinds::Numbers && t.isFloat());
}

IndexItem parseIndexItem(const TypedFunction &function, Value &v, Type array, Span at,
                         IndexKinds kinds) {
  const FunctionSource &source = *function.source;
  if (v.type == sliceType()) {
    if (v.opcode != Opcode::Slice)
      fail(source, at, ErrorKind::Unsupported,
           "a slice must be written inside the brackets in " + function.rules->plural);
    IndexItem item{sliceType(), &v};
    if (constantStepOf(item) == 0)
      fail(source, v.spanOf(2), ErrorKind::Typing, "the step of a slice cannot be zero");
    return item;
  }
  if (v.type.is(TypeKind::None))
    return {noneType()};
  if (v.type.isArray())
    fail(source, at, ErrorKind::Unsupported,
         "an index array, which selects many elements, is not supported in " +
             function.rules->plural,
         v.type.name(), "index with its elements in a loop, as in a[index[i]]");
  if (!isIndexType(v.type, kinds)) {
    fail(source, at, ErrorKind::Typing, "an array index must be an integer",
         v.constant && v.type == objectType() ? v.constant->describe() : v.type.name(),
         hintForIndex(v), {"the array is " + array.name()});
  }
  return {v.type, nullptr, &v};
}

} // namespace

std::vector<IndexItem> parseIndex(const TypedFunction &function, Type array, const Value &index,
                                  Span at, IndexKinds kinds) {
  const FunctionSource &source = *function.source;
  std::vector<IndexItem> items;
  size_t ellipsisAt = SIZE_MAX;
  auto add = [&](Value &v, Span at) {
    if (v.type == ellipsisType()) {
      if (ellipsisAt != SIZE_MAX)
        fail(source, at, ErrorKind::Typing, "an index can have only one '...'");
      ellipsisAt = items.size();
      return;
    }
    items.push_back(parseIndexItem(function, v, array, at, kinds));
  };
  if (index.opcode == Opcode::Tuple)
    for (size_t i = 0; i < index.operands.size(); ++i)
      add(*index.operands[i], index.spanOf(i));
  else if (index.type.isTuple())
    for (size_t i = 0; i < index.type->elements.size(); ++i) {
      Type t = index.type->elements[i];
      if (!isIndexType(t, kinds))
        fail(source, at, ErrorKind::Typing, "an array index must be an integer", index.type.name(),
             "", {"the array is " + array.name()});
      items.push_back({t, nullptr, nullptr, unsigned(i)});
    }
  else
    add(const_cast<Value &>(index), at);
  size_t given = std::count_if(items.begin(), items.end(),
                               [](const IndexItem &item) { return !item.type.is(TypeKind::None); });
  if (given > array->ndim)
    fail(source, at, ErrorKind::Typing,
         "cannot index a " + std::to_string(array->ndim) + "-D array with " +
             std::to_string(given) + (given == 1 ? " index" : " indices"),
         index.type.name(),
         formatCount(array->ndim, "index") + " select" + (array->ndim == 1 ? "s" : "") +
             " an element",
         {"the array is " + array.name()});
  size_t missing = array->ndim - given;
  items.insert(items.begin() + std::min(ellipsisAt, items.size()), missing, IndexItem{sliceType()});
  return items;
}

std::vector<IndexItem> parseIndex(const TypedFunction &function, const Value &access) {
  return parseIndex(function, access.operands[0]->type, *access.operands[1], access.spanOf(1));
}

void requireElementIndex(CallTyping &t, unsigned array, const std::string &message,
                         IndexKinds kinds) {
  unsigned index = array + 1;
  Type type = t.type(array);
  if (typeOfIndexing(type,
                     parseIndex(t.function(), type, *t.argument(index), t.spanOf(index), kinds))
          .isArray())
    t.failAt(index, message, "the array has " + std::to_string(type->ndim) + " dimensions");
}

std::optional<std::vector<size_t>> positionsSelectedBySlice(const Value &slice, size_t size) {
  int64_t n = int64_t(size);
  std::optional<int64_t> given[3];
  for (size_t k = 0; k < 3; ++k) {
    const Value &part = *slice.operands[k];
    if (part.type.is(TypeKind::None))
      continue;
    if (!part.constant || !(part.type.isInteger() || part.type.isBool()))
      return {};
    given[k] = part.constant->integer;
  }
  int64_t step = given[2].value_or(1);
  if (step == 0)
    return {};
  bool up = step > 0;
  int64_t lowest = up ? 0 : -1, highest = up ? n : n - 1;
  auto bound = [&](std::optional<int64_t> v, int64_t absent) {
    if (!v)
      return absent;
    int64_t wrapNegativeIndex = *v < 0 ? *v + n : *v;
    return std::clamp(wrapNegativeIndex, lowest, highest);
  };
  int64_t start = bound(given[0], up ? lowest : highest),
          stop = bound(given[1], up ? highest : lowest);
  std::vector<size_t> selected;
  // Large steps leave the tuple at once and must not overflow.
  int64_t by = std::clamp<int64_t>(step, -n - 1, n + 1);
  for (int64_t i = start; up ? i < stop : i > stop; i += by)
    selected.push_back(size_t(i));
  return selected;
}

bool isFullSlice(const IndexItem &item) {
  if (item.type != sliceType())
    return false;
  return !item.slice || std::all_of(item.slice->operands.begin(), item.slice->operands.end(),
                                    [](Value *part) { return part->type.is(TypeKind::None); });
}

std::optional<int64_t> constantStepOf(const IndexItem &item) {
  if (!item.slice || item.slice->operands[2]->type.is(TypeKind::None))
    return 1;
  const Value &step = *item.slice->operands[2];
  if (!step.constant || step.constant->kind != ConstantKind::Int)
    return std::nullopt;
  return step.constant->integer;
}

namespace {

/// True if selecting `items`, from the slowest dimension to the fastest, leaves contiguous memory: integers, then at
/// most one slice without a step, then whole dimensions.
bool staysContiguous(std::vector<IndexItem> items) {
  std::erase_if(items, [](const IndexItem &item) { return item.type.is(TypeKind::None); });
  size_t i = 0;
  while (i < items.size() && items[i].type != sliceType())
    ++i;
  if (i < items.size() && constantStepOf(items[i]) != 1)
    return false;
  for (++i; i < items.size(); ++i)
    if (!isFullSlice(items[i]))
      return false;
  return true;
}

} // namespace

Type typeOfIndexing(Type array, const std::vector<IndexItem> &items) {
  unsigned kept = std::count_if(items.begin(), items.end(), [](const IndexItem &item) {
    return item.type == sliceType() || item.type.is(TypeKind::None);
  });
  if (kept == 0)
    return elementOf(array);
  ArrayTraits traits = traitsOfArray(array);
  std::vector<IndexItem> slowestFirst = items;
  if (traits.layout == Layout::F)
    std::reverse(slowestFirst.begin(), slowestFirst.end());
  if (traits.layout != Layout::Any && !staysContiguous(slowestFirst))
    traits.layout = Layout::Any;
  if (array->fragment && isFullSlice(items.back()))
    return fragmentType(*array->fragment, kept, traits.layout);
  return arrayType(array->element, kept, traits);
}

} // namespace heddle::python
