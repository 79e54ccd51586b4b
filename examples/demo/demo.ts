/** hookline demo: a recorded session of a real agent, replayed through a sample workspace, with what its hooks did. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { Observation } from "../../src/engine/ports.ts";
import type { Run } from "../../src/engine/record.ts";
import { isRecord } from "../../src/engine/schema.ts";
import type { ExitCode, Invocation } from "../../src/hosts/cli/command.ts";
import { openLine } from "../../src/hosts/cli/line.ts";
import { layoutOf } from "../../src/hosts/cli/table.ts";
import { oneLine, type Terminal } from "../../src/hosts/cli/terminal.ts";
import { trustOwn } from "../../src/hosts/cli/trust/trust.ts";
import { cut } from "../../src/hosts/cli/width.ts";
import { shortId } from "../../src/operations/record.ts";
import { inputOf, resultOf, saidIn } from "../../src/operations/runs/run-words.ts";
import type { Cell, ShownColumn as Column, Tone } from "../../src/operations/shown.ts";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { type Finished, openStage, playAutomation, writeChannel } from "./automation.ts";
import { play, settle, type Told } from "./session.ts";

export async function demo(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json } = invocation;
  const folder = mkdtempSync(join(tmpdir(), "hookline-demo-"));
  const examples = join(dirname(dirname(invocation.self[1])), "examples", "demo");
  const { runs, observe, finished } = watchRuns();
  const told: Told[] = [];
  const rows = rowsFor(terminal);
  if (!json) for (const line of heading(terminal, rows.titles)) terminal.print(line);
  /** A run in the background ends after its event was decided. */
  const showEnded = (): void => {
    for (const one of told) {
      const own = [...runs.values()].filter(({ eventId }) => eventId === one.event.id);
      if (own.length > 0) one.runs = own; // else git's own process has them
      for (const run of one.runs) if (!json && isEnded(run)) rows.show(one.event, run);
    }
  };
  const hear = (one: Told): void => {
    told.push(one);
    showEnded();
  };
  const stage = await openStage();
  const sample = settle(folder, examples, invocation, stage.environment);
  const { place, store } = sample;
  writeChannel(place.home);
  await trustOwn(place);
  const line = await openLine({ place, store: openSqliteStore({ path: store }), observe });
  const started = performance.now();
  await play(line, sample, examples, hear);
  await playAutomation(line, place, { finished, hear });
  await line.engine.close();
  const seconds = (performance.now() - started) / 1000;
  showEnded();
  await line.close();
  await stage.close();
  const { notices } = stage;
  if (json) terminal.print(JSON.stringify({ folder, store, events: told, notices }));
  else report(invocation, told, { folder, store, seconds, notices });
  if (json) rmSync(folder, { recursive: true });
  if (json || invocation.flags.once === true) return 0;
  return await serve({ ...invocation, ...place });
}

/** The daemon of the sample, as a person starts it in a project: its dashboard shows what was played, until Ctrl-C. */
async function serve(sample: Invocation): Promise<ExitCode> {
  sample.terminal.print(sample.terminal.paint("bold", "\nLook at it in your browser; Ctrl-C ends it:"));
  const { up } = await import("../../src/hosts/cli/daemon/up.ts");
  return up({ ...sample, flags: {} });
}

const isEnded = ({ status }: Run): boolean => status !== "running" && status !== "queued";

/** All runs, as they were last seen. */
function watchRuns(): { runs: ReadonlyMap<string, Run>; observe(seen: Observation): void; finished: Finished } {
  const runs = new Map<string, Run>();
  const waiting = new Map<string, (run: Run) => void>();
  return {
    runs,
    observe(seen) {
      if (seen.is !== "run") return;
      runs.set(seen.run.id, seen.run);
      if (seen.run.ms !== undefined) waiting.get(seen.run.eventId)?.(seen.run);
    },
    finished: (event) =>
      new Promise((resolve) => {
        const ended = [...runs.values()].find(({ eventId, ms }) => eventId === event && ms !== undefined);
        if (ended) resolve(ended);
        else waiting.set(event, resolve);
      }),
  };
}

const heading = (terminal: Terminal, titles: readonly string[]): string[] => [
  terminal.paint("bold", "A recorded Claude Code session, replayed through a workspace with hooks"),
  terminal.paint("dim", "Events that no hook matched are left out."),
  "",
  ...titles,
];

function report(
  { terminal, self }: Invocation,
  told: readonly Told[],
  { folder, store, seconds, notices }: { folder: string; store: string; seconds: number; notices: readonly string[] },
): void {
  terminal.print("");
  terminal.print(summary(told, seconds));
  for (const notice of notices) terminal.print(`Notice to the team: ${oneLine(notice)}`);
  const denied = told.flatMap(({ runs }) => runs).find(({ outcome }) => outcome?.verdict?.is === "deny");
  const command = basename(self[1]) === "hookline.js" ? "npx hookline" : "hookline";
  terminal.print(terminal.paint("dim", `\nThe workspace and every recorded run are in ${folder}. Next:`));
  if (denied) terminal.exact(`  ${command} why ${shortId(denied.id)} --store ${store}`);
  terminal.exact(`  ${command} runs --all --store ${store}`);
  terminal.exact(`  ${command} init   (in your own project)`);
}

/** Narrower than this the columns side by side would hold no sentence. */
const wideEnough = 120;

interface Rows {
  titles: readonly string[];
  /** Prints a run, unless that was done. */
  show(event: HookEvent, run: Run): void;
}

/** As each run ends: a row for it; on a narrow terminal two, of which the second has the hook and what it answered. */
function rowsFor(terminal: Terminal): Rows {
  const event: Column = { title: "event", fills: true };
  const answered: Column = { title: "answered", fills: true };
  const ends: Column[] = [{ title: "what came of it" }, { title: "ms", align: "right" }];
  const hook: Column = { title: "hook" };
  const like = {
    event: "x".repeat(500),
    hook: "x".repeat(25),
    answered: "x".repeat(500),
    ends: ["x".repeat(23), "99999"],
  };
  const isWide = terminal.width >= wideEnough;
  const layouts = isWide
    ? [layoutOf(terminal, [event, hook, answered, ...ends], [[like.event, like.hook, like.answered, ...like.ends]])]
    : [
        layoutOf(terminal, [event, ...ends], [[like.event, ...like.ends]]),
        layoutOf(terminal, [{ title: "" }, hook, answered], [["", like.hook, like.answered]]),
      ];
  const shown = new Set<string>();
  return {
    titles: layouts.flatMap(({ titles }) => titles),
    show(of, run) {
      if (shown.has(run.id)) return;
      shown.add(run.id);
      const said = [run.hookName, cut(oneLine(answerOf(run)), longestAnswer)];
      const came = [painted(consequenceOf(of, run)), String(run.ms ?? "")];
      const cells = isWide
        ? [[whatHappened(of), ...said, ...came]]
        : [
            [whatHappened(of), ...came],
            ["", ...said],
          ];
      for (const [index, layout] of layouts.entries())
        for (const line of layout.lines(cells[index] ?? [])) terminal.print(line);
    },
  };
}
/** The whole of it is in the run. */
const longestAnswer = 240;

/** The event and the one thing about it that a person wants to know. */
function whatHappened({ name, data }: HookEvent): string {
  if (name === commitEvent && Array.isArray(data.changed_files)) return `git commit: ${data.changed_files.join(", ")}`;
  const input: Fields = isRecord(data.tool_input) ? (data.tool_input as Fields) : {}; // payloads are JSON
  const detail = input.command ?? input.file_path ?? data.prompt ?? data.source ?? data.message ?? "";
  const tool = typeof data.tool_name === "string" ? ` ${data.tool_name}` : "";
  const text =
    typeof detail === "string" && detail !== ""
      ? `: ${basename(detail) && detail.startsWith("/") ? basename(detail) : detail}`
      : "";
  return oneLine(`${name}${tool}${text}`);
}

/** What the hook said; what that means stands in the next column. */
function answerOf(run: Run): string {
  if (run.status === "skipped") return `(${run.reason ?? "not asked"})`;
  const { verdict, updatedInput, updatedOutput, context, messages, suggestions } = run.outcome ?? {};
  if (updatedInput) return inputOf(updatedInput);
  if (isRecord(updatedOutput)) return findingsIn(updatedOutput.diagnostics);
  const said =
    context?.join(" ") ??
    suggestions?.map(({ id, reason }) => `${id}: ${reason ?? ""}`).join(" ") ??
    (messages && saidIn(messages));
  return verdict?.reason ?? said ?? outputOf(run) ?? resultOf(run);
}

/** The first thing that a language server found, and how many more. */
function findingsIn(diagnostics: unknown): string {
  if (!Array.isArray(diagnostics)) return "(changed the result)";
  const [first, ...more] = diagnostics.filter(isRecord);
  return `line ${String(first?.line)}: ${String(first?.message)}${more.length > 0 ? ` (and ${more.length} more)` : ""}`;
}

/** What the last step gave, if it is a text: a tool's answer. */
function outputOf({ steps, notes }: Run): string | undefined {
  const { content, response } = steps.at(-1)?.output ?? {};
  const said = response ?? content;
  return typeof said === "string" && said !== "" ? said : notes[0];
}

const commitEvent = "git.pre-commit";
/** The last one: the person has gone by then, so nothing is shown. */
const lastEvent = "SessionStop";

/** What each kind of answer means for the agent, first match. */
const consequences: readonly { holds(event: HookEvent, run: Run): boolean; text: string; style?: Tone }[] = [
  {
    holds: (_event, run) => run.reason?.startsWith("run by the agent itself") ?? false,
    text: "run by the agent itself",
    style: "dim",
  },
  {
    holds: (event, run) => event.name === "Stop" && run.outcome?.verdict?.is === "deny",
    text: "stop blocked",
    style: "yellow",
  },
  {
    holds: (event, run) => event.name === commitEvent && run.outcome?.verdict?.is === "deny",
    text: "the commit was refused",
    style: "red",
  },
  { holds: (_event, run) => run.asked === 0, text: "did not run", style: "dim" },
  { holds: (_event, run) => run.status === "skipped", text: "no model was asked", style: "green" },
  { holds: (_event, run) => run.tokens !== undefined, text: "a model was asked", style: "cyan" },
  { holds: (event) => event.name === commitEvent, text: "the commit was made", style: "green" },
  { holds: (event, run) => event.name === "Stop" && run.status === "completed", text: "passed", style: "green" },
  { holds: (_event, run) => run.outcome?.verdict?.is === "deny", text: "denied: it did not run", style: "red" },
  { holds: (_event, run) => run.status === "failed" || run.status === "timeout", text: "failed", style: "red" },
  { holds: (_event, run) => run.outcome?.updatedInput !== undefined, text: "rewritten", style: "cyan" },
  { holds: (event) => event.name === lastEvent, text: "kept in the run", style: "green" },
  {
    holds: (_event, { outcome }) =>
      outcome?.messages?.every(({ to }) => to === "person") === true && !outcome.context && !outcome.suggestions,
    text: "the person is told",
    style: "green",
  },
  {
    holds: (_event, { outcome }) =>
      [outcome?.context, outcome?.suggestions, outcome?.messages, outcome?.updatedOutput].some(Boolean),
    text: "the model reads it",
    style: "green",
  },
  { holds: (_event, run) => run.steps.at(-1)?.uses === "pipe", text: "piped into another tool", style: "cyan" },
  { holds: (_event, run) => run.steps.at(-1)?.uses === "lsp_diagnose", text: "nothing to say" },
  { holds: (event) => event.name === "PostToolUse", text: "ran in the background" },
];
const consequenceOf = (event: HookEvent, run: Run): string =>
  consequences.find(({ holds }) => holds(event, run))?.text ?? "carried on";
function painted(text: string): Cell {
  const tone = consequences.find((one) => text.startsWith(one.text))?.style;
  return tone === undefined ? text : { text, tone };
}

function summary(told: readonly Told[], seconds: number): string {
  const count = (holds: (one: Told) => boolean): number => told.filter(holds).length;
  const parts = [
    `${count(({ event, outcome }) => outcome.verdict?.is === "deny" && event.name !== "Stop")} denied`,
    `${count(({ outcome }) => outcome.updatedInput !== undefined)} rewritten`,
    `${count(({ outcome: { context, messages, updatedOutput } }) => [context, messages, updatedOutput].some(Boolean))} given context`,
    `${count(({ event, outcome }) => outcome.verdict?.is === "deny" && event.name === "Stop")} stops blocked`,
  ];
  const asked = told.flatMap(({ runs }) => runs).filter((run) => run.asked > 0).length;
  return `${told.length} events and ${asked} hook runs in ${seconds.toFixed(2)} s: ${parts.join(", ")}. All recorded.`;
}
