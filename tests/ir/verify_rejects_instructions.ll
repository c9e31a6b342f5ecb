; RUN: not heddle-opt -passes=verify-simt -S %s 2>&1 | FileCheck %s
; LLVM IR that is not SIMT IR.

; CHECK-DAG: function 'k': atomic accesses are written as simt.atomic operations: {{.*}}atomicrmw add
; CHECK-DAG: function 'k': atomic accesses are written as simt.atomic operations: {{.*}}load atomic
; CHECK-DAG: function 'k': fences are written as simt.fence operations: {{.*}}fence seq_cst
; CHECK-DAG: function 'k': its type is not a SIMT IR type: {{.*}}load <4 x float>
; CHECK-DAG: function 'k': conversions to integers are written as llvm.fptosi.sat
; CHECK-DAG: function 'k': the divisor is zero: {{.*}}sdiv i32 %n, 0
; CHECK-DAG: function 'k': the constraint 'm' of inline assembly is not known{{.*}}
; CHECK-DAG: function 'k': operand %0 of the assembly is an integer of 32 bits, which the constraint 'h'
; CHECK-DAG: function 'k': inline assembly may clobber "memory" alone
; CHECK-DAG: function 'k': indirect calls and calls of another type are not SIMT IR
; CHECK-DAG: function 'k': an alloca has a constant size and stands in the entry block
; CHECK-DAG: function 'k': its type is not a SIMT IR type: {{.*}}fpext {{.*}}x86_fp80
; CHECK-DAG: function 'puts': declared but neither a SIMT operation nor an LLVM intrinsic
; CHECK-DAG: function 'llvm.sin.f32': this LLVM intrinsic is not SIMT IR
; CHECK-DAG: function 'taken': its address is taken
define void @k(ptr addrspace(1) %p, i32 %n, float %f, i64 %m) "simt.kernel" {
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %b = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  fence seq_cst
  %v = load <4 x float>, ptr addrspace(1) %p
  %i = fptosi float %f to i32
  %d = sdiv i32 %n, 0
  call void asm sideeffect "", "m"(i32 %n)
  call void asm sideeffect "", "h"(i32 %n)
  call void asm sideeffect "", "~{cc}"()
  %callee = inttoptr i64 %m to ptr
  call void %callee()
  %dynamic = alloca i32, i32 %n
  %x = fpext float %f to x86_fp80
  %s = call i32 @puts(ptr @taken)
  %t = call float @llvm.sin.f32(float %f)
  ret void
}
define internal void @taken() {
  ret void
}
declare i32 @puts(ptr)
declare float @llvm.sin.f32(float)
