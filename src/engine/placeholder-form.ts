/** What may stand between the braces of a placeholder: a plain path. Filters, indexes, calls and operators of other template languages are none. */

/** Of other languages. Words, and signs that a key may hold, such as a hyphen or a colon, count in places of their own only. */
const otherForm =
  /[|()[\]'"`,*&#?!<>=~;%^\\]|:[-+.\d]|^[-:/]|^not\s|\.-\d|[-:+]$|\s(?:[-+*/%?:]|\?\?|[=!]=|[<>]=?|&&|or|and|not|in|is|if|else)\s/;

export const isPlainPath = (inBraces: string): boolean => !otherForm.test(inBraces);

/** A dot with no name behind it: what it reads is a field whose name is empty, which nobody means. */
const gap = /\.\s*(?:\.|$)/;
const dottedNames = /^[A-Za-z_]\w*(?:\.[\w@$ -]*)*$/;

/** The names of a path that has a gap, and only them: programs' own templates have dots too. */
export const namesAroundGap = (inBraces: string): string[] | undefined =>
  gap.test(inBraces) && dottedNames.test(inBraces)
    ? inBraces.split(".").flatMap((name) => name.trim() || [])
    : undefined;

/** Names that another sign, a blank or a leading dot keeps from being a path of this root: `{{event/title}}`, `{{.event.title}}`. */
export function namesOfRoot(inBraces: string, isRoot: (name: string) => boolean): string[] | undefined {
  const names = inBraces.split(/[^\w@$-]+|->/).filter((name) => name !== "");
  const [first = "", second = ""] = names;
  const own = /^(?:this|self|ctx|context|vars|env|data)$/i.test(first) && isRoot(second) ? names.slice(1) : names;
  return isRoot(own[0] ?? "") ? own : undefined;
}

/** What was most likely meant, where a part of it is a path of one of these roots, or reads one by an index. */
export function plainPathIn(inBraces: string, isRoot: (name: string) => boolean): string | undefined {
  const dotted = inBraces
    .replaceAll(/\?\.|->/g, ".")
    .replaceAll(/\[\s*(?:(\d{1,9})|'([^'\]]{1,60})'|"([^"\]]{1,60})")\s*\]/g, ".$1$2$3");
  for (const [path, root = ""] of dotted.matchAll(
    /(?<![\w.'"])([A-Za-z_]\w{0,60})(?:\.[\w@$][\w@$-]{0,60}){0,20}(?!\w)/g,
  )) {
    if (!isRoot(root)) continue;
    const isCalled = dotted.slice(dotted.indexOf(path) + path.length).startsWith("(");
    return isCalled
      ? path.slice(0, path.lastIndexOf(".") < 0 ? undefined : path.lastIndexOf("."))
      : path.replace(/-+$/, "");
  }
  return undefined;
}
