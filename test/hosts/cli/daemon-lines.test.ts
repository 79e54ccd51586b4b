import assert from "node:assert/strict";
import { test } from "node:test";
import { painted } from "../../../src/hosts/cli/operations/paint.ts";
import type { Terminal } from "../../../src/hosts/cli/terminal.ts";
import { daemonLabels, workLabels } from "../../../src/operations/daemon-labels.ts";
import type { Label } from "../../../src/operations/shown.ts";

const terminal: Terminal = {
  isTerminal: true,
  width: 200,
  print() {},
  exact() {},
  error() {},
  paint: (_style, text) => text,
};
const lines = (labels: readonly Label[]): string[] =>
  painted([{ labels, onOneLine: true }], { terminal, cwd: "/p", home: "/h" });
const trick = "\u001b[2Jx\u202e\ny";

const noWork = { waiting: 0, running: 0, handedOver: 0 };

test("every name of a file, hook or webhook that the daemon reports stays on its line as text", () => {
  const status = {
    workspaces: [trick],
    due: [{ hook: trick, at: trick, waits: trick }],
    watches: [{ hook: trick, paths: [trick], mode: trick }],
    webhooks: [trick],
    queue: { waiting: trick, running: 0 },
    automations: { enabled: trick, inForce: 1, broken: [{ file: trick, message: trick }] },
  };
  const rows = [
    ...lines(workLabels(status, String)),
    ...lines(daemonLabels({ ...status, port: 1, started: trick, unreachable: trick }, noWork, String)),
  ];
  assert.equal(rows.length, 8);
  for (const row of rows) for (const one of ["\u001b", "\u202e", "\n"]) assert.ok(!row.includes(one), row);
});

test("one event and one session are shown in the singular", () => {
  const status = { started: "now", version: "1", activity: { events: 1, sessions: 1 } };
  const [, , received = ""] = lines(daemonLabels({ ...status, port: 1 }, noWork, String));
  assert.match(received, /received +1 event, 1 session$/);
});

test("[F10] rows that fell out of the ring are counted in what status shows, also when the store takes something again", () => {
  const status = { started: "now", version: "1", store: { notWrittenSince: null, reason: null, rowsLost: 2 } };
  const rows = lines(daemonLabels({ ...status, port: 1 }, noWork, String));
  assert.ok(
    rows.some((row) => /lost +2 rows that could not be written in time$/.test(row)),
    String(rows),
  );
});
