#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "segdl_system.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
// glibc's <netinet/tcp.h> has an older struct tcp_info.
#include <linux/tcp.h>
#include <sys/vfs.h>
#else
#include <netinet/tcp.h>
#include <sys/stdio.h>
#endif

int segdl_fallocate(int fd, int64_t byte_count) {
#ifdef __linux__
  return fallocate(fd, 0, 0, byte_count);
#else
  (void)fd, (void)byte_count;
  errno = ENOSYS;
  return -1;
#endif
}

int segdl_is_in_memory(int fd) {
#ifdef __linux__
  struct statfs status;
  if (fstatfs(fd, &status) == -1) return -1;
  return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
#else
  (void)fd;
  return 0;
#endif
}

int segdl_tells_holes(int fd) {
#ifdef __linux__
  struct statfs status;
  if (fstatfs(fd, &status) == -1) return -1;
  return status.f_type == EXT4_SUPER_MAGIC || status.f_type == XFS_SUPER_MAGIC ||
         status.f_type == BTRFS_SUPER_MAGIC || status.f_type == TMPFS_MAGIC;
#else
  (void)fd;
  return 0;
#endif
}

int segdl_start_write_back(int fd) {
#ifdef __linux__
  return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)fd;
  errno = ENOSYS;
  return -1;
#endif
}

int segdl_set_modification_time(int fd, int64_t seconds) {
  const struct timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = (time_t)seconds, .tv_nsec = 0}};
  return futimens(fd, times);
}

int segdl_drop_cache(int fd, int64_t byte_count) {
#ifdef __linux__
  // It returns the error instead of setting errno.
  errno = posix_fadvise(fd, 0, byte_count, POSIX_FADV_DONTNEED);
  return errno == 0 ? 0 : -1;
#else
  (void)fd;
  (void)byte_count;
  errno = ENOSYS;
  return -1;
#endif
}

int segdl_get_arrivals(int socket, struct segdl_arrivals *arrivals) {
#ifdef __linux__
  // What an older kernel does not know stays 0.
  struct tcp_info info = {0};
  socklen_t length = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == -1) return -1;
  arrivals->byte_count = (int64_t)info.tcpi_bytes_received;
  arrivals->segment_count = info.tcpi_data_segs_in;
  arrivals->unordered_count = info.tcpi_rcv_ooopack;
  arrivals->segment_size = info.tcpi_rcv_mss;
  return 0;
#elif defined(__APPLE__)
  struct tcp_connection_info info = {0};
  socklen_t length = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_CONNECTION_INFO, &info, &length) == -1) return -1;
  arrivals->byte_count = (int64_t)info.tcpi_rxbytes;
  return 0;
#else
  (void)socket, (void)arrivals;
  errno = ENOSYS;
  return -1;
#endif
}

int64_t segdl_memory_byte_count(void) {
  long page_count = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
  return page_count > 0 && page_size > 0 ? (int64_t)page_count * page_size : 0;
}

int segdl_rename_no_replace(int old_directory, const char *old_name, int new_directory, const char *new_name) {
#ifdef __linux__
  return renameat2(old_directory, old_name, new_directory, new_name, RENAME_NOREPLACE);
#else
  return renameatx_np(old_directory, old_name, new_directory, new_name, RENAME_EXCL);
#endif
}

int segdl_sync_data(int fd) {
#ifdef __APPLE__
  return fcntl(fd, F_FULLFSYNC) == -1 ? -1 : 0;
#else
  return fdatasync(fd);
#endif
}

int segdl_random_bytes(void *buffer, int64_t byte_count) {
  return getentropy(buffer, (size_t)byte_count);
}

void segdl_name_thread(const char *name) {
#ifdef __APPLE__
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}

int segdl_seek_hole(void) { return SEEK_HOLE; }

int segdl_seek_data(void) { return SEEK_DATA; }
