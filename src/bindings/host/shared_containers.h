// Typed lists and dicts (numba.typed), shared by a Python object and compiled functions.
#pragma once

#include "bindings/arguments/arguments.h"
#include "host/memory.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// The contents of a heddle.typed object: empty until its type is known, then a reference to the container.
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
  /// Makes this object, which must be empty, refer to the container of `other`. Throws TypeError if it cannot.
  void shareContainerOf(const SharedContainer &other);

private:
  python::Type type_;
  host::Owner *owner_ = nullptr;
};

/// The container of a heddle.typed object; null for other objects.
SharedContainer *sharedContainerOf(nanobind::handle value);

/// Makes a heddle.typed object that takes over a reference to `owner`.
nanobind::object makeSharedObject(python::Type type, host::Owner &owner);

/// While the object lives, containers filled by this thread keep the Python objects of arrays among `arguments` alive.
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
