/**
 * hookline init: from nothing to agents that call Hookline. It shows what it has found and each change, asks for one after the
 * other, and writes what was accepted. It shows and writes nothing else.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { editorOf } from "../../../agents/install/registration.ts";
import { loadPatterns } from "../../../conditions/patterns.ts";
import { messageOf } from "../../../engine/error.ts";
import type { Hook, Origin } from "../../../engine/hook.ts";
import { compileRules } from "../../../formats/rules/rules.ts";
import { readSmallFile } from "../../../loading/read-file.ts";
import { planInstall } from "../agents/install.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { loadingFor } from "../loaded.ts";
import {
  ownFolder,
  type Proposal,
  type ProposedEdit,
  packProposal,
  recipeProposal,
  showProposal,
  writeProposals,
} from "../packs/proposal.ts";
import { recipeNames } from "../packs/recipe.ts";
import { showEdit } from "../patch-lines.ts";
import { askForKey, isPersonThere, safeText, shortPath } from "../terminal.ts";
import { wrapped } from "../width.ts";
import { editorProposal } from "./editor.ts";
import { type Here, type HereAgent, lookAround, printHere } from "./look.ts";
import { teamProposal } from "./team.ts";

type Mode = "writes" | "asks" | "shows";

const mostRecipes = 3;

export async function init(given: Invocation): Promise<ExitCode> {
  const here = await lookAround(given);
  // In the home folder no project can be: what is written there is for all of them.
  const invocation = here.root === given.home ? { ...given, flags: { ...given.flags, user: true } } : given;
  const mode = modeOf(invocation);
  const { terminal, json } = invocation;
  const say = (line: string, indent = ""): void => {
    if (!json) for (const one of wrapped(line, terminal.width, { hang: indent.length })) terminal.print(one);
  };
  if (!json) printHere(here, invocation);
  const accepted: Step[] = [];
  let offered = 0;
  const take = async (made: Step): Promise<void> => {
    const coming = new Set(accepted.flatMap(({ edits }) => edits.map(({ file }) => file)));
    const step = { ...made, edits: made.edits.filter(({ file }) => !coming.has(file)) }; // two may bring one schema
    for (const one of step.same) say(`· nothing to do: ${one}`, "  ");
    if (step.edits.length === 0 || invocation.signal.aborted) return;
    offered += 1;
    if (!json) show(step, invocation);
    if (await isWanted(step, mode, invocation)) accepted.push(step);
  };
  for (const step of hookSteps(invocation, here)) await take(step);
  let failures = 0;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (invocation.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      failures += 1;
      terminal.error(`hookline: ${safeText(messageOf(error))}`);
    }
  };
  await attempt(async () => {
    const step = editorStep(here, accepted, invocation);
    if (step) await take(step);
  });
  if (invocation.flags.team === true && invocation.flags.user !== true)
    await attempt(async () =>
      take({ ...teamProposal(here), question: "Tell who clones the repository?", isDefault: true }),
    );
  const hooks = await hooksWith(accepted, here, invocation);
  for (const one of here.agents) await attempt(async () => take(await agentStep(one, { hooks, here, invocation })));
  const isWritten = mode !== "shows" && accepted.length > 0 && !invocation.signal.aborted;
  const notes: string[] = [];
  if (isWritten) {
    await writeProposals(
      accepted.filter(({ perform }) => !perform),
      invocation,
    );
    for (const { name, perform } of accepted)
      await attempt(async () => {
        for (const note of (await perform?.()) ?? []) notes.push(`${name}: ${safeText(note)}`);
      });
  }
  if (json) terminal.print(JSON.stringify(summary(here, accepted, isWritten)));
  else end({ here, accepted, offered, mode, isWritten, notes, say, invocation });
  if (failures > 0) return 3;
  return mode === "asks" && !isWritten && offered > 0 ? 1 : 0;
}

function modeOf(invocation: Invocation): Mode {
  if (invocation.flags["dry-run"] === true) return "shows";
  if (invocation.flags.yes === true) return "writes";
  return isPersonThere(invocation) ? "asks" : "shows";
}

/** One thing that a person can say yes or no to. */
export interface Step extends Proposal {
  question: string;
  /** Enter, `--yes`. */
  isDefault: boolean;
  /** Does more than writing the edits; gives what a person should know. */
  perform?(): Promise<string[]>;
}

function hookSteps(invocation: Invocation, here: Here): Step[] {
  const recipes = recipeNames
    .map((name) => withoutWhatRuns(recipeProposal(name, invocation), here, invocation))
    .filter(({ edits, same }) => edits.length + same.length > 0)
    .slice(0, mostRecipes);
  return [packProposal("guard", invocation), ...recipes].map((proposal) => ({
    ...proposal,
    edits: proposal.edits.map(byVerdict),
    question: `Add ${proposal.name}?`,
    isDefault: true,
  }));
}

/** A hook that is there and runs the recipe's tool does what the recipe would do a second time. */
function withoutWhatRuns<P extends Proposal & { runs: string[] }>(proposal: P, { loaded }: Here, at: Invocation): P {
  if (proposal.edits.length === 0) return proposal;
  const found = proposal.runs.flatMap((tool) => {
    const hook = loaded.set.hooks.find((one) => runsTool(one, tool));
    const file = hook?.origin.file;
    return file === undefined ? [] : [`a hook in ${shortPath(file, at.cwd, at.home)} runs ${tool} already`];
  });
  return found.length === 0 ? proposal : { ...proposal, edits: [], same: [...proposal.same, ...found] };
}

/** As its command or its script says: `npm test` is `npm run test` too. */
function runsTool({ origin, steps }: Hook, tool: string): boolean {
  const words = tool.split(" ").map((word) => word.replace(/\W/g, "\\$&"));
  const read = origin.dialect === "script" && origin.file ? readSmallFile(origin.file) : undefined;
  const text = read?.is === "read" ? read.text : JSON.stringify(steps);
  return new RegExp(`\\b${words.join("\\s+(run\\s+)?")}(?![\\w-])`).test(text);
}

/** A pack's rules in a few lines, where `add` has one for each. */
function byVerdict(edit: ProposedEdit): ProposedEdit {
  if (edit.rules === undefined) return edit;
  const verdicts = [...new Set(edit.rules.map(({ decision }) => decision))];
  const lines = verdicts.map((verdict) => {
    const ids = edit.rules?.flatMap(({ id, decision }) => (decision === verdict ? id : [])) ?? [];
    return `${verdict}: ${ids.join(", ")}`;
  });
  return { ...edit, instead: [...lines, "to see what each is about, run `hookline add guard --list`"] };
}

/** In a project alone; where nothing says that it is opened in VS Code, only on a person's yes. */
function editorStep(here: Here, accepted: readonly Step[], invocation: Invocation): Step | undefined {
  if (invocation.flags.user === true) return undefined;
  const files = accepted.flatMap(({ edits }) => edits.map(({ file }) => file));
  const { isHere, ...proposal } = editorProposal(here, files, invocation);
  const isWorthAsking = isHere || (modeOf(invocation) === "asks" && accepted.length > 0);
  return isWorthAsking ? { ...proposal, question: "Let VS Code know the hook files?", isDefault: isHere } : undefined;
}

interface Around {
  /** That will be active. */
  hooks: readonly Hook[];
  here: Here;
  invocation: Invocation;
}

async function agentStep({ agent, layer }: HereAgent, { hooks, here, invocation: given }: Around): Promise<Step> {
  const invocation = modeOf(given) === "shows" ? { ...given, flags: { ...given.flags, "dry-run": true } } : given;
  const { plan, perform } = await planInstall(invocation, { agent, layer, hooks, root: here.root });
  const shown = shortPath(plan.file, invocation.cwd, invocation.home);
  const events = editorOf(agent)
    .read(plan.after, plan.file)
    .map(({ event }) => event);
  return {
    name: agent.name,
    about: `${agent.title} calls Hookline on ${events.length} events`,
    edits: plan.changed ? [plan, ...plan.others] : [],
    same: plan.changed ? [] : [`${agent.title} calls Hookline (${shown})`],
    question: `Register Hookline with ${agent.title}?`,
    isDefault: true,
    perform: async () => (await perform()).notes,
  };
}

/** The hooks that are here, and those of rules that come: what an agent is registered for depends on them. */
async function hooksWith(accepted: readonly Step[], { loaded, root }: Here, invocation: Invocation): Promise<Hook[]> {
  const [registry, patterns] = await Promise.all([loadingFor(invocation).wholeRegistry(), loadPatterns()]);
  const isOfUser = invocation.flags.user === true;
  const coming = accepted.flatMap(({ edits }) =>
    edits.flatMap(({ file, after }) => {
      if (!file.endsWith(".yaml") || after === undefined) return [];
      const origin: Origin = { dialect: "rules", file, ...(isOfUser ? { layer: "user" } : { layer: "project", root }) };
      return compileRules(after, origin, { label: file, registry, patterns, kind: "rules" }).hooks;
    }),
  );
  return [...loaded.set.hooks, ...coming];
}

/** What would change, as far as a person reads it: a long diff ends with how to see the rest, except in a dry run. */
function show(step: Step, invocation: Invocation): void {
  const { terminal, flags } = invocation;
  terminal.print("");
  for (const line of wrapped(`${step.name}: ${step.about}`, terminal.width, { hang: 2 }))
    terminal.print(terminal.paint("bold", line));
  const part = { most: 12, width: Math.min(terminal.width, 120), rest: "`hookline init --dry-run` shows all" };
  if (!step.perform) showProposal(step, invocation);
  else for (const edit of step.edits) showEdit(edit, invocation, flags["dry-run"] === true ? {} : part);
}

async function isWanted({ question, isDefault }: Step, mode: Mode, invocation: Invocation): Promise<boolean> {
  if (mode !== "asks") return isDefault;
  const key = await askForKey(`${question} ${isDefault ? "[Y/n]" : "[y/N]"} `, invocation);
  return key === "y" || (key === "enter" && isDefault);
}

interface Ending {
  here: Here;
  accepted: readonly Step[];
  offered: number;
  mode: Mode;
  isWritten: boolean;
  notes: readonly string[];
  say(line: string, indent?: string): void;
  invocation: Invocation;
}

function end({ here, accepted, offered, mode, isWritten, notes, say, invocation }: Ending): void {
  say("");
  if (offered > 0 && !isWritten) {
    say(
      `Nothing was written.${mode === "shows" && accepted.length > 0 ? " To write what is shown, run `hookline init --yes`." : ""}`,
    );
    return;
  }
  for (const { edits } of accepted)
    for (const { file } of edits) say(`written: ${shortPath(file, invocation.cwd, invocation.home)}`);
  for (const note of notes) say(`note: ${note}`, "  ");
  if (!isWritten) say("Nothing is to do.");
  for (const line of nextSteps(here, accepted, invocation)) say(line, "    ");
}

function nextSteps(here: Here, accepted: readonly Step[], invocation: Invocation): string[] {
  const first = here.agents.find(
    ({ agent: { name }, isRegistered: is }) => is || accepted.some((step) => step.name === name),
  );
  const tries = [
    ["push", "git push"],
    ["guard", "git push --force"],
  ] as const;
  const [, command] = tries.find(([name]) => existsSync(join(ownFolder(invocation), "rules", `${name}.yaml`))) ?? [];
  if (first === undefined) {
    const data = JSON.stringify({ tool_name: "Bash", tool_input: { command: command ?? "ls" } });
    return [
      "No agent calls Hookline yet. Once one is here, run `hookline init` again. To see a decision without one, run:",
      `  hookline emit PreToolUse --data '${data}'`,
    ];
  }
  const { title, name } = first.agent;
  const ask = `  In a new session of ${title}, ask for a \`${command}\`. You are asked first; where no person can answer, it is refused.`;
  return [
    "Next:",
    ...(command === undefined ? [] : [ask]),
    "  hookline runs tail    shows each run as it happens",
    "  hookline why last     explains the last decision",
    `  hookline uninstall ${name}    takes Hookline out of ${title}; the files in .hookline are yours`,
  ];
}

const summary = (here: Here, accepted: readonly Step[], written: boolean): object => ({
  root: here.root,
  agents: here.agents.map(({ agent: { name }, version = null, layer, isRegistered: registered }) => ({
    ...{ name, version, layer, registered },
  })),
  languages: here.languages,
  tests: here.tests,
  formatters: here.formatters,
  hooks: here.hooks,
  changes: accepted.map(({ name, edits }) => ({
    name,
    files: edits.map(({ file, before = null, after = null }) => ({ file, before, after })),
  })),
  written,
});
