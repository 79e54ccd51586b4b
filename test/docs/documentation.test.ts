/** The documentation against the code, and that the checks notice what they are there for. */
import assert from "node:assert/strict";
import test from "node:test";
import { complaintsAbout } from "../../scripts/docs/checks.ts";
import { project } from "../../scripts/docs/project.ts";

/** A mistake in a page, and the words in which it is complained of: no two are complained of in the same. */
const mistakes: readonly { says: string; page: string; from: string | RegExp; to: string; complaint: RegExp }[] = [
  {
    says: "a file that a page names and that is not there",
    page: "docs/adding.md",
    from: "**`src/agents/adapter.ts`**",
    to: "**`src/agents/adaptor.ts`**",
    complaint: /^docs\/adding\.md:\d+: there is no src\/agents\/adaptor\.ts$/m,
  },
  {
    says: "a file that a comment names by its old name",
    page: "src/storage/sqlite/groups.ts",
    from: "engine/drop-oldest.ts.",
    to: "engine/brief-map.ts.",
    complaint: /^src\/storage\/sqlite\/groups\.ts:\d+: there is no engine\/brief-map\.ts$/m,
  },
  {
    says: "a condition that the page leaves out",
    page: "docs/conditions.md",
    from: "## `tool`",
    to: "## tools",
    complaint: /"tool" is missing/,
  },
  {
    says: "a handler that does not exist",
    page: "docs/handlers.md",
    from: "## `http`",
    to: "## `http`\n\n## `https`",
    complaint: /there is no "https" in the code/,
  },
  {
    says: "a handler that has two sections, so that links lead to the wrong one",
    page: "docs/handlers.md",
    from: "## `http`",
    to: "## `agent`\n\n## `http`",
    complaint: /"agent" is there twice/,
  },
  {
    says: "a finding that the page leaves out",
    page: "docs/errors/findings.md",
    from: "## `timeout-unit`",
    to: "## timeout-unit",
    complaint: /"timeout-unit" is missing/,
  },
  {
    says: "an answer's key that is not spoken of",
    page: "docs/hooks-json.md",
    from: /`watchPaths`/g,
    to: "paths",
    complaint: /`watchPaths` is not spoken of/,
  },
  {
    says: "a generated page that was edited",
    page: "docs/events.md",
    from: "## Stop\n",
    to: "## Stop\n\nIt was edited.\n",
    complaint: /docs\/events\.md: it is stale/,
  },
  {
    says: "a ruling that the code cites and the page leaves out",
    page: "docs/rulings.md",
    from: "**R46.**",
    to: "**46.**",
    complaint: /docs\/rulings\.md has no R46/,
  },
  {
    says: "a link that leads nowhere",
    page: "docs/README.md",
    from: "(getting-started.md), then",
    to: "(getting-startet.md), then",
    complaint: /the link getting-startet\.md leads nowhere/,
  },
  {
    says: "a page whose example is gone",
    page: "docs/rules.md",
    from: "<!-- example -->",
    to: "",
    complaint: /docs\/rules\.md: it has no example that runs/,
  },
  {
    says: "a list of pages that is not the table's",
    page: "docs/README.md",
    from: "- [Rules](rules.md)",
    to: "- [Rule](rules.md)",
    complaint: /the table table: pages-write is stale/,
  },
  {
    says: "an example that is not the file",
    page: "docs/library.md",
    from: "push without --force",
    to: "never push",
    complaint: /its block is not what examples\/library\/guard\.ts holds/,
  },
  {
    says: "a hook file that check would complain of",
    page: "docs/getting-started.md",
    from: '"matcher"',
    to: '"mathcer"',
    complaint: /nothing reads "mathcer"/,
  },
];

/** All of them at once: to read the whole documentation once takes a second. */
const changed = new Map<string, string>();
for (const { page, from, to } of mistakes) {
  const original = changed.get(page) ?? project.read(page) ?? "";
  const other = original.replace(from, to);
  assert.notEqual(other, original, `${page} no longer holds ${String(from)}`);
  changed.set(page, other);
}
const read = (path: string): string | undefined => changed.get(path) ?? project.read(path);
const complaints = await complaintsAbout({ ...project, read });

test("[X9] pages and tables hold the same events, conditions, handlers, fields, errors, findings and commands", () => {
  const others = complaints.filter((one) => !mistakes.some(({ complaint }) => complaint.test(one)));
  assert.deepEqual(others, []);
});

for (const { says, complaint } of mistakes)
  test(`the checks notice ${says}`, () => {
    assert.ok(
      complaints.some((one) => complaint.test(one)),
      complaints.join("\n"),
    );
  });
