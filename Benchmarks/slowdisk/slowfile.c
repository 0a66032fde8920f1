// slowfile BYTES BYTES_PER_SECOND MOUNT_POINT: a FUSE file system with one file, `disk`, whose content stays in memory,
// and that takes only so many bytes a second, each sync 5 ms. A loop device on it is a slow disk: the kernel here has
// neither dm-delay nor a cgroup that throttles buffered writes. Ends when it is unmounted.
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fuse.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static char *content;
static off_t size;
static double rate;
// When the disk will have done what it was given, in seconds.
static double busy_until;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void wait_for_disk(void) {
  double seconds = busy_until - now();
  // A short sleep takes longer than it says: what is owed is slept off in pieces of some milliseconds.
  if (seconds < 0.003) return;
  struct timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static void occupy(double seconds) {
  double begin = now();
  if (busy_until < begin) busy_until = begin;
  busy_until += seconds;
  wait_for_disk();
}

static int slow_getattr(const char *path, struct stat *status, struct fuse_file_info *info) {
  (void)info;
  memset(status, 0, sizeof *status);
  if (strcmp(path, "/") == 0) {
    status->st_mode = S_IFDIR | 0755, status->st_nlink = 2;
    return 0;
  }
  if (strcmp(path, "/disk") != 0) return -ENOENT;
  status->st_mode = S_IFREG | 0600, status->st_nlink = 1, status->st_size = size;
  return 0;
}

static int slow_open(const char *path, struct fuse_file_info *info) {
  (void)path;
  // No second page cache in front of it.
  info->direct_io = 1;
  return 0;
}

static int slow_read(const char *path, char *buffer, size_t count, off_t offset, struct fuse_file_info *info) {
  (void)path, (void)info;
  if (offset >= size) return 0;
  if ((off_t)count > size - offset) count = size - offset;
  memcpy(buffer, content + offset, count);
  return count;
}

static int slow_write(const char *path, const char *buffer, size_t count, off_t offset, struct fuse_file_info *info) {
  (void)path, (void)info;
  if (offset + (off_t)count > size) return -ENOSPC;
  memcpy(content + offset, buffer, count);
  occupy(count / rate);
  return count;
}

static int slow_fsync(const char *path, int data_only, struct fuse_file_info *info) {
  (void)path, (void)data_only, (void)info;
  occupy(0.005);
  return 0;
}

static const struct fuse_operations operations = {
    .getattr = slow_getattr, .open = slow_open, .read = slow_read, .write = slow_write, .fsync = slow_fsync};

int main(int count, char **arguments) {
  if (count != 4) return 2;
  size = atoll(arguments[1]), rate = atof(arguments[2]);
  content = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (content == MAP_FAILED) return 1;
  char *options[] = {arguments[0], "-f", "-s", arguments[3], NULL};
  return fuse_main(4, options, &operations, NULL);
}
