/**
 * What guards cost, and how right the pack is.
 *
 * One reading: the effects of a line, against unbash's parse of the same lines, the ordinary ones of the corpus in turn. Rules:
 * 500 shell conditions asked about one call, against 10; each call is read once for all of them. The pack: the labelled corpus,
 * the sealed part too, judged at level standard. Dangerous and asked or refused is caught; ordinary and refused is wrong.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { parse } from "unbash";
import { conditions } from "../src/conditions/index.ts";
import { loadPatterns } from "../src/conditions/patterns.ts";
import { compileCondition } from "../src/engine/condition.ts";
import type { HookEvent } from "../src/engine/event.ts";
import { scopeOf } from "../src/engine/plan.ts";
import { corpus, judgeOf } from "../test/packs/judge.ts";
import {
  type Benchmark,
  boundOf,
  type Findings,
  joined,
  ratioOf,
  rowOf,
  rowsOf,
  sampleWork,
  sized,
} from "./measure.ts";

export const guards: Benchmark = {
  name: "guards",
  about: "the effects of shell lines, many rules about one call, and the guard pack on the labelled corpus",
  async measure() {
    return joined([await measureReading(), await measureRules(), await measurePack()]);
  },
};

const sampling = { rounds: 9, milliseconds: 60 };
const home = homedir();
const workspace = join(home, "work", "shop");

function callOf(command: string): HookEvent {
  return {
    ...{ id: "1", name: "PreToolUse", at: 0, cwd: workspace, sender: "emit" },
    data: { tool_name: "Bash", tool_input: { command } },
  };
}

async function measureReading(): Promise<Findings> {
  const patterns = await loadPatterns();
  const lines = corpus("ordinary").map(({ command }) => command);
  let at = 0;
  const next = (): string => lines[at++ % lines.length] ?? "";
  const repeat =
    (work: () => void) =>
    (times: number): void => {
      for (let count = 0; count < times; count++) work();
    };
  const [ours, bare] = ["the effects of a line", "unbash's parse"];
  const samples = await sampleWork(
    [
      { name: bare, run: repeat(() => parse(next())) },
      {
        name: ours,
        run: repeat(() =>
          patterns.effects?.({ tool: "Bash", input: { command: next() }, cwd: workspace, home }, { workspace, home }),
        ),
      },
    ],
    sampling,
  );
  return {
    rows: rowsOf("one line", "ns", samples),
    ratios: [ratioOf(samples, { goal: "one reading", cost: ours, by: bare, atMost: 30 })],
  };
}

const programs = "git npm rm curl docker kubectl terraform psql chmod cp".split(" ");

async function measureRules(): Promise<Findings> {
  const patterns = { ...(await loadPatterns()), workspace };
  const rules = (count: number): ((event: HookEvent) => void) => {
    const tests = Array.from({ length: count }, (_, index) =>
      compileCondition(
        { is: "shell", with: { runs: `${programs[index % programs.length]} never-${index} *`, deletes: "system" } },
        { conditions },
        patterns,
      ),
    );
    return (event) => {
      const scope = scopeOf(event);
      for (const { test } of tests) test(scope);
    };
  };
  const [few, many] = [rules(10), rules(500)];
  const lines = corpus("ordinary").map(({ command }) => callOf(command));
  let at = 0;
  const side = (name: string, ask: (event: HookEvent) => void): { name: string; run(times: number): void } => ({
    name,
    run(times) {
      for (let count = 0; count < times; count++) {
        const event = lines[at++ % lines.length];
        // Another object each time: what was read of the last call does not count.
        if (event) ask({ ...event, data: { ...event.data, tool_input: { ...(event.data.tool_input as object) } } });
      }
    },
  });
  const samples = await sampleWork([side("10 rules", few), side("500 rules", many)], sampling);
  return {
    rows: rowsOf("one call", "ns", samples),
    ratios: [ratioOf(samples, { goal: "500 rules", cost: "500 rules", by: "10 rules", atMost: 2 })],
  };
}

/** Of each part of the corpus. */
const linesAtMost = sized(Number.POSITIVE_INFINITY, 20);

async function measurePack(): Promise<Findings> {
  const judge = await judgeOf("standard");
  const parts = ["", "sealed/", "second/"].map((part): Findings => {
    const called = part === "" ? "open" : part.slice(0, -1);
    const count = (name: string): { deny: number; ask: number; pass: number; all: number } => {
      const found = { deny: 0, ask: 0, pass: 0, all: 0 };
      for (const { command } of corpus(`${part}${name}`).slice(0, linesAtMost)) {
        found[judge(command).decision] += 1;
        found.all += 1;
      }
      return found;
    };
    const ordinary = count("ordinary");
    const dangerous = count("dangerous");
    const percent = (some: number, of: { all: number }): number => (100 * some) / of.all;
    const bound = (goal: string, value: number, most: number): ReturnType<typeof boundOf> =>
      boundOf(`${goal}, ${called}`, value, most, { unit: "%" });
    return {
      rows: [
        rowOf(`${ordinary.all} ordinary commands, ${called}`, "refused", "times", ordinary.deny),
        rowOf(`${ordinary.all} ordinary commands, ${called}`, "asked", "times", ordinary.ask),
        rowOf(`${dangerous.all} dangerous commands, ${called}`, "refused", "times", dangerous.deny),
        rowOf(`${dangerous.all} dangerous commands, ${called}`, "asked", "times", dangerous.ask),
      ],
      ratios: [
        bound("ordinary commands refused", percent(ordinary.deny, ordinary), 0.5),
        bound("ordinary commands asked about", percent(ordinary.ask, ordinary), 5),
        bound("dangerous commands that pass", percent(dangerous.pass, dangerous), 5),
      ],
    };
  });
  return joined(parts);
}
