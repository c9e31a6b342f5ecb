#include "frontend/python/rows/row.h"

#include "frontend/python/rows/hints.h"
#include "frontend/python/syntax/syntax.h"

#include "llvm/ADT/StringMap.h"

namespace heddle::python {

std::vector<const LibraryRow *> libraryRows() {
  std::vector<const LibraryRow *> all;
  for (auto table :
       {builtinLibrary(),     parallelLibrary(),       threadLibrary(),      listLibrary(),
        tableLibrary(),       typedContainerLibrary(), languageLibrary(),    generatorLibrary(),
        functionTagLibrary(), literalLibrary(),        printLibrary(),       stringLibrary(),
        textLibrary(),        operatorLibrary(),       numberLibrary(),      mathLibrary(),
        cmathLibrary(),       halfLibrary(),           numpyLibrary(),       ufuncLibrary(),
        arrayLibrary(),       reductionLibrary(),      cudaLibrary(),        atomicLibrary(),
        warpLibrary(),        vectorLibrary(),         cacheHintLibrary(),   pointerLibrary(),
        libdeviceLibrary(),   typeLibrary(),           tupleLibrary(),       elementLibrary(),
        searchLibrary(),      asArrayLibrary(),        numpyNumberLibrary(), iteratorLibrary(),
        newArrayLibrary(),    foreignCallLibrary(),    fragmentLibrary(),    pipelineLibrary(),
        warpgroupLibrary()})
    for (const LibraryRow &row : table)
      all.push_back(&row);
  return all;
}

const LibraryRow *findLibraryRow(const std::string &name) {
  static const llvm::StringMap<const LibraryRow *> byName = [] {
    llvm::StringMap<const LibraryRow *> result;
    for (const LibraryRow *row : libraryRows())
      result.try_emplace(row->name, row);
    return result;
  }();
  return byName.lookup(name);
}

const LibraryRow *findLibraryRow(const std::string &name, Target target) {
  const LibraryRow *row = findLibraryRow(name);
  if (!row || row->targets.include(target))
    return row;
  static const llvm::StringMap<const LibraryRow *> onHost = [] {
    llvm::StringMap<const LibraryRow *> result;
    for (const LibraryRow *row : libraryRows())
      if (row->targets.include(Target::Host))
        result.try_emplace(row->name, row);
    return result;
  }();
  return target == Target::Host ? onHost.lookup(name) : nullptr;
}

std::vector<SignatureParameter> parseParameters(const LibraryRow &row) {
  std::vector<SignatureParameter> result;
  std::string word;
  bool optional = false;
  for (const char *c = row.signature; *c; ++c) {
    if (*c == '=')
      optional = true;
    else if (*c == ',' || *c == ')') {
      if (!word.empty())
        result.push_back({word, optional});
      word.clear();
      optional = false;
    } else if (*c != '(' && *c != ' ' && !optional)
      word += *c;
  }
  return result;
}

std::optional<std::vector<Value *>> matchArguments(const LibraryRow &row, const Value &call,
                                                   std::string &problem) {
  std::vector<SignatureParameter> parameters = parseParameters(row);
  bool variadic = !parameters.empty() && parameters.back().name[0] == '*';
  size_t positional = call.operands.size() - 1 - call.names.size();
  auto count = [](size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); };
  if (variadic) {
    if (!call.names.empty())
      problem = std::string(row.displayName()) + " takes no keyword arguments";
    else if (positional + 1 < parameters.size())
      problem = std::string(row.displayName()) + row.signature + " was given " + count(positional);
    else
      return std::vector<Value *>(call.operands.begin() + 1, call.operands.end());
    return std::nullopt;
  }
  if (positional > parameters.size()) {
    problem = std::string(row.displayName()) + row.signature + " was given " + count(positional);
    return std::nullopt;
  }
  std::vector<Value *> result(parameters.size(), nullptr);
  for (size_t i = 0; i < positional; ++i)
    result[i] = call.operands[i + 1];
  for (size_t k = 0; k < call.names.size(); ++k) {
    size_t i = 0;
    while (i < parameters.size() && parameters[i].name != call.names[k])
      ++i;
    if (i == parameters.size() || result[i]) {
      problem =
          std::string(row.displayName()) + row.signature +
          (i == parameters.size() ? " has no parameter '" : " was given twice the parameter '") +
          call.names[k] + "'";
      return std::nullopt;
    }
    result[i] = call.operands[1 + positional + k];
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!result[i] && !parameters[i].optional) {
      problem = std::string(row.displayName()) + row.signature + " needs an argument for '" +
                parameters[i].name + "'";
      return std::nullopt;
    }
  return result;
}

CallTyping::CallTyping(const TypedFunction &function, Value &call, const LibraryRow &row)
    : function_(function), call_(call), row_(row) {
  if (row.isValue())
    return;
  std::string problem;
  auto matched = matchArguments(row, call, problem);
  if (!matched) {
    // numba, too, reports print's keyword arguments as an unsupported feature.
    bool isPrint = std::string_view(row.name) == "builtins.print";
    python::fail(source(), call.span, isPrint ? ErrorKind::Unsupported : ErrorKind::Typing, problem,
                 "", hintForArguments(row, rules()));
  }
  arguments_ = std::move(*matched);
  for (Value *argument : arguments_)
    given_ += argument != nullptr;
}

const Constant *CallTyping::constant(unsigned i) const {
  Value *v = argument(i);
  return v && v->constant ? &*v->constant : nullptr;
}

Span CallTyping::spanOf(unsigned i) const {
  for (size_t k = 1; k < call_.operands.size(); ++k)
    if (call_.operands[k] == arguments_[i])
      return call_.spanOf(k);
  return call_.span;
}

void CallTyping::failAt(unsigned i, std::string message, std::string hint, ErrorKind kind) const {
  const Value &v = *arguments_[i];
  python::fail(source(), spanOf(i), kind, std::move(message),
               v.constant && v.type == objectType() ? v.constant->describe() : v.type.name(),
               hint.empty() ? hintForNonNumber(v) : std::move(hint));
}

void CallTyping::fail(std::string message, std::string hint) const {
  python::fail(source(), call_.span, ErrorKind::Typing, std::move(message), "", std::move(hint));
}

void CallTyping::requireScalar(unsigned i) const {
  if (!type(i).isScalar())
    failAt(i, std::string(row_.displayName()) + " takes numbers, not " + type(i).name(),
           type(i).isComplex() ? row_.hintForComplex : "");
}

void CallTyping::requireNumber(unsigned i) const {
  if (!type(i).isScalar() && !type(i).isComplex())
    failAt(i, std::string(row_.displayName()) + " takes numbers, not " + type(i).name());
}

void CallTyping::requireInteger(unsigned i) const {
  if (!type(i).isInteger() && !type(i).isBool())
    failAt(i, std::string(row_.displayName()) + " takes an integer here, not " + type(i).name());
}

} // namespace heddle::python
