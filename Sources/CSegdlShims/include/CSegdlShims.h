#include "segdl_curl.h"
#include "segdl_system.h"
