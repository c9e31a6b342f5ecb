; RUN: heddle-opt -ptx %s | FileCheck %s --check-prefix=NONE
; RUN: heddle-opt -ptx -lineinfo %s | FileCheck %s --check-prefix=LINES
; RUN: heddle-opt -ptx -debug %s | FileCheck %s --check-prefix=DEBUG
; Line tables alone must not set `debug`: the driver's assembler would not optimize.

; NONE: .target sm_75{{$}}
; NONE-NOT: .loc
; NONE-NOT: .file
; LINES: .target sm_75{{$}}
; LINES: .loc 1 7 9
; LINES: .file 1 "/tmp/k.py"
; LINES-NOT: .debug_info
; DEBUG: .target sm_75, debug
; DEBUG: .loc 1 7 9
; DEBUG: .section .debug_info
define void @k(ptr addrspace(1) %o) "simt.kernel" !dbg !4 {
  store i32 1, ptr addrspace(1) %o, !dbg !6
  ret void, !dbg !6
}
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_Python, file: !2, producer: "heddle", isOptimized: true, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "k.py", directory: "/tmp")
!4 = distinct !DISubprogram(name: "k", scope: !2, file: !2, line: 6, type: !5, scopeLine: 6, spFlags: DISPFlagDefinition, unit: !1)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 7, column: 9, scope: !4)
