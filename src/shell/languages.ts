/** What code of other languages, and variables, may hold where they are to run no program. Apart from the table of programs, because it is about texts. */
import { words } from "./programs.ts";

/** What of an editor's own commands can run a program. */
export const editorRuns: RegExp = /!|system|term|job|py|lua|perl|ruby|tcl|source|^so\b|make|grep|exe|call|norm/i;

/** What code of another language must not hold, if it is to run no program. Modules of these names only may be imported. */
const harmless =
  "json|sys|re|math|time|datetime|base64|hashlib|random|string|textwrap|itertools|functools|collections|statistics|decimal|csv|uuid|urllib\\.parse|os|subprocess|platform|struct|typing|pprint|locale|calendar|zlib|difflib|fractions|operator|enum|dataclasses|yaml|toml|tomllib";
/** os and subprocess do nothing until something of them is used. */
export const importsHarmless: RegExp = new RegExp(
  [
    "\\bjson\\.(loads?|dumps?)\\b",
    "\\byaml\\.safe_load\\b",
    "\\btomllib\\.loads?\\b",
    "\\bos\\.(getcwd|path\\.\\w+|environ\\.get|environ|sep|name|cpu_count|listdir|linesep)\\b",
    `\\bopen\\(\\s*["'][^"'|]*["']\\s*(,\\s*["']r[bt]?["']\\s*)?(,\\s*encoding=["'][\\w-]+["']\\s*)?\\)`,
    `\\brequire\\(["'](node:)?(fs|path|os|util|url|crypto|assert)["']\\)`,
    `\\brequire\\(["'][\\w./@-]*\\.json["']\\)`,
    `\\bimport\\s+(${harmless})(\\s*,\\s*(${harmless}))*(?=\\s*(;|$))`,
    `\\bfrom\\s+(?!os\\b|subprocess\\b)(${harmless})\\s+import\\s+[\\w, ]+(?=\\s*(;|$))`,
  ].join("|"),
  "gm",
);
const running =
  "system exec spawn popen subprocess child_process eval import require open fork getattr globals locals builtin __ modules " +
  "Function constructor compile pty ctypes %x qx ` << fromCharCode shell passthru pcntl syscall " +
  "writeFile appendFile unlink rmSync rmdir rmtree shutil createWrite copyFile write_text urlopen Deno Bun FileUtils file_put_contents";
export const runsPrograms: RegExp = new RegExp(
  `${running.split(" ").join("|")}|process\\s*\\[|process\\.(binding|main|dlopen|kill)|os\\.|\\b(load|send|do)\\b|\\bfetch\\s*\\(|https?\\.|\\.(rm|rename|truncate|symlink|link|chmod|chown|cp|mkdir|mkdtemp|utimes)(Sync)?\\s*\\(|\\b(File|IO)\\.(write|delete|rename|open)|\\\\[xu0-7]|chr\\s*\\(`,
  "i",
);
/** awk runs programs by system() and by pipes alone. */
export const awkRuns: RegExp = /system|(?<!\|)\|(?!\|)|@|>\s*"/;
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

/** Variables whose value is a shell line that another program will run. */
export const lineVariables: RegExp =
  /^(GIT_(SSH_COMMAND|SSH|EDITOR|PAGER|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|FCEDIT|RSYNC_RSH|PROMPT_COMMAND|SHELL|CC|CXX)$/;
/** The same of build tools and of other programs. What one of them holds that only the shell will know is a program by far most often. */
export const toolVariables: RegExp =
  /^(?:CPP|LD|AR|AS|FC|NM|RANLIB|STRIP|OBJCOPY|RUSTC|RUSTDOC|RUSTC(?:_WORKSPACE)?_WRAPPER|CARGO_BUILD_RUST\w+|CARGO_TARGET_\w+_(?:RUNNER|LINKER)|CMAKE_\w+_(?:COMPILER|LAUNCHER|LINKER)|CC_WRAPPER|CCACHE_PREFIX\w*|CCACHE_COMPILER|FZF_(?:DEFAULT|CTRL_T|ALT_C)_COMMAND|RSYNC_CONNECT_PROG|SVN_(?:SSH|EDITOR|MERGE)|CVS_RSH|CVSEDITOR|HG(?:EDITOR|MERGE)|[Nn][Pp][Mm]_[Cc][Oo][Nn][Ff][Ii][Gg]_(?:\w+_)?(?:shell|editor|viewer|browser)|\w+_(?:PAGER|EDITOR|ASKPASS|SHELL_COMMAND))$/;
/** Variables with options of a program. */
export const optionVariables: { readonly [name: string]: string } = {
  FZF_DEFAULT_OPTS: "fzf",
  GOFLAGS: "go build",
  BAT_OPTS: "bat",
};
/** Variables that change what the rest of the line means. */
export const opaqueVariables: RegExp =
  /^(SHELLOPTS|BASHOPTS|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GIT_CONFIG_(?:COUNT|KEY.*|VALUE.*|PARAMETERS)|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|PERL5OPT|RUBYOPT|PYTHONSTARTUP|TAR_OPTIONS|BASH_FUNC.*|BASH_ALIASES|BASH_CMDS|PERL5DB)$/;
/** Variables with the name of a file that a shell reads first, or with a text in which it fills in what stands in `$( … )`. */
export const startVariables: RegExp = /^(BASH_ENV|ENV|PS[0-4]|MAKEFLAGS|GIT_CONFIG(?:_GLOBAL|_SYSTEM)?)$/;

/** The shell sets them, maybe to what it was given. */
const setByShell =
  /^(?:PWD|OLDPWD|REPLY|DIRSTACK|FUNCNAME|OPTARG|MAPFILE|COPROC|PIPESTATUS|BASH_\w+|READLINE_\w+|COMP_\w+|HOOKLINE_VALUE_\w+)$/;

export const isOwnVariable = (name: string, own: ReadonlySet<string>): boolean =>
  own.has(name) || setByShell.test(name);

/** The shell or a program reads their value as code or as a number, or they change what the line means. */
export const specialVariables: RegExp =
  /^(?:_|PS\d|PROMPT\w*|BASH\w*|ENV|IFS|PATH|CDPATH|HOME|SHELL|SHELLOPTS|RANDOM|SRANDOM|SECONDS|LINENO|OPT(?:IND|ARG|ERR)|HIST\w+|histchars|auto_resume|EPOCH\w+|E?UID|PPID|DIRSTACK|GROUPS|FUNCNAME|FUNCNEST|GLOBIGNORE|EXECIGNORE|COLUMNS|LINES|MAIL\w*|TMOUT|IGNOREEOF|COMP\w*|READLINE\w*|REPLY|MAPFILE|COPROC|PIPESTATUS|PWD|OLDPWD|FCEDIT|INPUTRC|TIMEFORMAT|LC_\w+|LANG|LANGUAGE|LOCPATH|TERM\w*|LD_\w+|DYLD_\w+|MALLOC_\w+|GCONV_PATH|NODE_\w+|NPM_\w+|npm_\w+|YARN_\w+|PNPM_\w+|DENO_\w+|BUN_\w+|TS_NODE\w*|PYTHON\w*|PIP_\w+|PERL\w*|RUBY\w*|GEM_\w+|BUNDLE_\w+|JAVA\w*|_JAVA_OPTIONS|JDK_\w+|CLASSPATH|MAVEN_\w+|GRADLE_\w+|PHP\w*|LUA\w*|R_\w+|GO\w+|CARGO\w*|RUST\w*|GIT_\w+|SSH_\w+|SUDO_\w+|DOCKER_\w+|KUBE\w*|(?:\w*_)?(?:EDITOR|PAGER|VISUAL|BROWSER|ASKPASS)|MANPAGER|PAGER|LESS\w*|MAKE\w*|MFLAGS|TAR_OPTIONS|RSYNC_\w+|ZDOTDIR|XDG_\w+|TMPDIR|HOOKLINE\w*|\w*_(?:proxy|PROXY))$/;

/** Names in capitals that nothing but the line itself reads. */
export const harmlessVariables: RegExp =
  /^(?:[A-Z]|FILE|FILES|FILE_?NAME|FILE_?PATH|DIR|FOLDER|NAME|MESSAGE|MSG|TEXT|TITLE|BODY|CONTENT|VALUE|RESULT|OUT|OUTPUT|INPUT|SRC|DST|TARGET_FILE)$/;
