/** What the project promises of its speed, row by row, and which of the measured ratios answers each promise. */
import { amount, figure } from "./columns.ts";
import type { Ratio, Row, Side } from "./measure.ts";
import type { Report } from "./report.ts";

export interface Promised {
  what: string;
  goal: string;
  /** The benchmark that measures it, and the beginning of the goal's name there. */
  measuredBy: string;
  as: string;
}

const promise = (what: string, goal: string, measuredBy: string, as: string): Promised => ({
  what,
  goal,
  measuredBy,
  as,
});

export const promises: readonly Promised[] = [
  promise("programs of a repository before trust", "none", "trust", "execve due to an untrusted repository"),
  promise("connections because of it before trust", "none", "trust", "connect due to an untrusted repository"),
  promise("changes of trusted files that ran", "none of 10,000", "trust", "changes of trusted files after which"),
  promise(
    "answers of replaced bytes that counted, in a race",
    "none of 5,000",
    "trust",
    "answers of other bytes that counted",
  ),
  promise("what trust adds to a command", "≤ 3 ms", "trust-cost", "what trust adds to a command"),
  promise("what trust adds in the daemon", "≤ 1 ms", "trust-cost", "what trust adds in the daemon"),
  promise(
    "dispatch, none of 1,000 match",
    "≤ 3 × a hand-written loop",
    "dispatch",
    "none of 1,000 hooks matches, against",
  ),
  promise(
    "dispatch, none of 1,000 match",
    "≥ 100 × hookable",
    "dispatch",
    "none of 1,000 hooks matches: faster than hookable",
  ),
  promise(
    "dispatch, 10 synchronous hooks",
    "≤ 1.5 × tapable",
    "dispatch",
    "10 matching synchronous hooks: find, test and call",
  ),
  promise(
    "dispatch, 10 synchronous hooks",
    "≥ 10 × hookable",
    "dispatch",
    "10 matching synchronous hooks: faster than hookable",
  ),
  promise("emit, one function hook, recorded", "≤ 1.3 × the store's own cost", "emit", ""),
  promise("one command hook, small heap", "≤ 0.5 × child_process.spawn", "spawn", "small heap"),
  promise("one command hook, 500 MB heap", "≤ 0.25 × child_process.spawn", "spawn", "500 MB"),
  promise("100 command hooks at once", "≥ 3 × its throughput", "spawn", "100 at once"),
  promise("resident handler", "≥ 50 × a spawn", "resident", "resident handler: cheaper"),
  // node:http reads every request (R73): a reader of our own for plain ones took 9 µs less, and two readers of one protocol are two
  // answers to what a request is. Beside the fifty milliseconds of a tool call nobody waits for that.
  promise("HTTP hook, 1 connection", "≤ 3.5 × an empty node:http server", "http-hook", "HTTP hook, 1 connection"),
  promise("HTTP hook, 10 connections", "≤ 5 × an empty node:http server", "http-hook", "HTTP hook, 10 connections"),
  // As users meet it: back to back hides cold caches.
  promise(
    "HTTP hook, one call every 50 ms, p50",
    "≤ 3.2 × an empty server, same pace",
    "http-hook",
    "HTTP hook, one call",
  ),
  promise(
    "a burst of 10,000",
    "no verdict later than its agent's budget",
    "http-hook",
    "burst of 10,000: the last verdict",
  ),
  promise("cold client, daemon up", "≤ 2 × /bin/true", "cold-client", "an event told"),
  promise("cold client, its own processor time", "≤ 1.5 × /bin/true", "cold-client", "processor time of the client"),
  promise(
    "cold client, daemon up",
    "≥ 10 × faster than the Node client",
    "cold-client",
    "faster than the command in Node",
  ),
  promise("ingest, one event per request, 100 connections", "≥ 0.55 × bare node:http", "ingest", "single, 100"),
  promise("persistent program", "≤ 1.6 × a bare line of JSON", "resident", "persistent program against"),
  promise(
    "a tool call in Claude Code",
    "gap ≤ 1.15 × of `true` on the same events",
    "agents",
    "the usual client, where",
  ),
  promise(
    "a mod in Claude Code, processor time that it adds",
    "≤ 0.5 × of `true` on the same events",
    "agents-processor",
    "what a mod in the client's place",
  ),
  promise(
    "the client in Claude Code, the same",
    "≤ 1.05 × of `true` on the same events",
    "agents-processor",
    "what the client adds",
  ),
  promise("a tool call in Claude Code over HTTP", "gap ≤ 1.05 × of an empty server's", "agents", "over HTTP"),
  promise("memory, 1,000 hooks, 100,000 events", "≤ 120 MB", "memory", "memory"),
  promise("memory with a page of the dashboard open", "≤ 120 MB", "dashboard", "memory with a page open"),
  promise("dashboard, first paint", "≤ 3 × a line of text", "dashboard", "first paint"),
  promise("dashboard, first page", "≤ 90 kB", "dashboard", "first page, compressed"),
  promise("dashboard, 10,000 runs in a list", "no task over 100 ms", "dashboard", "longest task, 10000"),
  promise("dashboard, 200 events a second", "no task over 100 ms", "dashboard", "longest task, 200"),
  promise(
    "short automation runs, four workers",
    "≥ 0.7 × DBOS by hand, the same rows",
    "workers",
    "short automation runs a second",
  ),
  promise("a run of a killed worker goes on", "≤ 10 s, the longest of 10", "recovery", "a run of a killed worker"),
  promise("memory, last 50,000 events", "flat: ≤ 5 % more", "memory", "growth"),
];

/** One line of the table of goals. */
export interface Line {
  what: string;
  ours: string;
  peer: string;
  ratio: string;
  goal: string;
  verdict: "reached" | "MISSED" | "not measured";
  spread: string;
  noisy: boolean;
  /** The benchmark; and where it was taken, when, and of which commit. */
  from: string;
  date?: string;
  commit?: string;
}

export interface Lines {
  promised: Line[];
  /** Goals that the project sets itself beside them. */
  others: Line[];
}

export function linesOf(reports: readonly Report[]): Lines {
  const claimed = new Set<Ratio>();
  const promised = promises.map((one) => {
    const report = reports.find(({ name }) => name === one.measuredBy);
    const ratio = report?.ratios.find((each) => isGoal(each) && !claimed.has(each) && each.goal.startsWith(one.as));
    if (ratio) claimed.add(ratio);
    return report && ratio ? { ...lineOf(report, ratio), what: one.what, goal: one.goal } : notMeasured(one);
  });
  const others = reports.flatMap((report) =>
    report.ratios.filter((ratio) => isGoal(ratio) && !claimed.has(ratio)).map((ratio) => lineOf(report, ratio)),
  );
  return { promised, others };
}

const isGoal = ({ target }: Ratio): boolean => target !== undefined;

const notMeasured = ({ what, goal, measuredBy }: Promised): Line => ({
  what,
  goal,
  from: measuredBy,
  ours: "",
  peer: "",
  ratio: "",
  verdict: "not measured",
  spread: "",
  noisy: false,
});

function lineOf(report: Report, ratio: Ratio): Line {
  const { unit = "×", value } = ratio;
  const isFigure = ratio.unit !== undefined; // of ours alone: nothing was divided
  return {
    what: ratio.goal,
    ours: isFigure ? `${amount(value)} ${unit}` : sideOf(report.rows, ratio.sides?.ours),
    peer: ratio.sides ? `${sideOf(report.rows, ratio.sides.theirs)} ${ratio.sides.theirs.name}` : ratio.against,
    ratio: isFigure ? "" : `${amount(value)} ${unit}`,
    goal: `${isMoreBetter(ratio) ? "≥" : "≤"} ${ratio.target} ${unit}`,
    verdict: ratio.pass ? "reached" : "MISSED",
    spread: `± ${(ratio.spread * 100).toFixed(0)} %`,
    noisy: report.noisy,
    from: report.name,
    date: report.date,
    commit: report.commit,
  };
}

/** Reports of hand-made ratios do not say it: what passes lies on the better side. */
export const isMoreBetter = ({ better, value, target = 0, pass }: Ratio): boolean =>
  better === undefined ? pass !== value <= target : better === "more";

/** The unit stands in the row from which the side came. */
function sideOf(rows: readonly Row[], side: Side | undefined): string {
  if (!side) return "";
  const row = rows.find(({ variant, p50 }) => variant === side.name && Math.abs(p50 / side.p50 - 1) < 0.001);
  return figure(side.p50, row?.unit ?? "").trimEnd();
}
