/** The documentation as a site: each page in its group, each link to something that is there, and nothing that a strict policy forbids. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import test, { type TestContext } from "node:test";
import MiniSearch from "minisearch";
import { fileOf, groups } from "../../scripts/docs/groups.ts";
import { indexName, searchOptions } from "../../scripts/site/search.ts";
import { siteOf } from "../../scripts/site/site.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const site = await siteOf("docs");
const html = [...site].flatMap(([path, content]): [string, string][] =>
  path.endsWith(".html") ? [[path, String(content)]] : [],
);

test("every link and picture of every page leads to a file of the site, and every anchor to its one heading", () => {
  const ids = new Map(html.map(([path, text]) => [path, [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)]));
  for (const [path, text] of html) {
    const own = ids.get(path) ?? [];
    assert.equal(new Set(own).size, own.length, `${path} has two parts of one name`);
    for (const [, target = ""] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^https:/.test(target)) continue;
      const [file = "", anchor] = target.split("#");
      const found = file === "" ? path : posix.join(posix.dirname(path), file);
      assert.ok(site.has(found), `${path} links to ${target}`);
      if (anchor !== undefined) assert.ok(ids.get(found)?.includes(anchor), `${path} links to ${target}`);
    }
  }
});

test("no page holds a script, a style or a handler, or loads anything from elsewhere", () => {
  for (const [path, text] of html) {
    assert.doesNotMatch(text, /<style|\sstyle=|\son\w+="|<script(?! src="[\w./]+" defer><\/script>)/, path);
    assert.doesNotMatch(text, /<(?:link|script|img)[^>]*(?:href|src)="(?:https?:)?\/\//, path);
    assert.doesNotMatch(text, /(?:href|src)="\//, `${path} does not work below another path`);
  }
  assert.doesNotMatch(String(site.get("site.css")), /@import|url\(/);
});

test("the navigation of each page has every group and marks where the reader is", () => {
  for (const [path, text] of html) {
    for (const { title } of groups) assert.ok(text.includes(`<h2>${title}</h2>`), `${path} leaves out ${title}`);
    const marked = [...text.matchAll(/aria-current/g)].length;
    assert.equal(marked, path === "index.html" ? 0 : 1, path);
  }
});

test("the index finds sections by words, by parts of names and by their beginnings", () => {
  const written = String(site.get("search.js")).slice(indexName.length + 1, -2);
  const index = MiniSearch.loadJSON(written, searchOptions);
  const first = (words: string): unknown => index.search(words)[0]?.file;
  assert.equal(first("daemon_running"), "errors/daemon_running.html");
  assert.equal(first("context_pressure"), "conditions.html#context_pressure");
  assert.equal(first("front matter"), "scripts.html#front-matter");
  assert.equal(first("What are tests of hooks?"), "hook-tests.html");
  assert.equal(first("templates"), "templates.html");
  assert.equal(first("pressur"), "conditions.html#context_pressure");
});

/** The real table with pages of a line each, and some beside it or away. */
function docsWith(t: TestContext, changes: Readonly<Record<string, string | undefined>>): string {
  const folder = temporaryFolder(t);
  const all = groups.flatMap(({ pages }) => pages.map(([page]): [string, string] => [fileOf(page), `# ${page}\n`]));
  for (const [path, text] of Object.entries({ ...Object.fromEntries(all), "README.md": "# Start\n", ...changes })) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test("a page in no group, and a row without its page, stop the build with the table's place", async (t) => {
  await assert.rejects(
    siteOf(docsWith(t, { "new.md": "# New\n" })),
    /docs\/new\.md: it stands in 0 groups.*groups\.ts/,
  );
  await assert.rejects(siteOf(docsWith(t, { "rules.md": undefined })), /there is no docs\/rules\.md/);
  assert.ok((await siteOf(docsWith(t, { "errors/new.md": "# New\n" }))).has("errors/new.html"));
});

test("what a page says of markup stays text, notes to its writers are left out, and other files are named, not linked", async (t) => {
  const page = `# Rules & <b>more</b>

<!-- for writers -->

A \`<script>\` of [another file](../src/index.ts), and [a page](errors/README.md#some-error), [scripts.md](scripts.md). <img src=x onerror=alert(1)>

## Some \`code\`

## Some code
`;
  const text = String((await siteOf(docsWith(t, { "rules.md": page }))).get("rules.html"));
  for (const part of [
    "<title>Rules &amp; &lt;b&gt;more&lt;/b&gt; · Hookline</title>",
    "A <code>&lt;script&gt;</code> of",
    "another file (<code>src/index.ts</code>), and",
    '<a href="errors/index.html#some-error">a page</a>',
    '<a href="scripts.html">scripts</a>',
    "&lt;img src=x onerror=alert(1)&gt;",
    '<h2 id="some-code">',
    '<h2 id="some-code-1">',
  ])
    assert.ok(text.includes(part), part);
  assert.ok(!text.includes("for writers"));
});
