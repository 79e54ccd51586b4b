/**
 * hookline completion: what a shell offers after `hookline`, made from the table of commands that help reads. The scripts start
 * nothing: what they offer is in them.
 */
import { type Command, type ExitCode, globalFlags, type Invocation, usageError } from "./command.ts";
import { internalCommands } from "./commands.ts";
import { actionsOf, everyCommand, firstNames } from "./find.ts";

export async function completion({ words, usage, terminal }: Invocation): Promise<ExitCode> {
  const [shell] = words;
  const write = shell !== undefined && Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (!write) {
    const what = shell === undefined ? "missing argument SHELL" : `there is no completion for "${shell}"`;
    throw usageError(what, usage);
  }
  terminal.exact(write(await places()));
  return 0;
}

type Offer = readonly [word: string, about: string];

/** What can follow the words of a command. */
interface Place {
  /** Its words, such as "task create"; of the first place "". */
  path: string;
  words: readonly Offer[];
  flags: readonly Offer[];
  /** What can follow a flag. */
  values: readonly (readonly [flag: string, values: readonly string[]])[];
}

/** The longest paths first: the shells take the first that fits. */
async function places(): Promise<Place[]> {
  const all = await everyCommand();
  const names = [...firstNames(all)].filter(([name]) => !internalCommands.has(name));
  const first: Place = {
    path: "",
    words: [...names, ["help", "what the commands are"]],
    flags: flagOffers(globalFlags),
    values: [],
  };
  const paths = [...new Set([...names.map(([name]) => name), ...all.keys()])].filter(
    (path) => !internalCommands.has(path),
  );
  const found = await Promise.all(paths.map((path) => placeOf(path, all)));
  return [first, ...found].toSorted((one, other) => other.path.length - one.path.length);
}

async function placeOf(path: string, all: ReadonlyMap<string, Command>): Promise<Place> {
  const command = all.get(path);
  const flags = command?.flags ?? {};
  return {
    path,
    words: [
      ...actionsOf(all, path).map(([action, { summary }]): Offer => [action, summary]),
      ...((await command?.takes?.()) ?? []).map((word): Offer => [word, ""]),
    ],
    flags: [...flagOffers(flags), ...flagOffers(globalFlags)],
    values: Object.entries(flags).flatMap(([flag, { takes = [] }]) =>
      takes.length > 0 ? [[`--${flag}`, takes] as const] : [],
    ),
  };
}

const flagOffers = (flags: Command["flags"]): Offer[] =>
  Object.entries(flags).flatMap(([flag, { does, isInternal }]) => (isInternal ? [] : [[`--${flag}`, does]]));

// Each shell's own way to say it.

const shells: Readonly<Record<string, (places: readonly Place[]) => string>> = { bash, zsh, fish };

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const namesOf = (offers: readonly Offer[]): string => offers.map(([word]) => word).join(" ");
const shortened = (about: string): string => about.replaceAll("`", "").replace(/[.;:] .*$/s, "");

/** Shared by bash and zsh: the words so far that are no flags, in `$typed`; `path` is a name of zsh's own. */
const readPath = (words: string): string => `  local word typed=
  for word in ${words}; do [[ $word == -* ]] || typed+="$word "; done`;

function bash(all: readonly Place[]): string {
  const values = all.flatMap((place) =>
    place.values.map(([flag, own]) => `    ${quoted(place.path)}" "*" ${flag}") found=${quoted(own.join(" "))} ;;`),
  );
  const words = all.map(({ path, words: own, flags }) => {
    const pattern = path === "" ? "*" : `${quoted(`${path} `)}*`;
    return `      ${pattern}) found=${quoted(namesOf(own))} flags=${quoted(namesOf(flags))} ;;`;
  });
  return `# In ~/.bashrc: eval "$(hookline completion bash)"
_hookline() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} found= flags=
${readPath(`"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  case "$typed $before" in
${values.join("\n")}
  *)
    case "$typed" in
${words.join("\n")}
    esac ;;
  esac
  [[ $current == -* ]] && found=$flags
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _hookline hookline`;
}

function zsh(all: readonly Place[]): string {
  const list = (offers: readonly Offer[]): string =>
    offers.map(([word, about]) => quoted(about === "" ? word : `${word}:${shortened(about)}`)).join(" ");
  const values = all.flatMap((place) =>
    place.values.map(
      ([flag, own]) => `    ${quoted(place.path)}" "*" ${flag}") found=(${own.map(quoted).join(" ")}) ;;`,
    ),
  );
  const words = all.map(({ path, words: own, flags }) => {
    const pattern = path === "" ? "*" : `${quoted(`${path} `)}*`;
    return `      ${pattern}) found=(${list(own)}) flags=(${list(flags)}) ;;`;
  });
  return `#compdef hookline
# In ~/.zshrc, after compinit: eval "$(hookline completion zsh)"
_hookline() {
  local current=\${words[CURRENT]} before=\${words[CURRENT-1]}
  local -a found flags
${readPath(`\${words[2,CURRENT-1]}`)}
  case "$typed $before" in
${values.join("\n")}
  *)
    case "$typed" in
${words.join("\n")}
    esac ;;
  esac
  [[ $current == -* ]] && found=($flags)
  if (( $#found )); then _describe -o hookline found; else _files; fi
}
compdef _hookline hookline`;
}

function fish(all: readonly Place[]): string {
  const lines = all.flatMap(({ path, words, flags, values }) => {
    const when = quoted(`__hookline_at ${path}`.trim());
    const isTop = path === "";
    const start = `complete -c hookline -n ${when}`;
    return [
      ...words.map(([word, about]) => `${start} -f -a ${quoted(word)} -d ${quoted(shortened(about))}`),
      ...flags
        .filter(([flag]) => isTop || !Object.hasOwn(globalFlags, flag.slice(2)))
        .map(([flag, about]) => {
          const own = values.find(([name]) => name === flag)?.[1];
          const takes = own ? ` -x -a ${quoted(own.join(" "))}` : "";
          return `complete -c hookline${isTop ? "" : ` -n ${when}`} -l ${flag.slice(2)} -d ${quoted(shortened(about))}${takes}`;
        }),
    ];
  });
  return `# In ~/.config/fish/config.fish: hookline completion fish | source
function __hookline_at
  set -l words (string match --invert -- '-*' (commandline --tokenize --cut-at-cursor --current-process)[2..])
  test (count $argv) -eq 0; and begin; test (count $words) -eq 0; return; end
  test "$words[1..$(count $argv)]" = "$argv"
end
${lines.join("\n")}`;
}
