/* The limit: posix_spawn from a small process, the same pipes and the same capture, no supervision. Arguments: how
 * many rounds, how many at once, the input. Prints nanoseconds for one program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
enum { most = 256 };
static struct { pid_t pid; int out[2]; } running[most];

static void start(int at, const char *input) {
  int pipes[3][2];
  for (int each = 0; each < 3; each++)
    if (pipe2(pipes[each], O_CLOEXEC)) exit(1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0);
  posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  char *words[] = {"sh", "-c", "true", 0};
  if (posix_spawnp(&running[at].pid, "sh", &actions, &attributes, words, environ)) exit(2);
  posix_spawn_file_actions_destroy(&actions);
  close(pipes[0][0]), close(pipes[1][1]), close(pipes[2][1]);
  if (write(pipes[0][1], input, strlen(input)) < 0 && errno != EPIPE) exit(3); /* it does not read, and may have ended */
  close(pipes[0][1]);
  running[at].out[0] = pipes[1][0], running[at].out[1] = pipes[2][0];
}

static void finish(int count) {
  static char kept[65536];
  struct pollfd polled[most * 2];
  for (int open = count * 2; open > 0;) {
    for (int at = 0; at < count * 2; at++) polled[at] = (struct pollfd){running[at / 2].out[at % 2], POLLIN, 0};
    poll(polled, count * 2, -1);
    for (int at = 0; at < count * 2; at++)
      if (polled[at].revents && read(polled[at].fd, kept, sizeof kept) <= 0) {
        close(polled[at].fd);
        running[at / 2].out[at % 2] = -1;
        if (--open, running[at / 2].out[1 - at % 2] < 0) waitpid(running[at / 2].pid, 0, 0);
      }
  }
}

int main(int count, char **words) {
  if (count < 4) return 4;
  int rounds = atoi(words[1]), at_once = atoi(words[2]);
  signal(SIGPIPE, SIG_IGN);
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int round = 0; round < rounds; round++) {
    for (int at = 0; at < at_once; at++) start(at, words[3]);
    finish(at_once);
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%.0f\n", ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / rounds / at_once);
}
