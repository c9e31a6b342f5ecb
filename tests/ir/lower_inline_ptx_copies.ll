; RUN: heddle-opt -passes='lower-inline-ptx' -S %s | FileCheck %s --check-prefixes=CHECK,MARKED
; RUN: heddle-opt -passes='lower-inline-ptx,function(remove-forgets)' -S %s | FileCheck %s --check-prefixes=CHECK,BARE
; Asynchronous copies are performed immediately. Marks tell `heddle check` when a thread waits for them.
source_filename = "lower_inline_ptx_copies"

; CHECK-LABEL: define void @copy(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 4 {{.*}}, ptr align 4 {{.*}}, i64 16, i1 false), {{.*}}!heddle.copy
; MARKED-NEXT: call void @simt.check.sync(i32 5, i32 0)
; MARKED-NEXT: call void @simt.check.sync(i32 6, i32 2)
; BARE-NOT: simt.check.sync
; CHECK: ret void
define void @copy(ptr addrspace(3) %to, ptr addrspace(1) %from) {
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16;", "l,l,~{memory}"(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void asm sideeffect "cp.async.commit_group;", "~{memory}"()
  call void asm sideeffect "cp.async.wait_group 2;", "~{memory}"()
  ret void
}

; CHECK-LABEL: define void @wait_for_all(
; MARKED-NEXT: call void @simt.check.sync(i32 5, i32 0)
; MARKED-NEXT: call void @simt.check.sync(i32 6, i32 0)
; CHECK-NEXT: ret void
define void @wait_for_all() {
  call void asm sideeffect "cp.async.wait_all;", "~{memory}"()
  ret void
}
