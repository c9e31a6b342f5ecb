// Remarks: compilation decisions that users may want to know.
#pragma once

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace heddle::simt {

/// Attribute of a kernel that a back end has renamed: the original name.
inline constexpr const char *nameAttribute = "heddle.name";
/// The kernel's name in the program, which may differ from its symbol.
llvm::StringRef nameOfKernel(const llvm::Function &kernel);

/// Records a decision about a kernel in its module.
void addRemark(llvm::Function &kernel, const std::string &decision);
/// The recorded decisions, each as "<kernel>: <decision>".
std::vector<std::string> remarksOf(const llvm::Module &m);

} // namespace heddle::simt
