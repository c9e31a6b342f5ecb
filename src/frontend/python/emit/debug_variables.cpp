#include "frontend/python/emit/debug_variables.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"

namespace heddle::python {
namespace {

class Describing {
public:
  explicit Describing(Emitter &e)
      : e_(e), scope_(e.llvmFunction().getSubprogram()),
        builder_(e.module().module(), /*AllowUnresolved=*/false, scope_->getUnit()) {}

  void run() {
    unsigned number = 0;
    llvm::BasicBlock &entry = e_.llvmFunction().getEntryBlock();
    for (Value *parameter : e_.function().parameterValues)
      place(*parameter, ++number, entry.getTerminator()->getIterator());
    for (auto &block : e_.function().blocks)
      for (Value *v : block->values)
        if (v->opcode == Opcode::Phi && isVariable(*v))
          if (auto *phi = llvm::dyn_cast<llvm::PHINode>(e_.parts(*v)[0]))
            place(*v, 0, phi->getParent()->getFirstInsertionPt());
  }

private:
  /// Whether the name is one of the source's: those that start with a dot are made up.
  bool isVariable(Value &v) {
    return v.type && !v.name.empty() && v.name[0] != '.' && !e_.parts(v).empty();
  }

  void place(Value &v, unsigned number, llvm::BasicBlock::iterator before) {
    llvm::DIType *type = isVariable(v) ? describe(v.type) : nullptr;
    if (!type)
      return;
    unsigned line = v.span.line;
    llvm::DILocalVariable *variable =
        number ? builder_.createParameterVariable(scope_, v.name, number, scope_->getFile(), line,
                                                  type)
               : builder_.createAutoVariable(scope_, v.name, scope_->getFile(), line, type);
    builder_.insertDbgValueIntrinsic(e_.parts(v)[0], variable, builder_.createExpression(),
                                     llvm::DILocation::get(e_.b.getContext(), line, 0, scope_),
                                     before);
  }

  /// The type as a debugger shows it; null for what has no value of its own. An array is a pointer to its elements.
  llvm::DIType *describe(Type type) {
    namespace dwarf = llvm::dwarf;
    if (type.isBool())
      return builder_.createBasicType(type.name(), 8, dwarf::DW_ATE_boolean);
    if (type.isInteger())
      return builder_.createBasicType(
          type.name(), type->bits, type.isSigned() ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned);
    if (type.isFloat())
      return builder_.createBasicType(type.name(), type->bits, dwarf::DW_ATE_float);
    if (type.isArray() || type.isPointer())
      if (llvm::DIType *element = describe(type->element))
        return builder_.createPointerType(element, 64, 0, std::nullopt, type.name());
    return nullptr;
  }

  Emitter &e_;
  llvm::DISubprogram *scope_;
  llvm::DIBuilder builder_;
};

} // namespace

void describeVariables(Emitter &e) { Describing(e).run(); }

} // namespace heddle::python
