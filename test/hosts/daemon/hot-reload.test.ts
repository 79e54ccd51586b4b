/** Hook files that are changed while the daemon runs: what holds at the very next event, and that no guard lapses meanwhile. */
import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { goes, isGone } from "../../runtime/processes/gone.ts";
import { type Hosted, hosted } from "./hosted.ts";
import { placeFor, until } from "./started.ts";

const file = "workspace/.hookline/hooks.json";
const guarding = (reason: string): string =>
  JSON.stringify({
    hooks: {
      "build.finished": [{ hooks: [{ type: "command", command: `echo ${reason} >&2; exit 2`, role: "guard" }] }],
    },
  });

/** Why the event was refused, or "" if it was not. */
async function refusal(daemon: Hosted): Promise<string> {
  const { body } = await daemon.emit("build.finished");
  const { verdict } = body.outcome;
  return verdict?.is === "deny" ? String(verdict.reason).trim() : "";
}

test("[R46, X8] a hook file that is edited, broken, corrected, replaced, moved and deleted: each event finds what holds then, and a guard never lapses", async (t) => {
  const place = placeFor(t, { [file]: guarding("first") });
  const path = join(place.folder, file);
  const daemon = await hosted(place);
  assert.equal(await refusal(daemon), "first");
  place.write(file, guarding("second"));
  assert.equal(await refusal(daemon), "second");
  for (const broken of ["", "{", guarding("third").slice(0, 60)]) {
    place.write(file, broken);
    assert.equal(await refusal(daemon), "second", broken);
  }
  place.write(file, guarding("third"));
  assert.equal(await refusal(daemon), "third");
  place.write(`${file}.tmp`, guarding("fourth")); // as most editors do
  renameSync(`${path}.tmp`, path);
  assert.equal(await refusal(daemon), "fourth");
  const moves = async (): Promise<string> => {
    renameSync(path, `${path}~`); // and as others do
    return refusal(daemon);
  };
  for (let said = await moves(); said !== "fourth"; said = await moves()) {
    assert.equal(said, "", "on a busy machine it was away for too long");
    renameSync(`${path}~`, path);
    assert.equal(await refusal(daemon), "fourth");
  }
  place.write(file, guarding("fifth"));
  assert.equal(await refusal(daemon), "fifth");
  rmSync(join(place.workspace, ".hookline"), { recursive: true });
  await until(async () => (await refusal(daemon)) === "", "its end is seen");
  place.write(file, guarding("sixth"));
  assert.equal(await refusal(daemon), "sixth");
});

test("[X8] a persistent program ends when its hook goes from its file, although no event asks for it any more", async (t) => {
  const echo = String.raw`while read -r line; do echo "$line" | sed -E 's/^[{]"id": *("[^"]*"|[0-9]+).*/{"id":\1}/'; done`;
  const hook = { type: "command", command: echo, resident: true };
  const place = placeFor(t, { [file]: JSON.stringify({ hooks: { "build.finished": [{ hooks: [hook] }] } }) });
  const daemon = await hosted(place);
  await daemon.emit("build.finished");
  const { residents } = (await daemon.call("/status")).body;
  assert.equal(residents.length, 1);
  assert.ok(!isGone(residents[0].pid));
  place.write(file, guarding("none"));
  assert.ok(await goes(residents[0].pid));
});
