/*
 * What the programs of this folder have instead of a C library: the system's calls by number, for both processors, bytes that are
 * copied, and memory.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

/* ---- system calls ---- */
#if defined(__x86_64__)
enum { n_read = 0, n_write = 1, n_close = 3, n_fstat = 5, n_mmap = 9, n_munmap = 11, n_sigprocmask = 14, n_mremap = 25,
       n_socket = 41, n_connect = 42, n_sendmsg = 46, n_clone = 56, n_execve = 59, n_exit = 60, n_wait4 = 61, n_kill = 62,
       n_fcntl = 72, n_getcwd = 79, n_chdir = 80, n_umask = 95, n_setuid = 105, n_setgid = 106, n_geteuid = 107, n_setsid = 112, n_setgroups = 116,
       n_prctl = 157, n_clock_gettime = 228, n_exit_group = 231, n_openat = 257, n_newfstatat = 262, n_faccessat = 269,
       n_ppoll = 271, n_signalfd4 = 289, n_dup3 = 292, n_pipe2 = 293, n_close_range = 436 };
static i64 sys(i64 number, i64 a, i64 b, i64 c, i64 d, i64 e) {
  register i64 r10 __asm__("r10") = d;
  register i64 r8 __asm__("r8") = e;
  i64 result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
enum { n_getcwd = 17, n_dup3 = 24, n_fcntl = 25, n_faccessat = 48, n_chdir = 49, n_openat = 56, n_close = 57, n_pipe2 = 59,
       n_read = 63, n_write = 64, n_ppoll = 73, n_signalfd4 = 74, n_newfstatat = 79, n_fstat = 80, n_exit = 93, n_exit_group = 94,
       n_clock_gettime = 113, n_kill = 129, n_sigprocmask = 135, n_setgid = 144, n_setuid = 146, n_setsid = 157, n_setgroups = 159,
       n_umask = 166, n_prctl = 167, n_geteuid = 175, n_socket = 198, n_connect = 203, n_sendmsg = 211, n_munmap = 215, n_mremap = 216,
       n_clone = 220, n_execve = 221, n_mmap = 222, n_wait4 = 260, n_close_range = 436 };
static i64 sys(i64 number, i64 a, i64 b, i64 c, i64 d, i64 e) {
  register i64 x8 __asm__("x8") = number;
  register i64 x0 __asm__("x0") = a;
  register i64 x1 __asm__("x1") = b;
  register i64 x2 __asm__("x2") = c;
  register i64 x3 __asm__("x3") = d;
  register i64 x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
#else
#error "this processor is not known here"
#endif

enum { e_noent = 2, e_intr = 4, e_io = 5, e_noexec = 8, e_again = 11, e_nomem = 12, e_acces = 13, e_nodev = 19, e_notdir = 20,
       e_nametoolong = 36, e_timedout = 110, e_inprogress = 115, e_stale = 116 };
enum { sig_kill = 9, sig_pipe = 13, sig_term = 15, sig_chld = 17, sig_cont = 18 };
enum { poll_in = 1, poll_out = 4 };
enum { cloexec = 02000000, nonblock = 04000 };

struct waited { int descriptor; u16 wanted, got; };
struct moment { i64 seconds, nanoseconds; };

void *memcpy(void *to, const void *from, u64 length) {
  for (u64 at = 0; at < length; at++) ((u8 *)to)[at] = ((const u8 *)from)[at];
  return to;
}
void *memmove(void *to, const void *from, u64 length) {
  if (to < from) return memcpy(to, from, length);
  while (length--) ((u8 *)to)[length] = ((const u8 *)from)[length];
  return to;
}
void *memset(void *to, int what, u64 length) { /* compilers call it for a structure that begins with zeros */
  for (u64 at = 0; at < length; at++) ((u8 *)to)[at] = (u8)what;
  return to;
}
static u64 length_of(const char *text) {
  u64 length = 0;
  while (text[length]) length++;
  return length;
}
static __attribute__((noreturn)) void leave(int code) {
  for (;;) sys(n_exit_group, code, 0, 0, 0, 0);
}
static void shut(int *descriptor) {
  if (*descriptor < 0) return;
  sys(n_close, *descriptor, 0, 0, 0, 0);
  *descriptor = -1;
}

static void *map(u64 size) {
  register i64 got = 0;
#if defined(__x86_64__)
  register i64 r10 __asm__("r10") = 0x22; /* private, anonymous */
  register i64 r8 __asm__("r8") = -1;
  register i64 r9 __asm__("r9") = 0;
  __asm__ volatile("syscall" : "=a"(got) : "a"((i64)n_mmap), "D"(0L), "S"(size), "d"(3L), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
#else
  register i64 x8 __asm__("x8") = n_mmap;
  register i64 x0 __asm__("x0") = 0;
  register i64 x1 __asm__("x1") = (i64)size;
  register i64 x2 __asm__("x2") = 3;
  register i64 x3 __asm__("x3") = 0x22;
  register i64 x4 __asm__("x4") = -1;
  register i64 x5 __asm__("x5") = 0;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  got = x0;
#endif
  return got < 0 && got > -4096 ? 0 : (void *)got;
}
