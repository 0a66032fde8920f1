// SwiftPM takes no C target without a source file.
#include "segdl_fuzzer.h"
