// bareloop: what sockets and disk alone allow. Fetches a file over N connections, each with an even share, by recv and pwrite
// alone: no probe, no journal, no retry, no sync. The bound that segdl's own cost is measured against.
//
//   bareloop HOST PORT PATH LENGTH CONNECTIONS FILE
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER (256 * 1024)

static const char *host, *path;
static int port, file;

typedef struct { pthread_t thread; long long start, end; } Share;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int ask(const Share *share) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  char request[1024];
  int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s:%d\r\nRange: bytes=%lld-%lld\r\nConnection: close\r\n\r\n",
                        path, host, port, share->start, share->end - 1);
  if (length >= (int)sizeof request || inet_pton(AF_INET, host, &address.sin_addr) != 1) die("address");
  if (connect(fd, (struct sockaddr *)&address, sizeof address)) die("connect");
  if (write(fd, request, length) != length) die("write");
  return fd;
}

static void put(const char *bytes, size_t count, Share *share) {
  while (count) {
    ssize_t written = pwrite(file, bytes, count, share->start);
    if (written < 0) die("pwrite");
    bytes += written, count -= written, share->start += written;
  }
}

static void *fetch(void *context) {
  Share *share = context;
  char *buffer = malloc(BUFFER + 1);
  int fd = ask(share);
  size_t held = 0;
  char *body = NULL;
  while (!body) {
    ssize_t count = recv(fd, buffer + held, BUFFER - held, 0);
    if (count <= 0) die("recv");
    held += count;
    buffer[held] = 0;
    body = strstr(buffer, "\r\n\r\n");
  }
  if (strncmp(buffer, "HTTP/1.1 206", 12)) { fprintf(stderr, "no 206\n"); exit(1); }
  put(body + 4, held - (body + 4 - buffer), share);
  while (share->start < share->end) {
    // Full buffers, as large writes cost half of small ones.
    ssize_t count = recv(fd, buffer, BUFFER, MSG_WAITALL);
    if (count <= 0) die("recv");
    put(buffer, count, share);
  }
  close(fd);
  free(buffer);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 7) { fprintf(stderr, "usage: bareloop HOST PORT PATH LENGTH CONNECTIONS FILE\n"); return 2; }
  host = argv[1], port = atoi(argv[2]), path = argv[3];
  long long length = atoll(argv[4]);
  int count = atoi(argv[5]);
  file = open(argv[6], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || fallocate(file, 0, 0, length)) die(argv[6]);
  Share *shares = calloc(count, sizeof *shares);
  for (int i = 0; i < count; i++) {
    shares[i].start = length * i / count, shares[i].end = length * (i + 1) / count;
    if (pthread_create(&shares[i].thread, NULL, fetch, &shares[i])) die("pthread_create");
  }
  for (int i = 0; i < count; i++) pthread_join(shares[i].thread, NULL);
  return 0;
}
