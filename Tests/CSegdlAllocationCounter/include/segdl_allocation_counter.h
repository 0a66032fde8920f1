// Counts what one thread takes from the heap. In C, since these functions stand in for malloc(3) and its kin.
#ifndef SEGDL_ALLOCATION_COUNTER_H
#define SEGDL_ALLOCATION_COUNTER_H

/// Whether allocations are counted here: not under a sanitizer, which has an allocator of its own, and with glibc only.
int segdl_can_count_allocations(void);

/// Begins to count what the calling thread allocates, from 0.
void segdl_begin_counting_allocations(void);

/// Ends the count of the calling thread.
///
/// Returns the number of blocks that were allocated or resized since it began.
long segdl_end_counting_allocations(void);

#endif
