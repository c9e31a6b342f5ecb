#include "frontend/python/infer/written_parameters.h"

#include "frontend/python/rows/over_arrays.h"
#include "frontend/python/rows/row.h"

#include <set>

namespace heddle::python {
namespace {

using Roots = std::set<unsigned>;

/// Whether a value leads to memory that a kernel may write.
bool holdsArray(Type t) {
  if (t.is(TypeKind::Optional))
    return holdsArray(t->element);
  if (t.isComposite())
    for (Type element : t->elements)
      if (holdsArray(element))
        return true;
  return t.isArray() || t.isRecord() || t.isPointer();
}

/// Which parameters' arrays each value may be a view of: a fixpoint over the function's phis.
std::map<Value *, Roots> findRoots(TypedFunction &f) {
  std::map<Value *, Roots> roots;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &block : f.blocks)
      for (Value *v : block->values) {
        if (!v->type || !holdsArray(v->type))
          continue;
        Roots found = roots[v];
        size_t before = found.size();
        if (v->opcode == Opcode::Parameter)
          found.insert(v->index);
        for (Value *operand : v->operands) {
          auto known = roots.find(operand);
          if (known != roots.end())
            found.insert(known->second.begin(), known->second.end());
        }
        changed |= found.size() != before;
        roots[v] = std::move(found);
      }
  }
  return roots;
}

/// The arguments of a call of a library function whose memory it may write.
std::vector<Value *> writtenArguments(const Value &call) {
  std::vector<Value *> written;
  if (call.opcode != Opcode::Call || !call.library || !call.library->writes)
    return written;
  std::string problem;
  auto arguments = matchArguments(*call.library, call, problem);
  for (size_t i = 0; arguments && i < arguments->size(); ++i) // those of dead code may not fit
    if ((*arguments)[i] && call.library->writes >> i & 1)
      written.push_back((*arguments)[i]);
  return written;
}

/// What a call gives to a parameter of its callee that may be written.
Value *givenTo(unsigned parameter, const Value &call) {
  // The rounds of a parallel loop have two parameters for the first and the last of them; the first operand is their
  // number. That of a call is the function.
  return call.operands[call.opcode == Opcode::Parallel ? parameter - 1 : parameter + 1];
}

} // namespace

std::vector<bool> writtenParameters(FunctionInstances &instances, TypedFunction &kernel) {
  std::map<TypedFunction *, std::map<Value *, Roots>> roots;
  std::map<TypedFunction *, std::vector<bool>> written;
  for (auto &f : instances.functions()) {
    roots[f.get()] = findRoots(*f);
    // What code that is not Python does with memory is not known.
    written[f.get()].resize(f->parameters.size(), f->source->declaration.has_value());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &f : instances.functions()) {
      auto mark = [&](Value *array) {
        for (unsigned parameter : roots[f.get()][array]) {
          changed |= !written[f.get()][parameter];
          written[f.get()][parameter] = true;
        }
      };
      for (auto &block : f->blocks)
        for (Value *v : block->values) {
          if (v->opcode == Opcode::StoreIndex)
            mark(v->operands[0]);
          else if (v->opcode == Opcode::Binary && v->inPlace && v->type.isArray())
            mark(v->operands[0]);
          else if (v->library && isOverArrays(*v->library, *v))
            mark(outputOf(*v->library, *v));
          else if (v->callee)
            for (size_t i = 0; i < v->callee->parameters.size(); ++i)
              if (written[v->callee][i])
                mark(givenTo(i, *v));
          for (Value *argument : writtenArguments(*v))
            mark(argument);
        }
    }
  }
  return written[&kernel];
}

} // namespace heddle::python
