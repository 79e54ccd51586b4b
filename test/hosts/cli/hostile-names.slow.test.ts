/** Every command in a hostile workspace, at a terminal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commands, onTerminal, showing } from "./hostile-workspace.ts";

test("[T26] no command lets a hostile workspace drive the terminal", onTerminal, (t) => {
  const shown = showing(t, commands);
  assert.ok(shown >= 10, `${shown} commands showed a hostile text`);
});
