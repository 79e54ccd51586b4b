/** What stands around each page: head, search, navigation, and the way to the next page. Nothing inline: the site's content policy forbids it. */
import { posix } from "node:path";
import { fileOf, groups, start } from "../docs/groups.ts";
import { escaped, type Page, siteFile } from "./page.ts";

interface Entry {
  group: string;
  title: string;
  file: string;
  /** It and all pages of its folder. */
  holds(file: string): boolean;
}

const entries: readonly Entry[] = groups.flatMap((group) =>
  group.pages.map(([page, title]) => ({
    group: group.title,
    title,
    file: siteFile(fileOf(page)),
    holds: (file: string) => file === siteFile(fileOf(page)) || (page.endsWith("/") && file.startsWith(page)),
  })),
);

export function withLayout({ file, title, html, sections }: Page): string {
  const to = (other: string): string => posix.relative(posix.dirname(file), other);
  const isStart = file === siteFile(start);
  const at = entries.findIndex(({ holds }) => holds(file));
  const link = ({ file: other, title: name }: Entry, current: boolean): string =>
    `<a href="${to(other)}"${current ? ` aria-current="${other === file ? "page" : "true"}"` : ""}>${escaped(name)}</a>`;
  const menu = groups.map(({ title: group }) => {
    const own = entries.filter((entry) => entry.group === group);
    const items = own.map((entry) => `<li>${link(entry, entry.holds(file))}</li>`).join("\n");
    return `<h2>${escaped(group)}</h2>\n<ul>\n${items}\n</ul>`;
  });
  const inside = sections.filter(({ depth }) => depth === 2);
  const contents =
    inside.length < 2
      ? ""
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>
${inside.map(({ id, title: name }) => `<li><a href="#${id}">${escaped(name)}</a></li>`).join("\n")}
</ul></nav>`;
  const beside = [entries[at - 1], entries[at + 1]].map((entry, index) =>
    entry
      ? `<a rel="${index ? "next" : "prev"}" href="${to(entry.file)}">${escaped(entry.title)}</a>`
      : "<span></span>",
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${isStart ? "Hookline: documentation" : `${escaped(title)} · Hookline`}</title>
<link rel="icon" href="${to("icon.svg")}">
<link rel="stylesheet" href="${to("site.css")}">
<script src="${to("site.js")}" defer></script>
</head>
<body>
<a class="skip" href="#page">Skip to the page</a>
<header>
<a class="name" href="${to("index.html")}">Hookline</a>
<search hidden>
<label class="unseen" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search, or press /" autocomplete="off" spellcheck="false">
<p class="unseen" role="status"></p>
<ul class="found" hidden></ul>
</search>
</header>
<div class="columns">
<nav class="menu" aria-label="Documentation"><details><summary>All pages</summary>
${menu.join("\n")}
</details></nav>
<main id="page" tabindex="-1">
<article>
${html}</article>
${at < 0 ? "" : `<nav class="beside" aria-label="Next pages">${beside.join("\n")}</nav>`}
</main>
${contents}
</div>
</body>
</html>
`;
}
