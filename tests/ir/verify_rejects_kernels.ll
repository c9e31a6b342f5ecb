; RUN: not heddle-opt -passes=verify-simt -S %s 2>&1 | FileCheck %s
; Invalid kernel signatures.

; CHECK: not SIMT IR:

; CHECK-DAG: function 'returns': a kernel returns void
define i32 @returns() "simt.kernel" {
  ret i32 0
}

; CHECK-DAG: function 'hidden': a kernel is not internal
define internal void @hidden() "simt.kernel" {
  ret void
}

; CHECK-DAG: function 'takes_bool': parameter 0 is not i8, i16, i32, i64
define void @takes_bool(i1 %b) "simt.kernel" {
  ret void
}

; CHECK-DAG: function 'takes_generic': parameter 1 is not i8
define void @takes_generic(i32 %n, ptr %p) "simt.kernel" {
  ret void
}

; CHECK-DAG: function 'called': a kernel is not called by other functions
define void @called() "simt.kernel" {
  ret void
}
define void @caller() "simt.kernel" {
  call void @called()
  ret void
}

; CHECK-DAG: function 'exported': a device function is internal
define void @exported() {
  ret void
}
