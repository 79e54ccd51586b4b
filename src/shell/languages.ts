/** What code of other languages, and settings, may hold where it is to run no program. Apart from the table of programs, because it is about texts. */
import { words } from "./programs.ts";

/** What of an editor's own commands can run a program. */
export const editorRuns: RegExp = /!|system|term|job|py|lua|perl|ruby|tcl|source|^so\b|make|grep|exe|call|norm/i;

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

/** Modules of Python that are programs for files. */
export const pythonModules: ReadonlySet<string> = words(
  "py_compile compileall pytest black ruff mypy flake8 isort pylint bandit pyright json.tool autopep8 yapf pydocstyle pyupgrade",
);

/** With these the file that they are given is only read. */
export const checks: { readonly [name: string]: string } = { bash: "-n", sh: "-n", node: "--check", php: "-l" };

/** Options of any program that take a command, by what they are called. */
export const commandOption: RegExp =
  /^--?(?:exec|execdir|ok|okdir|eval|command|cmd|shell-command|to-command|checkpoint-action|use-compress-program|compress-program|filter|rsh|rsh-command|rsync-path|shell|pager|editor|pre|preprocessor|hostname-bin|upload-pack|receive-pack|extcmd|env-filter)(?:-batch)?(?:=|$)/;
