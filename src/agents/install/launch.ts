/**
 * The shell texts between a registered line and Hookline: `start.sh` starts a client, `gone.sh` answers where none can be started,
 * and `.hookline/launch.sh` is what a team commits, without a path of anybody's machine. All are read by the agent's own sh and
 * start no program on the way to a client. Without Hookline a guard's event is refused, and all others pass (R78, R79).
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { makePrivateFolder, writePrivate } from "../../files/write.ts";
import { agents, conventions, hookFiles } from "../index.ts";
import { clientFile, goneFile, startFile } from "./own-call.ts";

/** As one word of a shell, whatever it holds. */
export const asWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export interface Launched {
  /** Absolute paths: the Node that runs us, and our bin. */
  program: readonly [string, string];
  /** The compiled client; absent: there is none for this machine. */
  native?: {
    file: string;
    /** While it is there, this is a machine that can run the client. */
    loader: string;
    /** A daemon of another version refuses it. */
    version: string;
  };
  /** The bash that runs the shell's client; absent: there is none. Without any client it is Node. */
  bash?: string;
}

/** Writes what registered lines read, and keeps notes of guards from here on. May throw what the file system says. */
export function writeLaunchers(stateFolder: string, launched: Launched): void {
  makePrivateFolder(stateFolder, ["guarded"]);
  for (const { file, text } of launcherTexts(stateFolder, launched))
    if (textAt(file) !== text) writePrivate(file, text);
}

const textAt = (file: string): string | undefined => (existsSync(file) ? readRegularTextSync(file) : undefined);

/** What belongs into the files that registered lines read. */
export const launcherTexts = (stateFolder: string, launched: Launched): { file: string; text: string }[] => [
  { file: startFile(stateFolder), text: startText(stateFolder, launched) },
  { file: goneFile(stateFolder), text: goneText(stateFolder) },
];

/** Node and the bin that start.sh names; undefined: there is none, or another program has written it. May throw what the file system says. */
export function launchedProgram(stateFolder: string): Launched["program"] | undefined {
  const name = String.raw`'((?:[^']|'\\'')*)'`;
  const last = new RegExp(`^\\[ -x ${name} \\] && \\[ -f ${name} \\] && exec`, "m").exec(
    textAt(startFile(stateFolder)) ?? "",
  );
  const [node, bin] = last?.slice(1).map((one) => one.replaceAll(`'\\''`, "'")) ?? [];
  return node === undefined || bin === undefined ? undefined : [node, bin];
}

/** "$@" is the call. What is started takes the shell's place; where nothing can be, the text behind this one goes on. */
function startText(stateFolder: string, { program: [node, bin], native, bash }: Launched): string {
  const [start, client, gone] = [startFile, clientFile, goneFile].map((file) => asWord(file(stateFolder)));
  const compiled = native && asWord(native.file);
  const words = native && [native.version, node, bin].map(asWord).join(" ");
  const first =
    native && `[ -e ${asWord(native.loader)} ] && [ -x ${compiled} ] && exec ${compiled} ${words} ${gone} "$@"\n`;
  const asks = bash && `[ -x ${asWord(bash)} ] && [ -r ${client} ] && exec ${asWord(bash)} -p ${client} "$@"\n`;
  return `# Hookline: starts its client for an agent's event. Written by "hookline install" as ${start}; "hookline uninstall" takes it away.
${first ?? ""}${asks ?? ""}[ -x ${asWord(node)} ] && [ -f ${asWord(bin)} ] && exec ${asWord(node)} ${asWord(bin)} "$@"
[ -r ${gone} ] && . ${gone}
`;
}

/** Called as a program or read by a line: "$@" is the call, and --because=WORDS may follow it. It ends the shell. */
const goneText = (stateFolder: string): string => `\
# Hookline: what an agent's event comes to where Hookline cannot be started. Written by "hookline install".
hl_state=${asWord(stateFolder)}
${answerText()}`;

const launcherMark = "# hookline:managed launcher";

/** Below the project's root. */
export const launcherOf = (root: string): string => join(root, ".hookline", "launch.sh");
export const isLauncher = (text: string): boolean => text.split("\n", 3).includes(launcherMark);

/** The same for everybody: what differs between machines is found when it runs. */
export const launcherText = (): string => `\
# Starts Hookline for the agents of this project, or refuses what a guard waits for where Hookline is missing.
${launcherMark}
# Written by "hookline install AGENT --layer project" and read by the lines that it registered: commit both. It downloads nothing.
hl_state=\${HOME-}/.local/state/hookline
case \${XDG_STATE_HOME-} in /*) hl_state=$XDG_STATE_HOME/hookline ;; esac
[ -r "$hl_state/start.sh" ] && . "$hl_state/start.sh"
${answerText()}`;

/**
 * Runs a Hookline of the PATH, unless a project has put it there: one that npm or an agent was started with lists the project's own.
 *
 * @param folder words of a shell: folders of the project
 */
export const onPathText = (folder: string, call: string): string => `\
hl_path=$PATH:
while [ "$hl_path" ] && command -v node >/dev/null 2>&1; do
  hl_one=\${hl_path%%:*} hl_path=\${hl_path#*:}
  case $hl_one in */node_modules/.bin | */node_modules/.bin/) continue ;; /*) ;; *) continue ;; esac
  for hl_folder in ${folder}; do
    hl_folder=\${hl_folder%/}
    case $hl_one/ in "$hl_folder"/*) continue 2 ;; esac
  done
  [ -f "$hl_one/hookline" ] && [ -x "$hl_one/hookline" ] && exec "$hl_one/hookline" ${call}
done
`;

/** Names of the shell's own begin with hl_: the person's exported variables go on to Hookline as they came. */
function answerText(): string {
  const projectFiles = hookFiles().flatMap(({ project, local }) => [project, local].filter((one) => one !== undefined));
  const project = conventions.projectVariables().reduceRight((otherwise, name) => `\${${name}:-${otherwise}}`, "$PWD");
  return `\
hl_agent=$2 hl_event=$4 hl_by=$6 hl_said='' hl_tried='' hl_why='Hookline cannot be started' hl_do='install Hookline again, or put its command hookline on your PATH'
# Who has cloned the repository, and never had a Hookline.
if [ "$hl_by" = project ] && ! [ -d "$hl_state" ]; then
  hl_why='Hookline cannot be started: it runs the hooks of coding agents, this repository asks for it in .hookline/, and you have not installed it (npm docs hookline opens its page)'
  hl_do='npm install -g hookline installs it'
fi
for hl_word; do
  case $hl_word in
  --guarded) hl_said=yes ;;
  --because=*) hl_why=\${hl_word#*=} hl_tried=yes ;;
  esac
done
hl_project=${project}
hl_here=$(pwd -P 2>/dev/null)
hl_there=$(cd -P -- "$hl_project" 2>/dev/null && pwd -P)

# Whether a person has trusted this folder as it is: the project's own package runs nowhere else.
hl_trusts() {
  case $1 in '' | *[\\\\\\"[:cntrl:]]*) return 1 ;; esac
  hl_inode=$(ls -di -- "$1" 2>/dev/null) || return 1
  hl_inode=\${hl_inode#"\${hl_inode%%[0-9]*}"}
  for hl_file in "$hl_state"/trust/*.json; do
    [ -f "$hl_file" ] && [ -O "$hl_file" ] || continue
    IFS= read -r hl_line <"$hl_file" || [ "$hl_line" ] || continue
    case $hl_line in '{"version":1,"path":"'"$1"'","identity":"'"\${hl_inode%% *}":*',"items":{"'*) return 0 ;; esac
  done
  return 1
}

# What has been tried and does not run would only lead here again.
if [ -z "$hl_tried" ]; then
${onPathText('"$hl_here" "$hl_there"', '"$@"')}
if [ "$hl_by" = project ] && [ -x "$hl_there/node_modules/.bin/hookline" ] && command -v node >/dev/null 2>&1 && hl_trusts "$hl_there"; then
  exec "$hl_there/node_modules/.bin/hookline" "$@"
fi
fi

# The person's own way out. A project's settings can set variables too, so it does not count where one of them may have.
hl_is_off() {
  [ "\${HOOKLINE_DISABLE-}" = 1 ] || return 1
  for hl_file in ${projectFiles.map(asWord).join(" ")}; do
    hl_file=$hl_there/$hl_file
    [ -e "$hl_file" ] || continue
    [ -r "$hl_file" ] || return 1
    while IFS= read -r hl_line || [ "$hl_line" ]; do
      case $hl_line in *HOOKLINE_DISABLE* | *\\\\u*) return 1 ;; esac
    done <"$hl_file"
  done
}
# By what the last load has noted: of a folder's guards, and of those that are active everywhere.
hl_is_guarded() {
  for hl_file in "$hl_state"/guarded/*; do
    [ -f "$hl_file" ] || continue
    { IFS= read -r hl_folder && IFS= read -r hl_calls; } <"$hl_file" || return 0
    hl_folder=\${hl_folder%/} # quoted as a part of a pattern, bash 5.2 matches nothing with it where it comes to nothing
    case $hl_here/ in "$hl_folder"/*) ;; *)
      case $hl_there/ in "$hl_folder"/*) ;; *) continue ;; esac ;;
    esac
    case " $hl_calls " in *" $hl_agent/$hl_event "*) return 0 ;; esac
  done
  # What a team has committed holds for who has never loaded it, and what install has written where the notes are lost.
  [ "$hl_said" ] && { [ "$hl_by" = project ] || ! [ -d "$hl_state/guarded" ]; }
}

# An agent that cannot write its payload may take the answer for none.
{ cat || while IFS= read -r hl_line; do :; done; } >/dev/null 2>&1
if hl_is_off; then
  printf 'hookline: %s, and HOOKLINE_DISABLE is set, so no hook runs\\n' "$hl_why" >&2
  exit 0
elif hl_is_guarded; then
  case $hl_agent/$hl_event in
${refusalsOfAgents()}
  esac
  printf 'hookline: %s, and a guard is active for this event, so it is blocked — %s; ${wayOut}\\n' "$hl_why" "$hl_do" "$hl_agent" "$hl_by" >&2
  exit 2
fi
printf 'hookline: %s, so its hooks do not run — %s; hookline uninstall %s --layer %s takes it out\\n' "$hl_why" "$hl_do" "$hl_agent" "$hl_by" >&2
exit 0
`;
}
/** Of agents that read a refusal in their own form only: the reason goes without what only the shell knows. */
const refusalsOfAgents = (): string =>
  Object.values(agents)
    .flatMap(({ name, sends, refuse }) =>
      [...sends].map((event) => ({ call: `${name}/${event}`, reply: refuse(blockedAlone, event) })),
    )
    .flatMap(({ call, reply: { body, exitCode } }) =>
      body === undefined ? [] : [`  ${call}) printf '%s\\n' ${asWord(JSON.stringify(body))}; exit ${exitCode} ;;`],
    )
    .join("\n");
const blockedAlone =
  "hookline: Hookline cannot be started, and a guard is active for this event, so it is blocked — npm install -g hookline installs it (npm docs hookline opens its page), and HOOKLINE_DISABLE=1 in your own environment does without it in this session";

const wayOut =
  "HOOKLINE_DISABLE=1 in your own environment does without it in this session, and hookline uninstall %s --layer %s takes it out";
