/** Which Hookline this is. Apart from help.ts, because clients of the daemon ask for it on every event and for nothing else there. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../../engine/schema.ts";

/** Set by the build, which it names by its sources. */
declare const BUILT_FROM: string;
/** Of a clone's own bundle, which is of one version with the sources that it was made from. */
declare const BUILT_IN_CLONE: boolean;

/** As its package says. */
export function version(): string {
  const bin = process.env.HOOKLINE_BIN ?? process.argv[1] ?? "";
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(dirname(bin)), "package.json"), "utf8"));
  return isRecord(manifest) ? String(manifest.version) : "of an unknown version";
}

/** With the build's own name: a client and a daemon of one version, but not of one build, may answer differently. No spaces. */
export const buildVersion = (): string => `${version().replaceAll(/\s/g, "-")}+${isOfClone ? "source" : BUILT_FROM}`;

const isOfClone = typeof BUILT_FROM === "undefined" || BUILT_IN_CLONE;
