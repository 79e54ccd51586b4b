/**
 * What a person sees, in real terminals of two sizes: each command once, on a sample with a denial, a failure, a foreign script and an
 * emoji. The screens are in test/fixtures/screens; HOOKLINE_UPDATE_SCREENS=1 writes them anew.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { kept, screens, skip, tooWide } from "./screens.ts";

test("in a terminal of 80 columns the commands of a first day are shown as in the kept screens", {
  skip,
}, async (t) => {
  const names = ["hookline", "list", "runs", "why"];
  const found = await screens(t, { columns: 80, lines: 24, names });
  const whole = `\n${readFileSync(kept(80, 24), "utf8")}\n=== `;
  for (const [name, screen] of found) assert.ok(whole.includes(`\n=== ${name}\n${screen}\n=== `), screen);
  assert.deepEqual(tooWide([...found.values()].join(""), 80), []);
  assert.ok((found.get("hookline") ?? "").trimEnd().split("\n").length < 24, "hookline alone fits a screen");
});
