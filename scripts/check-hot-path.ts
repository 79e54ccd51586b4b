/**
 * What `hookline hook` loads before it knows its event: the static closure of src/hosts/cli/hook.ts holds nothing slow (R66). And what
 * commands and a daemon load where nobody has switched on telemetry or named a Postgres: nothing that sends to one of them. Of Postgres
 * nothing is loaded later either, whatever is asked, but in the few places that know its address.
 */
import { importsOf } from "./imports.ts";

interface Closure {
  entry: string;
  packages: readonly string[];
  /** Beginnings of paths. */
  places: readonly string[];
  /** Of those places, what may be there. */
  allowed: readonly string[];
  /** What is loaded on demand counts too, but for what these load. Absent: it does not count. */
  gates?: readonly string[];
}

/** Measured import costs are in docs/decisions/0004-dependencies.md. */
const forbidden = [
  "node:http",
  "node:https",
  "node:http2",
  "node:readline",
  "undici",
  "yaml",
  "zod",
  "re2js",
  "unbash",
  "@lezer/python",
  "picomatch",
  "string-width", // and Intl.Segmenter with it
  "kysely",
  "pg",
  "@dbos-inc/dbos-sdk",
  "ai",
  "@ai-sdk/anthropic",
  "@ai-sdk/google",
  "@ai-sdk/openai",
  "@ai-sdk/openai-compatible",
];
/** Beginnings of paths. What only some sets of hooks need is loaded where a set holds such a hook. */
const forbiddenPlaces = [
  "src/services/",
  "src/hosts/daemon/",
  "src/operations/",
  "testing/",
  "src/formats/",
  "src/actions/script/",
  "src/actions/command/protocols/registry",
  "src/engine/ability.ts",
  "src/loading/read.ts",
  "src/runtime/changes/cold",
  "src/hosts/compose/durable-queue.ts",
  "src/runtime/queues/durable",
  "src/storage/sqlite/journal",
  "src/storage/postgres/",
  "src/actions/index.ts",
  "src/conditions/index.ts",
];

/** Of those places, what asking a daemon needs: each is small and imports nothing slow. */
const allowed = ["src/hosts/daemon/hook-wire.ts", "src/hosts/daemon/state-file.ts"];

const postgres = ["pg", "@dbos-inc/dbos-sdk"];
/** They load it where a person has named one. */
const waysToPostgres = [
  "src/hosts/cli/daemon/up.ts",
  "src/hosts/cli/doctor/postgres-look.ts",
  "src/hosts/cli/runs/cancel.ts",
  "src/hosts/cli/shared-store/record.ts",
  "src/hosts/cli/shared-store/store.ts",
  "src/hosts/cli/worker/worker.ts",
];

const daemonFiles = ["src/hosts/cli/daemon/up.ts", "src/hosts/daemon/daemon.ts", "src/hosts/daemon/listeners.ts"];
const closures: readonly Closure[] = [
  { entry: "src/hosts/cli/hook.ts", packages: forbidden, places: forbiddenPlaces, allowed },
  ...["src/hosts/cli/main.ts", "src/hosts/cli/doctor/doctor.ts", ...daemonFiles, "src/index.ts"].map((entry) => ({
    ...{ entry, packages: postgres, allowed: [] },
    places: ["src/services/telemetry/otlp/", "src/storage/postgres/"],
  })),
  ...[
    "src/hosts/cli/hook.ts",
    "src/hosts/cli/main.ts",
    "src/hosts/cli/doctor/doctor.ts",
    ...daemonFiles,
    "src/index.ts",
  ].map((entry) => ({
    ...{ entry, packages: postgres, places: ["src/storage/postgres/"], allowed: [], gates: waysToPostgres },
  })),
];

let isBroken = false;
for (const closure of closures) {
  const { files, complaints } = walk(closure);
  for (const complaint of complaints) console.log(`on the hot path: ${complaint}`);
  const kind = closure.gates ? "closure with what is loaded on demand" : "static closure";
  console.log(`${files} modules in the ${kind} of ${closure.entry}, ${complaints.length} that may not be there`);
  isBroken ||= complaints.length > 0;
}
process.exitCode = isBroken ? 1 : 0;

function walk({ entry, packages, places, allowed: exceptions, gates }: Closure): {
  files: number;
  complaints: string[];
} {
  const paths = new Map<string, readonly string[]>([[entry, [entry]]]);
  const waiting = [entry];
  const complaints: string[] = [];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const { to, own, typeOnly, lazy } of importsOf(file)) {
      if (typeOnly || (lazy && (!gates || gates.includes(file))) || paths.has(to)) continue;
      const path = [...(paths.get(file) ?? []), to];
      paths.set(to, path);
      const isForbidden = packages.includes(to) || places.some((place) => to.startsWith(place));
      if (isForbidden && !exceptions.includes(to)) complaints.push(path.join(" → "));
      if (own) waiting.push(to);
    }
  }
  return { files: paths.size, complaints };
}
