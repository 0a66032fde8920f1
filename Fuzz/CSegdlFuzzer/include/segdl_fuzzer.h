#ifndef SEGDL_FUZZER_H
#define SEGDL_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's entry for programs that have a main function of their own (LLVM, FuzzerInterface.h); the toolchain has
/// no header for it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test_one_input)(const uint8_t *data, size_t size));

#endif
