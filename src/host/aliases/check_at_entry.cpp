#include "host/aliases/check_at_entry.h"

#include "host/aliases/vectorizable_loops.h"

#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LoopVersioning.h"

namespace heddle::host {

using namespace llvm;

namespace {

/// True if two addresses that a loop must find disjoint are in the same array.
bool areInOneArray(const RuntimePointerCheck &check, const RuntimePointerChecking &pointers,
                   ScalarEvolution &evolution) {
  auto arrayOf = [&](const RuntimeCheckingPtrGroup &group) {
    return evolution.getPointerBase(pointers.Pointers[group.Members.front()].Expr);
  };
  return arrayOf(*check.first) == arrayOf(*check.second);
}

bool insertAliasChecksAtEntry(Loop &loop, FunctionAnalysisManager &am) {
  if (!loop.getParentLoop() || !loop.isLoopSimplifyForm() || !loop.getExitBlock())
    return false;
  Function &f = *loop.getHeader()->getParent();
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  const LoopAccessInfo &accesses = am.getResult<LoopAccessAnalysis>(f).getInfo(loop);
  const RuntimePointerChecking &pointers = *accesses.getRuntimePointerChecking();
  if (!accesses.canVectorizeMemory() || !pointers.Need ||
      !accesses.getPSE().getPredicate().isAlwaysTrue() ||
      none_of(pointers.getChecks(),
              [&](const RuntimePointerCheck &check) {
                return areInOneArray(check, pointers, evolution);
              }) ||
      !mayBeVectorized(loop, am))
    return false;
  auto &loops = am.getResult<LoopAnalysis>(f);
  LoopVersioning versions(accesses, pointers.getChecks(), &loop, &loops,
                          &am.getResult<DominatorTreeAnalysis>(f), &evolution);
  versions.versionLoop();
  versions.annotateLoopWithNoAlias();
  addStringMetadataToLoop(versions.getNonVersionedLoop(), "llvm.loop.vectorize.width", 1);
  return true;
}

} // namespace

PreservedAnalyses CheckAtEntry::run(Function &f, FunctionAnalysisManager &am) {
  return transformInnermostLoops(f, am, insertAliasChecksAtEntry);
}

} // namespace heddle::host
