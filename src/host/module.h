// A compiled host function, loaded into this process.
#pragma once

#include "host/call.h"
#include "runtime/cpu/code/jit.h"
#include "simt/compile_options.h"
#include "simt/ir/owned_module.h"
#include "simt/ir/sites.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::host {

class HostModule {
public:
  /// Compiles the function or finds it in the disk cache, then links it. Throws CompileError.
  /// name: the label of its entry in the disk cache.
  static std::unique_ptr<HostModule> compileOrLoadCached(simt::OwnedModule code,
                                                         const CompileOptions &options,
                                                         const std::string &name);
  HostModule(const HostModule &) = delete;
  HostModule &operator=(const HostModule &) = delete;
  ~HostModule() { code_.unload(); }

  Entry entry() const { return entry_; }
  /// True if the code uses the runtime (memory, exceptions, numbers). If false, it may be entered outside a call
  /// (call.h), with any context.
  bool usesRuntime() const { return usesRuntime_; }
  const std::vector<simt::SiteInfo> &sites() const { return sites_; }
  bool fromCache() const { return fromCache_; }
  /// The assembly, and the LLVM IR before code generation, as text. Compiles the function again.
  std::string assembly() const;
  std::string llvmIr() const;

private:
  HostModule() = default;
  void link(std::unique_ptr<llvm::MemoryBuffer> object);

  CompileOptions options_;
  std::vector<simt::SiteInfo> sites_;
  std::string bitcode_;
  cpu::Jit::Code code_;
  Entry entry_ = nullptr;
  bool usesRuntime_ = true;
  bool fromCache_ = false;
};

} // namespace heddle::host
