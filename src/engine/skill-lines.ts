/**
 * Shell lines in words for a model: skills, slash commands and agents' descriptions hold lines that the agent runs itself when they are
 * called, often without telling a hook. What a call would put there, and which lines stand in a text. The folders are the agents' own.
 */

/**
 * quoted: !`line` · anywhere: the same, whatever stands before it · fenced: a block of lines that begins with three backquotes and ! ·
 * braced: !{line}
 */
export type LineForm = "quoted" | "anywhere" | "fenced" | "braced";

export type LineFolder = {
  /** Below a project or a home, or absolute. */
  folder: string;
  forms: LineForm[];
};

/** What a file of such a folder would hold that it did not hold before. */
export interface LinesWritten {
  path: string;
  lines: readonly string[];
  /** It brings hooks along, in its first lines. */
  hooks: boolean;
  /** It changes lines that are there, and nobody can tell to what. */
  isUntold?: true;
}

const mostLines = 20;
const wordsForModels = /\.(?:md|mdc|mdx|markdown|toml|txt|ya?ml|json)$/i;

const below = (path: string, folders: readonly LineFolder[]): LineFolder | undefined => {
  const plain = `${path.replaceAll("\\", "/")}/`.toLowerCase();
  return folders.find(({ folder }) => plain.includes(`${folder.startsWith("/") ? "" : "/"}${folder}/`.toLowerCase()));
};

/** Whether it is such a folder or lies in one. */
export const liesThere = (path: string, folders: readonly LineFolder[]): boolean => below(path, folders) !== undefined;

export const isOfWords = (path: string): boolean => wordsForModels.test(path);

/** @param path absolute, or with unknown parts. Undefined: no words for a model lie there */
export const formsAt = (path: string, folders: readonly LineFolder[]): readonly LineForm[] | undefined =>
  isOfWords(path) ? below(path, folders)?.forms : undefined;

/** The folders that a line could mean, by its text and by where it runs. */
export function foldersIn(line: string, cwd: string, folders: readonly LineFolder[]): LineFolder[] {
  const places = `${cwd}/\n${line.replaceAll(/['"\\]/g, "")}`.toLowerCase();
  return folders.filter(({ folder }) =>
    folder
      .toLowerCase()
      .split("/")
      .every((name) => places.includes(name)),
  );
}

/** What an escape of TOML, YAML or JSON stands for: the agent looks for its marks behind its parser. */
const escapes =
  /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|\r?\n[ \t]*|(["'\\/`!{]))/g;
const mostCode = 0x10ffff;

/** The text as a parser would give it, whatever the file's form is; undefined: it has no escapes. */
function unescaped(text: string): string | undefined {
  if (!text.includes("\\")) return undefined;
  const plain = text.replace(escapes, (whole, ...groups: (string | undefined)[]) => {
    const [code, sign] = [groups.slice(0, 4).find((one) => one !== undefined), groups[4]];
    if (code === undefined) return sign ?? "";
    const point = Number.parseInt(code, 16);
    return point <= mostCode ? String.fromCodePoint(point) : whole;
  });
  return plain === text ? undefined : plain;
}

/** Of the text as it stands, and as it is once its escapes are read. */
export function linesIn(text: string, forms: readonly LineForm[]): string[] {
  const plain = unescaped(text);
  const lines = linesOfText(text, forms);
  return plain === undefined ? lines : [...new Set([...lines, ...linesOfText(plain, forms)])];
}

function linesOfText(text: string, forms: readonly LineForm[]): string[] {
  const found: string[] = [];
  if (!text.includes("!")) return found;
  if (forms.includes("fenced")) for (const [, block = ""] of text.matchAll(/```!([\s\S]*?)```/g)) found.push(block);
  const isLoose = forms.includes("anywhere");
  if (isLoose || forms.includes("quoted"))
    for (const { 1: line = "", index } of text.matchAll(/!`([^`]+)`/g))
      if (isLoose || text[index - 1] !== "`" || /^[^\s.,;:)]/.test(line)) found.push(line);
  if (forms.includes("braced")) for (const line of braced(text)) found.push(line);
  const lines = [...new Set(found.map((line) => line.replaceAll(/\{\{\s*args\s*\}\}/g, "$ARGUMENTS").trim()))].filter(
    (line) => line !== "",
  );
  return lines.length <= mostLines ? lines : [...lines.slice(0, mostLines), lines.slice(mostLines).join("\n")];
}

/** To the brace that closes it. One that nothing closes goes to the end. */
function braced(text: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (let at = text.indexOf("!{"); at >= 0; at = text.indexOf("!{", end)) {
    let depth = 1;
    end = at + 2;
    for (; end < text.length && depth > 0; end++) {
      if (text[end] === "{") depth += 1;
      else if (text[end] === "}") depth -= 1;
    }
    found.push(text.slice(at + 2, depth === 0 ? end - 1 : end));
  }
  return found;
}

/** A key of the first lines, plain or in quotes, in a block or in braces. */
const hooksKey =
  /^---\r?\n(?:(?!---)[^\n]*\n)*?(?:[^\n]*[{,])?[ \t]*(?:\?[ \t]+)?(?:!!?\w*[ \t]+)?["']?hooks["']?[ \t]*:/;
export const bringsHooks = (text: string): boolean =>
  [text, unescaped(text)].some((one) => one !== undefined && hooksKey.test(one.trimStart()));

/** The same of a shell line that names such a folder, by its text alone: here-documents hold such lines as they are. */
export function linesInShellLine(line: string, cwd: string, folders: readonly LineFolder[]): LinesWritten | undefined {
  const named = foldersIn(line, cwd, folders);
  const [first] = named;
  if (first === undefined) return undefined;
  const forms = [...new Set(named.flatMap((one) => one.forms))];
  const plain = line.replaceAll("\\`", "`").replaceAll("'!'", "!").replaceAll("\\!", "!");
  const lines = linesIn(plain, forms);
  const hooks = /^hooks\s*:/m.test(plain) && /^---/m.test(plain);
  return lines.length > 0 || hooks ? { path: first.folder, lines, hooks } : undefined;
}

/** A file that a shell line makes, or adds to: what its own words put there. */
export interface MadeText {
  path: string;
  text: string;
  /** Behind what lies there. */
  adds?: true;
}

/** What the files that a shell line makes will hold, together with what they hold now. */
export function linesMade(
  made: readonly MadeText[],
  folders: readonly LineFolder[],
  { real, read }: { real(path: string): string; read(path: string): string | undefined },
): LinesWritten[] {
  return made.flatMap(({ path, text, adds }) => {
    const forms = formsAt(path, folders) ?? formsAt(real(path), folders);
    if (forms === undefined) return [];
    const before = adds ? (read(path) ?? "") : "";
    return linesBetween(path, before, [before + text], forms);
  });
}

/** The lines that one of these texts holds and the text before does not. */
export function linesBetween(
  path: string,
  before: string,
  after: readonly string[],
  forms: readonly LineForm[],
): LinesWritten[] {
  const known = new Set(linesIn(before, forms));
  const lines = [...new Set(after.flatMap((text) => linesIn(text, forms)))].filter((line) => !known.has(line));
  const hooks = after.some(bringsHooks) && !bringsHooks(before);
  return lines.length > 0 || hooks ? [{ path, lines, hooks }] : [];
}
