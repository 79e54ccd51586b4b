/** The deeds of one call: those that its effects and its commands tell, those of the files that it runs, and what it tells another agent to do. */
import { posix } from "node:path";
import { baseName, type Spelling, unknownText } from "../../engine/command-pattern.ts";
import type { CallEffects, CallToRead, Effect, SimpleCommand } from "../../engine/effects.ts";
import type { Patterns } from "../../engine/ports.ts";
import { filesOfPatch, lineOfCall } from "../../engine/tool-input.ts";
import { classOf } from "../../engine/tools.ts";
import { textAt } from "../../files/regular-file.ts";
import { dataDestroyed, deedsOfCommand, isDatabaseClient, spokenOf, things } from "./commands.ts";
import { anything, type Deed, escaped } from "./deed.ts";
import { type Hidden, hiddenIn } from "./hidden.ts";

export interface CallDeeds {
  deeds: readonly Deed[];
  commands: readonly SimpleCommand[];
  /** All of its text. */
  text: string;
  /** Code that stands in it. */
  code: string;
  /** What it says to another agent. */
  words: string;
  hidden: readonly (CallDeeds & { path: string })[];
}

type Reading = Pick<Patterns, "effects" | "spell">;
interface Place {
  workspace: string;
  home: string;
}

const kinds: Partial<Readonly<Record<Effect["is"], string>>> = {
  deletes: "removes",
  writes: "writes",
  reads: "reads",
  permits: "permits",
  executes: "executes",
};

/** Files run files, which run files, and maybe each other. */
const deepest = 3;
const filesAtMost = 50;
interface Nesting {
  depth: number;
  /** What was read on the way, by its file and text. */
  seen: Set<string>;
}

/** Never throws. */
export function deedsOf(
  call: CallToRead,
  reading: Reading,
  place: Place,
  { depth, seen }: Nesting = { depth: 0, seen: new Set() },
): CallDeeds {
  const effects = reading.effects?.(call, place) ?? { commands: [], effects: [], unknown: [] };
  const line = lineOfCall(call.tool, call.input)?.line;
  const code = effects.commands.flatMap(codeOf).join("\n");
  const words = [...saidByTool(call), ...effects.commands.flatMap(saidToAgent)].join("\n");
  const text = line ?? JSON.stringify(call.input);
  const inWords =
    words === ""
      ? []
      : spans(words).flatMap((one) => [...deedsOf(asLine(one, call), reading, place, { depth: deepest, seen }).deeds]);
  return {
    deeds: [
      ...fromEffects(effects),
      ...effects.commands.flatMap((command, index) =>
        ofCommand(command, index, { reading, place, cwd: call.cwd, effects }),
      ),
      ...(line === undefined ? ofTool(call) : [...skipsHooks(line, effects), ...losesStashed(effects)]),
      ...inWords,
    ],
    commands: effects.commands,
    ...{ text, code, words },
    hidden:
      depth >= deepest
        ? []
        : hiddenIn(effects, call.cwd, textAt)
            .filter((one) => isNew(one, seen))
            .map((one) => ofHidden(one, call, reading, place, { depth: depth + 1, seen })),
  };
}

function isNew({ path, text }: Hidden, seen: Set<string>): boolean {
  const key = `${path}\n${text}`;
  if (seen.has(key) || seen.size >= filesAtMost) return false;
  seen.add(key);
  return true;
}

const asLine = (command: string, call: CallToRead, cwd: string = call.cwd): CallToRead => ({
  ...call,
  cwd,
  tool: "Bash",
  input: { command },
});
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function ofHidden(
  { path, text, is, cwd }: Hidden,
  call: CallToRead,
  reading: Reading,
  place: Place,
  nesting: Nesting,
): CallDeeds & { path: string } {
  const own = typeof is === "object" ? `${is.code} ${quoted(text)}` : is === "shell" ? text : undefined;
  const read = own === undefined ? nothing : deedsOf(asLine(own, call, cwd), reading, place, nesting);
  const data = is === "shell" || is === "statements" || typeof is === "object" ? destroysData(text) : [];
  return {
    ...read,
    path,
    deeds: [...read.deeds, ...data],
    text,
    code: is === "shell" || is === "statements" ? read.code : text,
  };
}
const nothing: CallDeeds = { deeds: [], commands: [], text: "", code: "", words: "", hidden: [] };
const destroysData = (text: string): Deed[] => dataDestroyed(text).map((on) => ({ kind: "destroys data", on }));

function fromEffects({ effects, commands }: CallEffects): Deed[] {
  const hosts = effects.flatMap(({ is, host }) => (is === "network" && host !== undefined ? host : []));
  return effects.flatMap((effect): Deed[] => {
    const { is, path, below, host, command, from, to } = effect;
    const by = command === undefined ? {} : { command };
    const kind = kinds[is];
    if (kind !== undefined && path !== undefined) {
      const own: Deed[] = [{ kind, on: path, ...(below && { below }), ...by }];
      const one = command === undefined ? undefined : commands[command];
      if (is === "reads" && /^\/proc\/[^/]+\/environ$/.test(path))
        own.push({ kind: "prints environment", on: anything, ...by });
      if (is === "writes" && one && isEmptying(one)) own.push({ kind: "empties", on: path, ...by });
      if (is === "executes" && /^(?:source|\.)$/.test(one?.words[0] ?? ""))
        own.push({ kind: "reads", on: path, ...by });
      return own;
    }
    if (is === "network" && host !== undefined)
      return [{ kind: "connects", on: host.replace(/^\w+:\/\//, "").replace(/[/:].*$/, ""), ...by }];
    if (is === "pipes")
      return (hosts.length > 0 ? hosts : [anything]).map((on) => ({ kind: `passes ${from} to ${to}`, on, ...by }));
    return is === "elevates" ? [{ kind: "elevates", on: innerOf(command, commands), ...by }] : [];
  });
}

/** What another command runs as another user. */
const innerOf = (by: number | undefined, commands: readonly SimpleCommand[]): string =>
  (commands.find((one) => one.by === by) ?? commands[by ?? 0])?.words.join(" ") ?? anything;

function isEmptying({ words: [program = "", ...rest], redirects, code }: SimpleCommand): boolean {
  const name = baseName(program);
  const plain = rest.filter((word) => word !== "-n" && word !== "");
  if (/^(?::|true)$/.test(name) || (/^(?:echo|printf)$/.test(name) && plain.length === 0))
    return redirects.some(({ how }) => how === "writes");
  if (/^(?:cp|cat|dd|tee|install)$/.test(name))
    return [...rest, ...redirects.map(({ path }) => path)].some((word) => /\/dev\/(?:null|zero)$/.test(word));
  return (
    name === "truncate" ||
    (code !== undefined &&
      /\.truncate\b|["'][wW]b?["']\s*\)\.close|write(?:File\w*|_text)?\([^)]*["']["']\s*\)/.test(code))
  );
}

interface Around {
  reading: Reading;
  place: Place;
  cwd: string;
  effects: CallEffects;
}

function ofCommand(command: SimpleCommand, index: number, around: Around): Deed[] {
  const { reading, place, cwd, effects } = around;
  const { text = "", cwd: folder = cwd } = command;
  const words = ownProgram(command.words);
  const at = (word: string): string =>
    posix.resolve(word.startsWith("~/") ? place.home : folder, word.replace(/^~\//, ""));
  const spelled = reading.spell?.(words);
  const program = baseName(words[0] ?? "");
  const code = codeOf(command).join("\n");
  const said = isDatabaseClient(program) ? [...words.slice(1), text, ...pipedTo(command, effects)].join("\n") : code;
  const runsOthers = effects.commands.some(({ by }) => by === index);
  return [
    ...(spelled ? deedsOfCommand(spokenOf(spelled, words)) : []),
    ...destroysData(said),
    ...byCode(code, at),
    ...pathsOf(words, at),
    ...patchedBy(command, at),
    ...givenTo(
      words,
      effects.effects.some((one) => one.command === index),
      at,
    ),
    ...fedToShell(command, effects),
    ...inContainer(command, effects, { reading, place, cwd }),
    ...(runsOthers || !spelled ? [] : [{ kind: "runs", on: plainly(spelled) }]),
  ].map((deed) => ({ ...deed, command: index }));
}

/** `python -m pip` is pip. */
const ownProgram = (words: readonly string[]): readonly string[] =>
  words[1] === "-m" && words.length > 2 && /^(?:python|pypy)[\d.]*$/.test(baseName(words[0] ?? ""))
    ? words.slice(2)
    : words;

/** They tell no content of what they name. */
const lookers =
  /^(?:ls|stat|test|\[|\[\[|git|echo|printf|chmod|chown|touch|mkdir|rm|mv|ln|file|wc|du|find|basename|dirname|realpath|readlink|which|type|cd|hookline|export|eslint|prettier|biome|\w*lint)$/;

/** A program whose table says nothing reads the files that it is given, and asks the addresses. */
function givenTo([program = "", ...rest]: readonly string[], isKnown: boolean, at: (word: string) => string): Deed[] {
  const name = baseName(program);
  if (isKnown || lookers.test(name)) return [];
  const values = rest
    .map((word) => word.replace(/^--?[\w-]+=/, ""))
    .filter((word) => !word.startsWith("-") && word.length < 300);
  const hosts = values.flatMap((word) => /^(?:https?|ftp|wss?):\/\/(?:[^@/]*@)?([^/:?#]+)/.exec(word)?.[1] ?? []);
  const boxes = /^(?:sftp|ftp|lftp|telnet|mosh)$/.test(name)
    ? values.slice(0, 1).map((word) => word.replace(/^.*@/, "").replace(/:.*$/, ""))
    : [];
  return [
    ...[...hosts, ...boxes].map((on) => ({ kind: "connects", on })),
    ...values.filter((word) => /^[\w./~-]+$/.test(word)).map((word) => ({ kind: "reads", on: at(word) })),
  ];
}

/** What programs are called as well, and options that change nothing of what is done. */
const alsoCalled: Readonly<Record<string, string>> = {
  gmake: "make",
  podman: "docker",
  nerdctl: "docker",
  tofu: "terraform",
};
const neutral: ReadonlySet<string> = new Set(
  "C directory s silent quiet q k keep-going j jobs v verbose y yes no-color color".split(" "),
);

function plainly({ program, subcommand = "", options, operands }: Spelling): string {
  const told = options
    .filter(({ name }) => !neutral.has(name.replace(/^-+/, "")))
    .map(({ name, value }) => `${name}${value === undefined ? "" : `=${value}`}`)
    .sort();
  return [alsoCalled[program] ?? program, subcommand, ...operands, ...told].filter((part) => part !== "").join(" ");
}

const pipedTo = ({ input }: SimpleCommand, { commands }: CallEffects): string[] =>
  input.flatMap((from) => commands[from]?.words.slice(1).join(" ") ?? []);

/** A shell that is given a file to read runs it. */
function fedToShell({ words, input, redirects }: SimpleCommand, { effects }: CallEffects): Deed[] {
  if (!/^(?:ba|z|da|k)?sh$/.test(baseName(words[0] ?? "")) || (input.length === 0 && redirects.length === 0)) return [];
  return effects.flatMap(({ is, path, command }) =>
    is === "reads" && path !== undefined && command !== undefined && input.includes(command)
      ? [{ kind: "executes", on: path }]
      : [],
  );
}

/** The files that a patch changes, which stand in it. */
function patchedBy({ words, redirects, text }: SimpleCommand, at: (word: string) => string): Deed[] {
  const [program = "", sub = "", ...rest] = words;
  const name = baseName(program);
  if (name !== "patch" && !(name === "git" && /^(?:apply|am)$/.test(sub))) return [];
  const files = [...rest, ...(name === "patch" ? [sub] : [])].filter((word) => word !== "" && !word.startsWith("-"));
  const given = [...files, ...redirects.flatMap(({ how, path }) => (how === "reads" ? path : []))];
  const patches = [text ?? "", ...given.map((path) => textAt(at(path)) ?? "")].filter((one) => one !== "");
  return patches.flatMap((patch) => filesOfPatch({ patch }).files.map((path) => ({ kind: "writes", on: at(path) })));
}

/** The code that a command is given. */
function codeOf({ words, code, text }: SimpleCommand): string[] {
  if (
    !/^(?:python|pypy|node|nodejs|bun|deno|ruby|perl|php|lua|tsx|osascript|Rscript|awk|gawk)[\d.]*$/.test(
      baseName(words[0] ?? ""),
    )
  )
    return [];
  const given = words.filter((_, at) => /^-(?:[a-z]*[cerp]|-eval|-print)$/.test(words[at - 1] ?? ""));
  return [code ?? "", text ?? "", ...given].filter((one) => one !== "");
}

/** What code does to processes, to the modes of files, and with its whole environment. */
const byCode = (code: string, at: (word: string) => string): Deed[] => [
  ...killsIn(code),
  ...(/\bos\.environ\b(?!\s*[.[])|\bprocess\.env\b(?!\s*(?:\?\.|[.[]))/.test(code)
    ? [{ kind: "prints environment", on: anything }]
    : []),
  ...[...code.matchAll(/\b(?:chmod|chown)\w*\(\s*["']([^"'\n]+)["']/g)].map(([, path = ""]) => ({
    kind: "permits",
    on: at(path),
  })),
];
const killsIn = (code: string): Deed[] =>
  [...code.matchAll(/\b(?:os|process|Process)\.kill\(\s*["']?([\w-]+)/g)].map(([, on = anything]) => ({
    kind: "kills",
    on,
  }));

/** Files that git and options name in their own ways. */
function pathsOf(words: readonly string[], at: (word: string) => string): Deed[] {
  const [program = "", sub = "", ...rest] = words;
  const reads = words.flatMap((word, index) => {
    const value =
      /^--env-file=(.+)$/.exec(word)?.[1] ?? (/^--env-file$/.test(words[index - 1] ?? "") ? word : undefined);
    return value === undefined ? [] : [value];
  });
  const found: Deed[] = reads.map((path) => ({ kind: "reads", on: at(path) }));
  if (baseName(program) !== "git") return found;
  const plain = rest.filter((word) => !word.startsWith("-"));
  if (/^(?:show|cat-file|archive|diff|log|blame|annotate|grep)$/.test(sub))
    for (const word of plain) found.push({ kind: "reads", on: at(word.replace(/^[^:\s]*:(?=[^/])/, "")) });
  if (
    sub === "clean" &&
    rest.some((word) => /^-\w*f/.test(word) || word === "--force") &&
    !rest.some((word) => /^(?:-\w*n\w*|--dry-run)$/.test(word))
  )
    for (const path of plain.length > 0 ? plain : rest.some((word) => /^-\w*[xX]/.test(word)) ? ["."] : [])
      found.push({ kind: "removes", on: at(path), below: true });
  if (/^(?:checkout|restore)$/.test(sub) && (rest.includes("--") || sub === "restore"))
    for (const path of rest.includes("--") ? rest.slice(rest.indexOf("--") + 1) : plain)
      found.push({ kind: "writes", on: at(path) });
  return found;
}

/** A container that is given a folder of this machine does there what its own paths say. */
function inContainer(
  command: SimpleCommand,
  { commands }: CallEffects,
  { reading, place, cwd }: Omit<Around, "effects">,
): Deed[] {
  if (!/^(?:docker|podman|nerdctl)$/.test(baseName(command.words[0] ?? ""))) return [];
  const mounts = command.words.flatMap((word, index): [string, string][] => {
    const given =
      /^(?:--volume=|-v)(.+:.+)$/.exec(word)?.[1] ??
      (/^(?:-v|--volume)$/.test(command.words[index - 1] ?? "") ? word : undefined);
    const [from = "", to = ""] = given?.split(":") ?? [];
    const [, bound] = /(?:source|src)=([^,]+)/.exec(word) ?? [];
    const [, target] = /(?:target|dst|destination)=([^,]+)/.exec(word) ?? [];
    return bound && target
      ? [[bound, target]]
      : to === ""
        ? []
        : [[posix.resolve(cwd, from), to.replace(/(?<=.)\/$/, "")]];
  });
  const folder = command.words[command.words.findIndex((word) => /^(?:-w|--workdir)$/.test(word)) + 1] ?? "/";
  const outside = (text: string): string =>
    mounts.reduce(
      (all, [from, to]) => all.replaceAll(new RegExp(`(?<![\\w.])${escaped(to)}(?=/|\\s|$|['"])`, "g"), () => from),
      text,
    );
  if (mounts.length === 0) return [];
  const own = commands.indexOf(command);
  return commands
    .filter(({ by }) => by !== undefined && by >= own)
    .flatMap(({ words }) => {
      const line = words.map((word) => quoted(outside(word))).join(" ");
      const call = { tool: "Bash", input: { command: line }, cwd: outside(folder), home: place.home };
      return fromEffects(reading.effects?.(call, place) ?? { commands: [], effects: [], unknown: [] });
    });
}

/** Checks of a commit are also left out by variables. */
const skipsHooks = (line: string, { commands }: CallEffects): Deed[] =>
  /(?:^|[\s;&|(])(?:HUSKY|HUSKY_SKIP_HOOKS|LEFTHOOK|SKIP|PRE_COMMIT_ALLOW_NO_CONFIG|OVERCOMMIT_DISABLE)=/.test(line) ||
  /core\.hookspath/i.test(line)
    ? commands.some(({ words }) => words[0] === "git" && words.some((word) => /^(?:commit|merge|config)$/.test(word)))
      ? [{ kind: "skips checks of commit", on: anything }]
      : []
    : [];

/** Changes that are put away and then dropped in one line. */
function losesStashed({ commands }: CallEffects): Deed[] {
  const stashes = commands.filter(({ words }) => words[0] === "git" && words[1] === "stash");
  const drops = ({ words }: SimpleCommand): boolean => /^(?:drop|clear)$/.test(words[2] ?? "");
  const puts = ({ words }: SimpleCommand): boolean => words[2] === undefined || /^(?:-.*|push|save)$/.test(words[2]);
  return stashes.some(drops) && stashes.some(puts) ? [{ kind: "loses changes", on: anything }] : [];
}

const destroys = /(?:^|[_.-])(?:delete|destroy|drop|purge|terminate|remove|wipe)(?:$|[_.-])/i;

/** What a tool says of itself by its name, and what it writes where its kind of file means more than text. */
function ofTool({ tool, input, cwd }: CallToRead): Deed[] {
  const texts = textsIn(input);
  if (destroys.test(tool.replaceAll(/([a-z])([A-Z])/g, "$1_$2")))
    return things(texts).map((on) => ({ kind: "destroys", on }));
  if (/(?:^|[_.-])merge(?:$|[_.-])/i.test(tool)) return numbersIn(input).map((on) => ({ kind: "merges", on }));
  if (classOf(tool) !== "write") return [];
  const path = typeof input.file_path === "string" ? input.file_path : "";
  const isEmpty = input.content === "";
  const added = /(?:^|\/)(?:package\.json|requirements\S*\.txt|pyproject\.toml|Cargo\.toml|Gemfile|go\.mod)$/.test(path)
    ? namesAdded(path, texts.join("\n"))
    : [];
  return [...(isEmpty && path !== "" ? [{ kind: "empties", on: posix.resolve(cwd, path) }] : []), ...added];
}

const ecosystemOf: readonly (readonly [RegExp, string])[] = [
  [/package\.json$/, "js"],
  [/(?:requirements\S*\.txt|pyproject\.toml)$/, "python"],
  [/Cargo\.toml$/, "rust"],
];
function namesAdded(path: string, text: string): Deed[] {
  const ecosystem = ecosystemOf.find(([form]) => form.test(path))?.[1];
  const names = [...text.matchAll(/^\s*["']?([@\w./-]+)["']?\s*(?:[:=]\s*["'{]|[=~<>]=|$)/gm)].map(([, name = ""]) =>
    name.toLowerCase(),
  );
  return ecosystem === undefined ? [] : names.map((on) => ({ kind: `installs ${ecosystem}`, on }));
}

const textsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];
const numbersIn = (value: unknown): string[] =>
  typeof value === "number"
    ? [String(value)]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : [];

/** Tools by which an agent gives work to another one. */
const givesWork =
  /^(?:Task|Agent|agent|task|delegate\w*|spawn_agent|subagent\w*|dispatch_agent|SendMessage|new_task|codebase_investigator|call_agent|send_input)$/;
const saidByTool = ({ tool, input }: CallToRead): string[] => (givesWork.test(tool) ? textsIn(input) : []);

const agentPrograms =
  /^(?:claude|codex|gemini|opencode|qwen|copilot|aider|goose|crush|cline|kilo|droid|cursor-agent|amp|pi)$/;
const saidToAgent = ({ words: [program = "", ...rest], text }: SimpleCommand): string[] =>
  agentPrograms.test(baseName(program))
    ? [...rest.filter((word) => /\s/.test(word)), ...(text === undefined ? [] : [text])]
    : [];

/** Commands that stand in words: between backquotes, in a block, behind a dollar sign. */
function spans(words: string): string[] {
  const blocks = [...words.matchAll(/```\w*\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const inside = [...words.matchAll(/(?<!`)`([^`\n]{2,500})`/g)].map(([, span = ""]) => span);
  const typed = [...words.matchAll(/^\s*\$ (.+)$/gm)].map(([, line = ""]) => line);
  const named = [
    ...words.matchAll(
      /\b(?:run|execute|exec|call|type|do)\b:?\s+((?:rm|git|npm|npx|curl|wget|find|psql|docker|kubectl|terraform|python3?|node|bash|sh|sudo|chmod|cat|kill|mv|dd|shred)\s[^\n]+)/gi,
    ),
  ].map(([, line = ""]) => line.replace(/[.;,]?\s*$/, ""));
  return [...blocks, ...inside, ...typed, ...named].filter((one) => !one.includes(unknownText));
}
