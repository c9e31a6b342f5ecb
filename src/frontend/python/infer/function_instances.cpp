// The functions reachable from one kernel, and inference for call cycles.

#include "frontend/python/infer/check_typed.h"
#include "frontend/python/infer/constant_parameters.h"
#include "frontend/python/infer/inference.h"
#include "frontend/python/ssa/build_ssa.h"
#include "frontend/python/ssa/representable_types.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace heddle::python {
namespace {

// No hand-written program nests calls more deeply, and deeper nesting would overflow the compiler's stack.
constexpr size_t maxCallDepth = 100;
// Each rebuild unrolls another loop over a tuple.
constexpr unsigned maxRebuilds = 1000;

std::string instanceKeyOf(const FunctionSource &source, const std::vector<Argument> &arguments,
                          bool guarded, bool shares) {
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(&source)) + (guarded ? "!" : "") +
                    (shares ? "|" : "");
  for (const Argument &a : arguments) {
    key += " " + std::to_string(reinterpret_cast<uintptr_t>(a.type.operator->()));
    if (a.constant)
      key += "=" + a.constant->key();
  }
  return key;
}

void buildSsaWithArgumentTypes(TypedFunction &f, const std::vector<Argument> &arguments) {
  buildSsa(f);
  for (size_t i = 0; i < arguments.size(); ++i) {
    f.parameterValues[i]->type = arguments[i].type;
    f.parameterValues[i]->constant = arguments[i].constant;
  }
}

std::string globalsKeyOf(const std::vector<Argument> &arguments) {
  std::string key = "(";
  for (const Argument &a : arguments)
    key += a.type.name() + (a.constant ? "=" + a.constant->key() : "") + ", ";
  return key;
}

// A copy of an array lives as long as the function, so larger ones are not copied.
constexpr size_t largestKeptArray = 1 << 20;

/// Makes the next compilation of the function for the same types see the same globals.
void keepGlobalsForNextCompilation(TypedFunction &f) {
  if (f.globalsKey.empty() || f.source->compiledWith.count(f.globalsKey))
    return;
  auto kept = std::make_shared<Globals>();
  for (const auto &[name, constant] : *f.globals)
    if (!constant || !constant->array || constant->array->bytes.size() <= largestKeptArray)
      kept->emplace(name, constant);
  f.source->compiledWith.emplace(f.globalsKey, std::move(kept));
}

/// Rejects parameters and a declared result that code for the target cannot represent.
void checkSignatureTypes(const TypedFunction &f) {
  auto check = [&](Type type, Span span, const std::string &what) {
    if (Type part = type ? findUnrepresentablePart(type, *f.rules) : Type())
      fail(*f.source, span, ErrorKind::Typing,
           what + " is " + type.name() +
               (part == type
                    ? ", which " + f.rules->plural + " have no values of"
                    : ", and " + f.rules->plural + " have no values of type " + part.name()),
           "", hintForUnrepresentable(part));
  };
  for (size_t i = 0; i < f.parameters.size() && i < f.source->parameters.size(); ++i)
    check(f.parameters[i], f.source->parameters[i].span, "'" + f.source->parameters[i].name + "'");
  check(f.declaredResult, f.source->span, "the declared result");
}

} // namespace

Type FunctionInstances::declaredResultOf(const FunctionSource &source,
                                         const std::vector<Argument> &arguments) {
  auto found = llvm::find_if(source.declared, [&](const DeclaredTypes &declared) {
    return llvm::equal(declared.parameters, arguments,
                       [](Type parameter, const Argument &a) { return parameter == a.type; });
  });
  return found == source.declared.end() ? source.declaredResult : found->result;
}

void FunctionInstances::restoreGlobals(TypedFunction &f, const std::vector<Argument> &arguments) {
  for (const Frame &frame : llvm::reverse(inProgress_))
    if (frame.function->source != f.source &&
        frame.function->source->environment == f.source->environment) {
      f.globals = frame.function->globals;
      return;
    }
  f.globalsKey = globalsKeyOf(arguments);
  auto known = f.source->compiledWith.find(f.globalsKey);
  f.globals = known == f.source->compiledWith.end() ? std::make_shared<Globals>()
                                                    : std::make_shared<Globals>(*known->second);
}

const std::vector<bool> &FunctionInstances::constantParametersOf(const FunctionSource &source) {
  auto found = constantParameters_.find(&source);
  if (found == constantParameters_.end())
    found = constantParameters_.emplace(&source, findConstantParameters(source)).first;
  return found->second;
}

FunctionSource *FunctionInstances::findImplementation(const Constant &overload,
                                                      const std::vector<CallArgument> &arguments,
                                                      Target target) {
  std::string key = overload.key();
  for (const CallArgument &a : arguments) {
    key += " " + a.name + std::to_string(reinterpret_cast<uintptr_t>(a.type.operator->()));
    if (a.constant)
      key += (a.isWanted ? "!=" : "=") + a.constant->key();
  }
  auto [found, isNew] = implementations_.try_emplace(key);
  if (isNew)
    found->second = overload.object->findImplementation(arguments, target);
  return found->second ? found->second->object->functionSource() : nullptr;
}

void FunctionInstances::infer(TypedFunction &f, const std::vector<Argument> &arguments) {
  for (unsigned rebuilds = 0; !Inference(*this, f).run(); ++rebuilds) {
    if (rebuilds == maxRebuilds)
      fail(*f.source, f.source->span, ErrorKind::Unsupported,
           f.source->name + "() has too many loops over tuples with elements of different types");
    f.blocks.clear();
    f.values.clear();
    f.parameterValues.clear();
    f.assignments.clear();
    f.result = f.declaredResult;
    f.resultConstant.reset();
    buildSsaWithArgumentTypes(f, arguments);
  }
}

bool FunctionInstances::isInferring(const FunctionSource &source) const {
  return llvm::any_of(inProgress_,
                      [&](const Frame &frame) { return frame.function->source == &source; });
}

TypedFunction &FunctionInstances::getOrInferInstance(FunctionSource &source,
                                                     const std::vector<Argument> &arguments,
                                                     bool guarded) {
  guarded = (guarded || source.yields) && !source.declaration;
  bool sharesAsCaller =
      source.sharesAsCaller && !inProgress_.empty() && inProgress_.back().function->sharesWork;
  // The first function is the kernel. A kernel that calls itself calls a device function with the same source.
  TypedFunction *kernel = nullptr;
  TypedFunction *&f = functions_.empty()
                          ? kernel
                          : byKey_[instanceKeyOf(source, arguments, guarded, sharesAsCaller)];
  if (!f) {
    auto made = std::make_unique<TypedFunction>();
    made->source = &source;
    made->rules = &rules_;
    made->guarded = guarded;
    made->sharesWork = source.runsArrayExpressionsOnThreadPool || sharesAsCaller;
    made->isGenerator = source.yields;
    made->symbol =
        source.name + (functions_.empty() ? "" : "." + std::to_string(functions_.size()));
    made->result = made->declaredResult = declaredResultOf(source, arguments);
    for (const Argument &argument : arguments)
      made->parameters.push_back(argument.type);
    checkSignatureTypes(*made);
    restoreGlobals(*made, arguments);
    if (source.declaration)
      made->complete = true;
    else
      buildSsaWithArgumentTypes(*made,
                                arguments); // an error here recurs when the call is visited again
    f = made.get();
    functions_.push_back(std::move(made));
  }
  TypedFunction &result = *f;
  auto running = std::find_if(inProgress_.begin(), inProgress_.end(),
                              [&](const Frame &frame) { return frame.function == &result; });
  if (running != inProgress_.end()) {
    size_t depth = running - inProgress_.begin();
    inProgress_.back().dependsOn = std::min(inProgress_.back().dependsOn, depth);
    return result;
  }
  if (result.complete)
    return result;
  if (inProgress_.size() >= maxCallDepth)
    fail(source, source.span, ErrorKind::Unsupported,
         "device functions call each other more than " + std::to_string(maxCallDepth) + " deep", "",
         "give a function that calls itself the same types at each call, or write calls as a loop");
  size_t depth = inProgress_.size();
  size_t circularBefore = circular_.size();
  inProgress_.push_back({&result, depth});
  try {
    infer(result, arguments);
  } catch (...) { // the caller may visit the call again with other types
    inProgress_.erase(inProgress_.begin() + depth, inProgress_.end());
    circular_.resize(circularBefore);
    throw;
  }
  size_t dependsOn = inProgress_.back().dependsOn;
  inProgress_.pop_back();
  circular_.push_back(&result);
  // A function that calls one still in progress is inferred again with the types known by then, until the first
  // function of the cycle is done.
  if (dependsOn < depth) {
    inProgress_.back().dependsOn = std::min(inProgress_.back().dependsOn, dependsOn);
    return result;
  }
  for (TypedFunction *member : circular_) {
    member->complete = true;
    checkAllValuesTyped(FunctionTyping(*this, *member));
    keepGlobalsForNextCompilation(*member);
  }
  circular_.clear();
  return result;
}

} // namespace heddle::python
