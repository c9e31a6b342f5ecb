#include "simt/ir/source_positions.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace heddle::simt {

using namespace llvm;

SourcePosition sourcePositionOf(const Instruction &i) {
  const DILocation *at = i.getDebugLoc().get();
  if (!at)
    return {};
  return {at->getFilename().str(), at->getScope()->getSubprogram()->getName().str(), at->getLine(),
          at->getColumn()};
}

SourcePosition sourcePositionOf(const Function &f) {
  const DISubprogram *s = f.getSubprogram();
  if (!s)
    return {};
  return {s->getFilename().str(), s->getName().str(), s->getLine()};
}

std::string linePrefix(const Instruction *i) {
  unsigned line = i ? sourcePositionOf(*i).line : 0;
  return line ? "line " + std::to_string(line) + ": " : "";
}

DebugLoc artificialLocation(const Function &f) {
  DISubprogram *s = f.getSubprogram();
  return s ? DebugLoc(DILocation::get(f.getContext(), s->getLine(), 0, s)) : DebugLoc();
}

CompileError makeErrorAt(const SourcePosition &position, ErrorKind kind, std::string message,
                         std::string hint) {
  Diagnostic d;
  d.kind = kind;
  d.message = std::move(message);
  d.file = position.file;
  d.span.line = d.span.endLine = position.line;
  d.hint = std::move(hint);
  return CompileError(std::move(d));
}

} // namespace heddle::simt
