#include "frontend/python/rows/effects.h"

#include "frontend/python/rows/over_arrays.h"
#include "frontend/python/types/iteration.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

Effects effectsOfLibraryCall(const LibraryRow &row, const Value &call) {
  Effects effects{.runsCode = !row.hasKnownEffects};
  if (isElementwiseCall(row, call))
    if (Value *out = findOutputArgument(row, call))
      effects.writes.push_back(out);
  if (!row.writes)
    return effects;
  std::string problem;
  auto arguments = matchArguments(row, call, problem);
  // The arguments of dead code may not match.
  for (size_t i = 0; arguments && i < arguments->size(); ++i)
    if ((*arguments)[i] && row.writes >> i & 1)
      effects.writes.push_back((*arguments)[i]);
  return effects;
}

/// True if `more`, the condition of a loop, resumes generators.
bool conditionResumesGenerators(const Value &more) {
  const Value &count = *more.operands[1];
  return count.opcode == Opcode::IterCount && resumesGenerators(count.operands[0]->type);
}

} // namespace

bool Effects::mayChangeContainers() const {
  return runsCode || llvm::any_of(writes, [](const Value *v) { return !v->type.isArray(); });
}

Effects effectsOf(const Value &v) {
  if (v.callee)
    return {.runsCode = true};
  switch (v.opcode) {
  case Opcode::StoreIndex:
    return {.writes = {v.operands[0]}};
  case Opcode::Binary:
    if (v.inPlace && v.type.isArray()) // in-place operators of containers are calls
      return {.writes = {v.operands[0]}};
    return {};
  case Opcode::Call: // without a row: a conversion, or a named tuple
    return v.library ? effectsOfLibraryCall(*v.library, v) : Effects{};
  case Opcode::More:
    return {.runsCode = conditionResumesGenerators(v)};
  case Opcode::Parallel:
  case Opcode::Yield:
    return {.runsCode = true};
  case Opcode::Parameter:
  case Opcode::Constant:
  case Opcode::Global:
  case Opcode::Undefined:
  case Opcode::Phi:
  case Opcode::Unary:
  case Opcode::Compare:
  case Opcode::Truth:
  case Opcode::Attribute:
  case Opcode::Index:
  case Opcode::Tuple:
  case Opcode::List:
  case Opcode::Dict:
  case Opcode::Set:
  case Opcode::Unpack:
  case Opcode::Starred:
  case Opcode::Closure:
  case Opcode::Choose:
  case Opcode::Unwrap:
  case Opcode::Slice:
  case Opcode::IterCount:
  case Opcode::IterValue:
  case Opcode::Advance:
  case Opcode::Assigns:
  case Opcode::Caught:
  case Opcode::Catches:
  case Opcode::Raise:
  case Opcode::Protect:
  case Opcode::Jump:
  case Opcode::Branch:
  case Opcode::Return:
    break;
  }
  return {};
}

} // namespace heddle::python
