; RUN: not heddle-opt -passes=verify-simt -S %s 2>&1 | FileCheck %s
; In a function with debug information, everything that may be reported has a line.

; CHECK: function 'k': no source location, in a function that has debug information: {{.*}}store i32 2
; CHECK-NOT: store i32 1
define void @k(ptr addrspace(1) %p) "simt.kernel" !dbg !3 {
  store i32 1, ptr addrspace(1) %p, !dbg !5
  store i32 2, ptr addrspace(1) %p
  ret void, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Python, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.py", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "k", file: !1, line: 1, unit: !0, spFlags: DISPFlagDefinition, type: !4)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 2, scope: !3)
