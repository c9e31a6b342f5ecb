#include "simt/ir/inline_assembly.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Returns true if a value of this type fits the register; a pointer counts as a 64-bit integer.
bool fitsRegister(char constraint, const Type *type) {
  switch (constraint) {
  case 'h':
  case 'r':
    return type->isIntegerTy(registerBits(constraint));
  case 'l':
    return type->isIntegerTy(64) || type->isPointerTy();
  case 'f':
    return type->isFloatTy();
  default:
    return type->isDoubleTy();
  }
}

std::string describeType(const Type *type) {
  if (type->isFloatTy() || type->isDoubleTy())
    return type->isFloatTy() ? "a float" : "a double";
  if (type->isIntegerTy())
    return "an integer of " + std::to_string(type->getIntegerBitWidth()) + " bits";
  return type->isPointerTy() ? "a pointer" : "of a type that fits no register";
}

/// Describes why an operand is not supported; empty if it is.
std::string whyOperandIsUnsupported(const AssemblyOperand &operand, const std::string &constraint,
                                    size_t number) {
  if (constraint == "n")
    return isa<ConstantInt>(operand.input) ? ""
                                           : "operand %" + std::to_string(number) +
                                                 " of the assembly is not an integer constant";
  if (constraint.size() != 1 || !StringRef("hrlfd").contains(constraint))
    return "the constraint '" + constraint +
           "' of inline assembly is not known: there are h, r, l (integers of 16, 32, 64 bits), f, "
           "d (float, double) and n (a constant)";
  if (fitsRegister(operand.constraint, operand.type))
    return "";
  return "operand %" + std::to_string(number) + " of the assembly is " +
         describeType(operand.type) + ", which the constraint '" + constraint +
         "' does not stand for\n  hint: h, r and l take integers of 16, 32 and 64 bits, f a float, "
         "d a double: copy the value to a variable of that type";
}

Type *resultType(const CallBase &call, unsigned n) {
  Type *type = call.getType();
  if (auto *several = dyn_cast<StructType>(type))
    return several->getElementType(n);
  return type;
}

} // namespace

unsigned registerBits(char constraint) {
  switch (constraint) {
  case 'h':
    return 16;
  case 'r':
  case 'f':
    return 32;
  case 'l':
  case 'd':
    return 64;
  default:
    return 0;
  }
}

Assembly parseAssembly(const CallBase &call) {
  Assembly result;
  unsigned argument = 0;
  const auto &assembly = *cast<InlineAsm>(call.getCalledOperand());
  for (const InlineAsm::ConstraintInfo &info : assembly.ParseConstraints()) {
    std::string code = info.Codes.empty() ? "" : info.Codes.front();
    if (info.Codes.size() > 1)
      code = join(info.Codes, "");
    if (info.Type == InlineAsm::isClobber) {
      if (code == "{memory}")
        result.clobbersMemory = true;
      else
        result.problem = "inline assembly may clobber \"memory\" alone, not '" + code + "'";
      continue;
    }
    if (info.isIndirect || info.Type == InlineAsm::isLabel) {
      result.problem = "inline assembly takes values in registers: a place in memory is passed as "
                       "its address, with the constraint 'l'";
      break;
    }
    AssemblyOperand operand;
    operand.isOutput = info.Type == InlineAsm::isOutput;
    if (!operand.isOutput)
      operand.input = call.getArgOperand(argument++);
    if (!operand.isOutput && !code.empty() && isDigit(code[0])) { // the initial value of an output
      AssemblyOperand &output = result.operands[std::stoul(code)];
      output.input = operand.input;
      operand = output;
      operand.isOutput = false;
      if (output.type != output.input->getType())
        result.problem = "an input that shares the register of output %" + code +
                         " of the assembly has another type";
      result.operands.push_back(operand);
      continue;
    }
    operand.constraint = code.size() == 1 ? code[0] : ' ';
    operand.type =
        operand.isOutput ? resultType(call, result.operands.size()) : operand.input->getType();
    if (std::string problem = whyOperandIsUnsupported(operand, code, result.operands.size());
        !problem.empty())
      result.problem = problem;
    result.operands.push_back(operand);
  }
  return result;
}

} // namespace heddle::simt
