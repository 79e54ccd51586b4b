/** The redirections of a command: its files, and what standard input gives it. */
import type { Redirection } from "unbash";
import type { Redirect } from "../engine/effects.ts";
import { expandWord, isUnknown } from "./expand.ts";
import { madeAt } from "./made.ts";
import { type Input, knownIn, type Reading, type Shell } from "./shell.ts";

export interface Redirects {
  redirects: Redirect[];
  input: Input;
  from: readonly number[];
  /** Standard output goes to a file. */
  isElsewhere: boolean;
}

const hows: { readonly [operator: string]: readonly Redirect["how"][] } = {
  ">": ["writes"],
  ">|": ["writes"],
  "&>": ["writes"],
  ">&": ["writes"],
  ">>": ["appends"],
  "&>>": ["appends"],
  "<": ["reads"],
  "<>": ["reads", "writes"],
};

/** The nodes inside of them have been walked already. */
export function readRedirects(nodes: readonly Redirection[], shell: Shell, reading: Reading): Redirects {
  if (nodes.length === 0) return { redirects: [], isElsewhere: false, input: shell.input, from: shell.from };
  const redirects: Redirect[] = [];
  let isElsewhere = false;
  for (const node of nodes) {
    if (node.type !== "Redirect" || !node.target) continue;
    const path = expandWord(node.target, knownIn(shell, reading)).join(" ");
    const isStandard = node.descriptor === undefined || descriptorOf(node) === 1;
    if (/>/.test(node.operator) && node.operator !== "<>" && isStandard) isElsewhere = !/^&?[12]$/.test(path);
    if (/&$/.test(node.operator) && /^(\d+-?|-)$/.test(path)) continue; // another descriptor
    for (const how of hows[node.operator] ?? []) redirects.push({ path, how });
  }
  return { redirects, isElsewhere, ...inputOf(nodes, shell, reading) };
}

const isInput = (redirect: Redirection): boolean =>
  redirect.type !== "Redirect" || ["<", "<>", "<&"].includes(redirect.operator);

const descriptorOf = ({ descriptor }: Redirection): number | undefined =>
  descriptor?.type === "FileDescriptor" ? descriptor.value : undefined;

/** What the last redirection of standard input gives. */
function inputOf(nodes: readonly Redirection[], shell: Shell, reading: Reading): Pick<Redirects, "input" | "from"> {
  const last = nodes.filter(isInput).at(-1);
  if (!last) return { input: shell.input, from: shell.from };
  const from = last.type === "Redirect" ? shell.given : [];
  // Standard input stays what it was: `exec 3<>/dev/tcp/localhost/5432`.
  if (descriptorOf(last) !== undefined && descriptorOf(last) !== 0) return { input: shell.input, from: shell.from };
  if (last.descriptor && descriptorOf(last) !== 0) return { input: "fed", from: shell.from };
  const known = knownIn(shell, reading);
  if (last.type === "HereString") {
    const text = last.target ? expandWord(last.target, known).join(" ") : undefined;
    return { input: text === undefined || isUnknown(text) ? "fed" : { text: `${text}\n` }, from };
  }
  if (last.type === "HereDoc") {
    const text = last.operator === "<<-" ? last.body.text.replace(/^\t+/gm, "") : last.body.text;
    return { input: last.delimiter?.quoted || !/[$`\\]/.test(text) ? { text } : "fed", from };
  }
  const [part, ...others] = last.target?.parts ?? [];
  const text = part?.type === "ProcessSubstitution" && others.length === 0 ? reading.prints.get(part) : undefined;
  if (text !== undefined) return { input: { text }, from };
  const [path] = last.operator === "<" && last.target ? expandWord(last.target, known) : [];
  const isFile = path !== undefined && !isUnknown(path) && !/^\/(dev|proc)\//.test(path);
  if (!isFile) return { input: "fed", from };
  const holds = madeAt(reading, path, { shell })?.holds;
  if (holds?.is === "text") return { input: { text: holds.text }, from: [] };
  return { input: holds?.is === "unknown" ? "fed" : "file", from: [] };
}
