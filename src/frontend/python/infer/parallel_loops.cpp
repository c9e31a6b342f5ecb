// Types of prange loops: their operands and reductions.

#include "frontend/python/infer/live_edges.h"
#include "frontend/python/infer/visits.h"
#include "frontend/python/types/literal_wanted.h"

namespace heddle::python {
namespace {

/// The arguments of the loop body's function: the first and the last iteration, then the other operands.
std::vector<Argument> loopBodyArguments(FunctionTyping &t, const Value &loop,
                                        const std::vector<Type> &reduced) {
  std::vector<Argument> arguments{{int64Type(), {}}, {int64Type(), {}}};
  for (size_t i = 1; i < loop.operands.size(); ++i) {
    const Value &operand = *loop.operands[i];
    Argument argument{i <= reduced.size() ? reduced[i - 1] : operand.type, {}};
    if (holdsCompileTimeObject(argument.type)) {
      argument.constant = operand.constant ? operand.constant->toConstantObject() : std::nullopt;
      if (!argument.constant)
        t.error(loop, "this loop uses what is not known while compiling", argument.type.name());
    } else if (i > reduced.size() && argument.type.isBool() && hasKnownBranch(operand)) {
      // For example `counts = progress is not None` before the loop, and `if counts:` inside it.
      argument.constant = operand.constant;
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

/// The instance of the loop body's function, compiled for values that numba.literally requests.
TypedFunction &getOrInferLoopBody(FunctionTyping &t, const Value &loop,
                                  std::vector<Argument> arguments) {
  try {
    return t.instances.getOrInferInstance(*loop.function, arguments);
  } catch (const LiteralWanted &wanted) {
    const Value &value =
        *loop.operands[wanted.parameter - 1]; // after the first and the last iteration
    if (value.opcode == Opcode::Parameter && !value.constant)
      throw LiteralWanted(wanted.diagnostic(), value.index);
    if (arguments[wanted.parameter].constant || !value.constant)
      throw CompileError(wanted.diagnostic());
    arguments[wanted.parameter].constant = value.constant;
    return getOrInferLoopBody(t, loop, std::move(arguments));
  }
}

} // namespace

void failUnsetAfterParallelLoop(const FunctionTyping &t, Span read, const Value &unset) {
  fail(t.source, read, ErrorKind::Typing,
       "'" + unset.name + "' has no value here: the iterations of the prange loop of line " +
           std::to_string(unset.span.line) + " assign it, and they run concurrently",
       "",
       "write a reduction, as in total += x or best = max(best, x), or write to an element of an "
       "array");
}

bool visitParallel(FunctionTyping &t, Value &v) {
  const std::vector<Reduction> &reductions = v.function->reductions;
  std::vector<Type> reduced;
  for (size_t i = 0; i < reductions.size(); ++i)
    reduced.push_back(v.operands[1 + i]->type);
  // A sum that starts as an int may become float64. The loop body then starts with that type.
  for (bool settled = false; !settled;) {
    TypedFunction &loopFunction = getOrInferLoopBody(t, v, loopBodyArguments(t, v, reduced));
    if (!loopFunction.result)
      return false;
    v.callee = &loopFunction;
    settled = true;
    for (size_t i = 0; i < reduced.size(); ++i) {
      Type one = loopFunction.result->elements[i];
      Type both = reduced[i].isArray() && one.isArray() ? reduced[i] : unify(reduced[i], one);
      bool isReducible =
          both && (both.isArray() ? both->element.isScalar() || both->element.isComplex()
                                  : both.isScalar() || both.isComplex());
      // The iterations reduce into an array of their own, which `total = total + x` would not change.
      bool rebindsArray = both && both.isArray() && reductions[i].rebinding.line;
      if (!isReducible || rebindsArray || (both.isArray() && one != reduced[i]))
        fail(t.source, rebindsArray ? reductions[i].rebinding : reductions[i].span,
             ErrorKind::Typing,
             "'" + reductions[i].name + "' cannot be reduced by the iterations of a prange loop",
             reduced[i].name(),
             both && both.isArray() ? "write to the array in place, as in total += x"
                                    : "numbers and arrays of numbers can");
      settled &= both == reduced[i];
      reduced[i] = both;
    }
  }
  v.combines.clear();
  for (size_t i = 0; i < reduced.size(); ++i) {
    Type element = reduced[i].isArray() ? elementOf(reduced[i]) : reduced[i];
    Argument argument{element, {}};
    v.combines.push_back(
        &t.instances.getOrInferInstance(*reductions[i].combine, {argument, argument}));
  }
  return setType(v, tupleType(std::move(reduced)));
}

bool visitDoesLoopAssign(Value &v) {
  const TypedFunction &loopFunction = *v.operands[0]->callee;
  return setConstant(v, Constant::ofBool(llvm::any_of(loopFunction.assignments, [&](const auto &a) {
                       return a.name == v.name && a.block->reachable;
                     })));
}

} // namespace heddle::python
