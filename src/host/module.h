// A compiled function of the host, as code of this process.
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
  /// Compiles or finds in the disk cache, then links. Throws CompileError.
  static std::unique_ptr<HostModule> load(simt::OwnedModule code, const CompileOptions &options);
  HostModule(const HostModule &) = delete;
  HostModule &operator=(const HostModule &) = delete;
  ~HostModule() { code_.unload(); }

  Entry entry() const { return entry_; }
  /// Whether the code asks the runtime for anything: memory, an exception, a number. One that does not may be entered
  /// without a call (call.h), with any context.
  bool usesRuntime() const { return usesRuntime_; }
  const std::vector<simt::SiteInfo> &sites() const { return sites_; }
  bool fromCache() const { return fromCache_; }
  /// The code as the processor's instructions, and as LLVM IR before that, in text. Compiles it again.
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
