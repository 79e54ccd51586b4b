/** A home, a workspace and what doctor finds there. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Place, placeFor } from "../daemon/started.ts";

export interface Finding {
  area: string;
  finding: string;
  is: string;
  says: string;
  run?: string;
  did?: string;
  agent?: string;
}

export interface World extends Place {
  settings: string;
  findings(...words: string[]): { status: number | null; findings: Finding[] };
}

/** Without a daemon: each line works by itself. */
export function worldFor(t: TestContext, files: Record<string, string> = {}): World {
  const place = placeFor(t, files);
  place.environment.HOOKLINE_DAEMON = "off";
  return {
    ...place,
    settings: join(place.folder, "home", ".claude", "settings.json"),
    findings(...words) {
      const { status, stdout, stderr } = place.hookline("doctor", "--json", ...words);
      assert.notEqual(stdout, "", stderr);
      return { status, findings: JSON.parse(stdout) };
    },
  };
}

export const ofAll = (findings: readonly Finding[]): string =>
  findings.map(({ is, says }) => `${is} ${says}`).join("\n");

export const named = (findings: readonly Finding[], name: string): Finding =>
  findings.find(({ finding }) => finding === name) ?? assert.fail(`no ${name} in:\n${ofAll(findings)}`);

export const wrong = (findings: readonly Finding[]): Finding[] => findings.filter(({ is }) => is !== "good");

export const troubles: Readonly<Record<string, { make(world: World): void; finding: string; says: RegExp }>> = {
  "a store that is no database": {
    make(world) {
      mkdirSync(world.state, { recursive: true, mode: 0o700 });
      writeFileSync(join(world.state, "hookline.db"), "x".repeat(5_000));
    },
    finding: "store-unusable",
    says: /hookline\.db is damaged/,
  },
  "a state folder that is a file": {
    make: (world) => writeFileSync(world.state.replace(/\/hookline$/, ""), ""),
    finding: "store-unusable",
    says: /it stands where a folder should be/,
  },
  "a home that is not there": {
    make(world) {
      world.write("flat", "");
      world.environment.HOME = join(world.folder, "flat", "home");
      delete world.environment.XDG_STATE_HOME;
    },
    finding: "store-unusable",
    says: /no event can be recorded/,
  },
  "a broken hook file and broken settings": {
    make(world) {
      world.write("workspace/hookline.yaml", "engine: [");
      world.write("workspace/.hookline/hooks.json", "{");
    },
    finding: "hook-file-broken",
    says: /hookline\.yaml|hooks\.json/,
  },
  "an agent's settings that are no JSON": {
    make: (world) => world.write("home/.claude/settings.json", "{"),
    finding: "settings-unreadable",
    says: /settings\.json/,
  },
};

/** It is named with a command, and doctor looks at all other areas. */
export function isOneFinding(t: TestContext, trouble: string): void {
  const { make, finding, says } = troubles[trouble] ?? assert.fail(`there is no trouble ${trouble}`);
  const world = worldFor(t);
  make(world);
  const { status, findings } = world.findings("--fire");
  assert.equal(status, 1);
  assert.match(named(findings, finding).says, says);
  assert.deepEqual(
    [...new Set(findings.map(({ area }) => area))],
    ["store", "room", "daemon", "clients", "agents", "others", "hooks", "programs", "trust", "fire"],
  );
  for (const one of wrong(findings)) assert.ok(one.run, `${one.finding} names no command`);
  const { stdout, stderr } = world.hookline("doctor");
  assert.doesNotMatch(stdout + stderr, /\n\s+at |node:internal/);
}
