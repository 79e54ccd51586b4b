/** What the readers of all formats say of an entry that is not as it should be: the same, in the same words, at its place. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Problem } from "../../src/engine/hook.ts";
import { readTestsText } from "../../src/formats/hook-tests/file.ts";
import { anyCharacter } from "../any-character.ts";
import { compileFile as compileAutomations } from "./automation-helpers.ts";
import { compile as compileRegistry, written } from "./registry-helpers.ts";
import { compile as compileRules, file, rule } from "./rules-helpers.ts";
import { compile as compileScript, script } from "./script-helpers.ts";
import { command, compile as compileSettings, settings } from "./settings-helpers.ts";

interface Format {
  read(text: string): { problems: readonly Problem[] };
  /** Texts with one mistake: a misspelt `enabled`, or the field that is named; a flag that is none; no name; a text where a map belongs. */
  misspelt: readonly [text: string, word: string, meant: string];
  noFlag?: string;
  lacks?: readonly [text: string, field: string];
  noMap?: string;
  /** A file without anything is a mistake, and one of remarks is none. */
  saysEmpty?: true;
}
const automation = (fields: string): string => `trigger: { type: periodic }\nprompt_template: hi\n${fields}`;
const test1 = (more: string): string => `tests:\n  - name: a\n    event: Stop\n    expect: { verdict: none }\n${more}`;
const json = (handler: object): string => JSON.stringify(settings("Stop", handler));

const formats: { readonly [name: string]: Format } = {
  rules: {
    read: (text) => compileRules(text),
    misspelt: [file(rule({ enabeld: "true" })), "enabeld", "enabled"],
    noFlag: file(rule({ enabled: "yes" })),
    lacks: [file(rule({ action: undefined })), "action"],
    noMap: "hooks: [word]",
    saysEmpty: true,
  },
  "repository hooks": {
    read: (text) => compileRegistry(text),
    misspelt: [written({ enabeld: "true" }), "enabeld", "enabled"],
    noFlag: written({ enabled: "yes" }),
    lacks: [written({ event_type: "" }), "event_type"],
    noMap: "- word",
    saysEmpty: true,
  },
  "settings hooks": {
    read: (text) => compileSettings(text, "hookline"),
    misspelt: [json(command("x", { enabeld: true })), "enabeld", "enabled"],
    noFlag: json(command("x", { enabled: "yes" })),
    lacks: [json({ type: "http" }), "url"],
  },
  scripts: {
    read: (text) => compileScript(text),
    misspelt: [script("type: session", "timout: 5"), "timout", "timeout"],
    lacks: [script("type: file"), "pattern"],
  },
  automations: {
    read: (text) => compileAutomations(text),
    misspelt: [automation("name: a\nenabeld: true\n"), "enabeld", "enabled"],
    noFlag: automation("name: a\nenabled: yes\n"),
    lacks: [automation(""), "name"],
    noMap: "automations: [word]",
    saysEmpty: true,
  },
  tests: {
    read: (text) => readTestsText(text, "/project/a.hooktest.yaml"),
    misspelt: [test1("    sesion: a\n"), "sesion", "session"],
    lacks: [test1("").replace("name: a\n    ", ""), "name"],
  },
};

for (const [name, { read, misspelt, noFlag, lacks, noMap, saysEmpty }] of Object.entries(formats)) {
  const said = (text: string): Problem[] => read(text).problems.filter(({ severity }) => severity !== "note");

  test(`${name}: a misspelt field is reported at its key, with the field that was meant`, () => {
    const [text, word, meant] = misspelt;
    const [{ line, column, message, suggestion, code } = assert.fail(text)] = said(text);
    assert.deepEqual([code, suggestion], ["unknown-field", `did you mean "${meant}"?`]);
    assert.match(message, new RegExp(`(?:nothing reads|has no) "(?:.*\\.)?${word}"`));
    assert.ok(
      text
        .split("\n")
        [line - 1]?.slice(column - 1)
        .replace(/^"/, "")
        .startsWith(word),
      `${line}:${column}`,
    );
  });

  test(`${name}: what is missing, of another kind or no map at all is said in one sentence, with what to write`, () => {
    const first = (text: string): string =>
      said(text).map(({ message, suggestion }) => `${message} (${suggestion})`)[0] ?? "";
    if (lacks) assert.match(first(lacks[0]), new RegExp(`needs (?:a )?"(?:.*\\.)?${lacks[1]}"`));
    if (noFlag) assert.match(first(noFlag), /"enabled".* needs true or false but is "yes" \(write true\)$/);
    if (noMap) assert.match(first(noMap), / is a map with .*, not "word" \(write /);
  });

  if (saysEmpty)
    test(`${name}: an empty file is a mistake, and one of remarks alone is on purpose`, () => {
      assert.deepEqual(
        said("").map(({ message }) => message),
        ["the file is empty"],
      );
      assert.deepEqual(said("# nothing now\n"), []);
    });

  test(`[R33] ${name}: no text makes the reader throw, and what it reports lies in the file`, () => {
    const piece = fc.oneof(
      fc.constantFrom(...misspelt[0].split(/(?<=\W)/), "\t", "x: &a *a", "\0", "'", "---\n", "- ", "{", "["),
      fc.string({ unit: anyCharacter, maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join("");
        for (const { line, column, file } of read(text).problems)
          assert.ok(file !== "" && line >= 1 && line <= text.split("\n").length && column >= 1, `${line}:${column}`);
      }),
      { numRuns: 100 },
    );
  });
}
