/** Front matters of every form, and whether the stub sees without Hookline that they make a hook. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { compileScript } from "../../../src/formats/scripts/script.ts";
import { hook, settle, trial } from "./trial.ts";

/** Every front matter that makes a hook of git.pre-commit, be it one that only fails, is seen by the stub. */
const frontMatters: readonly string[] = [
  "#!/bin/sh\n#---\n# type: pre-commit\n#---\n",
  "#!/bin/sh\n#---\n#type: pre-commit\n#---\n",
  "#!/bin/sh\n---\ntype: pre-commit\n---\n",
  "#!/bin/sh\n---\n# type: pre-commit\n---\n",
  "#!/usr/bin/env node\n//---\n// type: 'pre-commit'\n//---\n",
  '#!/bin/sh\n#---\n# type: "pre-commit"   \n#---   \n',
  '#!/bin/sh\n#---\n# type: "pre\\x2dcommit"\n#---\n',
  "#!/bin/sh\n#---\n# type:\n#   pre-commit\n#---\n",
  "#!/bin/sh\n#---\n# type: >-\n#   pre-commit\n#---\n",
  "#!/bin/sh\n#---\n# type : pre-commit\n#---\n",
  '#!/bin/sh\n#---\n# "type": pre-commit\n#---\n',
  "#!/bin/sh\n#---\n# type: pre-commit # before each\n#---\n",
  "#!/bin/sh\n#---\n# type: precommit\n#---\n",
  "#!/bin/sh\n#---\n# type: Pre-Commit\n#---\n",
  "#!/bin/sh\n#---\n# type: pre_commit\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.go'\necho\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.go'\nmake check\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.go'\n//---\n",
  "#!/bin/sh\n\n#---\n# type: pre-commit\n#---\n",
  "#!/bin/sh\n# a remark\n# another\n# ---\n# type: pre-commit\n# ---\n",
  "#!/bin/sh\n#--\n# type: pre-commit\n#--\n",
  `#!/bin/sh\n#---\n${"# a: b\n".repeat(120)}# type: pre-commit\n#---\n`,
  "#!/bin/sh\n#---\n# type: file\n# type: pre-commit\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: ['*.go']\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '!*.md'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.{a..z}'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '[ab]'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.g?'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: *.go\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: '*.go' # and no other\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# more:\n#   pattern: '*.go'\n#---\n",
  "#!/bin/sh\n#---\n# type: pre-commit\n# pattern: |\n#   *.go\n#---\n",
  "#!/bin/sh\r\n#---\r\n# type: pre-commit\r\n#---\r\n",
];

/**
 * Whatever makes a hook for commits is seen without Hookline.
 *
 * @param one of how many is tried
 */
export function allAreSeen(t: TestContext, one: number): void {
  const tried = frontMatters.filter((_, index) => index % one === 0);
  const { write, start, top, mustGit } = trial(t);
  write("z", "");
  mustGit(["add", "z"]);
  let hooks = 0;
  for (const text of tried) {
    const path = write(hook, text, 0o755);
    settle(top, hook);
    const compiled = compileScript(
      text,
      { isExecutable: true },
      { dialect: "script", layer: "project", file: path },
      {
        label: hook,
        family: "hookline",
      },
    );
    const [made] = compiled.hooks;
    const listens = made && "event" in made.on && made.on.event.includes("git.pre-commit");
    if (!listens) continue;
    hooks += 1;
    const always = made.when === undefined; // else it depends on what is staged, of which `z` may match or not
    if (always) assert.ok(start().asked, text);
  }
  assert.ok(hooks > tried.length / 2, `${hooks} of them are hooks`);
}
