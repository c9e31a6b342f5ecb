#pragma once

#include "support/diagnostic.h"

#include "llvm/IR/PassManager.h"

namespace heddle::cudacpp {

/// Assigns sites to the source locations that a running kernel reports. The device headers call operations with site 0,
/// and call two placeholder functions:
///
///     before                                             after
///       call void @simt.barrier(i32 0)                     call void @simt.barrier(i32 <its own site>)
///       call void @__heddle_failed(kind, message)          call void @simt.trap(i32 <site with both>)
///       call void @__heddle_print(format, values, count)   call void @simt.print(i32 <site with the format>, values)
///       br %inside, go.on, stop                            call void @simt.check.index(i32 <site of an IndexError>, ...)
///     stop: call void @llvm.ubsantrap(i8 18)               br go.on
///       unreachable                                        call void @simt.trap(i32 <site that says so>), return
///
/// Needs: the headers' functions are inlined, and instructions have locations in the user's source. Throws CompileError
/// (Typing) for a format that is not a constant or does not fit its values.
struct PlaceSites : llvm::PassInfoMixin<PlaceSites> {
  llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &am);
};

/// An error at the source location of an instruction, in Clang's format: "add.cu:3:5: why".
CompileError makeErrorAt(const llvm::Instruction &i, ErrorKind kind, const std::string &why);

} // namespace heddle::cudacpp
