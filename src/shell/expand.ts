/** The words that the shell makes of a word, as far as the line itself tells. */
import type {
  Assignment,
  CommandExpansionPart,
  DoubleQuotedChild,
  ParameterExpansionPart,
  ProcessSubstitutionPart,
  SimpleExpansionPart,
  Word,
  WordPart,
} from "unbash";
import { unknownText } from "../engine/pattern.ts";
import { changed } from "./changed-value.ts";
import { takesDefaults } from "./possible.ts";

/** A list is an array, or under "@" the arguments of the line. */
type Value = string | readonly string[];
/** What the line itself has set, and surely so. The folder it is in is PWD. */
export type Variables = Map<string, Value>;

/** What is known where a word stands. */
export interface Known {
  variables: Variables;
  /** Variables that the line may set, as its texts say. */
  mentioned: ReadonlySet<string>;
  /** What substitutions print, where that is known. */
  prints: ReadonlyMap<CommandExpansionPart | ProcessSubstitutionPart, string>;
  /** Other shells than bash may leave `{a,b}` as it is. */
  isBash: boolean;
}

/** Text that the shell will put there, within one word. */
export const within: string = unknownText;
/** Text that may also be several words, or none. */
export const across: string = unknownText + unknownText;
export const blanks = " \t\n";
const mostAlternatives = 64;
/** A word of more parts is nothing that a person would know, either. */
const mostParts = 500;
/** What a line puts together of its own variables grows with the power of two. */
const longestValue = 20_000;

export const isUnknown = (word: string): boolean => word.includes(unknownText);
/** A file by its name, in some folder without blanks: what `which` prints. */
export const unknownPath: string = `/${unknownText}/`;

/** May be several words, or none. */
export const mayVanish = (word: string): boolean => word.includes(across);

/** Could mean any file; `[` alone is a program. */
export const isGlob = (word: string): boolean =>
  /[*?]/.test(word) || (word.includes("[") && word.lastIndexOf("]") > word.indexOf("["));

/** Arithmetic evaluates the text of a variable: a substitution in a subscript runs wherever the text ends up. */
const hiddenSubstitution = /\[[^\][]*(\$\(|`)/;
export const hidesSubstitution = (text: string): boolean => hiddenSubstitution.test(text);

export const textOf = (variables: Variables, name: string): string | undefined => {
  const value = variables.get(name);
  return typeof value === "string" ? value : value?.[0];
};

interface Field {
  done: string[];
  current: string | undefined;
}

export function expandWord(word: Word, known: Known): string[] {
  const { parts } = word;
  if (!parts) {
    if (word.text.startsWith("~")) return [expandTilde(word.value, known.variables)];
    if (isSetting(word.text)) return [expandSetting(word, known)];
    return word.value !== "" || /["']/.test(word.text) ? [word.value] : [];
  }
  if (parts.length > mostParts) return [across];
  let fields: Field[] = [{ done: [], current: undefined }];
  for (const [index, part] of parts.entries()) {
    if (part.type === "BraceExpansion") {
      const all = known.isBash ? alternativesOf(part.text) : [across];
      // The shell fills in braces first: `{~,x}` is `~ x`.
      fields = branch(fields, index === 0 ? all.map((one) => expandTilde(one, known.variables)) : all);
    } else if (index === 0 && part.type === "Literal" && part.text.startsWith("~"))
      add(fields, expandTilde(part.value, known.variables));
    else if (index === 0 && part.type === "Literal" && isSetting(part.text)) add(fields, expandSetting(part, known));
    else addPart(fields, part, { next: parts[index + 1], known });
  }
  const words: string[] = [];
  for (const { done, current } of fields) {
    for (const word of done) words.push(word);
    if (current !== undefined) words.push(current);
  }
  // An empty word stays only where quotes made it.
  return /["']/.test(word.text) ? words : words.filter((one) => one !== "");
}

/** In a list a word that looks like an assignment keeps its tilde. */
const expandElement = (word: Word, known: Known): string[] =>
  isSetting(word.text) ? [word.parts ? within : word.value] : expandWord(word, known);

/** The value of an assignment, where nothing is split. */
export function expandValue({ value, append, name }: Assignment, known: Known): Value {
  if (value.type === "ArrayValue") {
    const words = value.elements.flatMap((one) => expandElement(one, known));
    const before = append ? known.variables.get(name) : [];
    const isPlain =
      typeof before === "object" &&
      !words.some(mayVanish) &&
      value.elements.every(({ text }) => !/^\[.*\]=/s.test(text));
    return isPlain ? [...before, ...words] : within;
  }
  const fields: Field[] = [{ done: [], current: "" }];
  if ((value.parts?.length ?? 0) > mostParts) return within;
  if (!value.parts) add(fields, value.text.includes("~") ? expandTildes(value.value, known.variables) : value.value);
  else
    for (const part of value.parts) {
      if (part.type === "Literal" && part.text.includes("~"))
        add(fields, expandTildes(part.value, known.variables, part === value.parts[0]));
      else addUnsplit(fields, part, known);
    }
  const text = fields[0]?.current ?? "";
  const whole = append ? `${textOf(known.variables, name) ?? within}${text}` : text;
  return whole.length > longestValue && value.parts ? within : whole;
}

const tilde = /^~([^/]*)/;
const tildeVariables: { readonly [sign: string]: string } = { "": "HOME", "+": "PWD", "-": "OLDPWD" };

function expandTilde(text: string, variables: Variables): string {
  return text.replace(tilde, (_, who: string) => {
    const name = Object.hasOwn(tildeVariables, who) ? tildeVariables[who] : undefined;
    return (name === undefined ? homeOf(who) : textOf(variables, name)) ?? within;
  });
}

/** Another person's folder is where such folders usually are. */
const homeOf = (who: string): string | undefined =>
  who === "root" ? "/root" : /^[a-z_][\w-]*$/i.test(who) ? `/home/${who}` : undefined;

/** In an assignment a colon begins a path, too. */
const expandTildes = (text: string, variables: Variables, fromStart = true): string =>
  text
    .split(":")
    .map((path, index) => (index > 0 || fromStart ? expandTilde(path, variables) : path))
    .join(":");

/** bash takes `of=~/x` for a place in the home folder, also where it is no variable; other shells do not. */
const isSetting = (text: string): boolean => /^[A-Za-z_]\w*\+?=(.*:)?~/s.test(text);

function expandSetting({ text, value }: { text: string; value: string }, { variables, isBash }: Known): string {
  const start = value.indexOf("=") + 1;
  const isSure = isBash && text === value;
  return `${value.slice(0, start)}${isSure ? expandTildes(value.slice(start), variables) : within}`;
}

function add(fields: readonly Field[], text: string): void {
  for (const field of fields) field.current = (field.current ?? "") + text;
}

function branch(fields: readonly Field[], alternatives: readonly string[]): Field[] {
  if (fields.length * alternatives.length > mostAlternatives) {
    add(fields, across);
    return [...fields];
  }
  return fields.flatMap(({ done, current }) =>
    alternatives.map((text) => ({ done: [...done], current: (current ?? "") + text })),
  );
}

function alternativesOf(text: string): readonly string[] {
  const inside = text.slice(1, -1);
  if (/^[\w./,@%+:=~-]*,[\w./,@%+:=~-]*$/.test(inside)) return inside.split(",");
  const [, from, until] = /^(\d{1,4})\.\.(\d{1,4})$/.exec(inside) ?? [];
  if (from === undefined || until === undefined || /^0./.test(from) || /^0./.test(until)) return [across];
  const [first, last] = [Number(from), Number(until)];
  const count = Math.abs(last - first) + 1;
  const step = Math.sign(last - first);
  return count > mostAlternatives
    ? [across]
    : Array.from({ length: count }, (_, index) => String(first + index * step));
}

interface Beside {
  next: WordPart | undefined;
  known: Known;
}

function addPart(fields: readonly Field[], part: WordPart, { next, known }: Beside): void {
  switch (part.type) {
    case "Glob":
      add(fields, isPlainStar(part.text, fields, next) || areFiles(fields) ? part.text : across);
      return;
    case "SimpleExpansion":
    case "ParameterExpansion":
      addExpansion(fields, part, known);
      return;
    case "CommandExpansion":
      addSplit(fields, known.prints.get(part), { isOneWord: false, known });
      return;
    case "ExtendedGlob":
    case "BraceExpansion":
      add(fields, across);
      return;
    default:
      addUnsplit(fields, part, known);
      return;
  }
}

/** `*`, `*.ts`, `*\/x`: files, by far most often; no option or sub-command is meant. */
const isPlainStar = (text: string, fields: readonly Field[], next: WordPart | undefined): boolean =>
  text === "*" &&
  fields.every(({ current }) => !current) &&
  (!next || (next.type === "Literal" && /^[./]/.test(next.value)));

/** Behind a slash or a dot there are names of files alone, however many: never an option or a sub-command. */
const areFiles = (fields: readonly Field[]): boolean =>
  fields.every(({ current }) => /^[^-\0][^\0]*\/|^[/.]/.test(current ?? ""));

function addUnsplit(fields: readonly Field[], part: WordPart, known: Known): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      add(fields, part.value);
      return;
    case "AnsiCQuoted":
      add(fields, known.isBash ? part.value : within);
      return;
    case "DoubleQuoted":
    case "LocaleString": {
      const [only] = part.parts;
      const list = part.parts.length === 1 && only ? listOf(only, known.variables) : undefined;
      if (list?.length === 0) return; // no arguments are no word at all
      add(fields, "");
      for (const child of part.parts) addQuoted(fields, child, known);
      return;
    }
    case "SimpleExpansion":
    case "ParameterExpansion":
      add(fields, knownValue(part, known.variables) ?? within);
      return;
    case "CommandExpansion":
      add(fields, known.prints.get(part) ?? within);
      return;
    case "ProcessSubstitution":
      add(fields, `/dev/fd/${within}`);
      return;
    case "Glob":
      add(fields, part.text);
      return;
    default:
      add(fields, within);
      return;
  }
}

function addQuoted(fields: readonly Field[], part: DoubleQuotedChild, known: Known): void {
  if (part.type === "Literal") {
    add(fields, part.value);
    return;
  }
  if (part.type === "CommandExpansion") {
    add(fields, known.prints.get(part) ?? within);
    return;
  }
  if (part.type !== "SimpleExpansion" && part.type !== "ParameterExpansion") {
    add(fields, within);
    return;
  }
  const list = listOf(part, known.variables);
  if (list) {
    addList(fields, list);
    return;
  }
  const isList = part.text === "$@" || /^\$\{(@|\w+\[@\])/.test(part.text);
  add(fields, knownValue(part, known.variables) ?? (isList ? across : within));
}

const listName = /^\$(?:@|\{@\}|\{(\w+)\[@\]\}|\{(?:@|(\w+)\[@\]):(\d+| -\d+)(?::(\d+))?\})$/;

/** `$@` and `${x[@]}` where the line has set them. */
function listOf({ text }: { text?: string }, variables: Variables): readonly string[] | undefined {
  const found = listName.exec(text ?? "");
  if (!found) return undefined;
  const [, whole, part, from, count] = found;
  const value = variables.get(whole ?? part ?? "@");
  if (typeof value !== "object" || from === undefined) return typeof value === "object" ? value : undefined;
  // Of the arguments the first is number one.
  const isArguments = part === undefined;
  if (isArguments && from === "0") return undefined;
  const start = Number(from) - (isArguments && !from.includes("-") ? 1 : 0);
  const rest = value.slice(start);
  return count === undefined ? rest : rest.slice(0, Number(count));
}

function addList(fields: readonly Field[], list: readonly string[]): void {
  for (const field of fields)
    for (const [index, item] of list.entries()) {
      if (index > 0) {
        if (field.current !== undefined) field.done.push(field.current);
        field.current = undefined;
      }
      field.current = (field.current ?? "") + item;
    }
}

/** Variables that hold one word by convention. */
const oneWord = /^(HOME|PWD|OLDPWD|TMPDIR|[A-Z]\w*_(DIR|HOME|ROOT)|VIRTUAL_ENV|GOPATH|GOROOT|[?#$!])$/;
const isOneWord = (name: string, { mentioned }: Known): boolean => oneWord.test(name) && !mentioned.has(name);

const names =
  /(?<![$\w{]|\$\{[#!])(?:IFS|HOME|PWD|OLDPWD|TMPDIR|[A-Z]\w*_(?:DIR|HOME|ROOT)|VIRTUAL_ENV|GOPATH|GOROOT)(?!\w)/g;
/** Names that a text may set: what is known of them by convention does not hold. */
export function mentionedIn(text: string): string[] {
  return text.match(names) ?? [];
}

function addExpansion(
  fields: readonly Field[],
  part: SimpleExpansionPart | ParameterExpansionPart,
  known: Known,
): void {
  const list = listOf(part, known.variables);
  if (list?.every((item) => /^[^\s*?[\0]+$/.test(item)) && known.variables.get("IFS") === blanks) {
    addList(fields, list);
    return;
  }
  const value = list ? undefined : knownValue(part, known.variables);
  if (value !== undefined && isUnknown(value)) {
    add(fields, value.startsWith(unknownPath) ? value : value.replaceAll(unknownText, across));
    return;
  }
  addSplit(fields, value, { isOneWord: isOneWord(nameIn(part.text), known), known });
}

function addSplit(
  fields: readonly Field[],
  value: string | undefined,
  { isOneWord, known }: { isOneWord: boolean; known: Known },
): void {
  if (value === undefined) {
    add(fields, isOneWord ? within : across);
    return;
  }
  if (known.variables.get("IFS") !== blanks) {
    add(fields, value === "" ? "" : across);
    return;
  }
  for (const field of fields) {
    for (const [index, text] of value.split(/[ \t\n]+/).entries()) {
      if (index > 0) {
        if (field.current !== undefined && field.current !== "") field.done.push(field.current);
        field.current = undefined;
      }
      if (text !== "") field.current = (field.current ?? "") + text;
    }
  }
}

const nameIn = (text: string): string => text.replace(/^\$\{?/, "").replace(/\W.*$/s, "") || text.slice(1);

/** undefined: only the shell will know. */
function knownValue(part: SimpleExpansionPart | ParameterExpansionPart, variables: Variables): string | undefined {
  if (part.type === "SimpleExpansion") return valueNamed(part.text.slice(1), variables);
  if (part.text === "${!#}") {
    const args = variables.get("@");
    return typeof args === "object" ? args.at(-1) : undefined;
  }
  if (part.prefix) return part.prefix === "!" ? valueThrough(part, variables) : undefined;
  if (part.index) {
    const list = variables.get(part.parameter);
    if (part.operation) return undefined;
    const element = variables.get(`${part.parameter}[${part.index.text.replace(/^(["'])(.*)\1$/, "$2")}]`);
    if (typeof element === "string") return element;
    return /^-?\d+$/.test(part.index.text) && typeof list === "object" ? list.at(Number(part.index.text)) : undefined;
  }
  const value = valueNamed(part.parameter, variables);
  const { operation } = part;
  if (!operation) return value;
  // Of a list the shell changes each word, and cuts by words.
  const isList = part.parameter === "@" || part.parameter === "*";
  if (operation.type !== "Default") return value === undefined || isList ? undefined : changed(value, operation);
  if (value === undefined && variables.has(takesDefaults) && /^:?[-+=]$/.test(operation.operator)) {
    const words = expandWord(operation.operand, { variables, mentioned: new Set(), prints: new Map(), isBash: true });
    return words.some(isUnknown) ? undefined : words.join(" ");
  }
  const isMissing = value === undefined && /^[1-9]$/.test(part.parameter) && typeof variables.get("@") === "object";
  if (isMissing || (value === "" && operation.operator.startsWith(":")))
    return /^:?[-=]$/.test(operation.operator) && !operation.operand.parts ? operation.operand.value : undefined;
  if (value === undefined) return undefined;
  return /^:?[-=?]$/.test(operation.operator) ? value : undefined;
}

/** `${!name}`: the value of the variable whose name this one holds. */
function valueThrough(
  { parameter, operation, index }: ParameterExpansionPart,
  variables: Variables,
): string | undefined {
  const name = operation || index ? undefined : textOf(variables, parameter);
  return name !== undefined && /^[A-Za-z_]\w*$/.test(name) ? textOf(variables, name) : undefined;
}

function valueNamed(name: string, variables: Variables): string | undefined {
  if (!/^[\d*#]/.test(name)) return textOf(variables, name);
  if (name === "0") return textOf(variables, name);
  const args = variables.get("@");
  if (typeof args !== "object") return undefined;
  if (name === "#") return String(args.length);
  if (name === "*") return variables.get("IFS") === blanks ? args.join(" ") : undefined;
  return args[Number(name) - 1];
}
