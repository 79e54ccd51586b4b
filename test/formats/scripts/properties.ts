/** Whatever stands in a script: nothing throws, findings lie inside the file, and no guard goes in silence. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readFieldLines, readHead } from "../../../src/formats/scripts/front-matter.ts";
import { anyCharacter } from "../../any-character.ts";
import { compile } from "../script-helpers.ts";

const piece = fc.oneof(
  fc.constantFrom(
    ..."\n \r \t # // --- #--- //--- : ' \" | > - * & ! { } [ ] , % @ ` ~ \0 \uFEFF \u2028 #! type name pattern".split(
      " ",
    ),
    "\n# type: pre-commit\n",
    "\n# pattern: *.go\n",
    "\n# name: >\n#   folded\n",
    "#!/bin/bash\n#---\n",
    "\n#---\n",
    "\n---\n",
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
);
const anyText = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
const anyHeader = anyText.map((inside) => `#!/bin/sh\n#---\n${inside}\n#---\ntrue\n`);
const anyScript = fc.oneof(
  anyText,
  anyHeader,
  anyHeader.map((text) => text.replaceAll("#---", "---")),
);

const good = "#!/bin/bash\n#---\n# name: Type check\n# type: pre-commit\n#---\npnpm typecheck\n";
const start = good.indexOf("#---") + 4;
const end = good.lastIndexOf("#---") + 4;
/** Its line, with the breaks around it. */
const inType = (at: number): boolean => at >= good.indexOf("\n# type") && at <= good.indexOf("-commit") + 7;
const places = Array.from({ length: end - start }, (_, at) => start + at).filter((at) => !inType(at));

/** @param rounds of each property */
export function testScriptProperties(rounds: number): void {
  test("[E3, X6] no text makes the reader throw, and every finding is inside the file", () => {
    fc.assert(
      fc.property(anyScript, fc.boolean(), (text, isExecutable) => {
        const lines = text.split("\n");
        const { hooks, problems, isOther } = compile(text, { isExecutable });
        assert.ok(hooks.length <= 1);
        assert.ok(!isOther || (hooks.length === 0 && problems.length === 0));
        for (const { line, column, message } of problems) {
          assert.ok(line >= 1 && line <= lines.length, `line ${line}: ${message}`);
          assert.ok(column >= 1 && column <= (lines[line - 1]?.length ?? 0) + 1, `${line}:${column}: ${message}`);
        }
      }),
      { numRuns: rounds },
    );
  });

  test("[E3] fields and their values are at their reported places in the file", () => {
    fc.assert(
      fc.property(anyHeader, (text) => {
        const { frontMatter } = readHead(text);
        assert.ok(frontMatter);
        for (const { key, at, value, valueAt, isLiteral } of readFieldLines(frontMatter.lines, []).fields) {
          assert.ok(text.slice(at).replace(/^["']/, "").startsWith(key), `${key} at ${at}`);
          assert.ok(valueAt > at && valueAt <= text.length);
          if (isLiteral) assert.ok(text.slice(valueAt).replace(/^["']/, "").startsWith(value), value);
        }
      }),
      { numRuns: rounds },
    );
  });

  test("[R33, R46] a guard with two signs changed outside its type is active, or its file is known to have lost it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(..."\n #/-:'\"x|*{")), {
          minLength: 1,
          maxLength: 2,
        }),
        (changes) => {
          const signs = good.split("");
          for (const [at, sign] of changes) signs[at] = sign;
          const { hooks, problems } = compile(signs.join(""));
          const isGuarded = hooks[0]?.role === "guard";
          assert.ok(isGuarded || problems.some(({ severity, loses }) => severity === "error" && loses), signs.join(""));
        },
      ),
      { numRuns: rounds },
    );
  });
}
