#include "host/entry_from_c.h"

#include "host/compile.h"
#include "simt/ir/host_memory.h"
#include "support/compiler_run.h"

#include "llvm/Support/raw_ostream.h"

#include <tuple>

namespace heddle::host {

EntryFromC::EntryFromC(simt::OwnedModule code, const std::string &name, CallFromC call, void *of) {
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::tie(object, llvmIr_) =
      runCompiler("compiling an entry for C", [code = std::move(code)]() mutable {
        auto object = compileEntryToObject(*code.module);
        std::string text;
        llvm::raw_string_ostream(text) << *code.module;
        return std::tuple(std::move(object), std::move(text));
      });
  const cpu::HostFunction functions[] = {
      {simt::callFromCFunction, reinterpret_cast<void *>(call)},
      {simt::calledFromC, of},
  };
  cpu::Jit::Linked linked = cpu::Jit::link(std::move(object), {name}, functions);
  code_ = linked.code;
  address_ = linked.addresses.front();
}

} // namespace heddle::host
