// Errors in functions of heddle's own library, which are about the program's call of them.

#include "frontend/python/infer/visits.h"

#include "llvm/ADT/StringRef.h"

namespace heddle::python {

namespace {

bool isHeddles(llvm::StringRef file) {
  return file.contains("/heddle/host_library/") || file.starts_with("<heddle library ");
}

} // namespace

TypedFunction &instanceFor(FunctionTyping &t, const Value &call, FunctionSource &callee,
                           const std::vector<Argument> &arguments) {
  bool guarded = t.function.guarded || call.block->protection;
  try {
    return t.instances.instance(callee, arguments, guarded);
  } catch (const CompileError &error) {
    Diagnostic d = error.diagnostic();
    if (!isHeddles(d.file) || isHeddles(t.source.text.file))
      throw;
    d.file = t.source.text.file;
    d.span = call.span;
    d.sourceLine = t.source.text.line(call.span.line);
    throw CompileError(std::move(d));
  }
}

} // namespace heddle::python
