// System calls that `import Glibc` hides because they need _GNU_SOURCE. Each returns what the call returns and
// leaves errno to the caller; where a platform lacks the call, it fails with ENOSYS, and the caller has a fallback.
#ifndef SEGDL_SYSTEM_H
#define SEGDL_SYSTEM_H

#include <stdint.h>

/// fallocate(2) with mode 0, from the file's first byte. macOS: ENOSYS.
int segdl_fallocate(int fd, int64_t byte_count);

/// fstatfs(2), which `import Glibc` lacks: 1 where the file lies in memory (tmpfs, ramfs), else 0, and -1 on failure.
/// macOS: 0.
int segdl_is_in_memory(int fd);

/// fstatfs(2): 1 where the file system never reports as a hole what was written and synced (ext2 to ext4, XFS, Btrfs,
/// tmpfs), 0 where that isn't known, -1 on failure. macOS: 0.
int segdl_tells_holes(int fd);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: starts the write-back of the whole file and does not wait for it. macOS: ENOSYS.
int segdl_start_write_back(int fd);

/// futimens(2) for the time of the last change alone: its UTIME_OMIT is a macro that Swift does not import.
int segdl_set_modification_time(int fd, int64_t seconds);

/// posix_fadvise(2) with POSIX_FADV_DONTNEED for the file's first bytes, 0 for all: clean pages leave the page cache.
/// Returns 0 or -1. macOS: ENOSYS.
int segdl_drop_cache(int fd, int64_t byte_count);

/// What has arrived for a TCP socket since it was connected; TCP_INFO of tcp(7). macOS: the first member alone.
struct segdl_arrivals {
  /// Bytes of payload that came in order, or for which what was missing before them has come.
  int64_t byte_count;
  /// Segments with payload, also those that came twice; counts modulo 2^32, as the next one does.
  uint32_t segment_count;
  /// Segments that came out of order.
  uint32_t unordered_count;
  /// About the size of a full segment, in bytes.
  uint32_t segment_size;
};
int segdl_get_arrivals(int socket, struct segdl_arrivals *arrivals);

/// Bytes of memory that the machine has; sysconf(3). 0 where that is not known.
int64_t segdl_memory_byte_count(void);

/// renameat2(2) with RENAME_NOREPLACE; on macOS renameatx_np(2) with RENAME_EXCL.
int segdl_rename_no_replace(int old_directory, const char *old_name, int new_directory, const char *new_name);

/// fdatasync(2); on macOS fcntl(2) with F_FULLFSYNC, since fsync there leaves the data in the drive's cache.
int segdl_sync_data(int fd);

/// getrandom(2) or getentropy(2): fills up to 256 bytes; 0 or -1.
int segdl_random_bytes(void *buffer, int64_t byte_count);

/// Names the calling thread (at most 15 bytes), for `top -H` and debuggers.
void segdl_name_thread(const char *name);

/// lseek(2)'s SEEK_HOLE and SEEK_DATA.
int segdl_seek_hole(void);
int segdl_seek_data(void);

#endif
