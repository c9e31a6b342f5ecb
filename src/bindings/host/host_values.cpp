#include "bindings/host/host_values.h"

#include "bindings/arguments/slots.h"
#include "bindings/host/host_function.h"
#include "bindings/host/lists_after_calls.h"
#include "bindings/host/shared_containers.h"
#include "bindings/host/texts.h"
#include "bindings/source/constants.h"
#include "bindings/source/python_function.h"
#include "bindings/types/python_classes.h"
#include "bindings/values/value_kind.h"
#include "frontend/python/emit/owners.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <new>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// The type of a function, a compile-time constant without slots. Sets `why` if it cannot be called.
Type typeOfFunction(nb::handle value, std::string &why) {
  python::Constant known = constantOfObject(value);
  if (known.kind == python::ConstantKind::Function)
    return python::knownObjectType(known);
  why = "it is " + known.text;
  return {};
}

/// A NumPy random generator, passed as the address that its C functions take.
Type readRandomGenerator(nb::handle value, llvm::SmallVectorImpl<uint64_t> &slots) {
  if (!isInstanceOfImportedClass(value, "numpy.random._generator", "Generator"))
    return {};
  nb::object capsule = value.attr("bit_generator").attr("capsule");
  void *state = PyCapsule_GetPointer(capsule.ptr(), "BitGenerator");
  if (!state)
    throw nb::python_error();
  slots.push_back(reinterpret_cast<uintptr_t>(state));
  return python::randomGeneratorType();
}

/// True for types that lists passed as arguments may hold.
bool isAllowedListItem(Type type) {
  return type.isScalar() || type.isComplex() || type == python::runtimeStringType() ||
         type.isArray() || type.isShared() ||
         (type.isTuple() && llvm::all_of(type->elements, isAllowedListItem));
}

} // namespace

/// Appends references to the owners of a list's item.
struct HostValues::ItemOwners {
  llvm::ArrayRef<uint64_t> slots;       ///< of the item
  llvm::ArrayRef<ArrayArgument> arrays; ///< of the item
  host::CallMemory &kept;
  Slots &out;

  void retainAndAddOwners(Type type) {
    if (type.isTuple()) {
      llvm::for_each(type->elements, [&](Type element) { retainAndAddOwners(element); });
      return;
    }
    host::Owner *owner = nullptr; // the program keeps strings and numbers alive
    if (type.isArray()) {
      owner = kept.makeOwnerOfPythonObject(arrays.consume_front().owner);
      if (!owner)
        throw std::bad_alloc();
      Py_INCREF(reinterpret_cast<PyObject *>(owner->elements));
    } else if (type.isShared()) {
      owner = reinterpret_cast<host::Owner *>(slots[0]);
    }
    if (owner)
      owner->retain();
    if (python::countHostOwners(type))
      out.push_back(reinterpret_cast<uintptr_t>(owner));
    slots = slots.drop_front(slotCount(type));
  }
};

HostValues::~HostValues() {
  for (const ListArgument &list : lists_) // also drops elements that functions have added
    list.list->release();
  memory_.freeAll();
  if (hasShared_)
    listMemory_.leaveMemoryToProgram();
  else
    listMemory_.freeAll();
  // Returned arrays of lists hold references to the memory.
  if (hasReturned_ || hasShared_)
    objects_.leaveMemoryToProgram();
  else
    objects_.freeAll();
  // A function with typed containers releases all its references; the remaining ones belong to the containers.
  if (hasShared_)
    madeByCall_.leaveMemoryToProgram();
  else
    madeByCall_.freeAll();
}

Type HostValues::readValue(nb::handle value, ValueKind kind, ArgumentList &arguments,
                           std::string &why) {
  switch (kind) {
  case ValueKind::List:
    return readList(value, arguments, why);
  case ValueKind::Set:
    return readSet(value, arguments, why);
  case ValueKind::SharedContainer:
    return readSharedContainer(*sharedContainerOf(value), arguments, why);
  case ValueKind::Function:
    return typeOfFunction(value, why);
  default:
    break;
  }
  if (isCFunction(value))
    return typeOfFunction(value, why);
  Type generator = readRandomGenerator(value, arguments.slots);
  if (generator)
    generators_.push_back({arguments.slots.back(), value.ptr()});
  return generator;
}

Type HostValues::readSharedContainer(const SharedContainer &container, ArgumentList &arguments,
                                     std::string &why) {
  if (!container.owner()) {
    why = "it is empty and has no type yet: put an item into it, or make it with "
          "List.empty_list(type) or Dict.empty(key_type, value_type)";
    return {};
  }
  hasShared_ = true;
  arguments.slots.push_back(reinterpret_cast<uintptr_t>(container.owner()));
  return container.type();
}

Type HostValues::readText(nb::handle text, llvm::SmallVectorImpl<uint64_t> &slots) {
  addTextSlots(text.ptr(), memory_, slots);
  return python::runtimeStringType();
}

HostValues::Items HostValues::readItems(nb::handle list, ArgumentList &arguments,
                                        std::string &why) {
  Items items;
  bool hasOwners = false;
  auto take = [&](Type type, llvm::ArrayRef<uint64_t> slots, llvm::ArrayRef<ArrayArgument> arrays) {
    if (!items.type) {
      items.type = type;
      hasOwners = python::countHostOwners(type);
      if (!isAllowedListItem(type) && type != python::randomGeneratorType())
        why = "lists of numbers, strings, arrays and tuples of these can be passed, not of " +
              type.name() + "; make it an array or a tuple";
    } else if (type != items.type) {
      why = "its elements are " + items.type.name() + " and " + type.name() +
            "; all elements of a list must have one type";
    }
    items.slots.append(slots.begin(), slots.end());
    if (hasOwners && why.empty())
      ItemOwners{slots, arrays, objects_, items.slots}.retainAndAddOwners(type);
  };
  for (; items.count < PyList_Size(list.ptr()) && why.empty(); ++items.count) {
    nb::object item = nb::borrow(PyList_GetItem(list.ptr(), items.count));
    if (PyList_Check(item.ptr()))
      why = "it holds lists; pass an array, or make the lists in the function";
    else
      arguments.readItemForCallback(item, take);
  }
  return items;
}

Type HostValues::readList(nb::handle value, ArgumentList &arguments, std::string &why) {
  for (size_t i = 0; i < lists_.size(); ++i)
    if (lists_[i].object == value.ptr()) {
      arguments.slots.push_back(reinterpret_cast<uintptr_t>(lists_[i].list));
      return types_[i];
    }
  if (!PyList_Size(value.ptr())) {
    why = "an empty list does not tell the type of its elements; pass an array";
    return {};
  }
  Items items = readItems(value, arguments, why);
  if (!why.empty())
    return {};
  size_t owners = python::countHostOwners(items.type);
  int64_t bytes = int64_t(items.slots.size() * sizeof(uint64_t));
  host::Owner *list =
      listMemory_.allocateList(bytes, int32_t(slotCount(items.type) + owners), int32_t(owners));
  if (!list)
    throw std::bad_alloc();
  std::memcpy(list->elements, items.slots.data(), bytes);
  list->size = items.count;
  arguments.slots.push_back(reinterpret_cast<uintptr_t>(list));
  lists_.push_back({list, value.ptr()});
  types_.push_back(python::listType(items.type));
  before_.push_back(std::move(items.slots));
  return types_.back();
}

namespace {

/// The list with the items of a list or a set.
host::Owner &itemListOf(Type type, host::Owner &owner) {
  return type.isSet() ? **reinterpret_cast<host::Owner **>(owner.elements) : owner;
}

llvm::ArrayRef<uint64_t> slotsOfItems(const host::Owner &items) {
  return {reinterpret_cast<uint64_t *>(items.elements), size_t(items.size * items.slots)};
}

} // namespace

Type HostValues::readSet(nb::handle value, ArgumentList &arguments, std::string &why) {
  auto known = llvm::find_if(lists_, [&](auto &list) { return list.object == value.ptr(); });
  if (known != lists_.end()) {
    arguments.slots.push_back(reinterpret_cast<uintptr_t>(known->list));
    return types_[known - lists_.begin()];
  }
  if (!PySet_Size(value.ptr())) {
    why = "an empty set does not tell the type of its items; pass an array";
    return {};
  }
  nb::list items;
  for (nb::handle item : nb::iter(value))
    items.append(item);
  itemsOfSets_.push_back(items);
  Type list = readList(items, arguments, why);
  if (!list)
    return {};
  // A library function converts the list to a set.
  nb::object setOf = nb::module_::import_("heddle.compiler.sets_as_arguments").attr("make_set");
  auto [set, type] =
      nb::cast<HostFunction &>(setOf).makeDictOrSet(list, arguments.slots.pop_back_val());
  arguments.slots.push_back(reinterpret_cast<uintptr_t>(set));
  lists_.push_back({set, value.ptr()});
  types_.push_back(type);
  llvm::ArrayRef<uint64_t> held = slotsOfItems(itemListOf(type, *set));
  before_.emplace_back(held.begin(), held.end());
  return type;
}

void HostValues::takeOver(HostValues &other) {
  memory_.takeOver(other.memory_);
  listMemory_.takeOver(other.listMemory_);
  madeByCall_.takeOver(other.madeByCall_);
  objects_.takeOver(other.objects_);
  hasReturned_ |= other.hasReturned_;
  hasShared_ |= other.hasShared_;
  std::swap(lists_, other.lists_);
  std::swap(types_, other.types_);
  std::swap(before_, other.before_);
  std::swap(generators_, other.generators_);
  std::swap(itemsOfSets_, other.itemsOfSets_);
}

void HostValues::copyBackLists() {
  for (size_t i = 0; i < lists_.size(); ++i)
    if (slotsOfItems(itemListOf(types_[i], *lists_[i].list)) != llvm::ArrayRef(before_[i]))
      copyBackList(i);
}

void HostValues::copyBackList(size_t list) {
  PyObject *object = lists_[list].object;
  Type type = types_[list];
  host::Owner &owner = itemListOf(type, *lists_[list].list);
  if (type.isSet()) {
    nb::object items =
        ResultReader(nullptr, {}, {}, 0).readElements(python::listType(type->elements[0]), owner);
    nb::borrow(object).attr("clear")();
    nb::borrow(object).attr("update")(items);
    return;
  }
  nb::list items = readListAfterCall(type->element, owner, before_[list], object);
  if (PyList_SetSlice(object, 0, PyList_Size(object), items.ptr()) != 0)
    throw nb::python_error();
}

} // namespace heddle
