/**
 * Programs whose arguments are more than data: code, a program to run, a variable's name. Apart because it is a table.
 * It guards against mistakes of a hook's author; a value is never in the line itself, whatever the table knows.
 */

export interface ProgramRow {
  /** No argument may come out of a value: why. */
  never?: string;
  /** Letters of options whose value is code, and the long ones. */
  code?: string;
  codeWords?: readonly string[];
  /** The first operand is code, unless one of these letters gives it. */
  script?: {
    flags: string;
    valued: string;
    given: string;
    long?: readonly string[];
    longValued?: { [option: string]: number };
  };
  /** Without an operand, its standard input is code, or becomes arguments. */
  input?: "unless operand" | "always";
  /** What follows the code is given to it, options or not. */
  positional?: true;
  /** Its operands are a program and its arguments. */
  runs?: Wrapper;
  /** Nothing of its arguments is an option that could do harm. */
  plain?: true;
}

export interface Wrapper {
  flags: string;
  valued: string;
  long?: readonly string[];
  /** Words before the program. */
  operands?: number;
  /** NAME=VALUE may stand before the program. */
  assignments?: true;
  /** Letters of options with which it runs nothing. */
  shows?: string;
}

const shell: ProgramRow = { code: "c", input: "unless operand", positional: true };
const python: ProgramRow = { code: "c", input: "unless operand", positional: true };
const isCode: ProgramRow = { never: "as code" };
const isName: ProgramRow = { never: "where the shell takes a variable's name" };
const isMake: ProgramRow = { never: "as an argument of make, which expands it", input: "always" };
const awk: ProgramRow = { script: { flags: "", valued: "Fv", given: "fe" }, code: "e" };
const sed: ProgramRow = {
  script: {
    flags: "nErsuz",
    valued: "l",
    given: "fe",
    long: ["--quiet", "--regexp-extended", "--in-place", "--null-data"],
  },
  code: "e",
  codeWords: ["--expression"],
};
const jq: ProgramRow = {
  script: {
    flags: "nrcsSeajCMR",
    valued: "L",
    given: "f",
    long: "--null-input --raw-output --compact-output --slurp --sort-keys --exit-status --raw-input --tab --args --join-output".split(
      " ",
    ),
    longValued: { "--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1 },
  },
};
const runner: Wrapper = { flags: "yq", valued: "p", long: ["--yes", "--no", "--no-install", "--quiet"] };

/** By the program's base name. */
const rows: { readonly [names: string]: ProgramRow } = {
  "bash sh dash ash ksh zsh fish rbash": shell,
  "python python2 python3": python,
  "node nodejs": { code: "ep", codeWords: ["--eval", "--print"], input: "unless operand" },
  bun: { code: "e", codeWords: ["--eval", "run", "x", "exec"] },
  deno: { codeWords: ["eval"] },
  perl: { code: "eE", input: "unless operand" },
  ruby: { code: "e", input: "unless operand" },
  php: { code: "rBRE", input: "unless operand" },
  "lua osascript Rscript": { code: "e", input: "unless operand" },
  "psql script flock": { code: "c", codeWords: ["--command"], input: "always" },
  "mysql mariadb": { code: "e", codeWords: ["--execute"], input: "always" },
  "vim vi nvim emacs ex ed gdb": { code: "c", codeWords: ["--cmd", "--eval", "-ex"], input: "always" },
  rsync: { code: "e", codeWords: ["--rsh"] },
  git: {
    codeWords: ["-c", "--config-env", "-x", "--exec", "foreach", "run", "--extcmd", "--upload-pack", "--receive-pack"],
  },
  "npm pnpm yarn": { codeWords: ["run", "run-script", "exec", "dlx", "x", "explore"] },
  find: { codeWords: ["-exec", "-execdir", "-ok", "-okdir"] },
  "awk gawk mawk nawk": awk,
  "sed gsed": sed,
  "jq gojq jaq": jq,
  "eval trap source .": isCode,
  "let declare typeset local read mapfile readarray getopts unset alias unalias complete compgen bind enable shopt":
    isName,
  "ssh parallel watch at batch crontab su runuser tmux screen expect systemd-run pwsh powershell": {
    ...isCode,
    input: "always",
  },
  "sqlite3 bc dc tclsh": { ...isCode, input: "always" },
  "make gmake": isMake,
  "docker podman nerdctl kubectl oc lxc": { codeWords: ["run", "exec", "--"] },
  "echo : true false printf test [": { plain: true },
  "grep egrep fgrep cat ls which type": {},
  env: { runs: { flags: "i0v", valued: "uC", long: ["--ignore-environment"], assignments: true } },
  sudo: {
    runs: { flags: "AbEHnPS", valued: "CDghprRTtuU", long: ["--preserve-env", "--non-interactive"], assignments: true },
  },
  doas: { runs: { flags: "n", valued: "uC", assignments: true } },
  "nohup builtin busybox": { runs: { flags: "", valued: "" } },
  setsid: { runs: { flags: "cfw", valued: "" } },
  nice: { runs: { flags: "0123456789", valued: "n" } },
  ionice: { runs: { flags: "t", valued: "cnpPu" } },
  timeout: { runs: { flags: "fpv", valued: "ks", long: ["--foreground", "--preserve-status"], operands: 1 } },
  time: { runs: { flags: "pv", valued: "" } },
  stdbuf: { runs: { flags: "", valued: "ioe" } },
  exec: { runs: { flags: "cl", valued: "a" } },
  command: { runs: { flags: "p", valued: "", shows: "vV" } },
  xargs: { input: "always", runs: { flags: "0rtxop", valued: "adEILnPs", long: ["--null", "--no-run-if-empty"] } },
  "npx bunx pnpx uvx": { runs: runner },
  chroot: { runs: { flags: "", valued: "", operands: 1 } },
};

const byName: ReadonlyMap<string, ProgramRow> = new Map(
  Object.entries(rows).flatMap(([names, row]) => names.split(" ").map((name) => [name, row] as const)),
);

export const programRow = (name: string): ProgramRow | undefined => byName.get(name);

/** Looked for behind any program: whoever runs them, what they are given is code. */
export const isInterpreter = ({ code, script, input }: ProgramRow): boolean =>
  script !== undefined || (code !== undefined && input !== "always");

/** Programs that look at their arguments and run none of them. */
export const runsNothing = (row: ProgramRow | undefined): boolean =>
  row !== undefined && (row.plain === true || Object.keys(row).length === 0);

/** Options of any program that take a command, by what they are called. */
export const commandOption: RegExp =
  /^--?(?:exec|execdir|ok|okdir|eval|command|cmd|to-command|checkpoint-action|use-compress-program|rsh|rsh-command|rsync-path|shell|pager|editor|pre|preprocessor|upload-pack|receive-pack|extcmd)(?:=|$)/;

/** Variables whose value the shell or a program reads as code, or that change what the line means. */
export const dangerousVariable: RegExp =
  /^(?:PS[0-4]|PROMPT_COMMAND|BASH_\w+|ENV|IFS|PATH|RANDOM|SRANDOM|SECONDS|LINENO|OPTIND|HISTCMD|SHELLOPTS|LD_\w+|DYLD_\w+|NODE_OPTIONS|PYTHON\w*|PERL5\w*|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|GIT_\w*|(?:\w+_)?(?:EDITOR|PAGER|VISUAL|BROWSER)|LESSOPEN|MAKEFLAGS)$/;
