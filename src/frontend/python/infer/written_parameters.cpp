#include "frontend/python/infer/written_parameters.h"

#include "frontend/python/rows/effects.h"
#include "frontend/python/rows/row.h"

#include <set>

namespace heddle::python {
namespace {

using Roots = std::set<unsigned>;

/// True if a value refers to memory that a kernel may write.
bool holdsArray(Type t) {
  if (t.is(TypeKind::Optional))
    return holdsArray(t->element);
  if (t.isComposite())
    for (Type element : t->elements)
      if (holdsArray(element))
        return true;
  return t.isArray() || t.isRecord() || t.isPointer();
}

/// True if a value refers to a list, dict, set or instance.
bool holdsContainer(Type t) {
  if (t.isContainer())
    return true;
  if (t.is(TypeKind::Optional))
    return holdsContainer(t->element);
  return t.isComposite() && llvm::any_of(t->elements, holdsContainer);
}

bool leadsToArray(const Value &v) { return holdsArray(v.type); }

/// True if `v` refers to a container, or to a part of one such as the array of a dict's slots.
bool leadsToContainer(const Value &v) {
  return holdsContainer(v.type) ||
         (v.opcode == Opcode::Call && v.library && v.library->meaning == Meaning::Part);
}

using LeadsTo = bool (*)(const Value &);

/// The parameters whose memory each value may refer to, among those that satisfy `leadsTo`: a fixpoint over the
/// function's phis.
std::map<Value *, Roots> findParametersReferredTo(TypedFunction &f, LeadsTo leadsTo) {
  std::map<Value *, Roots> roots;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &block : f.blocks)
      for (Value *v : block->values) {
        if (!v->type || !leadsTo(*v))
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

/// The argument of a call for a parameter of its callee.
Value *argumentForParameter(unsigned parameter, const Value &call) {
  // The body function of a parallel loop has two parameters for its range, and operand 0 is the trip count. Operand 0
  // of a call is the function.
  return call.operands[call.opcode == Opcode::Parallel ? parameter - 1 : parameter + 1];
}

/// The function and its direct and indirect callees.
std::set<TypedFunction *> collectReachedFunctions(TypedFunction &first) {
  std::set<TypedFunction *> reached{&first};
  std::vector<TypedFunction *> next{&first};
  while (!next.empty()) {
    TypedFunction *f = next.back();
    next.pop_back();
    for (auto &block : f->blocks)
      for (Value *v : block->values)
        if (v->callee && reached.insert(v->callee).second)
          next.push_back(v->callee);
  }
  return reached;
}

/// For each parameter of `first` that satisfies `leadsTo`, true if memory that it refers to may be written.
std::vector<bool> findWritten(TypedFunction &first, LeadsTo leadsTo) {
  std::set<TypedFunction *> reached = collectReachedFunctions(first);
  std::map<TypedFunction *, std::map<Value *, Roots>> roots;
  std::map<TypedFunction *, std::vector<bool>> written;
  for (TypedFunction *f : reached) {
    roots[f] = findParametersReferredTo(*f, leadsTo);
    // Foreign code may write any memory.
    written[f].resize(f->parameters.size(), f->source->declaration.has_value());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (TypedFunction *f : reached) {
      auto mark = [&](Value *memory) {
        for (unsigned parameter : roots[f][memory]) {
          changed |= !written[f][parameter];
          written[f][parameter] = true;
        }
      };
      for (auto &block : f->blocks)
        for (Value *v : block->values) {
          for (Value *memory : effectsOf(*v).writes)
            mark(memory);
          if (v->callee)
            for (size_t i = 0; i < v->callee->parameters.size(); ++i)
              if (written[v->callee][i])
                mark(argumentForParameter(i, *v));
        }
    }
  }
  return written[&first];
}

} // namespace

std::vector<bool> findWrittenParameters(TypedFunction &kernel) {
  return findWritten(kernel, leadsToArray);
}

bool mayBypassIndexChecks(TypedFunction &kernel) {
  return llvm::any_of(collectReachedFunctions(kernel), [](const TypedFunction *f) {
    return f->source->declaration || llvm::any_of(f->blocks, [](const auto &block) {
             return llvm::any_of(block->values, [](const Value *v) {
               return v->type.isPointer() || (v->library && v->library->hasAnyExtent);
             });
           });
  });
}

bool changesContainers(TypedFunction &function) {
  return llvm::any_of(function.parameters, holdsContainer) &&
         llvm::is_contained(findWritten(function, leadsToContainer), true);
}

} // namespace heddle::python
