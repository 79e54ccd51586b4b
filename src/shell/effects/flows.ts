/**
 * Where data goes inside of one line: what came from the network, was decoded or is a secret, through pipes, substitutions and
 * files that the line writes, to a shell that runs it or a program that sends it.
 */
import type { Effect, SimpleCommand, Source } from "../../engine/effects.ts";
import { resolvePath } from "../../engine/file-pattern.ts";
import { unknownText } from "../../engine/pattern.ts";
import { secretName } from "./code/read.ts";
import type { CommandEffects } from "./command.ts";
import { has, valuesOf } from "./doings.ts";
import { isAt, type Where } from "./places.ts";
import { putIn } from "./transfers.ts";

type Labels = ReadonlySet<Source>;
const none: Labels = new Set();

/** Programs that print all variables, where they are given none. */
const printsAll = /^(?:env|printenv|export|set|declare|compgen)$/;
const printsSecrets: ReadonlyMap<string, RegExp> = new Map([
  ["gh", /^auth token/],
  ["gcloud", /^auth (?:print-access-token|print-identity-token|application-default print-access-token)/],
  [
    "aws",
    /^(?:secretsmanager get-secret-value|ssm get-parameters?|configure (?:export-credentials|get)|sts get-session-token|ecr get-login)/,
  ],
  ["az", /^(?:account get-access-token|keyvault secret show)/],
  ["vault", /^(?:kv get|read|print token)/],
  ["op", /^(?:read|item get)/],
  ["pass", /^(?:show|[\w-]+\/)/],
  ["security", /^(?:find-(?:generic|internet)-password|dump-keychain|export)/],
  ["secret-tool", /^lookup/],
  ["kubectl", /^get secrets?\b/],
  ["heroku", /^auth:token|^config\b/],
  ["doppler", /^secrets/],
  ["bw", /^get/],
  ["lpass", /^show/],
  ["gpg", /export-secret/],
  ["npm", /^(?:config get .*token|token)/],
]);

export function flowsIn(commands: readonly SimpleCommand[], each: readonly CommandEffects[], where: Where): Effect[] {
  if (!each.some((own, index) => takesData(own, commands[index]))) return [];
  const outputs = new Map<number, Labels>();
  const files = new Map<string, Labels>();
  /** Where archives were unpacked and repositories cloned. */
  const folders = new Map<string, Labels>();
  const flows: Effect[] = [];
  const children = new Map<number, number[]>();
  for (const [index, { by }] of commands.entries())
    if (by !== undefined) children.set(by, [...(children.get(by) ?? []), index]);

  const inputOf = (index: number, depth = 0): Labels => {
    const command = commands[index];
    if (!command || depth > 20) return none;
    const own = union(command.input.map((one) => outputOf(one, depth + 1)));
    return command.by === undefined || command.input.length > 0 ? own : union([own, inputOf(command.by, depth + 1)]);
  };
  const givenTo = (index: number, depth: number): Labels =>
    union((commands[index]?.given ?? []).map((one) => outputOf(one, depth + 1)));

  function outputOf(index: number, depth: number): Labels {
    const known = outputs.get(index);
    if (known) return known;
    const command = commands[index];
    const own = each[index];
    if (!command || !own || depth > 20) return none;
    outputs.set(index, none); // a loop of edges ends here
    const found = union([
      sourcesOf(own, command, files, where),
      ...(own.row.isSilent || isCounting(own) ? [] : [inputOf(index, depth + 1), givenTo(index, depth)]),
      ...(children.get(index) ?? []).map((child) => outputOf(child, depth + 1)),
    ]);
    outputs.set(index, found);
    return found;
  }

  for (const [index, own] of each.entries()) {
    const output = outputOf(index, 0);
    const add = (from: Source, to: "shell" | "network"): void => {
      if (!flows.some((one) => one.command === index && one.from === from && one.to === to))
        flows.push({ is: "pipes", command: index, from, to });
    };
    const input = inputOf(index);
    const given = givenTo(index, 0);
    const run = union([
      own.takesInput ? input : none,
      own.takesWords ? given : none,
      ...own.effects.filter(({ is }) => is === "executes").map(({ path = "" }) => labelsAt(path, files, folders)),
    ]);
    for (const from of run) if (from === "network" || from === "decoded") add(from, "shell");
    if (own.code?.fetches && own.code.runs) add("network", "shell");
    if (own.code?.decodes && own.code.runs) add("decoded", "shell");
    const isNetwork = own.effects.some(({ is }) => is === "network");
    if (isNetwork) {
      const sent = union([
        input,
        authorizes(commands[index]) ? none : given,
        labelsOf(
          [...own.sent, ...pathsIn(commands[index])].map((path) => ({ path, below: true as const })),
          where,
        ),
        isSentByShell(commands[index]) ? output : none,
        own.program === "gh" ? none : labelsOf(givenFiles(own, commands[index]), where),
        ...own.sent.map((path) => files.get(path) ?? none),
        own.code ? union([sourcesOf(own, commands[index], files, where)]) : none,
      ]);
      for (const from of sent) if (from === "credentials" || from === "environment") add(from, "network");
    }
    const unpacked = unpackedBy(own, commands[index]);
    if (unpacked !== undefined)
      folders.set(
        unpacked,
        union([
          input,
          output,
          ...own.effects.map(({ path = "" }) => files.get(path) ?? none),
          /^(?:git|gh)$/.test(own.program) ? new Set<Source>(["network"]) : none,
        ]),
      );
    for (const { is, path } of own.effects)
      if (is === "writes" && path !== undefined)
        files.set(
          path,
          union([
            files.get(path) ?? none,
            output,
            input,
            own.row.fetches || isNetwork ? new Set<Source>(["network"]) : none,
          ]),
        );
  }
  return flows;
}

function labelsAt(path: string, files: ReadonlyMap<string, Labels>, folders: ReadonlyMap<string, Labels>): Labels {
  const of = [...folders].flatMap(([folder, labels]) => (path.startsWith(`${folder}/`) ? [labels] : []));
  return union([files.get(path) ?? none, ...of]);
}

/** The folder that the command fills with what it got. */
function unpackedBy({ program, spelled }: CommandEffects, command: SimpleCommand | undefined): string | undefined {
  const at = (folder: string): string | undefined =>
    command?.cwd === undefined && !folder.startsWith("/") ? undefined : resolvePath(folder, command?.cwd ?? "/");
  if (/^(?:g|bsd)?tar$/.test(program) && has(spelled, "extract", "get", "x"))
    return at(valuesOf(spelled, "directory", "C")[0] ?? ".");
  if (program === "unzip") return at(valuesOf(spelled, "d")[0] ?? ".");
  const clones =
    (program === "git" && spelled.subcommand === "clone") || (program === "gh" && spelled.subcommand === "repo clone");
  if (!clones) return undefined;
  const [address = "", folder] = spelled.operands;
  return at(
    folder ??
      address
        .replace(/\/+$/, "")
        .replace(/^.*[/:]/, "")
        .replace(/\.git$/, ""),
  );
}

const keyHeader = /^(?:(?:proxy-)?authorization|(?:x-[\w-]*|api-|private-|job-)(?:token|key|auth)[\w-]*)\s*:/i;

/** `curl -H "Authorization: Bearer $(gh auth token)"`: a service is shown the key that it has given. */
function authorizes(command: SimpleCommand | undefined): boolean {
  const open = command?.words.filter((word) => word.includes(unknownText)) ?? [];
  return open.length > 0 && open.every((word) => keyHeader.test(word));
}

/** `env > /dev/tcp/host/port` */
const isSentByShell = (command: SimpleCommand | undefined): boolean =>
  command?.redirects.some(({ path, how }) => how !== "reads" && /^\/dev\/(?:tcp|udp)\//.test(path)) ?? false;

/** `sftp host <<< "put ~/.netrc"` */
function pathsIn(command: SimpleCommand | undefined): string[] {
  const text = command?.text ?? "";
  const named = text.split(/\s+/).filter((word) => /^[~/]/.test(word));
  const sent = putIn(text).map((word) => (/^[~/]/.test(word) ? word : resolvePath(word, command?.cwd ?? "/")));
  return [...named, ...sent].slice(0, 50);
}

/** `ssh host 'cat > x' < ~/.netrc` */
function givenFiles({ effects }: CommandEffects, command: SimpleCommand | undefined): Effect[] {
  const count = command?.redirects.filter(({ how }) => how === "reads").length ?? 0;
  return count === 0 ? [] : effects.filter(({ is }) => is === "reads").slice(-count);
}

/** Without somebody that runs or sends what it gets, no data goes anywhere that counts. */
const takesData = ({ takesInput, takesWords, effects }: CommandEffects, command: SimpleCommand | undefined): boolean =>
  takesInput || takesWords || effects.some(({ is }) => is === "network" || is === "executes") || isSentByShell(command);

function union(all: readonly Labels[]): Labels {
  const some = all.filter(({ size }) => size > 0);
  const [only] = some;
  if (some.length < 2) return only ?? none;
  return new Set(some.flatMap((one) => [...one]));
}

/** `grep -c`, `grep -q` and the like tell next to nothing. */
const isCounting = ({ program, spelled }: CommandEffects): boolean =>
  /^(?:e|f|g|z)?grep$|^rg$/.test(program) &&
  has(spelled, "count", "c", "quiet", "q", "silent", "files-with-matches", "l");

function sourcesOf(
  own: CommandEffects,
  command: SimpleCommand | undefined,
  files: ReadonlyMap<string, Labels>,
  where: Where,
): Labels {
  const found = new Set<Source>();
  const { row, program, spelled, effects } = own;
  if (row.fetches) found.add("network");
  if (row.decodes?.(spelled)) found.add("decoded");
  if (row.isSilent || isCounting(own)) return found;
  const read = effects.filter(({ is }) => is === "reads");
  for (const label of labelsOf(read, where)) found.add(label);
  for (const { path = "" } of read) for (const label of files.get(path) ?? none) found.add(label);
  if (own.code?.readsEnvironment) found.add("environment");
  if (printsAll.test(program) && !spelled.operands.some((word) => !word.includes("="))) {
    if (!(program === "env" && (command?.words.length ?? 0) > 1 && spelled.operands.length > 0))
      found.add("environment");
  } else if (program === "printenv" && spelled.operands.some((word) => secretName.test(word))) found.add("environment");
  if (printsSecret(own, command)) found.add("credentials");
  return found;
}

function printsSecret({ program, spelled }: CommandEffects, command: SimpleCommand | undefined): boolean {
  const shape = printsSecrets.get(program);
  if (!shape) return false;
  const plain = [spelled.subcommand ?? "", ...spelled.operands].join(" ").trim();
  return shape.test(plain) || shape.test((command?.words ?? []).slice(1).join(" "));
}

function labelsOf(paths: readonly Pick<Effect, "path" | "below">[], where: Where): Labels {
  const isSecret = paths.some(({ path = "", below }) => {
    const place = { path, below };
    return isAt("credentials", place, where) || isAt("environment files", place, where);
  });
  return isSecret ? new Set<Source>(["credentials"]) : none;
}
