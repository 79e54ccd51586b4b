/**
 * The simple commands of a shell line, as bash would run them (R10): through lists, pipes, subshells, substitutions,
 * functions, wrappers and quotes. What another program gets only as text (an argument, a here-document, a comment)
 * is no command. What the line does not tell becomes an entry of `unknown`, and the reading goes on. Apart because the
 * parser costs a start 15 ms.
 */
import { parse } from "unbash";
import type { ShellPlace, ShellReading } from "../engine/effects.ts";
import { unknownText } from "../engine/pattern.ts";
import { assignedIn } from "./assigned.ts";

import { blanks, mentionedIn, unknownPath, type Variables } from "./expand.ts";
import { run } from "./runs.ts";
import { noteRuns, type Shell } from "./shell.ts";
import { countWork, giveUp } from "./tree.ts";
import { lastCommand, visit, type Walk } from "./walk.ts";

const longestLine = 200_000;
const mostHereDocuments = 2000;
/** The parser looks at what is in brackets once for each bracket around it: characters times brackets. */
const mostNested = 3_000_000;
const deepestLine = 8;
const tooLong = "cannot read the line: it is too long or too deep";

/**
 * Words of every command, the program first. A word that only the shell will know holds `unknownText`.
 *
 * @returns what could be read; the rest is in `unknown`. Never throws
 * @example readShell("cd x && sudo git push", { cwd: "/a", home: "/home/ada" }).commands.map(({ words }) => words)
 * // [["cd", "x"], ["sudo", "git", "push"], ["git", "push"]]
 */
export function readShell(line: string, place: ShellPlace): ShellReading {
  const walk = createWalk(place);
  try {
    if (line.length > longestLine) giveUp();
    if (line.length > shortLine) boundNesting(line);
    walk.line(line, firstShell(place));
    for (const start of walk.starts) start();
    const before = walk.starts.length;
    readUncalled(walk);
    for (const start of walk.starts.slice(before)) start();
  } catch {
    noteRuns(walk, tooLong); // it has been given up, or is nested deeper than the stack is
  }
  return {
    commands: walk.found,
    unknown: [...walk.unknown.values()],
    ...(walk.links.size > 0 ? { links: walk.links } : {}),
    ...(walk.made.size > 0 ? { made: textsOf(walk) } : {}),
    ...(walk.forks ? { forks: true } : {}),
  };
}

const textsOf = ({ made }: Walk): NonNullable<ShellReading["made"]> =>
  [...made.values()].flat().flatMap(({ path, holds }) => {
    if (holds.is !== "text") return [];
    return { path, text: holds.text, ...(holds.adds ? { adds: true as const } : {}) };
  });

/** Shorter ones cannot hold too much of anything. */
const shortLine = 1500;

function boundNesting(line: string): void {
  if (line.split("<<").length > mostHereDocuments) giveUp();
  if (line.length * deepestBracket(line) > mostNested) giveUp();
}

/** How many brackets are open at once, quoted or not. */
function deepestBracket(line: string): number {
  let deepest = 0;
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === opens) depth++;
    else if (code === closes && depth > 0) depth--;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}
const opens = 40;
const closes = 41;

const noNames: ReadonlySet<string> = new Set();

function createWalk({
  home,
  runsOthers = noNames,
  textAt = () => undefined,
  gitAlias = () => undefined,
}: ShellPlace): Walk {
  const walk: Walk = {
    depth: 0,
    nodes: 0,
    home,
    runsOthers,
    textAt,
    gitAlias,
    found: [],
    unknown: new Map(),
    unsteady: new Set(),
    aliases: new Map(),
    made: new Map(),
    links: new Map(),
    hashed: new Map(),
    starts: [],
    prints: new Map(),
    mentioned: new Set(),
    uncalled: new Map(),
    changesPath: false,
    forks: false,
    line(text, shell, rest = []) {
      if (++walk.depth > deepestLine || text.includes(unknownText)) giveUp();
      countWork(walk, text.length >> 4);
      for (const name of mentionedIn(text)) walk.mentioned.add(name);
      const script = parse(text);
      const before = walk.ending;
      const node = rest.length > 0 ? lastCommand(script) : undefined;
      walk.ending = node ? { node, rest } : undefined;
      visit(script, shell, walk);
      walk.ending = before;
      walk.depth--;
    },
    command: run,
    body(node, shell) {
      walk.uncalled.delete(node);
      if (++walk.depth > deepestLine * 2) giveUp();
      visit(node.body, shell, walk);
      walk.depth--;
    },
    assignedBy: (text) => assignedIn(parse(text), walk),
  };
  return walk;
}

function firstShell({ cwd, home }: ShellPlace): Shell {
  const variables: Variables = new Map([
    ["IFS", blanks],
    ["PWD", cwd],
    ["SHELL", `${unknownPath}sh`],
  ]);
  if (home !== "") variables.set("HOME", home);
  return {
    variables,
    functions: new Map(),
    isBash: true,
    input: "inherited",
    from: [],
    output: [],
    given: [],
    readers: [],
    redirects: [],
    calls: [],
    forkedAt: 0,
  };
}

/** Somebody else may call them, with whatever input and variables there are then. */
function readUncalled(walk: Walk): void {
  for (const [node, shell] of walk.uncalled)
    walk.body(node, { ...shell, variables: new Map(), input: "fed", calls: [node.name.value] });
}
