// What compilation decided that a user may want to know.
#pragma once

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace heddle::simt {

/// On a kernel that a back end has renamed: the program's name of it.
inline constexpr const char *nameAttribute = "heddle.name";
/// The program's name of a kernel.
llvm::StringRef nameOf(const llvm::Function &kernel);

/// Notes a decision about a kernel in its module.
void addRemark(llvm::Function &kernel, const std::string &decision);
/// The decisions about a module's kernels, "<kernel>: <decision>" each.
std::vector<std::string> remarksOf(const llvm::Module &m);

} // namespace heddle::simt
