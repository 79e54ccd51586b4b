/** Who may not become root: asked of the function itself, in a process that is not root. */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { scriptUser } from "../../src/actions/script/user.ts";

/** As somebody who is not root. */
function asPerson<T>(work: () => T): T {
  const { seteuid, geteuid } = process;
  if (geteuid?.() !== 0 || !seteuid) return work();
  seteuid(65_534);
  try {
    return work();
  } finally {
    seteuid(0);
  }
}

test("[R32, E14] run_as: root is refused where Hookline is not root, with what to do", () => {
  const refused = asPerson(() => scriptUser("root", tmpdir(), {}, { SUDO_UID: "0" }));
  assert.ok("refusal" in refused);
  assert.match(
    refused.refusal,
    /it asks for run_as: root, and Hookline runs as .+ — start the agent as root, or take run_as out/,
  );
});

test("[E14] who is not root runs scripts as itself, whatever the environment claims", () => {
  const found = asPerson(() => scriptUser("user", "/", { HOME: "/h", USER: "u" }, { SUDO_UID: "1" }));
  assert.deepEqual(found, { environment: { HOME: "/h", USER: "u" } });
});

test("[R68] an id that is not a number, or root's, names no user", {
  skip: process.geteuid?.() !== 0 && "only root can",
}, () => {
  for (const id of ["", "-1", "1x", "0", "99999999999"]) {
    const found = scriptUser("user", "/", {}, { SUDO_UID: id });
    assert.ok("note" in found && found.note?.startsWith("run as root"), id);
  }
});
