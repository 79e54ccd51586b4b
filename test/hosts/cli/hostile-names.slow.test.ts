/** Every command in a hostile workspace; hostile-names.test.ts has a few. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { commands, onTerminal, quick, showing } from "./hostile-workspace.ts";

test("[T26] no command lets a hostile workspace drive the terminal, whichever it is", onTerminal, (t) => {
  const shown = showing(
    t,
    commands.filter((words) => !quick.includes(words)),
  );
  assert.ok(shown >= 8, `${shown} commands showed a hostile text`);
});
