/** Programs that run a command on another machine or in a container: what runs there is known, the folder and the home are not. */
import { blanks, isUnknown } from "./expand.ts";
import { readOptions } from "./options.ts";
import { type Program, programOf } from "./programs.ts";
import { type Call, quietly, readLine } from "./shell.ts";

type Words = readonly string[];

interface Elsewhere {
  /** Sub-commands that run something; "": the program itself. */
  runs: readonly string[];
  /** How many operands stand before the command: the host, the image. */
  before: number;
  /** The operands are a line, as ssh sends them; else they are words. */
  isLine?: true;
  /** The command stands behind `--` alone. */
  afterDashes?: true;
}

const remote: Elsewhere = { runs: [""], before: 1, isLine: true };
const containers: Elsewhere = {
  runs: ["exec", "run", "compose exec", "compose run", "container exec", "container run"],
  before: 1,
};
const table: { readonly [program: string]: Elsewhere } = {
  ssh: remote,
  autossh: remote,
  docker: containers,
  podman: containers,
  nerdctl: containers,
  "docker-compose": { runs: ["exec", "run"], before: 1 },
  kubectl: { runs: ["exec"], before: 1, afterDashes: true },
  oc: { runs: ["exec", "rsh"], before: 1, afterDashes: true },
  lxc: { runs: ["exec"], before: 1, afterDashes: true },
  multipass: { runs: ["exec"], before: 1, afterDashes: true },
  heroku: { runs: ["run"], before: 0 },
};

/** Options whose value is a line for the other side: `gcloud compute ssh host --command 'ls'`. */
const lineOptions: { readonly [program: string]: RegExp } = {
  gcloud: /^--command(?:=|$)/,
  vagrant: /^(?:-c|--command)(?:=|$)/,
  fly: /^(?:-C|--command)(?:=|$)/,
  flyctl: /^(?:-C|--command)(?:=|$)/,
};

/** The folder and the variables of this machine say nothing there. */
export function there(call: Call): Call {
  const shell = { ...call.shell, variables: new Map([["IFS", blanks]]), functions: new Map() };
  return { ...call, shell, direct: false, folder: undefined };
}

/** Words of options that this table does not know end the reading: what runs there is then not looked at. */
function runThere(words: Words, call: Call): void {
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const row = Object.hasOwn(table, name) ? table[name] : undefined;
  if (row === undefined) return;
  const options = programOf(name);
  const found = subcommandOf(row, words, options);
  if (found === undefined) return;
  const { sub, from } = found;
  const dashes = rest.indexOf("--");
  if (row.afterDashes && dashes > 0) {
    runWords(rest.slice(dashes + 1), sub, call);
    return;
  }
  const {
    given,
    rest: operands,
    fault,
    stops,
  } = readOptions([sub, ...rest.slice(from)], options, {
    ...(sub === "" ? {} : { subcommand: options.aliases?.[sub] ?? sub }),
    permutes: false,
  });
  if (fault !== undefined || stops) return;
  const behind = operands.slice(row.before);
  const entry = given.findLast((one) => one.name === "entrypoint")?.value;
  const inner = entry ? [entry, ...behind] : behind;
  // A shell there reads what this one is given.
  if (inner.length === 0 && row.isLine && typeof call.input === "object") readLine(call.input.text, there(call));
  if (inner.length === 0) return;
  const image = /\brun$/.test(sub) && !entry ? /([\w.-]+)(?:[:@].*)?$/.exec(operands[0] ?? "")?.[1] : undefined;
  if (image !== undefined) quietly(call.reading, () => runWords([image, ...inner], sub, { ...call, isPerhaps: true }));
  const line = inner.join(" ");
  // What nobody can tell runs there, not here: rules about this machine do not hold for it.
  if (row.isLine && !isUnknown(line)) readLine(line, there(call));
  else if (row.isLine) return;
  else runWords(inner, sub, call);
}

const runWords = (words: Words, source: string, call: Call): void => {
  if (words.length > 0 && !/[\0*?[]/.test(words[0] ?? "")) call.reading.command(words, { ...there(call), source });
};

/** @returns its name, and where the words behind it begin */
function subcommandOf(
  { runs }: Elsewhere,
  [program = "", ...words]: Words,
  row: Program,
): { sub: string; from: number } | undefined {
  if (runs.includes("")) return { sub: "", from: 0 };
  const [first = "", second = ""] = readOptions([program, ...words], row).rest;
  const at = words.indexOf(first);
  if (runs.includes(first)) return { sub: first, from: at + 1 };
  if (first !== "compose" && first !== "container") return undefined;
  const inner = readOptions([first, ...words.slice(at + 1)], row, { subcommand: first }).rest[0] ?? second;
  const sub = `${first} ${inner}`;
  return runs.includes(sub) ? { sub, from: words.indexOf(inner, at + 1) + 1 } : undefined;
}

function runLines(words: Words, call: Call): void {
  const option = lineOptions[words[0] ?? ""];
  for (const [index, word] of words.entries()) {
    if (!option?.test(word)) continue;
    const equals = word.indexOf("=");
    readLine(equals > 0 ? word.slice(equals + 1) : (words[index + 1] ?? ""), there(call));
  }
}

export const elsewhere: ReadonlyMap<string, (words: Words, call: Call) => void> = new Map([
  ...Object.keys(table).map((name) => [name, runThere] as const),
  ...Object.keys(lineOptions).map((name) => [name, runLines] as const),
]);
