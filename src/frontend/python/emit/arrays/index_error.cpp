#include "frontend/python/emit/arrays/index_error.h"

#include "llvm/ADT/StringExtras.h"

namespace heddle::python {
namespace {

/// True if the array has a name in the source.
bool hasNameInSource(const Value &array) {
  return array.opcode == Opcode::Parameter || array.opcode == Opcode::Global ||
         (array.opcode == Opcode::Phi && array.name[0] != '.');
}

std::string describeArray(const Value &array) {
  if (hasNameInSource(array))
    return "'" + array.name + "'";
  if (array.opcode == Opcode::Call && array.library)
    return std::string("the array of ") + array.library->name;
  return "an array";
}

/// True for a call of cuda.shared.array with the shape 0, which the launch replaces.
bool isDynamicSharedArray(const Value &array) {
  if (array.opcode != Opcode::Call || !array.library || array.operands.size() < 2 ||
      array.library->meaning != Meaning::SharedArray)
    return false;
  const std::optional<Constant> &shape = array.operands[1]->constant;
  if (shape && shape->kind == ConstantKind::Tuple)
    return shape->items.size() == 1 && shape->items[0].integer == 0;
  return shape && shape->kind == ConstantKind::Int && shape->integer == 0;
}

/// The source text at a single-line span.
llvm::StringRef sourceTextAt(const SourceText &text, Span span, std::string &line) {
  line = span.line == span.endLine ? text.line(span.line) : "";
  return llvm::StringRef(line).slice(span.column, span.endColumn);
}

bool isIdentifier(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The source text of each index.
std::vector<std::string> indexTexts(const SourceText &source, const IndexedAccess &access) {
  std::vector<std::string> texts;
  std::string line;
  if (access.index.opcode == Opcode::Tuple) {
    for (size_t i = 0; i < access.index.operands.size(); ++i)
      texts.push_back(sourceTextAt(source, access.index.spanOf(i), line).str());
    return texts;
  }
  auto [before, inside] = sourceTextAt(source, access.span, line).split('[');
  if (inside.consume_back("]"))
    texts.push_back(inside.str());
  return texts;
}

/// A condition that keeps variable indices in bounds; empty if the index of the axis is not a variable.
std::string makeIndexGuardText(Emitter &e, const IndexedAccess &access, unsigned axis) {
  std::vector<std::string> texts = indexTexts(e.function().source->text, access);
  bool isWhole =
      texts.size() == access.items.size() && axis < texts.size() &&
      llvm::none_of(
          access.items, [](const IndexItem &item) { return item.type.is(TypeKind::None); });
  if (!isWhole || !hasNameInSource(access.array) || !isIdentifier(texts[axis]))
    return "";
  std::string guard;
  for (size_t i = 0; i < texts.size(); ++i)
    if (isIdentifier(texts[i]))
      guard += (guard.empty() ? "" : " and ") + texts[i] + " < " + access.array.name + ".shape[" +
               std::to_string(i) + "]";
  return guard;
}

/// The array's shape for the message; empty if it is unknown when the kernel fails.
std::string formatShape(Emitter &e, const IndexedAccess &access) {
  Parts parts = e.parts(access.array);
  ArrayParts array{parts, access.array.type->ndim};
  std::string shape;
  for (unsigned axis = 0; axis < array.ndim; ++axis) {
    shape += axis ? ", " : "";
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(array.extent(axis)))
      shape += std::to_string(known->getSExtValue());
    else if (auto *a = llvm::dyn_cast<llvm::Argument>(array.extent(axis)); a && e.isKernel())
      shape += "{argument " + std::to_string(a->getArgNo()) + "}";
    else
      return "";
  }
  return "(" + shape + (array.ndim == 1 ? ",)" : ")");
}

} // namespace

const char *indexPlaceholder(Type index) {
  return index == intType(64, false) ? "{unsigned index}" : "{index}";
}

std::string indexErrorMessage(Emitter &e, const IndexedAccess &access, unsigned axis) {
  std::string text = std::string("index ") + indexPlaceholder(access.items[axis].type) +
                     " is out of bounds for axis " + std::to_string(axis) + " of " +
                     describeArray(access.array) + " with size {extent}";
  if (isDynamicSharedArray(access.array))
    text += "\n  hint: the launch gives its size in bytes as fourth argument: "
            "kernel[grid, block, stream, bytes]";
  if (!e.checks().shapes)
    return text;
  if (std::string shape = formatShape(e, access); !shape.empty() && access.array.type->ndim > 1)
    text += "\n  " + (hasNameInSource(access.array) ? access.array.name : "the array") +
            " has shape " + shape;
  if (std::string guard = makeIndexGuardText(e, access, axis); !guard.empty())
    text += "\n  hint: guard the access: if " + guard;
  return text;
}

} // namespace heddle::python
