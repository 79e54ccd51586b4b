/** Secrets in each of their forms, through every door of a daemon and of the commands: none of them is in a file of the state. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { automation, placeFor, type RunRow, until } from "./started.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Fresh each time: no text of this file is a secret. */
const random = (length: number, from = letters): string =>
  [...randomBytes(length)].map((byte) => from[byte % from.length]).join("");
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const insideOf = (offset: number, text: string): string => Buffer.from("x".repeat(offset) + text).toString("base64");

/** The forms of a value under a secret name, as programs write it down. */
const encodings: readonly ((value: string) => string)[] = [
  (value) => value,
  json,
  (value) => json(json(value)),
  (value) => json(json(json(value))),
  (value) => json(value).replaceAll("/", "\\/"),
  encodeURIComponent,
  (value) => encodeURIComponent(value).replaceAll("%20", "+"),
  (value) => encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
  (value) => insideOf(0, value),
  (value) => insideOf(1, value),
  (value) => insideOf(2, value),
  (value) => Buffer.from(value).toString("base64url"),
];

interface Secrets {
  named: readonly { name: string; value: string }[];
  /** What may not be found: every form that shows the value, without what its ends share with their neighbours. */
  canaries: readonly string[];
  texts: readonly string[];
}

function secretsOf(count: number): Secrets {
  const named = Array.from({ length: count }, (_, index) => ({
    name: `SERVICE_${index}_${["TOKEN", "PASSWORD", "API_KEY", "SECRET", "AUTH"][index % 5]}`,
    value: `${random(10)}/${random(6)}+ "${random(8)}"=${index}`,
  }));
  /** Known by their shape alone: what is told apart is behind the prefix. */
  const shaped = Array.from({ length: count / 5 }, () => [
    `ghp_${random(36)}`,
    `AKIA${random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
    `sk-ant-api03-${random(40)}`,
    `xoxb-${random(11, "0123456789")}-${random(24)}`,
    `npm_${random(36)}`,
  ]);
  const texts = [
    ...named.map(({ value }) => encodings.map((encode) => `(${encode(value)})`).join(" ")),
    ...shaped.map((values) => values.join(" ")),
  ];
  return {
    named,
    canaries: [
      ...named.flatMap(({ value }) => encodings.map((encode) => encode(value).slice(4, -4))),
      ...shaped.flat().map((value) => value.slice(-16)),
    ],
    texts: texts.map((text, index) => `${text} plain ${index}`),
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Gives back what it was sent, as an error. */
const serverText = `require("node:http").createServer((request, response) => {
  let body = "";
  request.on("data", (part) => { body += part; }).on("end", () => response.writeHead(500).end("it failed with " + body));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });`;

/** Where parts of a long output meet: what is kept of it, what a pipe carries at once, what is cut. */
const borders = [2_048, 4_096, 8_192, 16_384, 65_536];

/** @param count of secrets under names, and as many that are known by their shape; at least five of each */
export async function secretsStayOut(t: TestContext, count: number): Promise<void> {
  const { named, canaries, texts } = secretsOf(count);
  // Apart: this process waits for each command.
  const server = spawn(process.execPath, ["-e", serverText], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => server.kill());
  const [port] = await once(createInterface({ input: server.stdout }), "line");
  /** The command's text, as JSON has written it; and as it is. */
  const written = String.raw`sed -nE 's/.*"command": *"(([^"\\]|\\.)*)".*/\1/p'`;
  const text = String.raw`command=$(${written} | sed 's/\\\(.\)/\1/g')`;
  const asking =
    '{"systemMessage":"&","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"&"}}';
  const hooks = {
    hooks: {
      PreToolUse: [
        {
          hooks: [
            {
              type: "command",
              command: `${text}; printf %s "$command"; printf %s "$command" >&2; exit 1`,
            },
          ],
        },
        {
          hooks: [
            {
              type: "command",
              command: `${written} | sed 's/.*/${asking}/'`,
            },
          ],
        },
        { hooks: [{ type: "http", url: `http://127.0.0.1:${port}/` }] },
      ],
    },
  };
  const place = placeFor(t, {
    "workspace/.hookline/hooks.json": JSON.stringify(hooks),
    "workspace/.hookline/automations/echo.yaml": automation(
      "echo",
      "type: event, event_type: canary.sent",
      'printf %s "{{event.text}}"; exit 3',
    ),
  });
  for (const { name, value } of named) Object.assign(place.environment, { [name]: value });
  const daemon = await place.up();
  for (const text of texts) await daemon.emit("canary.sent", { text });
  const isDone = ({ hook, status }: RunRow): boolean => hook.includes("echo") && status === "completed";
  await until(() => place.runs().some(isDone) || undefined, "an automation's run");
  for (const [index, text] of texts.entries()) {
    const border = borders[index % borders.length] ?? 0;
    const padded = `${"x".repeat(border - (index % 40))} ${text}`;
    for (const command of [text, padded]) {
      const data = { session_id: "s", cwd: place.workspace, tool_name: "Bash", tool_input: { command } };
      const { status } = place.hooklineWith(
        JSON.stringify({ ...data, hook_event_name: "PreToolUse" }),
        "hook",
        "claude-code",
      );
      assert.equal(status, 0);
    }
  }
  place.hooklineWith(`{"tool_name": ${texts.join()}`, "hook", "claude-code");
  await daemon.stop();
  const files = filesBelow(join(place.folder, "state"));
  assert.ok(
    files.some((file) => file.endsWith(".db") && readFileSync(file).length > 100_000),
    files.join(),
  );
  const plain = (name: string): boolean => files.some((file) => readFileSync(file).includes(name));
  assert.ok(plain(`plain ${texts.length - 1}`), "what is no secret is there to be found");
  const found = files.flatMap((file) => {
    const bytes = readFileSync(file);
    return canaries.filter((canary) => bytes.includes(canary)).map((canary) => `${file}: ${canary}`);
  });
  assert.deepEqual(found.slice(0, 10), []);
}
