/**
 * The one table of programs: what runs other programs and how, and whose arguments are more than data. It is closed where
 * it matters: an option that is not in it means that it is not known what runs (SAFETY.md, D6), so a forgotten row asks
 * too often and never too little. Sources: the manual pages of GNU coreutils 9, util-linux 2.40, bash 5.2, git 2.47,
 * sudo 1.9, and the --help of the package runners of 2025. What a program that is not here does with an argument is up to
 * who writes the line.
 */

/**
 * Options of a program, in one text. `x` a flag, `x:` takes a value, `x?` takes a value only if it is attached,
 * `x!` runs nothing, `x$` its value is a shell line, `0` any number (`nice -10`); the same for `--long`, `--long=`,
 * `--long?`, `--long!`, `--long$`.
 */
export interface Wrapper {
  options: string;
  /** Words before the program: timeout's duration. */
  operands?: number;
  /** NAME=VALUE may stand before the program. */
  assignments?: true;
  /** Its words, joined, are a shell line: watch. */
  line?: true;
  /** Options may follow operands, and its operands are no command: su. */
  permutes?: true;
  /** Each of its operands is a shell line: concurrently. */
  lines?: true;
  /** Options with the folder that the program runs in. */
  folder?: readonly string[];
  /** The shell itself runs the program, without functions and aliases of that name. */
  isBuiltin?: true;
  /** Where `--` stands, the program begins behind it: before it are names of versions. */
  dashes?: true;
  /** Sub-commands after which the program stands; any other one runs nothing of ours. */
  after?: readonly string[];
}

/** Code options of interpreters: letters that may end a bundle (`perl -lane`), whole options, letters with a value. */
export interface Code {
  letters: string;
  long?: readonly string[];
  valued?: string;
  /** What stands behind its code is data. */
  ends?: true;
  /** Options may follow operands. */
  permutes?: true;
}

export interface Program {
  /** It runs what its operands name. */
  wraps?: Wrapper;
  /** Its language is the one that is read here. */
  isShell?: true;
  /** It runs one of the words it is given, and nothing here tells which. */
  isOpaque?: true;
  /** Its own commands can run programs. */
  isEditor?: true;
  code?: Code;
  /** Options whose value is a shell line. Long ones may be shortened, as getopt allows. */
  lines?: readonly string[];
  /**
   * In a line with values. refused: it is not taken at all. script: it runs a file that is named literally, and gives it
   * its arguments and its input. tasks: it runs what files of the project say, and may make a shell's line of its
   * arguments, so those are all literal. runner: the program that it names is judged. literal: its arguments are.
   * data: none of its arguments is an option that could do harm. Absent: what it wraps is refused, others take values.
   */
  values?: "refused" | "script" | "tasks" | "runner" | "literal" | "data";
  /** In a line with values only these sub-commands are known to run nothing that they are given. */
  subcommands?: ReadonlySet<string>;
}

const version = "--help! --version!";

/** Programs whose operands are a command. */
const wrappers: { readonly [name: string]: Wrapper } = {
  env: {
    options: `i 0 v u: C: --ignore-environment --null --debug --unset= --chdir= --block-signal? --default-signal? --ignore-signal? --list-signal-handling ${version}`,
    assignments: true,
    folder: ["C", "--chdir"],
  },
  sudo: {
    options: `A b B E H i k K! l! n N P S s v! V! C: D: g: h: p: R: r: t: T: U: u: --askpass --background --bell --preserve-env? --set-home --login --shell --reset-timestamp --non-interactive --preserve-groups --stdin --close-from= --chdir= --group= --host= --prompt= --chroot= --role= --type= --command-timeout= --other-user= --user= --list! --validate! ${version}`,
    assignments: true,
    folder: ["D", "--chdir"],
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
  time: {
    options: "p v a V! o: f: --portability --verbose --append --output= --format= --quiet --help! --version!",
  },
  setsid: { options: "c f w --ctty --fork --wait --help! --version!" },
  unshare: {
    options:
      "c f i m n p r u C T U V! h! S: G: R: w: --fork --mount? --net? --pid? --ipc? --uts? --user? --cgroup? --time? --map-root-user --map-current-user --kill-child? --mount-proc? --propagation= --setuid= --setgid= --root= --wd= --help! --version!",
  },
  nsenter: {
    options:
      "a F e m? u? i? n? p? C? U? T? r? w? t: S: G: --all --target= --mount? --uts? --ipc? --net? --pid? --user? --no-fork --root? --wd? --help! --version!",
  },
  perf: {
    options:
      "a A g d dd ddd i n N q v x: o: e: F: c: C: p! t! u! m: r: s k: W --all-cpus --call-graph= --detailed --event= --output= --repeat= --freq= --count= --cpu= --no-inherit --null --quiet --verbose --append --metrics= --per-core --per-socket --topdown --tid! --pid! --help!",
    after: ["record", "stat", "trace", "mem", "c2c"],
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
  command: { options: "p v! V!", isBuiltin: true },
  builtin: { options: "", isBuiltin: true },
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
  pnpx: { options: "" },
  bunx: { options: "--bun --silent --verbose p: --package=" },
  uvx: { options: "q v p: --from= --with= --python= --quiet --refresh --offline --isolated --no-cache" },
  uv: {
    options:
      "q v --quiet --verbose --offline --directory= --project= --no-cache --frozen --with= p: --python= --extra= --group= --all-extras --no-dev --isolated --no-sync --locked --active --no-project --env-file= m! --module! --version!",
    after: ["run"],
  },
  pipx: {
    options:
      "q v --quiet --verbose --spec= --python= --pip-args= --index-url= --no-cache --fetch-missing-python --version! --help!",
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
  mise: { options: "q v --quiet C: --cd=", after: ["exec", "x"], dashes: true },
  rtx: { options: "q v --quiet C: --cd=", after: ["exec", "x"], dashes: true },
  fnm: { options: "--using= --log-level= --fnm-dir= --version! --help!", after: ["exec"] },
  volta: { options: "--node= --npm= --yarn= --bundled-npm --no-yarn --quiet --verbose", after: ["run"] },
  numactl: {
    options:
      "a i: N: m: C: p: l P: H! s! --all --interleave= --cpunodebind= --membind= --physcpubind= --preferred= --localalloc --hardware! --show!",
  },
  meson: { options: "C: w --workdir= --dump?", after: ["devenv"] },
  op: { options: "--env-file= --no-masking --account=", after: ["run"] },
  doppler: { options: "p: c: --project= --config=", after: ["run"] },
  hyperfine: {
    options:
      "i N w: r: m: M: p$ c$ s$ C$ S: n: L: P: u: --ignore-failure --warmup= --runs= --min-runs= --max-runs= --prepare$ --cleanup$ --setup$ --conclude$ --reference$ --shell= --command-name= --export-json= --export-markdown= --export-csv= --parameter-list= --style= --show-output --version! --help!",
    lines: true,
  },
  concurrently: {
    options:
      "k r n: c: p: m: l: g --kill-others --kill-others-on-fail --raw --names= --prefix= --prefix-colors= --success= --restart-tries= --version! --help!",
    lines: true,
  },
  "nix-shell": {
    options:
      "p Q j: I: A: E: K --packages --run$ --command$ --pure --impure --keep= --attr= --expr= --arg= --argstr= --version! --help!",
    permutes: true,
  },
  entr: { options: "a c d n p r s z" },
  gosu: { options: "--version! --help!", operands: 1 },
  "su-exec": { options: "", operands: 1 },
  tini: { options: "s g v vv vvv w p: e: --version! --help!" },
  "dumb-init": { options: "c v --single-child --verbose --rewrite=" },
  faketime: { options: "f m --exclude-monotonic", operands: 1 },
  rlwrap: { options: "a A c i m n N o r R" },
  chronic: { options: "v e" },
  fakeroot: { options: "u --unknown-is-real" },
  setpriv: {
    options:
      "d! --no-new-privs --reuid= --regid= --clear-groups --init-groups --keep-groups --groups= --help! --version!",
  },
  "systemd-run": {
    options:
      "t P q r d G p: u: E: M: H: --user --scope --system --tty --pty --pipe --quiet --wait --collect --same-dir --remain-after-exit --unit= --description= --slice= --property= --setenv= --uid= --gid= --nice= --working-directory= --on-active= --on-calendar= --on-boot= --help! --version!",
  },
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
    operands: 1,
  },
  xargs: {
    options:
      "0 p r t x o a: d: E: e? I: i? L: l? n: P: s: R: S: --null --arg-file= --delimiter= --eof? --replace? --max-lines? --max-args= --max-procs= --max-chars= --interactive --no-run-if-empty --verbose --exit --open-tty --process-slot-var= --show-limits --help! --version!",
  },
};

/** Options that shells share. */
export const bashOptions =
  "a b c e f h i l m n p r s t u v x B C D E H P T o: O: --norc --noprofile --posix --login --restricted --verbose --noediting --debugger --pretty-print --rcfile= --init-file= --help! --version!";

/** Options of programs whose value is a shell line. Long ones may be shortened, as getopt allows. */
const lineOptions: { readonly [name: string]: readonly string[] } = {
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
  ssh: ["-o"],
  scp: ["-S", "-o"],
  sftp: ["-S", "-o"],
  sort: ["--compress-program"],
  split: ["--filter"],
  man: ["--pager", "-P", "-H", "--html"],
  zip: ["-TT", "--unzip-command"],
  make: ["--eval", "-E"],
  gmake: ["--eval", "-E"],
  go: ["-exec", "-toolexec"],
  bat: ["--pager"],
  batcat: ["--pager"],
  delta: ["--pager"],
  meson: ["--wrapper", "--wrap"],
  install: ["--strip-program"],
  wget: ["--use-askpass"],
  ginstall: ["--strip-program"],
  rg: ["--pre", "--hostname-bin"],
};

const ofPython: Code = { letters: "c", valued: "mWX", ends: true };
const ofNode: Code = { letters: "ep", long: ["--eval", "--print"], valued: "rC" };
const ofTypeScript: Code = { letters: "ep", long: ["--eval", "--print"], valued: "rCPO" };
const interpreters: { readonly [name: string]: Code } = {
  ...{ python: ofPython, pypy: ofPython, ipython: ofPython },
  ...{
    node: ofNode,
    nodejs: ofNode,
    electron: ofNode,
    babel: ofNode,
    "babel-node": ofNode,
    qjs: { letters: "e", long: ["--eval"] },
  },
  ...{ tsx: ofTypeScript, "ts-node": ofTypeScript, "ts-node-esm": ofTypeScript, "ts-node-script": ofTypeScript },
  ...{
    "ts-node-transpile-only": ofTypeScript,
    esno: ofTypeScript,
    "vite-node": ofTypeScript,
    zx: { letters: "e", long: ["--eval"] },
  },
  ...{
    mongosh: { letters: "", long: ["--eval"], permutes: true },
    mongo: { letters: "", long: ["--eval"], permutes: true },
  },
  perl: { letters: "eE", valued: "IMm" },
  raku: { letters: "e", valued: "IM" },
  ruby: { letters: "e", valued: "rIC" },
  ...{ pry: { letters: "e" }, crystal: { letters: "", long: ["eval"] }, rails: { letters: "", long: ["runner", "r"] } },
  php: { letters: "rBRE", valued: "dcf" },
  lua: { letters: "e", valued: "l" },
  luajit: { letters: "e", valued: "l" },
  ...{ groovy: { letters: "e" }, scala: { letters: "e", long: ["--execute"] } },
  bun: { letters: "ep", long: ["--eval", "--print"], valued: "r" },
  deno: { letters: "", long: ["eval", "repl"] },
};

/** Names, and what is said of all of them; the later of two rows adds to the earlier. */
const groups: readonly (readonly [names: string, row: Program])[] = [
  ["bash sh dash ash rbash", { isShell: true, values: "refused" }],
  ["vim vi nvim view vimdiff gvim rvim", { isEditor: true, values: "refused" }],
  // other languages, and terminals and clocks that carry a line: read in carriers.ts
  [
    "zsh fish ksh ksh93 mksh pdksh yash csh tcsh elvish nu xonsh pwsh powershell cmd parallel expect socat ncat tmux screen at batch crontab gdb lldb emacs emacsclient ed ex m4 tclsh wish fc alias complete bind",
    { values: "refused" },
  ],
  // nothing here can tell which of their words is a program
  [
    "dtach firejail bwrap start-stop-daemon daemonize nodemon npm-run-all osascript sem run-parts rr scl nix guix schroot proot fakechroot dbus-launch aa-exec runcon sg newgrp capsh",
    { isOpaque: true, values: "refused" },
  ],
  [
    "setuidgid envdir softlimit chpst s6-setuidgid catchsegv eatmydata cpulimit trickle mispipe ifne pee errno lckdo annotate-output libtool moreutils ltrace-run dpkg-trigger",
    { isOpaque: true, values: "refused" },
  ],
  ["ssh-agent perf valgrind nix-shell", { values: "refused" }],
  ["git-shell", { isOpaque: true, values: "refused" }],
  // builtins: code, names of variables, or what changes the line
  [
    "eval source . trap let declare typeset local readonly export read unalias shopt set shift unset mapfile readarray getopts compgen compopt enable hash history jobs bg fg disown coproc select function caller dirs pushd popd emulate autoload zmodload wait",
    { values: "refused" },
  ],
  // they run what they are given, again and again or in a package
  ["run-s run-p onchange chokidar dotenvx shx lint-staged husky lerna nx turbo wireit", { values: "refused" }],
  // they run it elsewhere, or as another user
  ["ssh scp sftp rsync mosh rsh numactl scriptreplay byobu watchexec fswatch nc", { values: "refused" }],
  // languages and shells
  [
    "oil osh sqlite psql mysql mariadb mongosh mongo redis-cli clickhouse-client duckdb nano man bc dc gnuplot octave r scala kotlin jshell ghci runghc runhaskell erl elixir iex irb pry ipython jupyter clojure clj bb racket guile sbcl awkcc java gs tex latex pdflatex xelatex lualatex groff troff debugfs ftp lftp telnet zip",
    { values: "refused" },
  ],
  // some of their options run a program, or name files to write
  ["fd fdfind tar gtar bsdtar split yq", { values: "refused" }],
  // they build by files of the project
  ["bmake cmake ninja mage ant bazel swift", { values: "refused" }],
  // they choose versions of tools
  ["pipx nvm asdf mamba nix-build volta fnm corepack", { values: "refused" }],
  [
    "sh bash dash zsh ksh mksh python pypy perl ruby node nodejs deno bun tsx ts-node php lua luajit rscript tclsh osascript julia groovy",
    { values: "script" },
  ],
  ["npm pnpm yarn make gmake just task cargo go mvn gradle gradlew dotnet poetry bundle rake", { values: "tasks" }],
  ["npx pnpx bunx uvx", { values: "runner" }],
  ["exit return", { values: "literal" }],
  ["echo : true false printf test [", { values: "data" }],
  [
    "git",
    {
      subcommands: words(
        "add diff log status show blame checkout switch restore rm mv ls-files ls-tree check-ignore commit stash branch tag rev-parse fetch pull push merge reset cat-file",
      ),
    },
  ],
  ["docker podman nerdctl", { subcommands: words("ps images logs inspect") }],
  ["kubectl oc", { subcommands: words("get describe logs") }],
];

const programs: ReadonlyMap<string, Program> = collect();

function collect(): Map<string, Program> {
  const made = new Map<string, Program>();
  const add = (name: string, row: Program): void => void made.set(name, { ...made.get(name), ...row });
  for (const [name, wraps] of Object.entries(wrappers)) add(name, { wraps, values: "refused" });
  for (const [name, lines] of Object.entries(lineOptions)) add(name, { lines });
  for (const [name, code] of Object.entries(interpreters)) add(name, { code });
  for (const [names, row] of groups) for (const name of names.split(" ")) add(name, row);
  return made;
}

const unlisted: Program = {};

export const programNames = (): readonly string[] => [...programs.keys()];

/** @param name as files are called, without folders and versions */
export const programOf = (name: string): Program => programs.get(name) ?? unlisted;

/** Nothing in it is a folder, a version or an ending: most programs are called so. */
const plainName = /^[a-z_-]*$/;

/** The name by which the table knows a program: python3.13 is python. */
export function nameOf(path: string): string {
  if (plainName.test(path)) return path;
  const name = path
    .slice(path.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, "");
  return name.replace(/(?<=[a-z])@.*$/, "").replace(/(?<=[a-z])[-.]?\d[\d.]*$/, "");
}

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

/** Options of git before the sub-command. */
export const gitOptions =
  "C: c: p P h! v! --git-dir= --work-tree= --namespace= --super-prefix= --config-env= --attr-source= --list-cmds= --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --html-path! --man-path! --info-path! --version! --help!";
/** Settings of git whose value never runs. Any other value is read as a shell line. */
export const gitPlainSettings: RegExp =
  /^(user|author|committer|color|advice|commit|init|safe|push|pull|fetch|branch|log|status|format|http|url|transfer|protocol|rerere|rebase|column|i18n|gc|pack|index|tag|grep|blame|feature|submodule|remote|lfs)\.|^core\.(quotepath|autocrlf|eol|filemode|ignorecase|symlinks|abbrev|bare|compression|longpaths|safecrlf|whitespace|precomposeunicode|untrackedcache|preloadindex)$|^diff\.(renames|noprefix|mnemonicprefix|algorithm|context|colormoved|renamelimit)$|^merge\.(conflictstyle|ff|renames|renamelimit)$|^commit\.|^gpg\.format$/i;

export function words(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(" ")));
}
