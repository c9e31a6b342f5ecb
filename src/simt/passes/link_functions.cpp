#include "simt/passes/link_functions.h"

#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/ir/verifier.h"
#include "support/diagnostic.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Linker/Linker.h"

#include <vector>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Adds the sites of `from` to `into` and renumbers them in the operations of `from`.
void moveAndRenumberSites(Module &into, Module &from) {
  std::vector<unsigned> numbers;
  for (const SiteInfo &site : sitesOf(from))
    numbers.push_back(addSite(into, site));
  for (Function &f : from)
    for (Instruction &i : instructions(f)) {
      std::optional<Op> op = calledOp(&i);
      if (!op || !info(*op).has(Site))
        continue;
      auto *index = cast<ConstantInt>(i.getOperand(0));
      i.setOperand(0, ConstantInt::get(index->getType(), numbers.at(index->getZExtValue())));
    }
  if (NamedMDNode *table = from.getNamedMetadata("simt.sites"))
    table->eraseFromParent();
}

} // namespace

void linkFunctions(Module &into, std::unique_ptr<Module> from,
                   const std::map<std::string, std::string> &names) {
  moveAndRenumberSites(into, *from);
  for (GlobalVariable &g : from->globals())
    if (isModuleVariable(g) && into.getNamedValue(g.getName()))
      g.setName(g.getName() + ".linked");
  std::vector<std::string> linked;
  for (Function &f : *from) {
    if (!f.hasFnAttribute(exportAttribute))
      continue;
    f.removeFnAttr(exportAttribute);
    auto wanted = names.find(f.getName().str());
    if (wanted == names.end()) {
      f.setLinkage(GlobalValue::InternalLinkage);
      continue;
    }
    f.setName(wanted->second);
    linked.push_back(f.getName().str());
  }
  from->setDataLayout(into.getDataLayout());
  from->setTargetTriple(into.getTargetTriple());
  if (Linker::linkModules(into, std::move(from), Linker::Flags::LinkOnlyNeeded))
    throw CompileError(ErrorKind::Internal, "LLVM does not link two SIMT modules");
  for (const std::string &name : linked)
    into.getFunction(name)->setLinkage(GlobalValue::InternalLinkage);
}

} // namespace heddle::simt
