// Arguments that host functions accept and kernels do not: lists, sets, functions, types.
#pragma once

#include "bindings/arguments/arguments.h"
#include "bindings/host/results.h"

#include <vector>

namespace heddle {

class SharedContainer;

/// The host-only arguments of one call. Owns their lists and sets.
class HostValues : public OtherValues {
public:
  ~HostValues() override;

  python::Type readValue(nanobind::handle value, ValueKind kind, ArgumentList &arguments,
                         std::string &why) override;
  python::Type readText(nanobind::handle text, llvm::SmallVectorImpl<uint64_t> &slots) override;
  /// Copies the function's changes to the program's lists and sets.
  void copyBackLists();
  llvm::ArrayRef<ListArgument> lists() const { return lists_; }
  llvm::ArrayRef<GeneratorArgument> generators() const { return generators_; }
  /// Records that the call has returned normally. The result may then refer to arrays in list arguments.
  void markReturned() { hasReturned_ = true; }
  /// Receives the memory of a call that raises (`keeper` of host::call).
  host::CallMemory &madeByCall() { return madeByCall_; }
  /// Takes over everything that `other` keeps alive.
  void takeOver(HostValues &other);

private:
  using Slots = llvm::SmallVector<uint64_t, 0>;
  /// The items of a list.
  struct Items {
    python::Type type;
    int64_t count = 0;
    Slots slots; ///< the slots of all items and their owners
  };
  struct ItemOwners;

  python::Type readList(nanobind::handle value, ArgumentList &arguments, std::string &why);
  python::Type readSharedContainer(const SharedContainer &container, ArgumentList &arguments,
                                   std::string &why);
  python::Type readSet(nanobind::handle value, ArgumentList &arguments, std::string &why);
  Items readItems(nanobind::handle list, ArgumentList &arguments, std::string &why);
  void copyBackList(size_t list);

  host::CallMemory memory_; ///< freed with this object
  host::CallMemory
      listMemory_; ///< freed with this object unless a heddle.typed container keeps the list
  host::CallMemory madeByCall_;
  host::CallMemory objects_; ///< arrays in lists
  bool hasReturned_ = false;
  bool hasShared_ = false; ///< heddle.typed containers are among the arguments
  llvm::SmallVector<ListArgument, 1> lists_;
  llvm::SmallVector<GeneratorArgument, 1> generators_;
  std::vector<nanobind::object> itemsOfSets_; ///< sets converted to lists
  /// For each list or set: its type, and the slots of its items before the call.
  std::vector<python::Type> types_;
  std::vector<Slots> before_;
};

} // namespace heddle
