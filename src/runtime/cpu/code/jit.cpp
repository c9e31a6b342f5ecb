#include "runtime/cpu/code/jit.h"

#include "backend/cpu/abi/runtime_symbols.h"
#include "runtime/cpu/code/host_functions.h"
#include "runtime/cpu/code/vector_library.h"
#include "support/compiler_run.h"
#include "support/diagnostic.h"
#include "support/os/code_faults.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/Support/TargetSelect.h"

#include <optional>
#include <utility>

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Guarded by Jit::mutex().
Jit *current = nullptr;

[[noreturn]] void throwInternalError(const char *doing, const std::string &why) {
  throw CompileError(ErrorKind::Internal, std::string(doing) + ": " + why);
}

template <class T> T valueOrThrow(const char *doing, Expected<T> value) {
  if (!value)
    throwInternalError(doing, toString(value.takeError()));
  return std::move(*value);
}

/// Records the address range of each object's code.
class NoteCode : public orc::ObjectLinkingLayer::Plugin {
public:
  void modifyPassConfig(orc::MaterializationResponsibility &, jitlink::LinkGraph &,
                        jitlink::PassConfiguration &passes) override {
    passes.PostFixupPasses.push_back([](jitlink::LinkGraph &graph) {
      for (jitlink::Section &section : graph.sections()) {
        jitlink::SectionRange range(section);
        bool runs = (section.getMemProt() & orc::MemProt::Exec) != orc::MemProt::None;
        if (runs && !range.empty())
          os::registerCode(range.getStart().toPtr<void *>(), range.getEnd().toPtr<void *>());
      }
      return Error::success();
    });
  }
  Error notifyFailed(orc::MaterializationResponsibility &) override { return Error::success(); }
  Error notifyRemovingResources(orc::JITDylib &, orc::ResourceKey) override {
    return Error::success();
  }
  void notifyTransferringResources(orc::JITDylib &, orc::ResourceKey, orc::ResourceKey) override {}
};

std::unique_ptr<orc::LLJIT> makeJit() {
  constexpr const char *doing = "starting the just-in-time linker";
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  // Link on the calling thread; the default would start threads.
  auto control = valueOrThrow(doing, orc::SelfExecutorProcessControl::Create(
                                         nullptr, std::make_unique<orc::InPlaceTaskDispatcher>()));
  return valueOrThrow(
      doing,
      orc::LLJITBuilder()
          .setExecutorProcessControl(std::move(control))
          .setLinkProcessSymbolsByDefault(false)
          .setPlatformSetUp(orc::setUpInactivePlatform)
          .setObjectLinkingLayerCreator(
              [](orc::ExecutionSession &session) -> Expected<std::unique_ptr<orc::ObjectLayer>> {
                auto layer = std::make_unique<orc::ObjectLinkingLayer>(session);
                layer->addPlugin(std::make_shared<NoteCode>());
                return layer;
              })
          .create());
}

void addSymbol(orc::SymbolMap &symbols, orc::LLJIT &jit, const char *name, void *address) {
  symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                        JITSymbolFlags::Exported | JITSymbolFlags::Callable};
}

orc::SymbolMap collectHostSymbols(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : runtimeSymbols)
    addSymbol(symbols, jit, symbol.name, symbol.address(runtimeEntryPoints()));
  for (const HostFunction *f = hostFunctions; f->name; ++f)
    addSymbol(symbols, jit, f->name, f->address);
  return symbols;
}

} // namespace

std::mutex &Jit::mutex() {
  static std::mutex *mutex = new std::mutex;
  return *mutex;
}

Jit::Jit() : jit_(makeJit()) {
  orc::ExecutionSession &session = jit_->getExecutionSession();
  // Errors become exceptions; a library must not print.
  session.setErrorReporter([this](Error error) {
    std::string text = toString(std::move(error));
    if (cause_.empty())
      cause_ = std::move(text);
  });
  host_ = &session.createBareJITDylib("heddle.host");
  if (Error error = host_->define(orc::absoluteSymbols(collectHostSymbols(*jit_))))
    throwInternalError("starting the just-in-time linker", toString(std::move(error)));
  host_->addGenerator(std::make_unique<VectorLibrary>());
}

Jit::Linked Jit::link(std::unique_ptr<MemoryBuffer> object, const std::vector<std::string> &symbols,
                      ArrayRef<HostFunction> own) {
  std::lock_guard lock(mutex());
  if (!current)
    current = runCompiler("starting the just-in-time linker", [] { return new Jit; });
  Jit &jit = *current;
  std::optional<Linked> linked;
  if (os::Interruption why = runGuardedCompiler(
          [&] { linked.emplace(jit.linkObject(std::move(object), symbols, own)); })) {
    jit.stopUsingForNewObjects();
    throwInterruption(why, "linking a compiled kernel");
  }
  return std::move(*linked);
}

Jit::Linked Jit::linkObject(std::unique_ptr<MemoryBuffer> object,
                            const std::vector<std::string> &symbols, ArrayRef<HostFunction> own) {
  constexpr const char *doing = "linking a compiled kernel";
  orc::ExecutionSession &session = jit_->getExecutionSession();
  orc::JITDylib &code = session.createBareJITDylib("heddle.kernel." + std::to_string(serial_++));
  code.addToLinkOrder(*host_);
  cause_.clear();
  auto drop = [&](Error error) {
    std::string text = toString(std::move(error));
    consumeError(session.removeJITDylib(code));
    // If the session has reported a cause, `error` only repeats that linking failed.
    throwInternalError(doing, cause_.empty() ? text : cause_);
  };
  orc::SymbolMap found;
  for (const HostFunction &f : own)
    addSymbol(found, *jit_, f.name, f.address);
  if (Error error = code.define(orc::absoluteSymbols(std::move(found))))
    drop(std::move(error));
  if (Error error = jit_->addObjectFile(code, std::move(object)))
    drop(std::move(error));
  Linked linked{Code(*this, code), {}};
  for (const std::string &name : symbols) {
    auto address = jit_->lookup(code, name);
    if (!address)
      drop(address.takeError());
    linked.addresses.push_back(address->toPtr<void *>());
  }
  return linked;
}

void Jit::stopUsingForNewObjects() {
  abandoned_ = true;
  if (current == this)
    current = nullptr;
}

void Jit::Code::unload() {
  Jit *jit = std::exchange(jit_, nullptr);
  if (!jit)
    return;
  std::lock_guard lock(mutex());
  if (jit->abandoned_)
    return;
  if (runGuardedCompiler(
          [&] { consumeError(jit->jit_->getExecutionSession().removeJITDylib(*library_)); }))
    jit->stopUsingForNewObjects();
}

} // namespace heddle::cpu
