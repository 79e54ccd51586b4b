/*
 * Starts programs for a process that is too big to fork itself, and carries their streams over one socket (descriptor 3).
 * It stands alone: no C library, no allocation beyond a few mappings, one thread, one loop. The frames are those of
 * src/runtime/processes/spawner-frames.ts. What it started ends with it, and it ends when the other side of the socket does.
 */
#include "system.h"

/* The child begins on a stack of its own, because it shares our memory until it has become another program. */
#if defined(__x86_64__)
i64 begin(u64 flags, void *stack, void (*run)(void *), void *with);
__asm__(".text\n.global begin\n.type begin,@function\nbegin:\n"
        "  mov %rdx, %r8\n  mov %rcx, %r9\n  xor %edx, %edx\n  xor %r10d, %r10d\n"
        "  mov $56, %eax\n  syscall\n  test %eax, %eax\n  jz 1f\n  ret\n"
        "1: xor %ebp, %ebp\n  mov %r9, %rdi\n  call *%r8\n  hlt\n");
__asm__(".global _start\n_start:\n  xor %ebp, %ebp\n  and $-16, %rsp\n  call serve\n  hlt\n");
#else
i64 begin(u64 flags, void *stack, void (*run)(void *), void *with);
__asm__(".text\n.global begin\n.type begin,%function\nbegin:\n"
        "  mov x9, x2\n  mov x10, x3\n  mov x2, xzr\n  mov x3, xzr\n  mov x4, xzr\n"
        "  mov x8, #220\n  svc 0\n  cbz x0, 1f\n  ret\n"
        "1: mov x29, xzr\n  mov x30, xzr\n  mov x0, x10\n  blr x9\n  brk 1\n");
__asm__(".global _start\n_start:\n  mov x29, xzr\n  mov x30, xzr\n  bl serve\n  brk 1\n");
#endif

/* ---- memory that grows ---- */
struct space { u8 *bytes; u64 size, from, to; };

static u64 rounded(u64 size) { return (size + 65535) & ~65535UL; }

/* Room for so many bytes behind what is there. Without memory nothing can be carried any further: it ends, and with it its programs. */
static u8 *room(struct space *space, u64 more) {
  if (space->from == space->to) space->from = space->to = 0;
  if (space->to + more > space->size && space->from > 0) {
    memmove(space->bytes, space->bytes + space->from, space->to - space->from);
    space->to -= space->from;
    space->from = 0;
  }
  if (space->to + more > space->size) {
    u64 size = rounded(space->to + more);
    i64 grown = space->bytes ? sys(n_mremap, (i64)space->bytes, (i64)space->size, (i64)size, 1, 0) : (i64)map(size);
    if (grown <= 0 && grown > -4096) leave(12);
    space->bytes = (u8 *)grown;
    space->size = size;
  }
  return space->bytes + space->to;
}

/* ---- frames ---- */
enum { version = 2, control = 3, head = 8, most_in_frame = 64 << 20, most_slots = 4096 };
enum { in_start = 1, in_input = 2, in_taken = 3, in_close = 4, in_release = 5, in_ask = 6 };
enum { out_hello = 1, out_started = 2, out_failed = 3, out_stdout = 4, out_stderr = 5, out_stdout_end = 6,
       out_stderr_end = 7, out_exit = 8, out_more = 9, out_fed = 10, out_told = 11 };
/* Of one stream, sent and not yet taken; of all streams, waiting here to be sent. */
enum { window = 256 << 10, most_waiting = 512 << 10, piece = 64 << 10 };

struct slot {
  int pid;         /* 0: nobody uses it */
  int has_ended, is_released, leaves_group;
  int input;       /* our ends of its pipes; -1: closed */
  int output[2];
  int is_last;     /* of its input nothing follows */
  u32 owed[2];     /* of each stream, bytes that were sent and not yet taken */
  u8 *rest;        /* input that its pipe had no room for */
  u64 rest_size, rest_from;
};
static struct slot slots[most_slots];
static u32 slots_used; /* those above have never been used, or are free again */
static struct space incoming, outgoing, words, polled;
static int is_urgent, signals, loops_without_sending;

static u32 number_at(const u8 *bytes) {
  return (u32)bytes[0] | (u32)bytes[1] << 8 | (u32)bytes[2] << 16 | (u32)bytes[3] << 24;
}
static void put(u8 *bytes, u64 number, int count) {
  for (; count-- > 0; number >>= 8) *bytes++ = (u8)number;
}
static u8 *frame(u32 kind, u32 slot, u32 length) {
  u8 *bytes = room(&outgoing, head + length);
  put(bytes, length, 4);
  put(bytes + 4, kind, 2);
  put(bytes + 6, slot, 2);
  outgoing.to += head + length;
  return bytes + head;
}

/* What nobody waits for goes along with what somebody waits for: each reading wakes the other side. */
static void send_out(void) {
  while (outgoing.from < outgoing.to) {
    i64 sent = sys(n_write, control, (i64)(outgoing.bytes + outgoing.from), (i64)(outgoing.to - outgoing.from), 0, 0);
    if (sent == -e_intr) continue;
    if (sent <= 0) return; /* full, or nobody is there: then reading says so, too */
    outgoing.from += (u64)sent;
  }
  is_urgent = 0;
  loops_without_sending = 0;
}

/* ---- the start of one program ---- */
struct start {
  const char *folder, *program, *path;
  char **arguments, **environment;
  i64 user, group, mask; /* -1: ours */
  int descriptors[3];
  int error;
  int news[2]; /* where memory is not shared, the error goes through this pipe */
};
static volatile int is_shared; /* an emulator may make a copy of us instead */
enum { as_vfork = 0x4100 | sig_chld /* CLONE_VM, CLONE_VFORK */ };
static u8 stack[64 << 10] __attribute__((aligned(16)));

static i64 execute(struct start *start, const char *file) {
  i64 said = sys(n_execve, (i64)file, (i64)start->arguments, (i64)start->environment, 0, 0);
  if (said != -e_noexec) return said;
  start->arguments[-1] = "/bin/sh"; /* as execvp does with a script that has no #! line; one place before is kept free */
  start->arguments[0] = (char *)file;
  return sys(n_execve, (i64) "/bin/sh", (i64)(start->arguments - 1), (i64)start->environment, 0, 0);
}

/* As execvp of the C library, with the PATH of the program. */
static i64 search(struct start *start) {
  const char *name = start->program, *from = start->path ? start->path : "/bin:/usr/bin";
  u64 length = length_of(name);
  int is_forbidden = 0;
  char file[4096 + 256];
  if (length == 0) return -e_noent;
  for (const char *at = name; *at; at++)
    if (*at == '/') return execute(start, name);
  if (length > 255) return -e_nametoolong;
  for (;; from++) {
    const char *end = from;
    while (*end && *end != ':') end++;
    u64 folder = (u64)(end - from);
    if (folder < 4096) {
      memcpy(file, from, folder);
      if (folder > 0) file[folder++] = '/';
      memcpy(file + folder, name, length + 1);
      i64 said = execute(start, file);
      if (said == -e_acces) is_forbidden = 1;
      else if (said != -e_noent && said != -e_stale && said != -e_notdir && said != -e_nodev && said != -e_timedout) return said;
    }
    from = end;
    if (!*from) return is_forbidden ? -e_acces : -e_noent;
  }
}

static i64 become(struct start *start) {
  i64 said;
  u64 none = 0;
  sys(n_setsid, 0, 0, 0, 0, 0);
  for (int at = 0; at < 3; at++)
    if ((said = sys(n_dup3, start->descriptors[at], at, 0, 0, 0)) < 0) return said;
  if ((said = sys(n_chdir, (i64)start->folder, 0, 0, 0, 0)) < 0) return said;
  if (start->mask >= 0) sys(n_umask, start->mask, 0, 0, 0, 0); /* of this child alone: folder and mask are not shared */
  if (start->user >= 0 || start->group >= 0) sys(n_setgroups, 0, 0, 0, 0, 0); /* refused unless we are root */
  if (start->group >= 0 && (said = sys(n_setgid, start->group, 0, 0, 0, 0)) < 0) return said;
  if (start->user >= 0 && (said = sys(n_setuid, start->user, 0, 0, 0, 0)) < 0) return said;
  sys(n_prctl, 1 /* PR_SET_PDEATHSIG */, sig_kill, 0, 0, 0);
  sys(n_sigprocmask, 2 /* SIG_SETMASK */, (i64)&none, 0, 8, 0);
  return search(start);
}

static void run_child(void *with) {
  struct start *start = with;
  start->error = (int)-become(start);
  if (!is_shared) sys(n_write, start->news[1], (i64)&start->error, sizeof start->error, 0, 0);
  for (;;) sys(n_exit, 127, 0, 0, 0, 0);
}

static void note_sharing(void *with) {
  *(int *)with = 1;
  for (;;) sys(n_exit, 0, 0, 0, 0, 0);
}

static u64 node_of(int descriptor) {
  u64 about[32];
  return sys(n_fstat, descriptor, (i64)about, 0, 0, 0) < 0 ? 0 : about[1];
}
/* In the unit of the process table, hundredths of a second since boot. */
static u64 ticks_now(void) {
  struct moment now = {0, 0};
  sys(n_clock_gettime, 7 /* CLOCK_BOOTTIME */, (i64)&now, 0, 0, 0);
  return (u64)now.seconds * 100 + (u64)now.nanoseconds / 10000000;
}

static void free_if_done(struct slot *slot) {
  if (!slot->has_ended || slot->output[0] >= 0 || slot->output[1] >= 0 || slot->is_released) return;
  slot->pid = 0;
  while (slots_used > 0 && slots[slots_used - 1].pid == 0) slots_used--;
}

static void forget_rest(struct slot *slot) {
  if (slot->rest) sys(n_munmap, (i64)slot->rest, (i64)rounded(slot->rest_size), 0, 0, 0);
  slot->rest = 0;
}
static void stop_input(struct slot *slot) {
  shut(&slot->input);
  forget_rest(slot);
}

/* Writes what fits; false: its reader has gone, or all is written and nothing follows. Without memory for the rest it ends. */
static int feed(struct slot *slot, const u8 *bytes, u64 length) {
  while (length > 0) {
    i64 written = sys(n_write, slot->input, (i64)bytes, (i64)length, 0, 0);
    if (written == -e_intr) continue;
    if (written == -e_again) break;
    if (written < 0) return 0;
    bytes += written;
    length -= (u64)written;
  }
  if (length == 0) {
    forget_rest(slot);
    return !slot->is_last;
  }
  if (slot->rest) {
    slot->rest_from = (u64)(bytes - slot->rest);
    return 1;
  }
  slot->rest = map(rounded(length));
  if (!slot->rest) leave(12); /* as in room(): a program that gets less than all of its input would not know it */
  memcpy(slot->rest, bytes, length);
  slot->rest_size = length;
  slot->rest_from = 0;
  return 1;
}
static void input_changed(u32 at, struct slot *slot, int goes_on) {
  if (goes_on && slot->rest) return;
  if (!goes_on) stop_input(slot);
  frame(goes_on ? out_more : out_fed, at, 0);
  is_urgent = 1;
}

static void failed(u32 at, int error) {
  put(frame(out_failed, at, 4), (u64)error, 4);
  is_urgent = 1;
}

static int make_pipes(int pipes[3][2]) {
  for (int at = 0; at < 3; at++) pipes[at][0] = pipes[at][1] = -1;
  for (int at = 0; at < 3; at++) {
    i64 said = sys(n_pipe2, (i64)pipes[at], cloexec, 0, 0, 0);
    if (said < 0) return (int)-said;
  }
  return 0;
}

/* user, group, number of arguments, number of variables, whether more input follows, umask; folder, program, arguments, variables, input */
static void start_one(u32 at, const u8 *bytes, u64 length) {
  struct slot *slot = &slots[at];
  struct start start = {0};
  int pipes[3][2];
  const u8 *end = bytes + length;
  u32 arguments = number_at(bytes + 8), variables = number_at(bytes + 12);
  int follows = (int)number_at(bytes + 16);
  start.user = number_at(bytes) == 0xffffffff ? -1 : (i64)number_at(bytes);
  start.group = number_at(bytes + 4) == 0xffffffff ? -1 : (i64)number_at(bytes + 4);
  start.mask = number_at(bytes + 20) == 0xffffffff ? -1 : (i64)(number_at(bytes + 20) & 0777);
  const char *word = (const char *)bytes + 24;
  words.from = words.to = 0;
  char **list = (char **)room(&words, ((u64)arguments + variables + 4) * sizeof(char *));
  start.folder = word;
  word += length_of(word) + 1;
  start.program = word;
  start.arguments = list + 1;
  for (u32 count = 0; count <= arguments; count++, word += length_of(word) + 1) start.arguments[count] = (char *)word;
  start.arguments[arguments + 1] = 0;
  start.environment = start.arguments + arguments + 2;
  for (u32 count = 0; count < variables; count++, word += length_of(word) + 1) {
    start.environment[count] = (char *)word;
    if (!start.path && word[0] == 'P' && word[1] == 'A' && word[2] == 'T' && word[3] == 'H' && word[4] == '=') start.path = word + 5;
  }
  start.environment[variables] = 0;
  start.error = make_pipes(pipes);
  u64 since = ticks_now();
  i64 pid = 0;
  if (!start.error) {
    start.descriptors[0] = pipes[0][0];
    start.descriptors[1] = pipes[1][1];
    start.descriptors[2] = pipes[2][1];
    if (!is_shared && sys(n_pipe2, (i64)start.news, cloexec, 0, 0, 0) < 0) leave(1);
    pid = begin(as_vfork, stack + sizeof stack, run_child, &start);
    if (!is_shared) {
      shut(&start.news[1]);
      if (sys(n_read, start.news[0], (i64)&start.error, sizeof start.error, 0, 0) <= 0) start.error = 0;
      shut(&start.news[0]);
    }
    if (pid < 0) start.error = (int)-pid;
    else if (start.error) sys(n_wait4, pid, 0, 0, 0, 0);
  }
  shut(&pipes[0][0]);
  shut(&pipes[1][1]);
  shut(&pipes[2][1]);
  if (start.error) {
    shut(&pipes[0][1]);
    shut(&pipes[1][0]);
    shut(&pipes[2][0]);
    return failed(at, start.error);
  }
  *slot = (struct slot){.pid = (int)pid, .input = pipes[0][1], .output = {pipes[1][0], pipes[2][0]}, .is_last = !follows};
  if (at >= slots_used) slots_used = at + 1;
  u8 *said = frame(out_started, at, 44);
  put(said, (u64)pid, 4);
  put(said + 4, (u64)pipes[1][0], 4);
  put(said + 8, (u64)pipes[2][0], 4);
  put(said + 12, since, 8);
  put(said + 20, node_of(pipes[0][1]), 8);
  put(said + 28, node_of(pipes[1][0]), 8);
  put(said + 36, node_of(pipes[2][0]), 8);
  const u8 *input = (const u8 *)word;
  if (input < end) sys(n_fcntl, slot->input, 4 /* F_SETFL */, nonblock, 0, 0);
  int goes_on = feed(slot, input, (u64)(end - input));
  if (goes_on && slot->rest) return;
  if (!goes_on) stop_input(slot);
  frame(goes_on ? out_more : out_fed, at, 0); /* together with what comes next: nobody waits for it but a long input */
  if (goes_on) is_urgent = 1;
}

/* ---- streams and ends ---- */
static void end_output(u32 at, struct slot *slot, int which) {
  if (slot->output[which] < 0) return;
  shut(&slot->output[which]);
  frame(out_stdout_end + (u32)which, at, 0);
  if (slot->has_ended) is_urgent = 1;
}

/* True: there may be more. */
static int read_output(u32 at, struct slot *slot, int which, u32 most) {
  u8 *bytes = room(&outgoing, head + most);
  i64 got = sys(n_read, slot->output[which], (i64)(bytes + head), most, 0, 0);
  if (got == -e_intr || got == -e_again) return 0;
  if (got <= 0) {
    end_output(at, slot, which);
    return 0;
  }
  frame(out_stdout + (u32)which, at, (u32)got);
  slot->owed[which] += (u32)got;
  is_urgent = 1;
  return 1;
}

static int may_read(const struct slot *slot, int which) {
  return slot->output[which] >= 0 && slot->owed[which] < window && outgoing.to - outgoing.from < most_waiting;
}

static u32 most_now(const struct slot *slot, int which) {
  u32 left = window - slot->owed[which];
  return left < piece ? left : piece;
}

/* What it wrote before its end goes before the news of its end: no more than a pipe holds, so the window may be passed. */
static void drain(u32 at, struct slot *slot) {
  struct moment at_once = {0, 0};
  for (int which = 0; which < 2; which++)
    for (int pieces = 0; pieces < 2 && slot->output[which] >= 0; pieces++) {
      struct waited one = {slot->output[which], poll_in, 0};
      if (sys(n_ppoll, (i64)&one, 1, (i64)&at_once, 0, 8) <= 0 || !read_output(at, slot, which, piece)) break;
    }
}

static void ended(u32 at, int status) {
  struct slot *slot = &slots[at];
  drain(at, slot);
  stop_input(slot);
  slot->has_ended = 1;
  slot->leaves_group = sys(n_kill, -slot->pid, 0, 0, 0, 0) == 0;
  u8 *said = frame(out_exit, at, 8);
  put(said, (u64)(u32)status, 4);
  put(said + 4, (u64)slot->leaves_group, 4);
  is_urgent = 1;
  slot->is_released = 0;
  free_if_done(slot);
}

static void reap(void) {
  u8 news[128 * 4];
  int status = 0;
  sys(n_read, signals, (i64)news, sizeof news, 0, 0);
  for (;;) {
    i64 pid = sys(n_wait4, -1, (i64)&status, 1 /* WNOHANG */, 0, 0);
    if (pid <= 0) return;
    for (u32 at = 0; at < slots_used; at++)
      if (slots[at].pid == pid && !slots[at].has_ended) {
        ended(at, status);
        break;
      }
  }
}

static void stop_output(u32 at, struct slot *slot) {
  for (int which = 0; which < 2; which++) end_output(at, slot, which);
  is_urgent = 1;
}

/* Whoever has waited long enough asks for what is known by now: all of it goes before the answer. */
static void tell_all(u32 at) {
  reap();
  if (slots[at].pid) drain(at, &slots[at]);
  free_if_done(&slots[at]);
  frame(out_told, at, 0);
  is_urgent = 1;
}

static void obey(u32 kind, u32 at, const u8 *bytes, u64 length) {
  struct slot *slot = &slots[at];
  if (kind == in_start && slot->pid == 0 && length > 24) return start_one(at, bytes, length);
  if (kind == in_start) leave(22); /* the other side and we count differently: nothing that follows could be trusted */
  if (slot->pid == 0) return; /* it has ended meanwhile */
  if (kind == in_ask) return tell_all(at);
  if (kind == in_input && slot->input >= 0 && !slot->rest && length >= 4) {
    slot->is_last = number_at(bytes) == 0;
    input_changed(at, slot, feed(slot, bytes + 4, length - 4));
  }
  if (kind == in_taken && length == 8) slot->owed[number_at(bytes) & 1] -= number_at(bytes + 4);
  if (kind == in_release) slot->is_released = !slot->has_ended;
  if (kind == in_close || kind == in_release) {
    if (kind == in_close) stop_input(slot);
    stop_output(at, slot);
    free_if_done(slot);
  }
}

/* True: a whole frame was there. One at a time, so that a hundred starts do not keep the news of the first from being told. */
static int take_frame(void) {
  u64 there = incoming.to - incoming.from;
  if (there < head) return 0;
  const u8 *bytes = incoming.bytes + incoming.from;
  u64 length = number_at(bytes);
  u32 kind = bytes[4], at = (u32)bytes[6] | (u32)bytes[7] << 8;
  if (length > most_in_frame || at >= most_slots) leave(22);
  if (there < head + length) return 0;
  obey(kind, at, bytes + head, length);
  incoming.from += head + length;
  return 1;
}
static int frame_waits(void) {
  u64 there = incoming.to - incoming.from;
  return there >= head && there >= head + number_at(incoming.bytes + incoming.from);
}

/* ---- the end ---- */
static int count_living(int released) {
  int living = 0;
  for (u32 at = 0; at < slots_used; at++)
    if (slots[at].pid && !slots[at].has_ended && slots[at].is_released == released) living++;
  return living;
}
static void tell_groups(int signal) {
  for (u32 at = 0; at < slots_used; at++) {
    struct slot *slot = &slots[at];
    if (!slot->pid || slot->is_released || (slot->has_ended && !slot->leaves_group)) continue;
    sys(n_kill, -slot->pid, signal, 0, 0, 0);
    if (signal == sig_term) sys(n_kill, -slot->pid, sig_cont, 0, 0, 0); /* who is stopped cannot obey */
  }
}
static void wait_for_news(i64 milliseconds) {
  struct waited one = {signals, poll_in, 0};
  struct moment limit = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  if (sys(n_ppoll, (i64)&one, 1, milliseconds < 0 ? 0 : (i64)&limit, 0, 8) > 0) reap();
  send_out();
}

/* Perhaps nobody is there to tell: TERM, a second, KILL. Who was released goes on, and is waited for as its parent has to. */
static __attribute__((noreturn)) void finish(void) {
  tell_groups(sig_term);
  for (int round = 0; round < 100 && count_living(0) > 0; round++) wait_for_news(10);
  tell_groups(sig_kill);
  while (count_living(0) > 0) wait_for_news(-1);
  sys(n_close, control, 0, 0, 0, 0);
  while (count_living(1) > 0) wait_for_news(-1);
  leave(0);
}

/* ---- the loop ---- */
static void read_control(void) {
  u64 there = incoming.to - incoming.from, wanted = 0;
  if (there >= head) wanted = head + number_at(incoming.bytes + incoming.from);
  if (wanted > head + (u64)most_in_frame) leave(22);
  u64 more = wanted > there + piece ? wanted - there : piece;
  u8 *bytes = room(&incoming, more);
  i64 got = sys(n_read, control, (i64)bytes, (i64)more, 0, 0);
  if (got == -e_intr || got == -e_again) return;
  if (got <= 0) finish();
  incoming.to += (u64)got;
}

static u32 add(struct waited *list, u32 count, int descriptor, u16 wanted) {
  list[count] = (struct waited){descriptor, wanted, 0};
  return count + 1;
}

static void turn(int has_frame) {
  if (outgoing.from < outgoing.to && (is_urgent || ++loops_without_sending > 4)) send_out();
  int waits = outgoing.from < outgoing.to;
  polled.from = polled.to = 0;
  struct waited *list = (struct waited *)room(&polled, (2 + 3 * (u64)slots_used) * sizeof(struct waited));
  u32 count = add(list, 0, control, (u16)(poll_in | (waits && is_urgent ? poll_out : 0)));
  count = add(list, count, signals, poll_in);
  for (u32 at = 0; at < slots_used; at++) {
    struct slot *slot = &slots[at];
    if (!slot->pid) continue;
    if (slot->rest) count = add(list, count, slot->input, poll_out);
    for (int which = 0; which < 2; which++)
      if (may_read(slot, which)) count = add(list, count, slot->output[which], poll_in);
  }
  struct moment limit = {0, has_frame ? 0 : 3000000};
  i64 got = sys(n_ppoll, (i64)list, count, has_frame || (waits && !is_urgent) ? (i64)&limit : 0, 0, 8);
  if (got == 0 && !has_frame) is_urgent = 1;
  if (got <= 0) return;
  u32 next = 2;
  for (u32 at = 0; at < slots_used && next < count; at++) {
    struct slot *slot = &slots[at];
    if (!slot->pid) continue;
    int input = slot->input, output[2] = {slot->output[0], slot->output[1]};
    if (slot->rest && list[next].descriptor == input && list[next++].got)
      input_changed(at, slot, feed(slot, slot->rest + slot->rest_from, slot->rest_size - slot->rest_from));
    for (int which = 0; which < 2; which++)
      if (next < count && output[which] >= 0 && list[next].descriptor == output[which] && list[next++].got && may_read(slot, which))
        read_output(at, slot, which, most_now(slot, which));
    free_if_done(slot);
  }
  if (list[1].got) reap();
  if (list[0].got & ~poll_out) read_control();
}

__attribute__((noreturn, used)) void serve(void) {
  u64 blocked = 1UL << (sig_chld - 1) | 1UL << (sig_pipe - 1);
  sys(n_sigprocmask, 0 /* SIG_BLOCK */, (i64)&blocked, 0, 8, 0);
  blocked = 1UL << (sig_chld - 1);
  signals = (int)sys(n_signalfd4, -1, (i64)&blocked, 8, cloexec | nonblock, 0);
  if (signals < 0) leave(1);
  if (sys(n_fcntl, control, 4 /* F_SETFL */, nonblock, 0, 0) < 0) leave(1);
  sys(n_fcntl, control, 2 /* F_SETFD */, 1, 0, 0);
  if (signals != 4) sys(n_close_range, 4, signals - 1, 0, 0, 0); /* what others left open when they started us */
  sys(n_close_range, signals + 1, 0x7fffffff, 0, 0, 0);
  i64 trial = begin(as_vfork, stack + sizeof stack, note_sharing, (void *)&is_shared);
  if (trial < 0) leave(1);
  sys(n_wait4, trial, 0, 0, 0, 0);
  put(frame(out_hello, 0, 4), version, 4);
  is_urgent = 1;
  for (;;) turn(take_frame() && frame_waits());
}
