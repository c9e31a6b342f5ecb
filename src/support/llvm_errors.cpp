#include "support/llvm_errors.h"

#include "support/diagnostic.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <utility>

namespace heddle {

using namespace llvm;

namespace {

struct Collector : DiagnosticHandler {
  explicit Collector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream os(errors);
      DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
      os << "\n";
    }
    // Handled: LLVM neither prints it nor exits.
    return true;
  }

  std::string &errors;
};

thread_local unsigned scopesOnThisThread = 0;

// LLVM's frames carry unwind tables, so an exception passes through them; what they held is leaked, which is better
// than the end of the process. Outside a scope the failure is not ours to answer: LLVM goes on to exit.
void throwFatalError(void *, const char *reason, bool) {
  if (scopesOnThisThread)
    throw CompileError(ErrorKind::Internal, std::string("LLVM failed: ") + reason);
}

} // namespace

LlvmErrorScope::LlvmErrorScope(LLVMContext &context)
    : context_(context), outer_(context.getDiagnosticHandler()) {
  static std::once_flag installed;
  std::call_once(installed, [] { install_fatal_error_handler(throwFatalError); });
  context.setDiagnosticHandler(std::make_unique<Collector>(errors_));
  ++scopesOnThisThread;
}

LlvmErrorScope::~LlvmErrorScope() {
  --scopesOnThisThread;
  context_.setDiagnosticHandler(std::move(outer_));
}

void LlvmErrorScope::check() {
  if (!errors_.empty())
    throw CompileError(ErrorKind::Lowering, std::exchange(errors_, {}));
}

} // namespace heddle
