// Sites: places in the user's source that a running kernel can name.
//
// A kernel cannot carry strings, so an operation that may end it (trap) or be reported (barrier) carries the index
// of a site; the module's `!simt.sites` holds what the index stands for:
//
//     !simt.sites = !{!5, !6}
//     !5 = !{!"IndexError", !"index {index} is out of bounds for axis 0 of 'a' with size {extent}", !"k", !"k.py", i32 7, i32 8}
//     !6 = !{!"ValueError", !"negative", !"k", !"k.py", i32 9, i32 8, !"(42, 7)"}
#pragma once

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace heddle::simt {

/// What a site's index stands for. `kind` is the Python exception class that a trap there raises ("IndexError",
/// "ZeroDivisionError", "AssertionError", a user's class by name), "barrier" or "print". In `message`, {index} and
/// {extent} stand for the operands of simt.trap.index, {unsigned index} for the index as a uint64, {index/4} and
/// {extent/4} for these in pieces of 4 bytes, and {argument N} for the launch's argument slot N, an integer; that of a "print" is the format. A block's barriers with the
/// same message meet; one without a message meets itself only. Lines and columns count from 1.
/// `arguments` is a tuple in Python's syntax: the exception's arguments after the message; empty where there are none.
struct SiteInfo {
  std::string kind;
  std::string message;
  std::string function;
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string arguments = {};
};

/// Appends to the module's table; returns the new site's index. Equal sites share an index.
unsigned addSite(llvm::Module &m, const SiteInfo &site);

/// The same for the module and the place in the source of an instruction.
unsigned addSite(std::string kind, std::string message, llvm::Instruction &at);

/// The module's table, by index. Throws CompileError when the metadata is malformed.
std::vector<SiteInfo> sitesOf(const llvm::Module &m);

} // namespace heddle::simt
