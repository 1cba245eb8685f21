/* Fails the n-th call by which a process changes files below one folder.

   Loaded before the C library (LD_PRELOAD), so that it stands in the way of Python,
   SQLite and Arrow alike. `faulty_begin` says from Python which call fails, and how. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, ONCE, FROM_THEN_ON, INTERRUPT, KILL };

static char folder[PATH_MAX];
static int kind, error, counted, wanted;

void faulty_begin(const char *below, int how, int with, int number) {
  snprintf(folder, sizeof folder, "%s/", below);
  kind = how;
  error = with;
  counted = 0;
  wanted = number;
}

/* Returns how many calls there were since `faulty_begin`, and ends it. */
int faulty_end(void) {
  folder[0] = 0;
  return counted;
}

static int inside(const char *path) {
  return folder[0] && path && !strncmp(path, folder, strlen(folder));
}

static int descriptor_inside(int descriptor) {
  char link[64], path[PATH_MAX];
  if (!folder[0]) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return inside(path);
}

/* Counts a call; returns whether it fails. */
static int fails(int concerned) {
  if (!concerned) return 0;
  counted++;
  if (kind == INTERRUPT && counted == wanted) raise(SIGINT);
  if (kind == KILL && counted == wanted) kill(getpid(), SIGKILL);
  if ((kind == ONCE && counted == wanted) ||
      (kind == FROM_THEN_ON && counted >= wanted)) {
    errno = error;
    return 1;
  }
  return 0;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPEN(name)                                                    \
  int name(const char *path, int flags, ...) {                        \
    REAL(name);                                                       \
    va_list rest;                                                     \
    va_start(rest, flags);                                            \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                     \
    int writes = (flags & O_ACCMODE) != O_RDONLY;                     \
    return fails(writes && inside(path)) ? -1 : real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                  \
  int name(int at, const char *path, int flags, ...) {                \
    REAL(name);                                                       \
    va_list rest;                                                     \
    va_start(rest, flags);                                            \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                     \
    int writes = (flags & O_ACCMODE) != O_RDONLY;                     \
    return fails(writes && inside(path)) ? -1 : real(at, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

/* A disk that gets full takes a part before it takes nothing. */
static size_t part(int concerned, size_t size) {
  int next = counted + 1 == wanted && (kind == ONCE || kind == FROM_THEN_ON);
  return concerned && next && error == ENOSPC ? size / 2 : 0;
}

ssize_t write(int descriptor, const void *data, size_t size) {
  REAL(write);
  int concerned = descriptor_inside(descriptor);
  size_t some = part(concerned, size);
  if (some) real(descriptor, data, some);
  return fails(concerned) ? -1 : real(descriptor, data, size);
}

#define PWRITE(name, offset_type)                                        \
  ssize_t name(int descriptor, const void *data, size_t size, offset_type at) { \
    REAL(name);                                                          \
    int concerned = descriptor_inside(descriptor);                       \
    size_t some = part(concerned, size);                                 \
    if (some) real(descriptor, data, some, at);                          \
    return fails(concerned) ? -1 : real(descriptor, data, size, at);     \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define ON_DESCRIPTOR(name, arguments, values)                \
  int name arguments {                                        \
    REAL(name);                                               \
    return fails(descriptor_inside(descriptor)) ? -1 : real values; \
  }
ON_DESCRIPTOR(fsync, (int descriptor), (descriptor))
ON_DESCRIPTOR(fdatasync, (int descriptor), (descriptor))
ON_DESCRIPTOR(ftruncate, (int descriptor, off_t size), (descriptor, size))
ON_DESCRIPTOR(ftruncate64, (int descriptor, off64_t size), (descriptor, size))

int rename(const char *from, const char *to) {
  REAL(rename);
  return fails(inside(to)) ? -1 : real(from, to);
}
int renameat(int at, const char *from, int where, const char *to) {
  REAL(renameat);
  return fails(inside(to)) ? -1 : real(at, from, where, to);
}
int chmod(const char *path, mode_t mode) {
  REAL(chmod);
  return fails(inside(path)) ? -1 : real(path, mode);
}
int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  return fails(inside(path)) ? -1 : real(path, mode);
}
