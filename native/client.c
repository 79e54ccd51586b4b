/*
 * What an agent starts on every event: it asks the daemon over loopback and prints the answer. It decides nothing: where no daemon takes
 * the event it becomes the command in Node, which does the work or answers by policy. It does, step by step, what the client for bash
 * does (src/agents/install/client.sh), and stands alone: no C library, one thread, and it starts no program on its way.
 *
 * Its words, as start.sh gives them: VERSION NODE BIN GONE hook AGENT --event EVENT --by LAYER [--guarded]. Called with --can-run and
 * nothing else it says by its exit code whether it is of use here, and no word of an event makes it do so.
 */
#include "system.h"

#if defined(__x86_64__)
__asm__(".global _start\n_start:\n  xor %ebp, %ebp\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call run\n  hlt\n");
enum { mode_at = 24, owner_at = 28, no_follow = 0400000 };
#else
__asm__(".global _start\n_start:\n  mov x29, xzr\n  mov x30, xzr\n  mov x0, sp\n  bl run\n  brk 1\n");
enum { mode_at = 16, owner_at = 24, no_follow = 0100000 };
#endif

enum { from_here = -100, most_of_path = 4096, piece = 64 << 10 };
#define second 1000000000L
/* The limits of src/agents/request.ts, and how long a daemon may take to say that it has the event. */
#define most_of_payload (64UL << 20)
#define most_of_answer (64UL << 20)
#define most_of_head (64UL << 10)
#define answers_within (650 * second)
#define taken_within (second / 4)
/* More than this waits in a socket that nobody reads. */
#define most_at_once (48UL << 10)

static char **environment;
static const char *version, *node, *bin, *gone;
static char **call; /* hook AGENT … */
static u64 call_length;
static int user, daemon = -1;
static int is_held; /* the payload has been read, so it has to be handed on */

/* ---- bytes ---- */
/* What an event usually needs lies in the program's own memory, which costs no call and no tables of pages of its own. */
struct space { u8 *bytes; u64 size, to; };
static u8 usual_room[3][piece];
static struct space payload = {usual_room[0], piece, 0}, request = {usual_room[1], piece, 0}, answer = {usual_room[2], piece, 0};

/* Null: there is no memory. */
static u8 *room(struct space *space, u64 more) {
  if (space->to + more > space->size) {
    u64 wanted = space->to + more > 2 * space->size ? space->to + more : 2 * space->size;
    u64 size = (wanted + piece - 1) & ~(u64)(piece - 1);
    i64 grown = space->size == piece ? (i64)map(size) : sys(n_mremap, (i64)space->bytes, (i64)space->size, (i64)size, 1, 0);
    if (grown <= 0 && grown > -4096) return 0;
    if (space->size == piece) memcpy((void *)grown, space->bytes, space->to);
    space->bytes = (u8 *)grown;
    space->size = size;
  }
  return space->bytes + space->to;
}

static int is_equal(const void *left, const void *right, u64 length) {
  for (u64 at = 0; at < length; at++)
    if (((const u8 *)left)[at] != ((const u8 *)right)[at]) return 0;
  return 1;
}
static int is_text(const char *left, const char *right) {
  u64 length = length_of(left);
  return length == length_of(right) && is_equal(left, right, length);
}
static int is_digit(u8 letter) { return letter >= '0' && letter <= '9'; }
static int is_plain(u8 letter) {
  u8 small = letter | 32;
  return (small >= 'a' && small <= 'z') || is_digit(letter) || letter == '_' || letter == '-';
}

/* Absent and empty are the same, as they are to the client for bash. */
static const char *variable(const char *name) {
  u64 length = length_of(name);
  for (char **entry = environment; *entry; entry++) {
    u64 at = 0;
    while (at < length && (*entry)[at] == name[at]) at++;
    if (at == length && (*entry)[at] == '=') return *entry + length + 1;
  }
  return "";
}

/* ---- time ---- */
static i64 clock_of(int clock) {
  struct moment moment = {0, 0};
  sys(n_clock_gettime, clock, (i64)&moment, 0, 0, 0);
  return moment.seconds * second + moment.nanoseconds;
}
static i64 now(void) { return clock_of(1 /* CLOCK_MONOTONIC */); }

/* 0 as the moment: without end. False: nothing has come until then. */
static int wait_for(int descriptor, int what, i64 until) {
  struct waited one = {descriptor, (u16)what, 0};
  for (;;) {
    i64 left = until - now();
    struct moment limit = {left / second, left % second};
    if (left < 0) limit = (struct moment){0, 0};
    i64 got = sys(n_ppoll, (i64)&one, 1, until ? (i64)&limit : 0, 0, 8);
    if (got != -e_intr) return got > 0;
  }
}

/* ---- the ends ---- */
static void print(int descriptor, const void *bytes, u64 length) {
  while (length > 0) {
    i64 written = sys(n_write, descriptor, (i64)bytes, (i64)length, 0, 0);
    if (written == -e_intr) continue;
    if (written == -e_again && wait_for(descriptor, poll_out, 0)) continue;
    if (written <= 0) return; /* nobody reads it */
    bytes = (const u8 *)bytes + written;
    length -= (u64)written;
  }
}

/* Nothing has decided the event, so it must not pass. */
static __attribute__((noreturn)) void unjudged(void) {
  static const char before[] = "hookline: ", after[] = " cannot be started, so nothing was judged: blocked\n";
  static u8 said[most_of_path + sizeof before + sizeof after];
  u64 length = length_of(node), to = sizeof before - 1;
  if (length > most_of_path) length = most_of_path;
  memcpy(said, before, to);
  memcpy(said + to, node, length);
  memcpy(said + to + length, after, sizeof after - 1);
  print(2, said, to + length + sizeof after - 1);
  leave(2);
}

/* The agent may have closed its standard streams: what is opened here takes the place of none of them. */
static int above_streams(i64 descriptor) {
  if (descriptor < 0 || descriptor > 2) return (int)descriptor;
  i64 moved = sys(n_fcntl, descriptor, 1030 /* F_DUPFD_CLOEXEC */, 3, 0, 0);
  sys(n_close, descriptor, 0, 0, 0, 0);
  return (int)moved;
}

/* What the pipe has no room for is written by a child, which ends with its reader: no disk is needed, whatever its length. */
static int hand_on(void) {
  int ends[2];
  if (sys(n_pipe2, (i64)ends, cloexec, 0, 0, 0) < 0) return 0;
  int from = ends[0], to = ends[1];
  if (to <= 2) { /* the other one is below it, and gets its number when this one has left it */
    if ((to = above_streams(to)) < 0) return 0;
  }
  if (from <= 2 && (from = above_streams(from)) < 0) return 0;
  if (sys(n_dup3, from, 0, 0, 0, 0) < 0) return 0;
  sys(n_close, from, 0, 0, 0, 0);
  sys(n_fcntl, to, 4 /* F_SETFL */, nonblock, 0, 0);
  u64 at = 0;
  while (at < payload.to) {
    i64 written = sys(n_write, to, (i64)(payload.bytes + at), (i64)(payload.to - at), 0, 0);
    if (written == -e_intr) continue;
    if (written < 0) break;
    at += (u64)written;
  }
  i64 child = at < payload.to ? sys(n_clone, sig_chld, 0, 0, 0, 0) : 1;
  if (child == 0) {
    for (int stream = 0; stream < 3; stream++) sys(n_close, stream, 0, 0, 0, 0); /* else the agent would wait for us */
    sys(n_fcntl, to, 4, 0, 0, 0);
    print(to, payload.bytes + at, payload.to - at);
    leave(0);
  }
  sys(n_close, to, 0, 0, 0, 0);
  return child > 0;
}

static u32 field_of(const u8 *about, u64 at) { return *(const u32 *)(about + at); }
static int look_at(const char *path, u8 *about) { return sys(n_newfstatat, from_here, (i64)path, (i64)about, 0, 0) >= 0; }
static int may(const char *path, int what) { return sys(n_faccessat, from_here, (i64)path, what, 0, 0) >= 0; }
static int is_file(const u8 *about) { return (field_of(about, mode_at) & 0170000) == 0100000; }

/*
 * Becomes Node, with the payload, if it was read. --asked: no daemon has taken it; --taken: it may have been decided, so it may not be
 * decided again. Without Node or the package it goes by the guards that were active, which gone.sh knows.
 */
static __attribute__((noreturn)) void become(const char *more) {
  u8 about[256];
  shut(&daemon);
  if (is_held && !hand_on()) unjudged();
  char **words = call - 2; /* the call goes on where it stands; before it there is room for two words */
  if (!(may(node, 1 /* X_OK */) && look_at(bin, about) && is_file(about)) && may(gone, 4 /* R_OK */)) {
    words[0] = "/bin/sh";
    words[1] = (char *)gone;
    sys(n_execve, (i64)words[0], (i64)words, (i64)environment, 0, 0);
  }
  words--; /* and one more, for the word that it ends with */
  words[0] = (char *)node;
  words[1] = (char *)bin;
  for (u64 at = 0; at < call_length; at++) words[2 + at] = call[at];
  words[2 + call_length] = (char *)more;
  words[2 + call_length + (more ? 1 : 0)] = 0;
  sys(n_execve, (i64)node, (i64)words, (i64)environment, 0, 0);
  unjudged();
}

/* ---- what has to be so before anything is said ---- */

/* What it is asked for in another way than install writes it is for Node. */
static int is_usual_call(void) {
  if (call_length != 6 && !(call_length == 7 && is_text(call[6], "--guarded"))) return 0;
  if (!is_text(call[0], "hook") || !is_text(call[2], "--event") || !is_text(call[4], "--by")) return 0;
  for (u64 at = 1; at < 6; at += 2)
    for (const char *letter = call[at]; *letter; letter++)
      if (!is_plain((u8)*letter)) return 0;
  return 1;
}

/* A small file that ends with a line, as far as there is room; below 0: it cannot be read. */
static i64 read_lines(int descriptor, u8 *bytes, u64 size) {
  u64 to = 0;
  while (to < size && (to == 0 || bytes[to - 1] != '\n')) {
    i64 got = sys(n_read, descriptor, (i64)(bytes + to), (i64)(size - to), 0, 0);
    if (got == -e_intr) continue;
    if (got < 0) return got;
    if (got == 0) break;
    to += (u64)got;
  }
  return (i64)to;
}

/* Of its text, the fields between spaces. */
struct text { const u8 *from; u64 length; };
static struct text next_field(const u8 **at, const u8 *end) {
  while (*at < end && **at == ' ') ++*at;
  struct text field = {*at, 0};
  while (*at < end && **at != ' ') ++*at;
  field.length = (u64)(*at - field.from);
  return field;
}

enum { f_port, f_token, f_proof, f_pid, f_started, fields };
static struct text address[fields];

/* Only from a file of our own, which nobody else can have written. */
static int read_address(const char *file) {
  static u8 line[8192];
  u8 about[256];
  int descriptor = (int)sys(n_openat, from_here, (i64)file, no_follow | nonblock | cloexec, 0, 0);
  if (descriptor < 0) return 0;
  int is_ours = sys(n_fstat, descriptor, (i64)about, 0, 0, 0) >= 0 && is_file(about) &&
                field_of(about, owner_at) == (u32)user && (field_of(about, mode_at) & 077) == 0;
  i64 length = is_ours ? read_lines(descriptor, line, sizeof line) : -1;
  shut(&descriptor);
  const u8 *at = line, *end = line;
  while (end < line + length && *end != '\n') end++;
  if (length < 0 || end == line + length) return 0;
  for (int field = 0; field < fields; field++)
    if ((address[field] = next_field(&at, end)).length == 0) return 0;
  for (u64 digit = 0; digit < address[f_pid].length; digit++)
    if (!is_digit(address[f_pid].from[digit])) return 0;
  return address[f_pid].length < 20;
}

static u32 port_number(void) {
  u32 port = 0;
  for (u64 at = 0; at < address[f_port].length; at++) {
    if (!is_digit(address[f_port].from[at]) || port > 65535) return 0;
    port = port * 10 + (u32)(address[f_port].from[at] - '0');
  }
  return port > 65535 ? 0 : port;
}

/* It is our process that has this number, and the one that wrote the address. */
static int is_alive(void) {
  u8 about[256], line[2048];
  char path[64];
  memcpy(path, "/proc/", 6);
  memcpy(path + 6, address[f_pid].from, address[f_pid].length);
  char *end = path + 6 + address[f_pid].length;
  *end = 0;
  if (!look_at(path, about) || field_of(about, owner_at) != (u32)user) return 0;
  memcpy(end, "/stat", 6);
  int descriptor = (int)sys(n_openat, from_here, (i64)path, cloexec, 0, 0);
  if (descriptor < 0) return 0;
  i64 length = read_lines(descriptor, line, sizeof line);
  shut(&descriptor);
  if (length <= 0) return 0;
  const u8 *at = line + length;
  while (at > line && at[-1] != ')') at--; /* its name may hold anything, also this */
  if (at == line) return 0;
  struct text field = next_field(&at, line + length);
  u8 state = field.length == 1 ? *field.from : 'X';
  for (int more = 0; more < 19; more++) field = next_field(&at, line + length);
  return state != 'Z' && state != 'X' && state != 'T' && state != 't' && field.length == address[f_started].length &&
         is_equal(field.from, address[f_started].from, field.length);
}

/* A path as a shell keeps it: every part is a name. */
static int is_tidy(const char *path) {
  if (*path != '/') return 0;
  for (const char *part = path + 1; *part; part += *part == '/') {
    const char *end = part;
    while (*end && *end != '/') end++;
    u64 length = (u64)(end - part);
    if (length == 0 || (length == 1 && *part == '.') || (length == 2 && part[0] == '.' && part[1] == '.')) return 0;
    part = end;
    if (part[0] == '/' && part[1] == 0) return 0;
  }
  return 1;
}

/* By the way in which its person came there, links and all, as shells say it. Null: nobody knows. */
static const char *folder_here(void) {
  static char found[most_of_path];
  u8 here[256], there[256];
  const char *named = variable("PWD");
  if (is_tidy(named) && look_at(named, there) && look_at(".", here) && is_equal(here, there, 16)) return named; /* device and node */
  i64 length = sys(n_getcwd, (i64)found, sizeof found, 0, 0, 0);
  if (length > 0 && found[0] == '/') return found;
  return *named == '/' ? named : 0;
}

/* False: more than a hook may be given, or bytes that the daemon takes for the end of it. Node refuses both. */
static int read_payload(void) {
  is_held = 1;
  while (payload.to <= most_of_payload) {
    u8 *bytes = room(&payload, 4096);
    if (!bytes) unjudged();
    u64 most = payload.size - payload.to, left = most_of_payload + 1 - payload.to;
    i64 got = sys(n_read, 0, (i64)bytes, (i64)(most < left ? most : left), 0, 0);
    if (got == -e_intr || (got == -e_again && wait_for(0, poll_in, 0))) continue;
    if (got <= 0) break;
    payload.to += (u64)got;
  }
  if (payload.to > most_of_payload) return 0;
  for (u64 at = 0; at < payload.to; at++)
    if (payload.bytes[at] == 0) return 0;
  return 1;
}

/* ---- the question ---- */
static int reach(u32 port) {
  struct { u16 family; u8 port[2], host[4], rest[8]; } place = {2, {(u8)(port >> 8), (u8)port}, {127, 0, 0, 1}, {0}};
  daemon = above_streams(sys(n_socket, 2 /* AF_INET */, 1 /* SOCK_STREAM */ | nonblock | cloexec, 0, 0, 0));
  if (daemon < 0) return 0;
  i64 said = sys(n_connect, daemon, (i64)&place, sizeof place, 0, 0);
  return said >= 0 || said == -e_inprogress || said == -e_intr; /* sending waits for the rest, and says how it ended */
}

static void say_bytes(const void *bytes, u64 length) {
  u8 *to = room(&request, length);
  if (!to) unjudged();
  memcpy(to, bytes, length);
  request.to += length;
}
static void say(const char *text) { say_bytes(text, length_of(text)); }
static void say_number(u64 number, u64 base, int least) {
  u8 digits[24];
  u64 at = sizeof digits;
  for (; number > 0 || least > 0; number /= base, least--) digits[--at] = (u8)('0' + number % base);
  say_bytes(digits + at, sizeof digits - at);
}
static void say_folder(const char *folder) {
  static const char digits[] = "0123456789ABCDEF";
  for (; *folder; folder++) {
    u8 letter = (u8)*folder;
    char coded[3] = {'%', digits[letter >> 4], digits[letter & 15]};
    if (is_plain(letter) || letter == '/' || letter == '.') say_bytes(folder, 1);
    else say_bytes(coded, 3);
  }
}

static void say_head(const char *folder, u64 size) {
  i64 mask = sys(n_umask, 0, 0, 0, 0, 0);
  sys(n_umask, mask, 0, 0, 0, 0);
  say("POST /hook/");
  say(call[1]);
  say("?event=");
  say(call[3]);
  say("&by=");
  say(call[5]);
  say(" HTTP/1.1\r\nhost: 127.0.0.1:");
  say_bytes(address[f_port].from, address[f_port].length);
  say("\r\nauthorization: Bearer ");
  say_bytes(address[f_token].from, address[f_token].length);
  say("\r\nx-hookline-version: ");
  say(version);
  say("\r\nx-hookline-sent: ");
  say_number((u64)clock_of(0 /* CLOCK_REALTIME */) / 1000000, 10, 1);
  say("\r\nx-hookline-cwd: ");
  say_folder(folder);
  say("\r\nx-hookline-umask: ");
  say_number((u64)mask, 8, 4);
  say("\r\ncontent-type: application/x-hookline\r\ncontent-length: ");
  say_number(size, 10, 1);
  say("\r\nconnection: close\r\n");
  if (size > most_at_once) say("expect: 100-continue\r\n");
  say("\r\n");
}

struct message { void *name; u64 name_length; struct text *pieces; u64 count; void *control; u64 control_length; u64 flags; };

/* False: it has not been read. A daemon that takes nothing for so long would refuse the event as too late. */
static int send_all(struct text *pieces, u64 count) {
  while (count > 0) {
    struct message message = {0, 0, pieces, count, 0, 0, 0};
    i64 sent = sys(n_sendmsg, daemon, (i64)&message, 0x4000 /* MSG_NOSIGNAL */, 0, 0);
    if (sent == -e_intr || (sent == -e_again && wait_for(daemon, poll_out, now() + taken_within))) continue;
    if (sent < 0) return 0;
    u64 left = (u64)sent;
    for (; count > 0 && left >= pieces->length; pieces++, count--) left -= pieces->length;
    if (count > 0) {
      pieces->from += left;
      pieces->length -= left;
    }
  }
  return 1;
}

/* ---- the answer ---- */
static u64 answer_from; /* what came before it has been read */

/* False: no more has come until then, or will. */
static int receive(i64 until) {
  u8 *bytes = room(&answer, 4096);
  if (!bytes || answer.to > most_of_answer + most_of_head || !wait_for(daemon, poll_in, until)) return 0;
  i64 got = sys(n_read, daemon, (i64)bytes, (i64)(answer.size - answer.to), 0, 0);
  if (got > 0) answer.to += (u64)got;
  return got > 0 || got == -e_intr || got == -e_again;
}
static int receive_first(u64 count) {
  for (i64 until = now() + taken_within; answer.to - answer_from < count;)
    if (!receive(until)) return 0;
  return 1;
}
static int begins(u64 at, const char *text) {
  u64 length = length_of(text);
  return answer.to >= at + length && is_equal(answer.bytes + at, text, length);
}

/* Behind the digits; null: there are none, or the number is larger than any answer. */
static const u8 *read_number(const u8 *at, const u8 *end, u64 *number) {
  const u8 *from = at;
  for (*number = 0; at < end && is_digit(*at); at++)
    if ((*number = *number * 10 + (u64)(*at - '0')) > most_of_answer) return 0;
  return at == from ? 0 : at;
}

enum meaning { is_open, is_untaken, is_lost, is_answered };
struct answered { int code; const u8 *out; u64 out_length, error_length; };

/* "EXIT STDOUT STDERR", a line, then as many bytes; is_open: the rest may come. */
static enum meaning read_body(const u8 *at, const u8 *end, struct answered *found) {
  u64 line = 0;
  while (at + line < end && at[line] != '\n') line++;
  if (at + line == end) return line > 256 ? is_lost : is_open;
  const u8 *stop = at + line;
  if (line < 2 || (at[0] != '0' && at[0] != '2') || at[1] != ' ') return is_lost;
  found->code = at[0] - '0';
  at = read_number(at + 2, stop, &found->out_length);
  if (!at || *at++ != ' ') return is_lost;
  if (read_number(at, stop, &found->error_length) != stop) return is_lost;
  found->out = stop + 1;
  u64 wanted = found->out_length + found->error_length, there = (u64)(end - found->out);
  return there < wanted ? is_open : there > wanted ? is_lost : is_answered;
}

/* What the bytes mean that have come so far. The first twelve are there; an answer without our proof is another program's. */
static enum meaning read_answer(struct answered *found) {
  u64 at = answer_from, length_of_status = 12;
  int is_taken = begins(at, "HTTP/1.1 102");
  if (is_taken) at += length_of_status + 15; /* " Processing" and an empty line */
  if (answer.to < at + length_of_status) return is_open;
  int is_answer = begins(at, "HTTP/1.1 200");
  u64 head = at += length_of_status;
  while (!begins(at, "\r\n\r\n")) {
    if (at >= answer.to) return is_open;
    if (at++ - head > most_of_head) return is_untaken;
  }
  int has_proof = 0;
  for (u64 line = head; line < at && !has_proof; line++) {
    static const char name[] = "\r\nx-hookline-proof: ";
    u64 value = line + sizeof name - 1, end = value + address[f_proof].length;
    has_proof = end <= at && begins(line, name) && is_equal(answer.bytes + value, address[f_proof].from, address[f_proof].length) && begins(end, "\r\n");
  }
  if (!has_proof) return is_untaken;
  if (!is_answer) return is_taken ? is_lost : is_untaken;
  return read_body(answer.bytes + at + 4, answer.bytes + answer.to, found);
}

/* It breaks off here: who may have decided the event had said that it takes it, or had begun to answer. */
static enum meaning broken_off(void) {
  return begins(answer_from, "HTTP/1.1 102") || begins(answer_from, "HTTP/1.1 200") ? is_lost : is_untaken;
}

static __attribute__((noreturn)) void conclude(void) {
  struct answered found = {0};
  i64 until = now() + answers_within;
  enum meaning meaning;
  while ((meaning = read_answer(&found)) == is_open)
    if (!receive(until)) {
      meaning = broken_off();
      break;
    }
  if (meaning != is_answered) become(meaning == is_lost ? "--taken" : "--asked");
  if (found.out_length + found.error_length > 0) {
    u64 pipe = 1UL << (sig_pipe - 1); /* who does not read the answer gets its exit code all the same */
    sys(n_sigprocmask, 0 /* SIG_BLOCK */, (i64)&pipe, 0, 8, 0);
    print(1, found.out, found.out_length);
    print(2, found.out + found.out_length, found.error_length);
  }
  leave(found.code);
}

static __attribute__((noreturn)) void ask(void) {
  static char state[most_of_path], file[most_of_path];
  u8 about[256];
  const char *home = variable("HOME"), *named = variable("XDG_STATE_HOME"), *below = *named == '/' ? "/hookline" : "/.local/state/hookline";
  const char *base = *named == '/' ? named : home, *folder;
  u64 length = length_of(base), rest = length_of(below);
  if (!is_usual_call() || !*home || is_text(variable("HOOKLINE_DAEMON"), "off") || *variable("HOOKLINE_STORE") || length > most_of_path - 64) become(0);
  memcpy(state, base, length);
  memcpy(state + length, below, rest + 1);
  memcpy(file, state, length + rest);
  memcpy(file + length + rest, "/daemon.address", 16);
  if (!look_at(state, about) || field_of(about, owner_at) != (u32)user || !read_address(file) || !is_alive()) become(0);
  if (!(folder = folder_here())) become(0);
  if (!read_payload()) become(0);
  u32 port = port_number();
  if (port == 0 || !reach(port)) become("--asked");

  u64 size = payload.to + 1;
  for (char **entry = environment; *entry; entry++) size += length_of(*entry) + 1;
  say_head(folder, size);
  u64 head = request.to;
  say_bytes("", 1);
  for (char **entry = environment; *entry; entry++) say_bytes(*entry, length_of(*entry) + 1);
  struct text pieces[3] = {{request.bytes, head}, {payload.bytes, payload.to}, {request.bytes + head, request.to - head}};
  int first = 0;

  /* What does not fit into the socket's own buffers would wait for a daemon that is stopped: first it says that it is there. */
  if (size > most_at_once) {
    if (!send_all(pieces, 1) || !receive_first(12) || !begins(0, "HTTP/1.1 100")) become("--asked");
    if (!receive_first(25)) become("--asked"); /* " Continue" and an empty line */
    answer_from = 25;
    first = 1;
  }
  if (!send_all(pieces + first, (u64)(3 - first)) || !receive_first(12)) become("--asked");
  conclude();
}

/* Whether it sees when a process began, without which it asks no daemon, and may use sockets. */
static __attribute__((noreturn)) void try_here(void) {
  u8 line[64];
  i64 descriptor = sys(n_openat, from_here, (i64) "/proc/self/stat", cloexec, 0, 0);
  i64 length = descriptor < 0 ? 0 : read_lines((int)descriptor, line, sizeof line);
  leave(length > 0 && sys(n_socket, 2, 1 | cloexec, 0, 0, 0) >= 0 ? 0 : 1);
}

__attribute__((noreturn, used)) void run(u64 *stack) {
  u64 count = stack[0];
  char **words = (char **)(stack + 1);
  environment = words + count + 1;
  if (count == 2 && is_text(words[1], "--can-run")) try_here();
  node = count > 4 ? words[2] : "Hookline";
  if (count < 5) unjudged();
  version = words[1];
  bin = words[3];
  gone = words[4];
  call = words + 5;
  call_length = count - 5;
  user = (int)sys(n_geteuid, 0, 0, 0, 0, 0);
  ask();
}
