/**
 * Which programs run other programs, and how. The tables are closed: an option that is not in them means that the line
 * cannot be analysed (SAFETY.md, D6), so a forgotten row asks too often and never too little.
 */

/**
 * Options of a program, in one text. `x` a flag, `x:` takes a value, `x?` takes a value only if it is attached,
 * `x!` runs nothing, `x$` its value is a shell line, `0` any number (`nice -10`); the same for `--long`, `--long=`,
 * `--long?`, `--long!`, `--long$`.
 */
export interface WrapperRow {
  options: string;
  /** Words before the program: timeout's duration. */
  operands?: number;
  /** NAME=VALUE may stand before the program. */
  assignments?: true;
  /** Its words, joined, are a shell line: watch. */
  line?: true;
  /** Options may follow operands, and its operands are no command: su. */
  permutes?: true;
  /** Sub-commands after which the program stands; any other one runs nothing of ours. */
  after?: readonly string[];
}

const version = "--help! --version!";

/** Programs whose operands are a command. */
export const wrappers: { readonly [program: string]: WrapperRow } = {
  env: {
    options: `i 0 v u: C: --ignore-environment --null --debug --unset= --chdir= --block-signal? --default-signal? --ignore-signal? --list-signal-handling ${version}`,
    assignments: true,
  },
  sudo: {
    options: `A b B E H i k K! l! n N P S s v! V! C: D: g: h: p: R: r: t: T: U: u: --askpass --background --bell --preserve-env? --set-home --login --shell --reset-timestamp --non-interactive --preserve-groups --stdin --close-from= --chdir= --group= --host= --prompt= --chroot= --role= --type= --command-timeout= --other-user= --user= --list! --validate! ${version}`,
    assignments: true,
  },
  doas: { options: "n s L! a: C: u:", assignments: true },
  pkexec: { options: `--user= --disable-internal-agent --keep-cwd ${version}` },
  timeout: {
    options: `k: s: f p v --kill-after= --signal= --foreground --preserve-status --verbose ${version}`,
    operands: 1,
  },
  nohup: { options: version },
  nice: { options: `0 n: --adjustment= ${version}` },
  ionice: { options: "c: n: t p! P! u! --class= --classdata= --ignore --pid! --help! --version!" },
  chrt: {
    options:
      "a b d f i o r R v m! p! T: P: D: --batch --fifo --idle --other --rr --all-tasks --reset-on-fork --verbose --help! --version!",
    operands: 1,
  },
  taskset: { options: "a c p! --cpu-list --all-tasks --pid! --help! --version!", operands: 1 },
  stdbuf: { options: `i: o: e: --input= --output= --error= ${version}` },
  time: { options: "p v a V! o: f: --portability --verbose --append --output= --format= --quiet --help! --version!" },
  setsid: { options: "c f w --ctty --fork --wait --help! --version!" },
  unshare: {
    options:
      "c f i m n p r u C T U V! h! S: G: R: w: --fork --mount? --net? --pid? --ipc? --uts? --user? --cgroup? --time? --map-root-user --map-current-user --kill-child? --mount-proc? --propagation= --setuid= --setgid= --root= --wd= --help! --version!",
  },
  nsenter: {
    options:
      "a F e m? u? i? n? p? C? U? T? r? w? t: S: G: --all --target= --mount? --uts? --ipc? --net? --pid? --user? --no-fork --root? --wd? --help! --version!",
  },
  chroot: { options: `--groups= --userspec= --skip-chdir ${version}`, operands: 1 },
  setarch: { options: "B F I L R S T X Z v 3 --help! --version!", operands: 1 },
  linux32: { options: "R v" },
  linux64: { options: "R v" },
  prlimit: {
    options:
      "c? d? e? f? i? l? m? n? q? r? s? t? u? v? x? y? p! --nofile? --nproc? --cpu? --as? --core? --data? --fsize? --stack? --rss? --pid! --help! --version!",
  },
  choom: { options: "n: p! --adjust= --pid! --help! --version!" },
  strace: {
    options:
      "c C d f ff F i k n q r t tt ttt T v w x xx y yy z Z V! h! a: b: e: E: I: o: O: p: P: s: S: u: U: X: --follow-forks",
  },
  ltrace: { options: "c C f i L r S t T V! h! a: A: e: l: n: o: p: s: u: w: x: X:" },
  unbuffer: { options: "p" },
  caffeinate: { options: "d i m s u t: w!" },
  "dbus-run-session": { options: "--config-file= --dbus-daemon= --help! --version!" },
  "xvfb-run": {
    options:
      "a d e: f: l n: p: s: w: --auto-servernum --auto-display --error-file= --auth-file= --listen-tcp --server-num= --xauth-protocol= --server-args= --wait= --help!",
  },
  torsocks: { options: "" },
  proxychains: { options: "q f:" },
  proxychains4: { options: "q f:" },
  "cross-env": { options: "", assignments: true },
  "cross-env-shell": { options: "", assignments: true, line: true },
  dotenv: { options: "e: f: --file= --override" },
  busybox: { options: "--list! --list-full! --help! --install!" },
  toybox: { options: "--help!" },
  watch: {
    options:
      "b c d? e g p q: t w x n: h! v! --beep --color --differences? --errexit --chgexit --precise --no-title --no-wrap --exec --interval= --help! --version!",
    line: true,
  },
  command: { options: "p v! V!" },
  builtin: { options: "" },
  exec: { options: "c l a:" },
  npm: {
    options: "C: s w: --prefix= --workspace= --silent --yes --package= --offline --call$ c$ y --version! --help!",
    after: ["exec", "x"],
  },
  pnpm: {
    options: "C: r w s --dir= --filter= --silent --recursive --package= --version! --help!",
    after: ["exec", "dlx"],
  },
  yarn: { options: "q p: --cwd= --silent --package= --version! --help!", after: ["exec", "dlx"] },
  npx: {
    options:
      "y q p: c$ --yes --no --quiet --package= --call$ --no-install --prefer-offline --offline --ignore-existing --help! --version!",
  },
  bunx: { options: "--bun --silent --verbose p: --package=" },
  uvx: { options: "q v p: --from= --with= --python= --quiet --refresh --offline --isolated --no-cache" },
  uv: {
    options:
      "q v --quiet --verbose --offline --directory= --project= --no-cache --frozen --with= p: --python= --extra= --group= --all-extras --no-dev --isolated --no-sync --locked --active --no-project --env-file= m! --module! --version!",
    after: ["run"],
  },
  poetry: { options: "q v n C: --quiet --no-interaction --directory= --project= --version!", after: ["run"] },
  pipenv: { options: "--quiet --version!", after: ["run"] },
  pdm: { options: "p: s --version!", after: ["run"] },
  hatch: { options: "e: v q --env= --version!", after: ["run"] },
  bundle: { options: "--version!", after: ["exec"] },
  rbenv: { options: "", after: ["exec"] },
  pyenv: { options: "", after: ["exec"] },
  direnv: { options: "", after: ["exec"], operands: 1 },
  conda: { options: "n: p: v --name= --prefix= --no-capture-output --live-stream --cwd= --version!", after: ["run"] },
  micromamba: { options: "n: p: --name= --prefix=", after: ["run"] },
  rustup: { options: "v q --version!", after: ["run"], operands: 1 },
  mise: { options: "q v --quiet C: --cd=", after: ["exec", "x"] },
  op: { options: "--env-file= --no-masking --account=", after: ["run"] },
  doppler: { options: "p: c: --project= --config=", after: ["run"] },
  flock: {
    options:
      "s x e n u o F c$ w: E: --shared --exclusive --nonblock --nb --unlock --close --no-fork --command$ --wait= --timeout= --conflict-exit-code= --help! --version!",
    operands: 1,
  },
  su: {
    options:
      "c$ l m p P f s: g: G: w: --command$ --session-command$ --login --preserve-environment --shell= --pty --help! --version!",
    permutes: true,
  },
  runuser: {
    options:
      "c$ l m p P f s: g: G: u: w: --command$ --session-command$ --login --preserve-environment --shell= --pty --help! --version!",
  },
  script: {
    options:
      "a c$ e f q t? E: I: O: B: T: m: o: --append --command$ --return --flush --quiet --force --help! --version!",
    permutes: true,
  },
  xargs: {
    options:
      "0 p r t x o a: d: E: e? I: i? L: l? n: P: s: R: S: --null --arg-file= --delimiter= --eof? --replace? --max-lines? --max-args= --max-procs= --max-chars= --interactive --no-run-if-empty --verbose --exit --open-tty --process-slot-var= --show-limits --help! --version!",
  },
};

/** Shells whose language is read here, and the options that they share. */
export const bashLike: ReadonlySet<string> = new Set(["bash", "sh", "dash", "ash", "rbash"]);
export const bashOptions =
  "a b c e f h i k l m n p r s t u v x B C D E H P T o: O: --norc --noprofile --posix --login --restricted --verbose --noediting --debugger --pretty-print --rcfile= --init-file= --help! --version!";

/** Programs that run what they are given in ways that nothing here reads. */
export const opaque: ReadonlySet<string> = new Set(
  (
    "zsh fish ksh ksh93 mksh pdksh yash csh tcsh elvish nu xonsh pwsh powershell cmd parallel expect socat ncat tmux screen " +
    "dtach at batch crontab systemd-run firejail bwrap start-stop-daemon daemonize entr nodemon concurrently npm-run-all " +
    "gdb lldb emacs emacsclient ed ex m4 tclsh wish osascript sem run-parts fc alias complete bind perf valgrind rr scl " +
    "nix-shell nix guix schroot fakeroot fakechroot proot ssh-agent dbus-launch aa-exec runcon sg newgrp capsh setpriv " +
    "setuidgid envdir softlimit chpst s6-setuidgid gosu su-exec tini dumb-init catchsegv eatmydata cpulimit trickle hyperfine " +
    "mispipe chronic ifne pee errno lckdo annotate-output faketime libtool moreutils rlwrap ltrace-run dpkg-trigger git-shell"
  ).split(" "),
);

/** Options of programs whose value is a shell line. Long ones may be shortened, as getopt allows. */
export const lineOptions: { readonly [program: string]: readonly string[] } = {
  tar: [
    "--to-command",
    "--use-compress-program",
    "--info-script",
    "--new-volume-script",
    "--rsh-command",
    "--rmt-command",
    "--checkpoint-action",
    "-I",
    "-F",
  ],
  bsdtar: ["--use-compress-program"],
  rsync: ["--rsh", "-e"],
  ssh: ["-o", "-F"],
  scp: ["-S", "-o"],
  sftp: ["-S", "-o"],
  sort: ["--compress-program"],
  split: ["--filter"],
  man: ["--pager", "-P", "-H", "--html"],
  zip: ["-TT", "--unzip-command"],
  make: ["--eval"],
  gmake: ["--eval"],
  mapfile: ["-C"],
  readarray: ["-C"],
  compgen: ["-C"],
  rg: ["--pre", "--hostname-bin"],
};

/** The same for sub-commands of git. */
export const gitLineOptions: { readonly [command: string]: readonly string[] } = {
  rebase: ["-x", "--exec"],
  difftool: ["-x", "--extcmd"],
  clone: ["-u", "--upload-pack"],
  fetch: ["--upload-pack"],
  pull: ["--upload-pack"],
  push: ["--receive-pack", "--exec"],
  archive: ["--exec"],
  grep: ["-O", "--open-files-in-pager"],
  "ls-remote": ["--upload-pack", "--exec"],
  "fetch-pack": ["--upload-pack", "--exec"],
  "send-pack": ["--receive-pack", "--exec"],
  "filter-branch": [
    "--setup",
    "--env-filter",
    "--tree-filter",
    "--index-filter",
    "--parent-filter",
    "--msg-filter",
    "--commit-filter",
    "--tag-name-filter",
  ],
};

/** Editors, and what of their own commands can run a program. */
export const editors: ReadonlySet<string> = new Set("vim vi nvim view vimdiff gvim rvim".split(" "));
export const editorRuns: RegExp = /!|system|term|job|py|lua|perl|ruby|tcl|source|^so\b|make|grep|exe|call|norm/i;

/** Code options of interpreters of other languages: letters that may end a bundle (`perl -lane`), and whole options. */
export const interpreters: {
  readonly [program: string]: { letters: string; long?: readonly string[]; valued?: string };
} = {
  python: { letters: "c", valued: "mWX" },
  node: { letters: "ep", long: ["--eval", "--print"], valued: "rC" },
  perl: { letters: "eE", valued: "IMm" },
  ruby: { letters: "e", valued: "rIC" },
  php: { letters: "rBRE", valued: "dcf" },
  lua: { letters: "e", valued: "l" },
  bun: { letters: "ep", long: ["--eval", "--print"], valued: "r" },
  deno: { letters: "", long: ["eval", "repl"] },
};

/** The interpreter that a program name means: python3.12 is python. */
export const interpreterOf = (program: string): string | undefined => {
  const name = program
    .replace(/^pypy/, "python")
    .replace(/^nodejs$/, "node")
    .replace(/[\d.]+$/, "");
  return Object.hasOwn(interpreters, name) ? name : undefined;
};

/** What code of another language must not hold, if it is to run no program. Modules of these names only may be imported. */
const harmless =
  "json|sys|re|math|time|datetime|base64|hashlib|random|string|textwrap|itertools|functools|collections|statistics|decimal|csv|uuid|urllib\\.parse";
export const importsHarmless: RegExp = new RegExp(
  [
    "\\bjson\\.(loads?|dumps?)\\b",
    `\\brequire\\(["'](node:)?(fs|path|os|util|url|crypto)["']\\)`,
    `\\bimport\\s+(${harmless})(\\s*,\\s*(${harmless}))*(?=\\s*(;|$))`,
    `\\bfrom\\s+(${harmless})\\s+import\\s+[\\w, ]+(?=\\s*(;|$))`,
  ].join("|"),
  "gm",
);
const running =
  "system exec spawn popen subprocess child_process eval import require open fork getattr globals locals builtin __ modules " +
  "Function constructor compile pty ctypes %x qx ` << fromCharCode shell passthru pcntl syscall";
export const runsPrograms: RegExp = new RegExp(
  `${running.split(" ").join("|")}|process\\s*\\[|process\\.(binding|main|dlopen)|os\\.|\\b(load|send|do)\\b|\\||\\\\[xu0-7]|chr\\s*\\(`,
  "i",
);
/** awk runs programs by system() and by pipes alone. */
export const awkRuns: RegExp = /system|\||@/;
/** sed: the command e, and the flag e of s. */
export const sedRuns: RegExp = /(^|[;{}\n\d$/!,\s])e(\s|$)|[^\w\s\\][gpiIm0-9]*e[gpiIm0-9]*\s*($|[;}\n])/;

/** Variables whose value is a shell line that another program will run. */
export const lineVariables: RegExp =
  /^(GIT_(SSH_COMMAND|SSH|EDITOR|PAGER|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|FCEDIT|RSYNC_RSH|PROMPT_COMMAND|SHELL|CC|CXX)$/;
/** Variables that change what the rest of the line means. */
export const opaqueVariables: RegExp =
  /^(BASH_ENV|ENV|PS[0-4]|SHELLOPTS|BASHOPTS|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GIT_CONFIG.*|GIT_EXEC_PATH|PERL5OPT|RUBYOPT|PYTHONSTARTUP|TAR_OPTIONS|MAKEFLAGS|BASH_FUNC.*|BASH_ALIASES|BASH_CMDS)$/;

export const reserved: ReadonlySet<string> = new Set(
  "if then else elif fi do done case esac while until for in function select time coproc { } ! [[ ]]".split(" "),
);

/** Options of git before the sub-command. */
export const gitOptions =
  "C: c: p P h! v! --git-dir= --work-tree= --namespace= --super-prefix= --config-env= --attr-source= --list-cmds= --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --html-path! --man-path! --info-path! --version! --help!";
/** Settings of git whose value never runs. Any other value is read as a shell line. */
export const gitPlainSettings: RegExp =
  /^(user|author|committer|color|advice|commit|init|safe|push|pull|fetch|branch|log|status|format|http|url|transfer|protocol|rerere|rebase|column|i18n|gc|pack|index|tag|grep|blame|feature|submodule|remote|lfs)\.|^core\.(quotepath|autocrlf|eol|filemode|ignorecase|symlinks|abbrev|bare|compression|longpaths|safecrlf|whitespace|precomposeunicode|untrackedcache|preloadindex)$|^diff\.(renames|noprefix|mnemonicprefix|algorithm|context|colormoved|renamelimit)$|^merge\.(conflictstyle|ff|renames|renamelimit)$|^commit\.|^gpg\.format$/i;
