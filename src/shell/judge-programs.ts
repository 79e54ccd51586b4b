/**
 * Programs and builtins that make more of an argument or of their input than data. Apart because it is a table.
 * It cannot be complete: what a program that is not in it does with an argument is up to who writes the rule.
 */

/** What may stand in front of the program that a wrapper runs; anything else is refused. */
export interface Wrapper {
  flags: RegExp;
  /** Options with a value behind them. */
  valued?: RegExp;
  /** Words before the program. */
  operands?: number;
  /** NAME=VALUE may stand before the program. */
  assignments?: true;
}

const none = /^$/;

export const wrappers: { readonly [name: string]: Wrapper } = {
  env: { flags: /^-i$/, valued: /^-u$/, assignments: true },
  nohup: { flags: none },
  setsid: { flags: /^-[cfw]$/ },
  nice: { flags: /^-\d+$/, valued: /^-n$/ },
  timeout: { flags: /^(?:-v|--foreground|--preserve-status|-[ks]\w+)$/, valued: /^-[ks]$/, operands: 1 },
  time: { flags: /^-p$/ },
  stdbuf: { flags: /^-[ioe](?:[L0]|\d+)$/, valued: /^-[ioe]$/ },
  command: { flags: none },
  exec: { flags: none },
  sudo: { flags: /^(?:-[nEHk]|--)$/, valued: /^-[ug]$/ },
  npx: { flags: /^(?:-y|--yes|--no|--no-install|-q|--quiet)$/ },
  bunx: { flags: none },
  pnpx: { flags: none },
  uvx: { flags: none },
};

/** They run a file that is named literally, and give it its arguments and its input; nothing else of them is taken. */
export const interpreters: ReadonlySet<string> = words(
  "sh bash dash zsh ksh mksh python pypy perl ruby node nodejs deno bun tsx ts-node php lua luajit rscript tclsh osascript julia groovy",
);

/** Shells whose `-c` can be read as this line is. */
export const readableShells: ReadonlySet<string> = words("sh bash dash");

/** Modules of Python that are programs for files. */
export const pythonModules: ReadonlySet<string> = words(
  "py_compile compileall pytest black ruff mypy flake8 isort pylint bandit pyright json.tool autopep8 yapf pydocstyle pyupgrade",
);

/** With these the file that they are given is only read. */
export const checks: { readonly [name: string]: string } = { bash: "-n", sh: "-n", node: "--check", php: "-l" };

/** Nothing of their arguments is an option that could do harm. */
export const plain: ReadonlySet<string> = words("echo : true false printf test [ exit return break continue");

/** Nothing of theirs is taken in a line with values: code, commands, names of variables, or what changes the line. */
export const refused: ReadonlySet<string> = words(
  "eval source . trap let declare typeset local readonly alias unalias shopt set shift unset mapfile readarray getopts complete compgen compopt bind enable builtin hash fc history jobs bg fg disown coproc select function caller dirs popd emulate autoload zmodload wait",
  "xargs parallel watch entr hyperfine concurrently npm-run-all run-s run-p nodemon onchange chokidar cross-env cross-env-shell dotenv dotenvx direnv shx lint-staged husky lerna nx turbo wireit run-parts start-stop-daemon",
  "ssh scp sftp rsync mosh rsh su runuser doas pkexec sg newgrp chroot unshare nsenter setpriv capsh taskset chrt ionice prlimit numactl strace ltrace perf valgrind gdb lldb flock script scriptreplay expect unbuffer screen tmux byobu at batch crontab systemd-run watchexec fswatch chronic socat nc ncat faketime firejail bwrap proot fakeroot dbus-run-session xvfb-run ssh-agent gosu tini dumb-init catchsegv cpulimit rlwrap torsocks proxychains",
  "csh tcsh fish ash rbash yash busybox toybox nu xonsh elvish oil osh pwsh powershell cmd wish sqlite psql mysql mariadb mongosh mongo redis-cli clickhouse-client duckdb ed ex vi vim view vimdiff nvim emacs emacsclient nano man bc dc m4 gnuplot octave r scala kotlin jshell ghci runghc runhaskell erl elixir iex irb pry ipython jupyter clojure clj bb racket guile sbcl awkcc dotnet java gs tex latex pdflatex xelatex lualatex groff troff debugfs ftp lftp telnet zip",
  "make gmake bmake cmake ninja just task mage rake gradle gradlew mvn ant bazel cargo go swift",
  "uv poetry pipenv pdm hatch pipx bundle rbenv pyenv nvm asdf mise conda mamba nix nix-shell nix-build guix volta fnm corepack",
);

/** Of these only some subcommands are known to run nothing that they are given. */
export const subcommands: { readonly [name: string]: ReadonlySet<string> } = {
  git: words(
    "add diff log status show blame checkout switch restore rm mv ls-files ls-tree check-ignore commit stash branch tag rev-parse fetch pull push merge reset cat-file",
  ),
  docker: words("ps images logs inspect"),
  podman: words("ps images logs inspect"),
  nerdctl: words("ps images logs inspect"),
  kubectl: words("get describe logs"),
  oc: words("get describe logs"),
};

/** They run what stands in files of the project, and may make a shell's line of their arguments: those are all literal. */
export const taskRunners: ReadonlySet<string> = words(
  "npm pnpm yarn make gmake just task cargo go mvn gradle gradlew dotnet poetry bundle rake",
);

/** Programs with a language of their own: code that has to be literal and to run nothing, then files. */
export interface Language {
  flags: RegExp;
  valued?: RegExp;
  /** Options with two words behind them, of which the second is data. */
  named?: RegExp;
  code(text: string): boolean;
}

const awk: Language = {
  flags: /^-F[^-]*$/,
  valued: /^-F$/,
  code: (text) =>
    !/system|getline|ENVIRON|ARGV|[|@]|>|printf?\s*\(?[^;}]*"-"/.test(text.replaceAll("||", "").replaceAll(">=", "")),
};
const sed: Language = { flags: /^(?:-[nErsuz]+|-[nErsuz]*i(?:\.\w+)?|--in-place)$/, code: isHarmlessSed };
const jq: Language = {
  flags:
    /^(?:-[nrcsSeajCMR]+|--(?:null-input|raw-output|compact-output|slurp|sort-keys|exit-status|raw-input|tab|join-output|args|jsonargs))$/,
  named: /^--(?:arg|argjson|slurpfile|rawfile)$/,
  code: () => true,
};

export const languages: { readonly [name: string]: Language } = {
  ...{ awk, gawk: awk, mawk: awk, nawk: awk, sed, gsed: sed, jq, gojq: jq, jaq: jq },
  yq: {
    flags: /^-[rPiyj]+$/,
    code: (text) => !/^(?:e|ea|eval|eval-all|shell-completion)$|system|eval|load/.test(text),
  },
  sort: { flags: /^-[bdfgikmnrsuVzhMR]+$/, valued: /^-[kt]$/, code: () => true },
  split: { flags: /^-(?:[dxe]|[labn]\d+)$/, valued: /^-[labn]$/, code: () => true },
  tar: { flags: /^-[ctxvzjJfpkm]+$/, valued: /^-C$/, code: () => true },
};

const sedCommand =
  /\s*(?:(?:\d+|\$|\/[^/\\\n]*\/)(?:,(?:\d+|\$|\/[^/\\\n]*\/))?!?)?\s*(?:[dpqDG=]|s([^\w\s\\])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIi\d]*)\s*(?:[;\n]|$)/y;

/** Only s without its flags e and w, and commands that have no argument. */
function isHarmlessSed(text: string): boolean {
  sedCommand.lastIndex = 0;
  while (sedCommand.lastIndex < text.length) if (!sedCommand.test(text)) return false;
  return text !== "";
}

/** Options of any program that take a command, by what they are called. */
export const commandOption: RegExp =
  /^--?(?:exec|execdir|ok|okdir|eval|command|cmd|shell-command|to-command|checkpoint-action|use-compress-program|compress-program|filter|rsh|rsh-command|rsync-path|shell|pager|editor|pre|preprocessor|hostname-bin|upload-pack|receive-pack|extcmd|env-filter)(?:-batch)?(?:=|$)/;

/** A program may have the name of something that every object has. */
export const rowOf = <Row>(table: { readonly [name: string]: Row }, name: string): Row | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

function words(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(" ")));
}
