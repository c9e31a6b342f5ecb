#include "frontend/python/emit/parallel/parallel_report.h"

#include "frontend/python/emit/arrays/access.h"
#include "frontend/python/emit/arrays/array_expressions.h"
#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/parallel/parallel_loops.h"
#include "frontend/python/rows/over_arrays.h"

#include <map>

namespace heddle::python {
namespace {

std::string_view operatorOfReduction(ReductionKind kind) {
  static constexpr std::string_view names[] = {"+", "*", "min", "max", "&", "|", "^"};
  return names[unsigned(kind)];
}

std::string formatLineNumber(unsigned number) { return "line " + std::to_string(number); }

/// The source text of a span, or of its first line.
std::string firstSourceLineOf(const FunctionSource &source, Span span) {
  std::string whole = source.text.line(span.line);
  llvm::StringRef text = whole;
  size_t end = span.endLine == span.line ? span.endColumn : text.size();
  return text.slice(span.column, end).trim().str();
}

/// True if `v` changes an array element by element: `a += b`, `np.add(a, b, out)`, `a[1:] = b`.
bool isArrayAssignment(const TypedFunction &f, const Value &v) {
  if (v.opcode == Opcode::Binary)
    return v.inPlace && v.operands[0]->type.isArray();
  if (v.opcode == Opcode::Call)
    return v.library && isElementwiseCall(*v.library, v);
  if (v.opcode != Opcode::StoreIndex || !v.operands[0]->type.isArray() ||
      v.operands[1]->type.isArray() || !assignsToView(f, v))
    return false;
  return !storesAugmentedView(v);
}

class Report {
public:
  /// `around` is the line of the loop whose body `f` is; 0 for other functions.
  void addFunction(const TypedFunction &f, unsigned around) {
    std::set<const Value *> fused = findFusedExpressions(f), ofShared;
    for (const auto &v : f.values)
      if (v->opcode == Opcode::Parallel)
        ofShared.insert(v->operands[0]);
    for (auto &block : f.blocks)
      for (const Value *v : block->values) {
        if (!block->reachable)
          continue;
        if (v->opcode == Opcode::Parallel)
          addParallelLoop(f, *v);
        else if (v->opcode == Opcode::IterCount && !ofShared.count(v) && isPrange(*v->operands[0]))
          addNote(f, v->operands[0]->span,
                  "one thread runs its iterations: " + explainWhyOneThread(f, around));
        else if (isArrayExpression(*v) || isReduction(*v) || isArrayAssignment(f, *v))
          addExpression(f, *v, fused, around);
      }
  }

  std::map<unsigned, std::vector<ParallelNote>> notes; ///< by line

private:
  static bool isPrange(const Value &v) {
    return v.opcode == Opcode::Call && v.library && v.library->meaning == Meaning::SharedRange;
  }

  void addNote(const TypedFunction &f, Span span, const std::string &what, bool isDetail = false) {
    notes[span.line].push_back(
        {span.line, firstSourceLineOf(*f.source, span) + ": " + what, isDetail});
  }

  void addParallelLoop(const TypedFunction &f, const Value &loop) {
    std::string what = hasIndependentIterations(loop)
                           ? "several threads share its iterations"
                           : "one thread runs its iterations: they change a list, dict, set or "
                             "instance that other iterations see";
    for (const Reduction &reduction : loop.function->reductions)
      what += std::string(&reduction == &loop.function->reductions.front() ? "; reduced: " : ", ") +
              reduction.name + " (" + std::string(operatorOfReduction(reduction.kind)) + ")";
    addNote(f, loop.operands[0]->span, what);
    addFunction(*loop.callee, loop.span.line);
  }

  void addExpression(const TypedFunction &f, const Value &v, const std::set<const Value *> &fused,
                     unsigned around) {
    if (fused.count(&v))
      return;
    std::vector<const Value *> parts;
    collectFusedOperations(v, fused, parts);
    std::string what = runsArrayExpressionsOnThreadPool(f)
                           ? "one loop, shared by several threads if it is long"
                           : "one loop in one thread: " + explainWhyOneThread(f, around);
    if (!parts.empty())
      what += "; " + std::to_string(parts.size()) +
              (parts.size() == 1 ? " expression is" : " expressions are") + " part of it";
    addNote(f, v.span, what);
    for (const Value *part : parts)
      addNote(f, part->span, "part of the loop of " + formatLineNumber(v.span.line),
              /*isDetail=*/true);
  }

  static void collectFusedOperations(const Value &v, const std::set<const Value *> &fused,
                                     std::vector<const Value *> &parts) {
    for (const Value *operand : v.operands)
      if (fused.count(operand)) {
        parts.push_back(operand);
        collectFusedOperations(*operand, fused, parts);
      }
  }

  static std::string explainWhyOneThread(const TypedFunction &f, unsigned around) {
    if (around)
      return "the threads share the iterations of the outer loop, of " + formatLineNumber(around);
    if (f.isGenerator)
      return "a generator runs between its values";
    if (!f.source->runsArrayExpressionsOnThreadPool)
      return "the function is not compiled with parallel=True";
    return "it has a break, a return or an else, or it fills an empty list, dict or set";
  }
};

} // namespace

std::vector<ParallelNote> parallelReport(const TypedFunction &f) {
  Report report;
  report.addFunction(f, 0);
  std::vector<ParallelNote> notes;
  for (const auto &[number, own] : report.notes)
    notes.insert(notes.end(), own.begin(), own.end());
  return notes;
}

} // namespace heddle::python
