/** A home, a workspace and what doctor finds there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Place, placeFor, type Said } from "../daemon/started.ts";

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
  state: string;
  findings(...words: string[]): { status: number | null; findings: Finding[] };
}

/** Without a daemon: each line works by itself. */
export function worldFor(t: TestContext, files: Record<string, string> = {}): World {
  const place = placeFor(t, files);
  place.environment.HOOKLINE_DAEMON = "off";
  return {
    ...place,
    settings: join(place.folder, "home", ".claude", "settings.json"),
    state: join(place.folder, "state", "hookline"),
    findings(...words) {
      const { status, stdout, stderr }: Said = place.hookline("doctor", "--json", ...words);
      assert.notEqual(stdout, "", stderr);
      return { status, findings: JSON.parse(stdout) };
    },
  };
}

export const ofAll = (findings: readonly Finding[]): string =>
  findings.map(({ is, says }) => `${is} ${says}`).join("\n");

export const named = (findings: readonly Finding[], name: string): Finding =>
  findings.find(({ finding }) => finding === name) ?? assert.fail(`no ${name} in:\n${ofAll(findings)}`);
