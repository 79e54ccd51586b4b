/** A page of docs/ as HTML: its links lead to other pages of the site, and its sections are what search finds. */
import { posix } from "node:path";
import { Marked, type Token, type Tokens } from "marked";
import { anchorOf } from "../docs/checks.ts";

export interface Section {
  /** Empty: the part before the first heading below the title. */
  id: string;
  title: string;
  depth: number;
  text: string;
  /** Of its first sentences; empty where it has none. */
  begins: string;
}

export interface Page {
  /** Below docs/. */
  source: string;
  /** Below the site. */
  file: string;
  title: string;
  html: string;
  sections: readonly Section[];
  /** Files below docs/ that it shows. */
  images: readonly string[];
}

/** README.md is what a folder opens with. */
export const siteFile = (source: string): string =>
  source.replace(/(^|\/)README\.md$/, "$1index.html").replace(/\.md$/, ".html");

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/**
 * @param source its path below docs/
 * @param titles by path, of all pages: a link to anything else of the project becomes text
 */
export function pageOf(source: string, markdown: string, titles: ReadonlyMap<string, string>): Page {
  const marked = new Marked();
  const tokens = marked.lexer(markdown);
  const sections: Section[] = [];
  const images: string[] = [];
  const ids = namesOnce();
  const headingIds = new Map<Token, string>();
  for (const token of tokens) {
    if (token.type === "heading") {
      const { depth, text } = token as Tokens.Heading; // its type says so
      const title = plain(token).trim();
      const id = ids(anchorOf(text.replaceAll("`", "")));
      headingIds.set(token, id);
      if (depth <= 3) sections.push({ id: depth === 1 ? "" : id, title, depth, text: "", begins: "" });
    }
    const last = sections.at(-1);
    if (last?.begins === "" && (token.type === "paragraph" || token.type === "list"))
      last.begins = beginning(plain(token));
    if (last && token.type !== "heading") last.text = `${last.text} ${plain(token)}`.replaceAll(/\s+/g, " ").trim();
  }

  /** The page of the site that is meant. */
  const pageAt = (path: string): string | undefined => {
    const target = posix.normalize(posix.join(posix.dirname(source), path));
    return [target, posix.join(target, "README.md")].find((one) => titles.has(one));
  };

  marked.use({
    renderer: {
      heading(token) {
        const { depth } = token;
        const inside = this.parser.parseInline(token.tokens);
        const id = headingIds.get(token) ?? "";
        const mark = depth === 1 ? "" : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${inside}${mark}</h${depth}>\n`;
      },
      link({ href, tokens: inside, text: written }) {
        const text = this.parser.parseInline(inside);
        if (/^[a-z]+:/.test(href) || href.startsWith("#")) return `<a href="${escaped(href)}">${text}</a>`;
        const [path = "", anchor] = href.split("#");
        const found = pageAt(path);
        const file = posix.join("docs", posix.dirname(source), href); // of the project: a reader of the site may not have it
        if (found === undefined) return `${text}${text === file ? "" : ` (<code>${escaped(file)}</code>)`}`;
        const to = posix.relative(posix.dirname(siteFile(source)), siteFile(found));
        const name = written === path ? escaped(titles.get(found) ?? written) : text; // on the site it is no file to read
        return `<a href="${escaped(anchor === undefined ? to : `${to}#${anchor}`)}">${name}</a>`;
      },
      image({ href, text }) {
        images.push(posix.normalize(posix.join(posix.dirname(source), href)));
        return `<img src="${escaped(href)}" alt="${escaped(text)}">`;
      },
      code: ({ text, lang }) =>
        `<pre><code${lang ? ` class="language-${escaped(lang)}"` : ""}>${escaped(text)}\n</code></pre>\n`,
      table(token) {
        const isTwoWay = token.header[0]?.text === ""; // then its first column holds names, too
        const cell = ({ tokens: inside }: Tokens.TableCell, tag: string, scope = ""): string =>
          `<${tag}${scope}>${this.parser.parseInline(inside)}</${tag}>`;
        const head = token.header.map((one) => cell(one, one.text === "" ? "td" : "th"));
        const rows = token.rows.map((row) =>
          row.map((one, at) => (isTwoWay && at === 0 ? cell(one, "th", ' scope="row"') : cell(one, "td"))),
        );
        const lines = (cells: string[][]): string => cells.map((row) => `<tr>${row.join("")}</tr>`).join("\n");
        return `<div class="wide"><table>\n<thead>${lines([head])}</thead>\n<tbody>\n${lines(rows)}\n</tbody>\n</table></div>\n`;
      },
      // Notes to those who write the pages; of markup they hold line breaks alone.
      html: ({ text }) => markupOf(text) ?? escaped(text),
    },
  });
  const html = marked.parser(tokens, marked.defaults);
  return { source, file: siteFile(source), title: sections[0]?.title ?? source, html, sections, images };
}

function beginning(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= 160 ? line : `${line.slice(0, line.lastIndexOf(" ", 158))} …`;
}

/** Undefined: it is text. */
function markupOf(text: string): string | undefined {
  if (/^<br\s*\/?>$/.test(text)) return "<br>";
  return /^\s*<!--[\s\S]*-->\s*$/.test(text) ? "" : undefined;
}

/** Two headings with one text get two names. */
function namesOnce(): (name: string) => string {
  const uses = new Map<string, number>();
  return (name) => {
    const before = uses.get(name) ?? 0;
    uses.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  };
}

/** The words of a part, as a reader sees them. */
function plain(token: Token): string {
  if (token.type === "br" || (token.type === "html" && markupOf(String(token.text)) !== undefined)) return " ";
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table; // its type says so
    return [header, ...rows].flatMap((cells) => cells.map((cell) => all(cell.tokens))).join(" ");
  }
  if (token.type === "list") return (token as Tokens.List).items.map((item) => all(item.tokens)).join(" "); // its type says so
  if ("tokens" in token && token.tokens) return all(token.tokens);
  return "text" in token && typeof token.text === "string" ? unescaped(token.text) : " ";
}

const all = (tokens: readonly Token[]): string => tokens.map(plain).join("");

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
