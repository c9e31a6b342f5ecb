// What functions of the host take and kernels do not: lists, sets, functions, types.
#pragma once

#include "bindings/arguments/arguments.h"
#include "bindings/host/results.h"

#include <vector>

namespace heddle {

/// Those of one call. Its lists and sets live as long as this does.
class HostValues : public OtherValues {
public:
  ~HostValues() override;

  python::Type read(nanobind::handle value, llvm::SmallVectorImpl<uint64_t> &slots,
                    std::string &why) override;
  python::Type readText(nanobind::handle text, llvm::SmallVectorImpl<uint64_t> &slots) override;
  /// Gives the program's lists and sets what the function has changed in them.
  void changeLists();
  llvm::ArrayRef<ListArgument> lists() const { return lists_; }
  llvm::ArrayRef<GeneratorArgument> generators() const { return generators_; }
  /// The call has not raised: what it has references to stays.
  void noteReturn() { hasReturned_ = true; }
  /// Takes over what a call that raises has made.
  host::CallMemory &madeByCall() { return madeByCall_; }
  /// Has what another keeps as its own.
  void takeOver(HostValues &other);

private:
  struct ElementOwners;

  python::Type readList(nanobind::handle value, llvm::SmallVectorImpl<uint64_t> &slots,
                        std::string &why);
  python::Type readSet(nanobind::handle value, llvm::SmallVectorImpl<uint64_t> &slots,
                       std::string &why);
  void change(size_t list);

  host::CallMemory memory_; ///< lives as long as this
  host::CallMemory
      listMemory_; ///< does, too, unless a container of heddle.typed has been given the list
  host::CallMemory madeByCall_;
  host::CallMemory objects_; ///< arrays in lists
  bool hasReturned_ = false;
  bool hasShared_ = false; ///< containers of heddle.typed are among the arguments
  llvm::SmallVector<ListArgument, 1> lists_;
  llvm::SmallVector<GeneratorArgument, 1> generators_;
  std::vector<nanobind::object> itemsOfSets_; ///< as lists
  /// By list or set: its type and the slots of the items that it was passed with.
  std::vector<python::Type> types_;
  std::vector<llvm::SmallVector<uint64_t, 0>> before_;
};

} // namespace heddle
