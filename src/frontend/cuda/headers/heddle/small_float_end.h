// Undefines the macros of heddle/small_float.h.
#undef __HEDDLE_NUMBER
#undef __HEDDLE_PAIR
#undef __HEDDLE_RAW
#undef __HEDDLE_RAW_PAIR
#undef __HEDDLE_STORAGE
#undef __HEDDLE_LLVM
#undef __HEDDLE_FROM_INTEGER
#undef __HEDDLE_CONVERSIONS
