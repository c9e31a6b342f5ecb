// Lists and dicts of numba.typed: a Python object and compiled functions have them in one place.
#pragma once

#include "bindings/arguments/arguments.h"
#include "host/memory.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// What an object of heddle.typed holds: nothing as long as its type is not known, then a reference to the container.
class SharedContainer {
public:
  SharedContainer() = default;
  /// Takes over a reference.
  SharedContainer(python::Type type, host::Owner &owner) : type_(type), owner_(&owner) {}
  SharedContainer(const SharedContainer &) = delete;
  ~SharedContainer() {
    if (owner_)
      owner_->release();
  }

  python::Type type() const { return type_; }
  host::Owner *owner() const { return owner_; }
  /// Becomes the container that `other` is.
  void become(const SharedContainer &other);

private:
  python::Type type_;
  host::Owner *owner_ = nullptr;
};

/// The container that an object of heddle.typed is; null for other objects.
SharedContainer *sharedContainerOf(nanobind::handle value);

/// An object of heddle.typed, which takes over a reference.
nanobind::object sharedObject(python::Type type, host::Owner &owner);

/// While this lives, containers that are filled by this thread keep arrays among `arguments` by what the program has.
class KeptArguments {
public:
  explicit KeptArguments(const ArgumentList &arguments);
  ~KeptArguments();
  KeptArguments(const KeptArguments &) = delete;

private:
  const ArgumentList *before_;
};

void bindSharedContainers(nanobind::module_ &m);

} // namespace heddle
