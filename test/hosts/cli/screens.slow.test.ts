/** Every command as a person sees it, in real terminals of two sizes. HOOKLINE_UPDATE_SCREENS=1 writes test/fixtures/screens anew. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { kept, screens, skip, tooWide } from "./screens.ts";

for (const [columns, lines] of [
  [80, 24],
  [120, 40],
] as const)
  test(`in a terminal of ${columns} columns each command is shown as in the kept screens`, { skip }, async (t) => {
    const file = kept(columns, lines);
    const found = await screens(t, { columns, lines });
    const text = [...found].map(([name, screen]) => `=== ${name}\n${screen}`).join("\n");
    if (process.env.HOOKLINE_UPDATE_SCREENS) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    assert.equal(text, readFileSync(file, "utf8"));
    assert.deepEqual(tooWide(text, columns), []);
    assert.ok((found.get("hookline") ?? "").trimEnd().split("\n").length < 24, "hookline alone fits a screen");
  });
