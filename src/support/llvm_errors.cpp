#include "support/llvm_errors.h"

#include "support/diagnostic.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

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
    // Returning true keeps LLVM from printing the error and exiting.
    return true;
  }

  std::string &errors;
};

} // namespace

LlvmErrorScope::LlvmErrorScope(LLVMContext &context)
    : context_(context), outer_(context.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<Collector>(errors_));
}

LlvmErrorScope::~LlvmErrorScope() { context_.setDiagnosticHandler(std::move(outer_)); }

void LlvmErrorScope::throwIfErrors() {
  if (!errors_.empty())
    throw CompileError(ErrorKind::Lowering, std::exchange(errors_, {}));
}

} // namespace heddle
