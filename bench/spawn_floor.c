// The least that one captured command costs, one after the other: posix_spawn, a pipe, wait.
// Usage: spawn_floor [jobs] [program]
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? atoi(argv[1]) : 3000;
  char* arguments[2] = {argc > 2 ? argv[2] : (char*)"/bin/true", 0};
  const double begin = now();
  for (int i = 0; i < jobs; ++i) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return perror("pipe2"), 1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    pid_t pid = 0;
    if (posix_spawn(&pid, arguments[0], &actions, 0, arguments, environ) != 0) return 1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char buffer[4096];
    while (read(ends[0], buffer, sizeof buffer) > 0) {
    }
    close(ends[0]);
    int status = 0;
    if (waitpid(pid, &status, 0) != pid || status != 0) return 1;
  }
  printf("{\"name\": \"spawn_floor\", \"us_per_job\": %.2f}\n", (now() - begin) * 1e6 / jobs);
  return 0;
}
