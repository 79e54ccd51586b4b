/** Variables of a shell line: which are lines themselves, and in a line with placeholders which may be set and hold values. */
import { type Reader, refuse, type ShellWord, show } from "./judge-reading.ts";

/** Variables whose value is a shell line that another program will run. */
export const lineVariables: RegExp =
  /^(GIT_(SSH_COMMAND|SSH|EDITOR|PAGER|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|FCEDIT|RSYNC_RSH|PROMPT_COMMAND|SHELL|CC|CXX)$/;
/** Variables that change what the rest of the line means. */
export const opaqueVariables: RegExp =
  /^(BASH_ENV|ENV|PS[0-4]|SHELLOPTS|BASHOPTS|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GIT_CONFIG.*|GIT_EXEC_PATH|PERL5OPT|RUBYOPT|PYTHONSTARTUP|TAR_OPTIONS|MAKEFLAGS|BASH_FUNC.*|BASH_ALIASES|BASH_CMDS)$/;

/** The shell sets them, maybe to what it was given. */
const setByShell =
  /^(?:PWD|OLDPWD|REPLY|DIRSTACK|FUNCNAME|OPTARG|MAPFILE|COPROC|PIPESTATUS|BASH_\w+|READLINE_\w+|COMP_\w+|HOOKLINE_VALUE_\w+)$/;

export const isOwnVariable = (name: string, own: ReadonlySet<string>): boolean =>
  own.has(name) || setByShell.test(name);

/** The shell or a program reads their value as code or as a number, or they change what the line means. */
const special =
  /^(?:_|PS\d|PROMPT\w*|BASH\w*|ENV|IFS|PATH|CDPATH|HOME|SHELL|SHELLOPTS|RANDOM|SRANDOM|SECONDS|LINENO|OPT(?:IND|ARG|ERR)|HIST\w+|histchars|auto_resume|EPOCH\w+|E?UID|PPID|DIRSTACK|GROUPS|FUNCNAME|FUNCNEST|GLOBIGNORE|EXECIGNORE|COLUMNS|LINES|MAIL\w*|TMOUT|IGNOREEOF|COMP\w*|READLINE\w*|REPLY|MAPFILE|COPROC|PIPESTATUS|PWD|OLDPWD|FCEDIT|INPUTRC|TIMEFORMAT|LC_\w+|LANG|LANGUAGE|LOCPATH|TERM\w*|LD_\w+|DYLD_\w+|MALLOC_\w+|GCONV_PATH|NODE_\w+|NPM_\w+|npm_\w+|YARN_\w+|PNPM_\w+|DENO_\w+|BUN_\w+|TS_NODE\w*|PYTHON\w*|PIP_\w+|PERL\w*|RUBY\w*|GEM_\w+|BUNDLE_\w+|JAVA\w*|_JAVA_OPTIONS|JDK_\w+|CLASSPATH|MAVEN_\w+|GRADLE_\w+|PHP\w*|LUA\w*|R_\w+|GO\w+|CARGO\w*|RUST\w*|GIT_\w+|SSH_\w+|SUDO_\w+|DOCKER_\w+|KUBE\w*|(?:\w*_)?(?:EDITOR|PAGER|VISUAL|BROWSER|ASKPASS)|MANPAGER|PAGER|LESS\w*|MAKE\w*|MFLAGS|TAR_OPTIONS|RSYNC_\w+|ZDOTDIR|XDG_\w+|TMPDIR|HOOKLINE\w*|\w*_(?:proxy|PROXY))$/;

/** Names in capitals that nothing but the line itself reads. */
const harmless =
  /^(?:[A-Z]|FILE|FILES|FILE_?NAME|FILE_?PATH|DIR|FOLDER|NAME|MESSAGE|MSG|TEXT|TITLE|BODY|CONTENT|VALUE|RESULT|OUT|OUTPUT|INPUT|SRC|DST|TARGET_FILE)$/;

/** NAME=value in front of a command, alone, or behind `env` and `export`. */
export function judgeAssignment(reader: Reader, word: ShellWord): void {
  const [, name = ""] = /^([A-Za-z_]\w*)=/.exec(word.raw) ?? [];
  if (name === "") refuse(`at ${show(word.raw)}, which is no plain NAME=…`, word.marks);
  judgeName(name, word);
  if (word.isOwn && /[A-Z]/.test(name) && !harmless.test(name))
    refuse(`as the value of ${name}, which a program may read (name your own in small letters)`, word.marks);
  setVariable(reader, name, word.value);
}

/** A name that the line sets, whatever to. */
export function judgeName(name: string, { raw, marks }: ShellWord): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) refuse(`at ${show(raw)}, where the shell takes a variable's name`, marks);
  if (special.test(name)) refuse(`in a line that sets ${name}, which changes what programs do`, marks);
}

export function setVariable({ found }: Reader, name: string, leading: ShellWord["leading"]): void {
  const known = found.assigned.get(name);
  if (known) known.push(leading);
  else found.assigned.set(name, [leading]);
}
