// mallopt(3), which `import Glibc` lacks. Other C libraries have no such header, and are never asked for it.
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
