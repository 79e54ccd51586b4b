/** How many calls of a session of the real Claude Code reached Hookline, also where its hooks do not run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isCovered } from "./covered.ts";
import { real } from "./first-run.ts";
import { startAgent } from "./session.ts";

isCovered("claude-code");

const ten = Array.from({ length: 10 }, (_one, index) => `echo ${index}`);

test(
  "[X13] after a session of ten calls status says that ten of ten reached Hookline, and after one with --bare that none did",
  real("claude-code"),
  async (t) => {
    const session = await startAgent(t, "claude-code", ({ shell }) => ({
      turns: [...ten.map((line) => shell(line)), { text: "Done." }],
    }));
    assert.equal((await session.hookline("install", "claude-code")).code, 0);
    await session.run();
    assert.match(
      (await session.hookline("status")).stdout,
      /^session +10 of 10 calls of the last session reached Hookline$/m,
    );
    await session.run({ flags: ["--bare"] });
    const { stdout } = await session.hookline("status");
    assert.match(
      stdout,
      /^session +none of the 10 calls of the last session reached Hookline: `hookline coverage [-\w]+`$/m,
    );
    const [{ because, missed }] = JSON.parse((await session.hookline("coverage", "--json")).stdout);
    assert.match(because, /Claude Code was started without its hooks \(--bare, /);
    assert.deepEqual(
      missed.map(({ subject }: { subject: string }) => subject),
      ten,
    );
  },
);

test(
  "[X13] a session that goes on in a fork holds none of the old one's calls against it",
  real("claude-code"),
  async (t) => {
    const session = await startAgent(t, "claude-code", ({ shell }) => ({
      turns: [shell("echo one"), { text: "Done." }, shell("echo two"), { text: "Done." }],
    }));
    assert.equal((await session.hookline("install", "claude-code")).code, 0);
    await session.run();
    await session.run({ prompt: "Go on.", continued: true, flags: ["--fork-session"] });
    const found = JSON.parse((await session.hookline("coverage", "--json")).stdout);
    assert.deepEqual(
      found.map((one: { missed: unknown[]; unknown: unknown }) => [one.missed, one.unknown]),
      found.map(() => [[], null]),
      JSON.stringify(found),
    );
  },
);
