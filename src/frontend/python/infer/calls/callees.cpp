// Instances of called functions, and errors inside them. Errors in heddle's library functions are reported at the
// program's call. An error of numba.literally requests an argument's value.

#include "frontend/python/infer/visits.h"
#include "frontend/python/types/literal_wanted.h"

#include "llvm/ADT/StringRef.h"

namespace heddle::python {

namespace {

bool isFileOfHostLibrary(llvm::StringRef file) {
  return file.contains("/heddle/host_library/") || file.starts_with("<heddle library ");
}

} // namespace

namespace {

/// The value that the operand denotes: the captured variable for a capture, otherwise the operand.
const Value &capturedOrigin(const Value &operand) {
  bool isCaptured =
      operand.opcode == Opcode::Unpack && operand.operands[0]->opcode == Opcode::Closure;
  return isCaptured ? capturedOrigin(*operand.operands[0]->operands[operand.index]) : operand;
}

} // namespace

TypedFunction &getOrInferCallee(FunctionTyping &t, const Value &call, FunctionSource &callee,
                                std::vector<Argument> arguments) {
  bool guarded = t.function.guarded || call.block->protection;
  for (;;)
    try {
      return t.instances.getOrInferInstance(callee, arguments, guarded);
    } catch (const LiteralWanted &wanted) {
      const Value &value = capturedOrigin(*call.operands[wanted.parameter + 1]);
      Argument &argument = arguments[wanted.parameter];
      if (value.opcode == Opcode::Parameter && !value.constant)
        throw LiteralWanted(wanted.diagnostic(), value.index);
      if (argument.constant || !value.constant)
        throw CompileError(wanted.diagnostic());
      if (call.operands[0]->constant && call.operands[0]->constant->kind == ConstantKind::Overload)
        throw OverloadWantsLiteral(wanted.diagnostic(), wanted.parameter);
      argument.constant = value.constant;
    } catch (const CompileError &error) {
      Diagnostic d = error.diagnostic();
      if (!isFileOfHostLibrary(d.file) || isFileOfHostLibrary(t.source.text.file))
        throw;
      d.file = t.source.text.file;
      d.span = call.span;
      d.sourceLine = t.source.text.line(call.span.line);
      throw CompileError(std::move(d));
    }
}

} // namespace heddle::python
