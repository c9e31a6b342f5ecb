; RUN: heddle-opt -ptx -sm=75 %s | FileCheck %s
; Inline PTX is passed through, after a comment with its source line.
source_filename = "name_inline_ptx"

; CHECK: // begin inline asm
; CHECK-NEXT: // inline PTX of add.cu:3
; CHECK-NEXT: { .reg .u32 t; mov.u32 t, %laneid; add.u32 %r{{[0-9]+}}, t, %r{{[0-9]+}}; }
; CHECK-NEXT: // end inline asm
define void @k(ptr addrspace(1) %p, i32 %x) "simt.kernel" !dbg !4 {
  %v = call i32 asm "{ .reg .u32 t; mov.u32 t, %laneid; add.u32 $0, t, $1; }", "=r,r"(i32 %x), !dbg !5
  store i32 %v, ptr addrspace(1) %p, !dbg !5
  ret void, !dbg !5
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "add.cu", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 3, column: 5, scope: !4)
