// A SIMT module as machine code of this process.
#pragma once

#include "backend/cpu/blocks/block_context.h"
#include "backend/cpu/blocks/thread_groups.h"
#include "backend/cpu/compile.h"
#include "runtime/cpu/code/jit.h"
#include "runtime/device.h"
#include "simt/ir/owned_module.h"

#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace heddle::cpu {

class CpuModule;

#if defined(__x86_64__)
inline constexpr uint32_t generalRegisters = 16;
#else
inline constexpr uint32_t generalRegisters = 31; // AArch64's
#endif

class CpuKernel final : public Kernel {
public:
  CpuKernel(CpuModule &module, std::string name, uint32_t maxThreads, const KernelEntry &entry);

  const std::string &name() const override { return name_; }
  const std::vector<simt::SiteInfo> &sites() const override;
  uint32_t staticSharedBytes() const override { return entry_.staticSharedBytes; }
  uint32_t localBytes() const override { return entry_.localBytes; }
  /// The general ones of the processor, all of which a thread's code has.
  uint32_t registers() const override { return generalRegisters; }
  uint32_t maxThreadsPerBlock() const override { return maxThreads_; }
  bool cooperative() const override { return entry_.cooperative; }

  CpuModule &module() const { return module_; }
  /// The form that runs such blocks, compiled now where there is none.
  const KernelEntry &entryFor(const LaunchShape &shape);

  /// Nanoseconds that a launch of `threads` threads takes on one core, going by earlier launches; nothing before the
  /// first has run.
  std::optional<uint64_t> estimatedNanoseconds(uint64_t threads) const;
  void learn(uint64_t nanoseconds, uint64_t threads);

private:
  /// The groups that a form for such blocks has, if its kernel is grouped so.
  ThreadGroups groupsFor(const LaunchExtents &launch, Grouped grouped) const;
  /// The form for blocks of that shape alone; null where there is none.
  const KernelEntry *ownForm(const LaunchExtents &launch) const;
  /// Makes one for blocks that are launched often; null for others, and where there are enough.
  const KernelEntry *makeOwnForm(const LaunchShape &shape);

  CpuModule &module_;
  std::string name_;
  uint32_t maxThreads_;
  const KernelEntry &entry_; ///< the first form's
  /// Forms for blocks of any shape, by ThreadGroups::index, and the first of them.
  std::array<std::atomic<const KernelEntry *>, ThreadGroups::kinds> forms_{};
  std::atomic<const KernelEntry *> firstOfAny_{nullptr};
  /// Forms for blocks of one shape each; those that there are come first.
  static constexpr unsigned mostOwnForms = 4;
  std::array<std::atomic<const KernelEntry *>, mostOwnForms> ownForms_{};
  std::mutex ownFormsMutex_;                             ///< held to add one and to count
  std::map<std::array<uint32_t, 3>, uint64_t> launches_; ///< of blocks without one
  std::atomic<uint64_t> picosecondsPerThread_{0};
};

class CpuModule final : public Module, public std::enable_shared_from_this<CpuModule> {
public:
  /// Compiles or finds in the disk cache, then links. See Device::load.
  static std::shared_ptr<CpuModule> load(simt::OwnedModule code, const CompileOptions &options);
  ~CpuModule() override;

  Kernel &kernel(std::string_view name) override;
  void *variable(std::string_view symbol) override;
  std::string assembly() override;
  bool fromCache() const override { return fromCache_; }
  /// Of every form; none of code from the disk cache.
  std::vector<std::string> remarks() const override;
  const CompileOptions &options() const { return options_; }
  /// Compiles another form of a kernel, as `load` does.
  const KernelEntry &addForm(const std::string &kernel, const LaunchExtents &launch,
                             bool fixedBlock);
  GroupRules groupRules() const { return rules_; }
  /// Whether kernels get forms for blocks of one shape.
  bool fixesBlocks() const { return options_.optimize && !options_.debug && options_.width != 1; }
  const std::vector<simt::SiteInfo> &sites() const { return sites_; }

private:
  CpuModule() = default;
  /// What the module's object file defines for others.
  struct Contents {
    struct KernelName {
      std::string name;
      uint32_t maxThreads; ///< in a block
    };
    std::vector<KernelName> kernels;
    std::vector<std::string> variables;
  };
  /// Code of one or all kernels for blocks of one kind. A list, which a launch adds to without a lock: a process may fork
  /// meanwhile.
  struct Form {
    Jit::Code code;
    std::vector<std::string> remarks;
    Form *next = nullptr;
  };
  static Contents contentsOf(const llvm::Module &module, const CompileOptions &options);
  /// Gives `link` what the disk cache has for these options and kernel (empty: all), or else what `compile` makes. Whether
  /// it was in the cache.
  bool obtain(const CompileOptions &options, const std::string &kernel,
              llvm::unique_function<CompiledObject()> compile,
              llvm::function_ref<void(CompiledObject)> link) const;
  void link(CompiledObject object, const Contents &contents);
  std::unique_ptr<llvm::Module> readBack(llvm::LLVMContext &context) const;
  void keep(Jit::Code code, std::vector<std::string> remarks);
  void unload();

  std::vector<simt::SiteInfo> sites_;
  std::map<std::string, std::unique_ptr<CpuKernel>, std::less<>> kernels_;
  std::map<std::string, void *, std::less<>> variables_;
  std::string bitcode_; ///< what other forms are compiled from
  CompileOptions options_;
  GroupRules rules_;
  std::atomic<Form *> forms_{nullptr};
  bool fromCache_ = false;
};

} // namespace heddle::cpu
