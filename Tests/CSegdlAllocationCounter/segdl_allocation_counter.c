#include "segdl_allocation_counter.h"

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SEGDL_SANITIZED 1
#endif
#endif

// features.h, which stddef.h may not bring along, says whether this is glibc.
#if defined(__linux__)
#include <features.h>
#endif

#if defined(__GLIBC__) && !defined(SEGDL_SANITIZED)

#include <errno.h>

static _Thread_local int is_counting;
static _Thread_local long count;

static void note(void) {
    if (is_counting) count++;
}

int segdl_can_count_allocations(void) { return 1; }

void segdl_begin_counting_allocations(void) {
    count = 0;
    is_counting = 1;
}

long segdl_end_counting_allocations(void) {
    is_counting = 0;
    return count;
}

// The program's own definitions come before those of every library (ld.so(8)); glibc's stay reachable by these names.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    note();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *result = memalign(alignment, size);
    if (!result) return ENOMEM;
    *block = result;
    return 0;
}

#else

int segdl_can_count_allocations(void) { return 0; }

void segdl_begin_counting_allocations(void) {}

long segdl_end_counting_allocations(void) { return 0; }

#endif
