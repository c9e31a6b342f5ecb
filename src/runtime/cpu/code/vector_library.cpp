#include "runtime/cpu/code/vector_library.h"

#include "support/os/code_faults.h"
#include "support/os/files.h"
#include "support/os/shared_library.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"

#include <utility>

namespace heddle::cpu {

using namespace llvm;

namespace {

Expected<void *> openVectorLibrary() {
  std::string folder = os::codeDirectory(), error;
  for (const std::string &path :
       {folder.empty() ? "" : folder + "libheddle-sleef.so", std::string("libsleef.so.3")})
    if (void *found = path.empty() ? nullptr : os::loadSharedLibrary(path, error))
      return found;
  return createStringError("the library of mathematical functions is not there: " + error);
}

} // namespace

Expected<void *> findVectorFunction(StringRef name) {
  static void *opened = nullptr; // never closed
  static bool isKnown = false;
  if (!name.starts_with("Sleef_"))
    return nullptr;
  if (!opened) {
    Expected<void *> library = openVectorLibrary();
    if (!library)
      return library;
    opened = *library;
  }
  void *function = os::findSymbol(opened, name.str().c_str());
  if (function && !std::exchange(isKnown, true))
    os::registerLibraryCode(function);
  return function;
}

Error VectorLibrary::tryToGenerate(orc::LookupState &, orc::LookupKind, orc::JITDylib &library,
                                   orc::JITDylibLookupFlags, const orc::SymbolLookupSet &names) {
  orc::SymbolMap found;
  for (const auto &[name, flags] : names) {
    Expected<void *> address = findVectorFunction(*name);
    if (!address)
      return address.takeError();
    if (*address)
      found[name] = {orc::ExecutorAddr::fromPtr(*address),
                     JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  }
  return found.empty() ? Error::success() : library.define(orc::absoluteSymbols(std::move(found)));
}

} // namespace heddle::cpu
