#include "frontend/python/emit/debug_variables.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"

#include <map>

namespace heddle::python {
namespace {

class VariableDescriber {
public:
  explicit VariableDescriber(Emitter &e)
      : e_(e), scope_(e.llvmFunction().getSubprogram()),
        builder_(e.module().module(), /*AllowUnresolved=*/false, scope_->getUnit()) {}

  void run(llvm::ArrayRef<AssignmentPlace> assigned) {
    unsigned number = 0;
    llvm::BasicBlock &entry = e_.llvmFunction().getEntryBlock();
    for (Value *parameter : e_.function().parameterValues)
      insertDebugValue(*parameter, parameter->name, parameter->span, ++number,
                       entry.getTerminator()->getIterator());
    for (auto &block : e_.function().blocks)
      for (Value *v : block->values)
        if (v->opcode == Opcode::Phi && canDescribeVariable(*v, v->name))
          if (auto *phi = llvm::dyn_cast<llvm::PHINode>(e_.parts(*v)[0]))
            insertDebugValue(*v, v->name, v->span, 0, phi->getParent()->getFirstInsertionPt());
    for (const AssignmentPlace &p : assigned)
      insertDebugValue(*p.assignment->value, p.assignment->name, p.assignment->span, 0,
                       p.after ? std::next(p.after->getIterator())
                               : p.block->getFirstInsertionPt());
    builder_.finalizeSubprogram(scope_);
  }

private:
  /// True if the name is from the source. Names that start with a dot are generated.
  bool canDescribeVariable(Value &v, const std::string &name) {
    // Has no memory that a variable could refer to.
    bool isConstantArray = v.constant && v.type.isArray();
    return v.type && !isConstantArray && !name.empty() && name[0] != '.' && !e_.parts(v).empty();
  }

  void insertDebugValue(Value &v, const std::string &name, Span span, unsigned number,
                        llvm::BasicBlock::iterator before) {
    llvm::DIType *type = canDescribeVariable(v, name) ? makeDebugType(v.type) : nullptr;
    if (!type)
      return;
    llvm::DILocalVariable *&variable = variables_[{name, type}];
    if (!variable && number)
      variable = builder_.createParameterVariable(scope_, name, number, scope_->getFile(),
                                                  span.line, type);
    else if (!variable) // keeps variables whose value is fused into an FMA in the list
      variable = builder_.createAutoVariable(scope_, name, scope_->getFile(), span.line, type,
                                             /*AlwaysPreserve=*/true);
    builder_.insertDbgValueIntrinsic(e_.parts(v)[0], variable, builder_.createExpression(),
                                     llvm::DILocation::get(e_.b.getContext(), span.line, 0, scope_),
                                     before);
  }

  /// The debug type; null for types without values of their own. An array is shown as a pointer to its elements.
  llvm::DIType *makeDebugType(Type type) {
    namespace dwarf = llvm::dwarf;
    if (type.isBool())
      return builder_.createBasicType(type.name(), 8, dwarf::DW_ATE_boolean);
    if (type.isInteger())
      return builder_.createBasicType(
          type.name(), type->bits, type.isSigned() ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned);
    if (type.isFloat())
      return builder_.createBasicType(type.name(), type->bits, dwarf::DW_ATE_float);
    if (type.isArray() || type.isPointer())
      if (llvm::DIType *element = makeDebugType(type->element))
        return builder_.createPointerType(element, 64, 0, std::nullopt, type.name());
    return nullptr;
  }

  Emitter &e_;
  llvm::DISubprogram *scope_;
  llvm::DIBuilder builder_;
  /// A variable with values of several types is described once per type.
  std::map<std::pair<std::string, llvm::DIType *>, llvm::DILocalVariable *> variables_;
};

} // namespace

void describeVariables(Emitter &e, llvm::ArrayRef<AssignmentPlace> assigned) {
  VariableDescriber(e).run(assigned);
}

} // namespace heddle::python
