#include "runtime_kernels.h"

#include "simt/ir/owned_module.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <stdexcept>

namespace heddle::test {

namespace {

constexpr const char *commonDeclarations = R"(
declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
declare i32 @simt.tid.z()
declare i32 @simt.ctaid.x()
declare i32 @simt.ctaid.y()
declare i32 @simt.ctaid.z()
declare i32 @simt.ntid.x()
declare i32 @simt.nctaid.x()
declare i32 @simt.nctaid.y()
declare void @simt.barrier(i32) convergent
declare void @simt.grid.barrier(i32) convergent
declare i32 @simt.barrier.count(i32, i1) convergent
declare ptr addrspace(3) @simt.shared.dynamic()
declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)
declare i32 @simt.atomic.exch.i32.p1(ptr addrspace(1), i32, i32)
declare void @simt.trap(i32)
declare void @simt.trap.index(i32, i64, i64)
declare void @simt.nanosleep(i32)
)";

} // namespace

Device &cpu() { return *devices().back(); }

std::shared_ptr<Module> loadText(const std::string &text, CompileOptions options, Device &device) {
  simt::OwnedModule code{std::make_unique<llvm::LLVMContext>(), nullptr};
  llvm::SMDiagnostic wrong;
  code.module = llvm::parseAssemblyString(commonDeclarations + text, wrong, *code.context);
  if (!code.module) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    wrong.print("test", stream);
    throw std::runtime_error(message);
  }
  return device.load(std::move(code), options);
}

std::shared_ptr<Module> loadKernel(const std::string &parameters, const std::string &body,
                                   const std::string &metadata, CompileOptions options) {
  return loadText("define void @k(" + parameters + ") \"simt.kernel\" {\n" + body + "\n}\n" +
                      metadata,
                  options);
}

std::shared_ptr<Module> loadIota() {
  return loadKernel("ptr addrspace(1) %a, i32 %n", R"(
  %b = call i32 @simt.ctaid.x()
  %d = call i32 @simt.ntid.x()
  %t = call i32 @simt.tid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %store, label %end
store:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %i, ptr addrspace(1) %p
  br label %end
end:
  ret void)");
}

std::shared_ptr<Module> loadSlow() {
  return loadKernel("ptr addrspace(1) %flag, i32 %count", R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @simt.nanosleep(i32 1000000)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  %old = call i32 @simt.atomic.exch.i32.p1(ptr addrspace(1) %flag, i32 1, i32 1)
  ret void)");
}

} // namespace heddle::test
