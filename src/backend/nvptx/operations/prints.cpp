#include "backend/nvptx/operations/prints.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr const char *printName = "vprintf";

/// A simt.print format converted for vprintf, and the positions of boolean values.
struct Format {
  std::string text;
  SmallVector<unsigned, 4> truths;
};

Format translateFormat(StringRef format) {
  Format result;
  unsigned values = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      result.text += format[i];
      continue;
    }
    size_t end = format.find_first_not_of("-+ #0123456789.", i + 1);
    if (end == StringRef::npos)
      end = format.size() - 1;
    result.text += format.slice(i, end);
    switch (format[i = end]) {
    case 'd':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      result.text += "ll";
      result.text += format[i];
      break;
    case 'b':
      result.truths.push_back(values);
      result.text += "s";
      break;
    default:
      result.text += format[i];
    }
    values += format[i] != '%';
  }
  return result;
}

/// Emits the vprintf calls of one module.
class Printer {
public:
  explicit Printer(llvm::Module &m) : m_(m), sites_(simt::sitesOf(m)) {
    if (Function *taken = m.getFunction(printName)) // a user's device function with this name
      taken->setName("vprintf.device");
    Type *pointer = PointerType::get(m.getContext(), simt::Generic);
    auto *type = FunctionType::get(Type::getInt32Ty(m.getContext()), {pointer, pointer}, false);
    vprintf_ = Function::Create(type, GlobalValue::ExternalLinkage, printName, m);
    vprintf_->setDoesNotThrow();
  }

  void lowerPrint(CallInst &call) {
    IRBuilder<> b(&call);
    uint64_t site = cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
    Format format = translateFormat(sites_[site].message);
    Value *values = call.getArgOperand(1);
    for (unsigned place : format.truths) {
      Value *slot = b.CreateConstGEP1_32(b.getInt64Ty(), values, place);
      Value *holds = b.CreateICmpNE(b.CreateLoad(b.getInt64Ty(), slot), b.getInt64(0));
      b.CreateStore(b.CreateSelect(holds, getOrAddString(b, "True"), getOrAddString(b, "False")),
                    slot);
    }
    b.CreateCall(vprintf_, {getOrAddString(b, format.text), values});
    call.eraseFromParent();
  }

private:
  /// The generic address of a constant string. Equal strings are shared.
  Value *getOrAddString(IRBuilder<> &b, const std::string &text) {
    Constant *&address = strings_[text];
    if (!address) {
      Constant *bytes = ConstantDataArray::getString(m_.getContext(), text);
      auto *global = new GlobalVariable(m_, bytes->getType(), /*isConstant=*/true,
                                        GlobalValue::PrivateLinkage, bytes, "heddle_text", nullptr,
                                        GlobalValue::NotThreadLocal, simt::Global);
      global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
      address = ConstantExpr::getAddrSpaceCast(global, b.getPtrTy());
    }
    return address;
  }

  llvm::Module &m_;
  std::vector<simt::SiteInfo> sites_;
  Function *vprintf_;
  StringMap<Constant *> strings_;
};

} // namespace

PreservedAnalyses LowerPrints::run(llvm::Module &m, ModuleAnalysisManager &) {
  SmallVector<CallInst *, 4> prints;
  for (Function &f : m)
    for (CallInst *call : simtCalls(f))
      if (simt::calledOp(call) == simt::Op::Print)
        prints.push_back(call);
  if (prints.empty())
    return PreservedAnalyses::all();
  Printer printer(m);
  for (CallInst *call : prints)
    printer.lowerPrint(*call);
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
