#include "runtime/cpu/code/vector_library.h"

#include "support/os/files.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"

#include <dlfcn.h>

namespace heddle::cpu {

using namespace llvm;

namespace {

Expected<void *> open() {
  for (const std::string &path :
       {os::codeDirectory() + "/libheddle-sleef.so", std::string("libsleef.so.3")})
    if (void *found = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return found;
  return createStringError("the library of mathematical functions is not there: %s", dlerror());
}

} // namespace

Error VectorLibrary::tryToGenerate(orc::LookupState &, orc::LookupKind, orc::JITDylib &library,
                                   orc::JITDylibLookupFlags, const orc::SymbolLookupSet &names) {
  orc::SymbolMap found;
  for (const auto &[name, flags] : names) {
    if (!(*name).starts_with("Sleef_"))
      continue;
    if (!opened_) {
      Expected<void *> opened = open();
      if (!opened)
        return opened.takeError();
      opened_ = *opened;
    }
    if (void *address = dlsym(opened_, (*name).str().c_str()))
      found[name] = {orc::ExecutorAddr::fromPtr(address),
                     JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  }
  return found.empty() ? Error::success() : library.define(orc::absoluteSymbols(std::move(found)));
}

} // namespace heddle::cpu
