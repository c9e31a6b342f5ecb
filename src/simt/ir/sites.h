// Sites: source positions that a running kernel can refer to.
//
// A kernel cannot carry strings. An operation that may end the kernel (trap) or be reported (barrier) carries a site
// index instead, which refers to an entry of the module's `!simt.sites`:
//
//     !simt.sites = !{!5, !6}
//     !5 = !{!"IndexError", !"index {index} is out of bounds for size {extent}", !"k", !"k.py", i32 7, i32 8}
//     !6 = !{!"ValueError", !"negative", !"k", !"k.py", i32 9, i32 8, !"(42, 7)"}
#pragma once

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace heddle::simt {

/// A site. `kind` is the Python exception class that a trap raises ("IndexError", "ZeroDivisionError",
/// "AssertionError", the name of a user's class), "barrier" or "print". In `message`, {index} and {extent} stand for
/// the operands of simt.trap.index, {unsigned index} for the index as a uint64, {index/4} and {extent/4} for the
/// operands divided by 4, and {argument N} for the launch's argument slot N, an integer. For "print", `message` is the
/// format. A block's barriers with the same message are interchangeable; a barrier without a message matches only
/// itself. Lines and columns start at 1. `arguments` is a tuple in Python syntax: the exception's arguments after the
/// message; empty if there are none. `object` is the name of the array that an index error is about; empty if unknown.
struct SiteInfo {
  std::string kind;
  std::string message;
  std::string function;
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string arguments = {};
  std::string object = {};
};

/// Appends a site to the module's table and returns its index. Equal sites share an index.
unsigned addSite(llvm::Module &m, const SiteInfo &site);

/// Appends a site for the source position of an instruction to the table of its module, and returns its index. Equal
/// sites share an index.
unsigned addSite(std::string kind, std::string message, llvm::Instruction &at,
                 std::string object = {});

/// Like addSite(), but with a new index, higher than those of all sites in the table.
unsigned addNewSite(std::string kind, std::string message, llvm::Instruction &at);

/// The message of the site of a block barrier with this number.
std::string makeBarrierMessage(llvm::StringRef operation, uint64_t number);
/// The number of the block barrier at a site.
uint32_t barrierNumberOf(const SiteInfo &site);

/// The module's table. Throws CompileError if the metadata is malformed.
std::vector<SiteInfo> sitesOf(const llvm::Module &m);

} // namespace heddle::simt
