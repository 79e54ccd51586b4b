/** What a call of code gives by its name: a path put together, a name in a folder, the same in another form. */
import { unknownText } from "../../../engine/pattern.ts";

export interface Value {
  /** Any of them. */
  texts: readonly string[];
  /** Of a list that is written out. */
  items?: readonly Value[];
}

/** Values of one name. */
export const most = 8;
const longestText = 4_096;
export const unknown: Value = { texts: [unknownText] };
export const known = (texts: readonly string[]): Value => ({ texts: [...new Set(texts)].slice(0, most) });

/** They give what they are given, in another form. */
const sameOf =
  /^(?:str|String|fspath|abspath|realpath|realpathSync|normpath|normalize|expanduser|expandvars|expand_path|absolute_path|sorted|list|set|tuple|reversed|from|iter|tqdm|glob|iglob|globSync|sync|Array|as_posix|new|encode|decode|fileURLToPath|toNamespacedPath|globstar|bsd_glob)$/;
const joins =
  /^(?:join|Path|PurePath|PosixPath|WindowsPath|resolve|joinpath|File|URL|catfile|catdir|Pathname|to_path)$/;
/** Names of what is in a folder; with the folder before them. */
const lists = /^(?:listdir|readdirSync|readdir|children|entries|each_child|scandir_names)$/;
const listsPaths = /^(?:iterdir|scandir|walk|fwalk|find|each_entry|opendir)$/;
const sameMethods =
  /^(?:resolve|absolute|expanduser|strip|rstrip|lstrip|trim|toString|to_s|to_path|sort|reverse|slice|concat|copy|path|fullPath|as_posix|flat|toArray|each|chomp|fspath|__str__|values|realpath)$/;
const chooses = /^(?:filter|select|reject|grep|find|slice_when|reject!)$/;
const makesTemporary =
  /^(?:mkdtemp|mkdtempSync|mkstemp|TemporaryDirectory|NamedTemporaryFile|mktmpdir|mktemp|tempdir|tempnam|tempfile)$/;
export const join = (left: string, right: string): string =>
  right === "" ? left : left === "" ? right : `${left.replace(/\/+$/, "")}/${right.replace(/^(?:\.?\/)+(?=.)/, "")}`;
export const combined = (left: Value, right: Value, put: (one: string, two: string) => string): Value =>
  known(left.texts.flatMap((one) => right.texts.map((two) => shortened(put(one, two)))));
const shortened = (text: string): string => (text.length > longestText ? unknownText : text);
export const mapped = ({ texts }: Value, change: (text: string) => string): Value => known(texts.map(change));
const parentOf = (path: string): string =>
  path.includes("/") ? path.replace(/\/+[^/]*\/*$/, "") || "/" : path === "." || path === "~" ? unknownText : ".";
const nameIn = (path: string): string => path.replace(/^.*\//s, "");
/** Whether any of it is known where it begins. */
export const isTold = ({ texts }: Value): boolean => texts.some((text) => !text.startsWith(unknownText));

/** A property, and a call without arguments. Undefined: its name says nothing. */
export function valueOfProperty(name: string, on: Value | undefined): Value | undefined {
  if (on && isTold(on)) {
    if (sameMethods.test(name)) return on;
    if (/^(?:parent|dirname)$/.test(name)) return mapped(on, parentOf);
    if (/^(?:name|basename)$/.test(name)) return mapped(on, nameIn);
    if (listsPaths.test(name) || lists.test(name)) return mapped(on, (path) => join(path, "*"));
  }
  return makesTemporary.test(name) ? known([`/tmp/${unknownText}`]) : undefined;
}

/** @param args without those that can be no text */
export function valueOfCall(name: string, on: Value | undefined, args: readonly Value[]): Value {
  const [first = unknown, ...rest] = args;
  if (makesTemporary.test(name))
    return first === unknown ? known([`/tmp/${unknownText}`]) : mapped(first, (path) => path + unknownText);
  const own = on && isTold(on) ? valueOfMethod(name, on, args) : undefined;
  if (own) return own;
  if (joins.test(name)) return rest.reduce((left, right) => combined(left, right, join), first);
  if (lists.test(name)) return known(["*"]);
  if (listsPaths.test(name)) return mapped(first, (path) => join(path, "*"));
  if (sameOf.test(name)) return first;
  if (name === "enumerate") return first;
  if (name === "filter" || name === "map") return name === "filter" ? (rest[0] ?? unknown) : unknown;
  if (/^(?:dirname|parent)$/.test(name)) return mapped(first, parentOf);
  if (/^(?:basename)$/.test(name)) return mapped(first, nameIn);
  return unknown;
}

function valueOfMethod(name: string, on: Value, args: readonly Value[]): Value | undefined {
  const [first = unknown] = args;
  if (name === "join" && on.items) {
    const [separator = ""] = first.texts;
    return joined(on.items, separator);
  }
  if (name === "join" && first.items && on.texts.every((text) => text.length < 3 && text !== "~" && text !== ".")) {
    const [separator = ""] = on.texts;
    return joined(first.items, separator);
  }
  if (chooses.test(name)) return mapped(on, (path) => path.replace(/\*$/, "(some)"));
  if (/^(?:glob|rglob)$/.test(name))
    return combined(on, first, (folder, shape) => join(folder, shape.replace(/^(?:\*\*\/)+/, "")));
  if (joins.test(name)) return args.reduce((left, right) => combined(left, right, join), on);
  if (/^(?:with_name|with_suffix|relative_to|format|replace|sub|gsub|split)$/.test(name))
    return mapped(on, (path) => (path.includes("/") ? `${parentOf(path)}/${unknownText}` : unknownText));
  return sameMethods.test(name) ? on : undefined;
}

/** A list that is empty where it is written out has been filled in another way. */
function joined(items: readonly Value[], separator: string): Value {
  const [first = unknown, ...others] = items;
  return others.reduce((left, right) => combined(left, right, (one, two) => `${one}${separator}${two}`), first);
}
