#include "host/module.h"

#include "backend/cpu/compile.h"
#include "codegen/host_target.h"
#include "host/compile.h"
#include "host/foreign_functions.h"
#include "host/interrupts.h"
#include "host/texts.h"
#include "runtime/disk_cache.h"
#include "simt/ir/bitcode.h"
#include "simt/thresholds.h"
#include "support/compiler_run.h"
#include "support/diagnostic.h"
#include "support/hash.h"
#include "support/os/files.h"
#include "support/os/guarded_run.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <tuple>

namespace heddle::host {

namespace {

/// Hashes everything that the object file depends on.
std::string cacheKey(const std::string &bitcode, const CompileOptions &options) {
  static const std::string compiler =
      "host " HEDDLE_VERSION " " LLVM_VERSION_STRING " " + os::codeStamp();
  return Hash()
      .add(bitcode)
      .add(cpu::describeHostTarget())
      .add(compiler)
      .add(thresholds::describeChanges())
      .add(uint64_t(options.optimize))
      .add(uint64_t(options.fastMath))
      .hex();
}

/// Parses the bitcode and returns the text that `write` makes from it.
std::string compileToText(const std::string &bitcode, const CompileOptions &options,
                          std::string (*write)(llvm::Module &, const CompileOptions &)) {
  return runCompiler("compiling for the host", [&] {
    llvm::LLVMContext context;
    llvm::MemoryBufferRef buffer(bitcode, "heddle");
    auto module = llvm::parseBitcodeFile(buffer, context);
    if (!module)
      throw CompileError(ErrorKind::Internal,
                         "reading a module back: " + llvm::toString(module.takeError()));
    return write(**module, options);
  });
}

/// True if the object refers to any of the functions.
bool refersToAnyFunction(const llvm::MemoryBuffer &object,
                         llvm::ArrayRef<cpu::HostFunction> functions) {
  auto file = llvm::object::ObjectFile::createObjectFile(object.getMemBufferRef());
  if (!file) {
    llvm::consumeError(file.takeError()); // linking reports the error
    return true;
  }
  return llvm::any_of((*file)->symbols(), [&](const llvm::object::SymbolRef &symbol) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (name)
      return llvm::any_of(functions, [&](const cpu::HostFunction &f) { return *name == f.name; });
    llvm::consumeError(name.takeError());
    return true;
  });
}

} // namespace

std::unique_ptr<HostModule> HostModule::compileOrLoadCached(simt::OwnedModule code,
                                                            const CompileOptions &options,
                                                            const std::string &name) {
  std::unique_ptr<HostModule> loaded(new HostModule);
  loaded->options_ = options;
  std::tie(code, loaded->sites_, loaded->bitcode_) =
      runCompiler("reading LLVM IR", [code = std::move(code)]() mutable {
        const llvm::Module &module = *code.module;
        return std::tuple(std::move(code), simt::sitesOf(module), simt::bitcodeOf(module));
      });
  std::optional<DiskCache> cache;
  std::string key;
  if (options.cache) {
    cache = DiskCache::forKernels();
    key = cacheKey(loaded->bitcode_, options);
    if (auto object = cache->read(key)) {
      try {
        loaded->link(llvm::MemoryBuffer::getMemBufferCopy(*object, key));
        loaded->fromCache_ = true;
        return loaded;
      } catch (const CompileError &) {
        // Treat an object that does not link as a cache miss.
      }
    }
  }
  auto object = runCompiler("compiling for the host", [&options, code = std::move(code)] {
    return compileToObject(*code.module, options);
  });
  if (cache)
    cache->write(key, std::string_view(object->getBufferStart(), object->getBufferSize()),
                 {{name}, "cpu"});
  loaded->link(std::move(object));
  return loaded;
}

void HostModule::link(std::unique_ptr<llvm::MemoryBuffer> object) {
  std::vector<cpu::HostFunction> functions = foreignFunctions();
  os::keepFaultHandler();
  usesRuntime_ = false;
  for (llvm::ArrayRef<cpu::HostFunction> known :
       {runtimeFunctions(), textFunctions(), interruptFunctions()}) {
    functions.insert(functions.end(), known.begin(), known.end());
    usesRuntime_ |= refersToAnyFunction(*object, known);
  }
  cpu::Jit::Linked linked = cpu::Jit::link(std::move(object), {entrySymbol}, functions);
  code_ = linked.code;
  entry_ = reinterpret_cast<Entry>(linked.addresses.front());
}

std::string HostModule::assembly() const {
  return compileToText(bitcode_, options_, compileToAssembly);
}

std::string HostModule::llvmIr() const {
  return compileToText(bitcode_, options_, compileToLlvmIr);
}

} // namespace heddle::host
