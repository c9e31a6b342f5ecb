// A SIMT module compiled to machine code and loaded into this process.
#pragma once

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_groups.h"
#include "backend/cpu/compile.h"
#include "runtime/cpu/check/lints/kernel_lint_cache.h"
#include "runtime/cpu/code/jit.h"
#include "runtime/device.h"
#include "simt/check/filter/filter_plan.h"
#include "simt/check/lints/static_lints.h"
#include "simt/ir/owned_module.h"

#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace heddle::cpu {

class CpuModule;

#if defined(__x86_64__)
inline constexpr uint32_t generalRegisters = 16;
#else
inline constexpr uint32_t generalRegisters = 31; // AArch64
#endif

class CpuKernel final : public Kernel {
public:
  CpuKernel(CpuModule &module, std::string name, uint32_t maxThreads, const KernelEntry &entry);

  const std::string &name() const override { return name_; }
  const std::vector<simt::SiteInfo> &sites() const override;
  uint32_t staticSharedBytes() const override { return entry_.staticSharedBytes; }
  uint32_t localBytes() const override { return entry_.localBytes; }
  /// The number of general-purpose registers; a thread may use all of them.
  uint32_t registers() const override { return generalRegisters; }
  uint32_t maxThreadsPerBlock() const override { return maxThreads_; }
  bool isCooperative() const override { return entry_.cooperative; }

  CpuModule &module() const { return module_; }
  /// The entry of the form, a compiled variant of the kernel, for this shape. Compiles the form if there is none.
  const KernelEntry &findOrCompileEntry(const LaunchShape &shape);
  /// The form whose accesses are checked (simt/check), for all shapes.
  struct ExactForm {
    const KernelEntry *entry = nullptr;
    std::vector<simt::SiteInfo> sites;
  };
  /// A form with a race filter, for launches with certain facts.
  struct FilterForm {
    const KernelEntry *entry = nullptr;
    simt::FilterPlan plan;
  };
  const ExactForm &getOrCompileFullCheckForm();
  /// The form that records the steps of threads (simt/trace), for all shapes.
  const ExactForm &getOrCompileTracedForm();
  /// Compiles the exact form if a launch needs lints (KernelLintCache), and returns the lints that need no launch, if
  /// they are wanted. Returns nullopt if the launch needs no lints or the form cannot be compiled.
  std::optional<std::vector<simt::StaticLint>> prepareLintsIfWanted(const LaunchShape &shape);
  KernelLintCache &lints() { return lints_; }
  /// Returns null if the filter cannot cover the kernel. trackedArguments: see simt::LaunchFacts.
  const FilterForm *findOrCompileRaceFilterForm(const LaunchShape &shape,
                                                uint64_t trackedArguments = 0);
  /// Later filter forms have no proofs with conditions (simt::ProofConditions).
  void dropProofConditions() { allowsProofConditions_ = false; }

  /// Estimated time of a launch with `threads` threads on one core, from earlier launches; nullopt before the first one
  /// has run.
  std::optional<uint64_t> estimatedNanoseconds(uint64_t threads) const;
  void recordRunTime(uint64_t nanoseconds, uint64_t threads);

private:
  /// The thread groups of a form for this launch if its threads are grouped as `grouped` specifies.
  ThreadGroups groupsForLaunch(const LaunchExtents &launch, Grouped grouped) const;
  /// The form compiled for exactly this block shape; null if there is none.
  const KernelEntry *findFormForBlockShape(const LaunchExtents &launch) const;
  /// Compiles a form for exactly this block shape once it has been launched often. Returns null before, and if the
  /// kernel has the maximum number of these forms.
  const KernelEntry *compileFixedFormIfFrequent(const LaunchShape &shape);

  CpuModule &module_;
  std::string name_;
  uint32_t maxThreads_;
  const KernelEntry &entry_; ///< the first form's entry
  /// Forms for blocks of any shape, indexed by ThreadGroups::groupingKindIndex().
  std::array<std::atomic<const KernelEntry *>, ThreadGroups::kinds> forms_{};
  /// The form in forms_ that was compiled last; null before the first one.
  std::atomic<const KernelEntry *> latestForm_{nullptr};
  static constexpr unsigned maxFixedForms = 4;
  /// Forms specialized for one block shape each; null entries are at the end.
  std::array<std::atomic<const KernelEntry *>, maxFixedForms> fixedForms_{};
  std::mutex fixedFormsMutex_; ///< guards additions and launch counts
  std::map<std::array<uint32_t, 3>, uint64_t>
      launches_; ///< launches per block shape without such a form
  std::atomic<uint64_t> picosecondsPerThread_{0};
  std::mutex checkedFormsMutex_;
  ExactForm exactForm_, tracedForm_;
  KernelLintCache lints_;
  std::map<simt::LaunchFacts, FilterForm> filterForms_;
  std::atomic<bool> allowsProofConditions_{true};
};

class CpuModule final : public Module, public std::enable_shared_from_this<CpuModule> {
public:
  /// Compiles the module or finds it in the disk cache, then links it. See Device::load.
  static std::shared_ptr<CpuModule> load(simt::OwnedModule code, const CompileOptions &options);
  ~CpuModule() override;

  Kernel &kernel(std::string_view name) override;
  void *variableAddress(std::string_view symbol) override;
  struct Variable {
    void *address;
    uint64_t bytes;
  };
  /// The variable that contains an address, with its name; null if there is none.
  const std::pair<const std::string, Variable> *findVariableAt(uint64_t address) const;
  std::string assembly() override;
  bool fromCache() const override { return fromCache_; }
  /// The remarks of all forms, without repetitions.
  std::vector<std::string> remarks() const override;
  const CompileOptions &options() const { return options_; }
  /// Compiles another form of a kernel, or finds it in the disk cache.
  const KernelEntry &compileForm(const std::string &kernel, const LaunchExtents &launch,
                                 bool fixedBlock);
  /// Compiles the form of a kernel whose accesses are checked or recorded. checks: Exact or Trace.
  CpuKernel::ExactForm compileFormWithChecks(const std::string &kernel, Checks checks);
  std::vector<simt::StaticLint> findStaticLints(const std::string &kernel) const;
  CpuKernel::FilterForm compileRaceFilterForm(const std::string &kernel, const LaunchShape &shape,
                                              const simt::LaunchFacts &facts);
  GroupRules groupRules() const { return rules_; }
  /// True if kernels get forms that are specialized for one block shape.
  bool compilesFixedBlocks() const {
    return options_.optimize && !options_.debug && options_.width != 1;
  }
  const std::vector<simt::SiteInfo> &sites() const { return sites_; }

private:
  CpuModule() = default;
  /// The symbols that the module's object file exports.
  struct Contents {
    struct KernelName {
      std::string name;
      uint32_t maxThreads; ///< per block
    };
    std::vector<KernelName> kernels;
    struct VariableName {
      std::string name;
      uint64_t bytes;
    };
    std::vector<VariableName> variables;
  };
  /// The code of one or all kernels for one kind of block. A lock-free list, because a process may fork during a
  /// launch.
  struct Form {
    Jit::Code code;
    std::vector<std::string> remarks;
    Form *next = nullptr;
  };
  static Contents collectKernelsAndVariables(const llvm::Module &module,
                                             const CompileOptions &options);
  std::vector<std::string> kernelNames() const;
  /// Passes `link` the cached object for these options and kernel (empty: all kernels), else the result of `compile`.
  /// Returns true on a cache hit.
  bool linkCachedOrCompile(const CompileOptions &options, const std::string &kernel,
                           llvm::unique_function<CompiledObject()> compile,
                           llvm::function_ref<void(CompiledObject)> link) const;
  void linkWholeModule(CompiledObject object, const Contents &contents);
  std::unique_ptr<llvm::Module> parseBitcode(llvm::LLVMContext &context) const;
  /// Compiles one kernel of the module. If `sites` is not null, stores the sites of the code there, including those
  /// that passes add.
  CompiledObject compileKernel(const std::string &kernel, const CompileOptions &options,
                               std::vector<simt::SiteInfo> *sites = nullptr) const;
  /// Links a form of one kernel with the module's variables.
  const KernelEntry &linkForm(CompiledObject object, const std::string &kernel);
  void addCompiledForm(Jit::Code code, std::vector<std::string> remarks);
  void unload();

  std::vector<simt::SiteInfo> sites_;
  std::map<std::string, std::unique_ptr<CpuKernel>, std::less<>> kernels_;
  std::map<std::string, Variable, std::less<>> variables_;
  std::string bitcode_; ///< source of further forms
  CompileOptions options_;
  GroupRules rules_;
  std::atomic<Form *> forms_{nullptr};
  bool fromCache_ = false;
};

} // namespace heddle::cpu
