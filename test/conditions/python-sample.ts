/** Random expressions as trees of the test's own, and how Python writes them: as few brackets as it allows. */
import fc from "fast-check";

export type Sample =
  | { is: "int" | "float"; value: number }
  | { is: "str"; value: string }
  | { is: "constant"; value: null | boolean }
  | { is: "name"; value: string }
  | { is: "list" | "tuple"; items: Sample[] }
  | { is: "dict"; entries: [string, Sample][] }
  | { is: "attribute"; of: Sample; name: string }
  | { is: "item"; of: Sample; index: Sample }
  | { is: "slice"; of: Sample; bounds: (Sample | undefined)[] }
  | { is: "unary"; by: "not" | "-" | "+"; value: Sample }
  | { is: "binary"; by: string; left: Sample; right: Sample }
  | { is: "chain"; first: Sample; rest: { by: string; value: Sample }[] }
  | { is: "choice"; test: Sample; value: Sample; otherwise: Sample }
  | { is: "call"; name: string; given: Sample[] }
  | { is: "method"; of: Sample; name: string; given: Sample[] }
  | { is: "each"; gives: Sample; variable: string; over: Sample; when: Sample[]; call?: string }
  | { is: "brackets"; value: Sample };

const binding: Readonly<Record<string, number>> = {
  or: 2,
  and: 3,
  "+": 8,
  "-": 8,
  "*": 9,
  "/": 9,
  "//": 9,
  "%": 9,
  "**": 11,
};

function strength(sample: Sample): number {
  if (sample.is === "choice") return 1;
  if (sample.is === "binary") return binding[sample.by] ?? 0;
  if (sample.is === "chain") return 5;
  if (sample.is === "unary") return sample.by === "not" ? 4 : 10;
  return sample.is === "int" || sample.is === "float" ? 12 : 13;
}

/** In brackets, if it binds less than it has to. */
export function print(sample: Sample, least = 0): string {
  const text = printBare(sample);
  return strength(sample) < least ? `(${text})` : text;
}

function printBare(sample: Sample): string {
  switch (sample.is) {
    case "int":
      return String(sample.value);
    case "float":
      return Number.isInteger(sample.value) ? `${sample.value}.0` : String(sample.value);
    case "str":
      return printText(sample.value);
    case "constant":
      return sample.value === null ? "None" : sample.value ? "True" : "False";
    case "name":
      return sample.value;
    case "list":
      return `[${printAll(sample.items)}]`;
    case "tuple":
      return `(${printAll(sample.items)}${sample.items.length === 1 ? "," : ""})`;
    case "dict":
      return `{${sample.entries.map(([key, value]) => `${printText(key)}: ${print(value, 1)}`).join(", ")}}`;
    case "attribute":
      return `${print(sample.of, 13)}.${sample.name}`;
    case "item":
      return `${print(sample.of, 13)}[${print(sample.index, 1)}]`;
    case "slice":
      return `${print(sample.of, 13)}[${sample.bounds.map((bound) => (bound ? print(bound, 1) : "")).join(":")}]`;
    case "unary":
      return sample.by === "not" ? `not ${print(sample.value, 4)}` : `${sample.by}${print(sample.value, 10)}`;
    case "binary":
      return printBinary(sample.by, sample.left, sample.right);
    case "chain":
      return [print(sample.first, 6), ...sample.rest.map(({ by, value }) => `${by} ${print(value, 6)}`)].join(" ");
    case "choice":
      return `${print(sample.value, 2)} if ${print(sample.test, 2)} else ${print(sample.otherwise, 1)}`;
    case "call":
      return `${sample.name}(${printAll(sample.given)})`;
    case "method":
      return `${print(sample.of, 13)}.${sample.name}(${printAll(sample.given)})`;
    case "each":
      return printEach(sample);
    case "brackets":
      return `(${print(sample.value)})`;
  }
}

function printBinary(by: string, left: Sample, right: Sample): string {
  const own = binding[by] ?? 0;
  if (by === "**") return `${print(left, 12)} ** ${print(right, 10)}`;
  return `${print(left, own)} ${by} ${print(right, own + 1)}`;
}

function printEach({ gives, variable, over, when, call }: Sample & { is: "each" }): string {
  const tests = when.map((test) => ` if ${print(test, 2)}`).join("");
  const text = `${print(gives, 1)} for ${variable} in ${print(over, 2)}${tests}`;
  return call ? `${call}(${text})` : `[${text}]`;
}

const printAll = (samples: readonly Sample[]): string => samples.map((one) => print(one, 1)).join(", ");
const printText = (text: string): string => {
  const quote = text.includes('"') ? "'" : '"';
  const inner = text
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("'", quote === "'" ? "\\'" : "'");
  return `${quote}${inner}${quote}`;
};

type Kind = "truth" | "number" | "text" | "list" | "other";
type Grow = (kind: Kind) => fc.Arbitrary<Sample>;
type Made = fc.Arbitrary<Sample>;

const texts = "|a|b|ab|Ab|aab|a b| x |12| 3\n|1_0|2.5|-4|é|ß|😀b|it's|\"|git|git push|x.y|name".split("|");
const keys = ["name", "params", "path", "command", "count", "list", "__proto__", "constructor", "missing"] as const;
const roots: Readonly<Record<Kind, readonly string[]>> = {
  truth: ["tool_failed"],
  number: ["turn", "tools", "tokens", "pressure", "open_tasks", "messages"],
  text: ["prompt", "error", "tool.name", 'tool["class"]', "event.name", "tool.params.path", "agent.id"],
  list: ["tool.params.list", "tool.params.list[0]"],
  other: ["tool", "event", "agent", "tool.params", "tool.result", "session", "event.tool_input"],
};
/** x stands for numbers, y for texts, z for anything. */
const variables: Readonly<Record<string, Kind>> = { x: "number", y: "text", z: "other", turn: "number" };

const whole = (value: number): Sample => ({ is: "int", value });
const textOf = (value: string): Sample => ({ is: "str", value });
const constantOf = (value: null | boolean): Sample => ({ is: "constant", value });
const name = (value: string): Sample => ({ is: "name", value });

const leaves: Readonly<Record<Kind, Made>> = {
  truth: fc.constantFrom(true, false).map(constantOf),
  number: fc.oneof(
    fc.integer({ min: 0, max: 12 }).map(whole),
    fc
      .constantFrom(0, 0.5, 1, 1.5, 2, 2.5, 3.25, 1e16, 123456.789, 0.00001)
      .map((value): Sample => ({ is: "float", value })),
    fc.constantFrom("x", "x", "turn").map(name),
  ),
  text: fc.oneof(fc.constantFrom(...texts).map(textOf), fc.constant("y").map(name)),
  list: fc.constant<Sample>({ is: "list", items: [] }),
  other: fc.constantFrom<Sample>(constantOf(null), name("z"), { is: "tuple", items: [] }),
};
const rootOf = (kind: Kind): Made => fc.constantFrom(...roots[kind]).map(name);

const pick = <T extends string>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const pairs = (...parts: Made[]): fc.Arbitrary<Sample[]> => fc.tuple(...parts);
const few = (part: Made, least = 0, most = 3): fc.Arbitrary<Sample[]> =>
  fc.array(part, { minLength: least, maxLength: most });

/** Mostly a number that is one. */
const indexOf = (grow: Grow): Made =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 4 }).map(whole) },
    { weight: 1, arbitrary: grow("number") },
  );
const binary = (by: fc.Arbitrary<string>, left: Made, right: Made): Made =>
  fc.record({ is: fc.constant("binary" as const), by, left, right });
const unary = (by: fc.Arbitrary<"not" | "-" | "+">, value: Made): Made =>
  fc.record({ is: fc.constant("unary" as const), by, value });
const chain = (by: fc.Arbitrary<string>, first: Made, second: Made, most: number): Made =>
  fc.record({
    is: fc.constant("chain" as const),
    first,
    rest: fc.array(fc.record({ by, value: second }), { minLength: 1, maxLength: most }),
  });
const call = (called: fc.Arbitrary<string>, given: fc.Arbitrary<Sample[]>): Made =>
  fc.record({ is: fc.constant("call" as const), name: called, given });
const method = (called: fc.Arbitrary<string>, of: Made, given: fc.Arbitrary<Sample[]>): Made =>
  fc.record({ is: fc.constant("method" as const), of, name: called, given });
const choice = (grow: Grow, kind: Kind): Made =>
  fc.record({ is: fc.constant("choice" as const), test: grow("truth"), value: grow(kind), otherwise: grow(kind) });
const item = (of: Made, index: Made): Made => fc.record({ is: fc.constant("item" as const), of, index });
const slice = (of: Made, bound: Made): Made =>
  fc.record({
    is: fc.constant("slice" as const),
    of,
    bounds: fc.array(fc.option(bound, { nil: undefined }), { minLength: 2, maxLength: 3 }),
  });
const each = (grow: Grow, gives: Kind, called?: fc.Arbitrary<string>): Made =>
  pick("x", "y", "z", "turn").chain((variable) =>
    fc.record({
      is: fc.constant("each" as const),
      gives: grow(gives),
      variable: fc.constant(variable),
      over: overFor(grow, variable),
      when: few(grow("truth"), 0, 2),
      ...(called ? { call: called } : {}),
    }),
  );
/** What its variable can go through. */
const overFor = (grow: Grow, variable: string): Made => {
  const kind = variables[variable] ?? "other";
  return kind === "other"
    ? fc.oneof(grow("list"), grow("other"), grow("text"))
    : kind === "text"
      ? fc.oneof(grow("text"), listOf(grow("text")))
      : listOf(grow(kind));
};
const listOf = (part: Made): Made => few(part, 1).map((items): Sample => ({ is: "list", items }));
const signs = pick("==", "!=", "<", "<=", ">", ">=");

const makers: Readonly<Record<Kind, (grow: Grow) => Made[]>> = {
  truth: (grow) => [
    unary(fc.constant("not"), grow("truth")),
    binary(pick("and", "or"), grow("truth"), grow("truth")),
    binary(pick("and", "or"), grow("truth"), grow("truth")),
    chain(signs, grow("number"), grow("number"), 3),
    chain(signs, grow("text"), grow("text"), 2),
    chain(signs, grow("list"), grow("list"), 1),
    chain(pick("==", "!="), grow("other"), grow("other"), 2),
    chain(pick("in", "not in"), grow("text"), grow("text"), 1),
    chain(pick("in", "not in"), fc.oneof(grow("number"), grow("text")), grow("list"), 1),
    chain(pick("in", "not in"), grow("text"), grow("other"), 1),
    chain(pick("is", "is not"), grow("other"), fc.constantFrom(null, true, false).map(constantOf), 1),
    call(pick("any", "all", "bool"), pairs(grow("list"))),
    call(fc.constant("bool"), pairs(grow("other"))),
    method(pick("startswith", "endswith"), grow("text"), pairs(grow("text"))),
    each(grow, "truth", pick("any", "all")),
    choice(grow, "truth"),
  ],
  number: (grow) => [
    binary(pick("+", "-", "*", "/", "//", "%"), grow("number"), grow("number")),
    binary(pick("+", "-", "*", "/", "//", "%"), grow("number"), grow("number")),
    binary(
      fc.constant("**"),
      grow("number"),
      fc.constantFrom<Sample>(whole(0), whole(2), whole(31), { is: "unary", by: "-", value: whole(1) }),
    ),
    unary(pick("-", "+"), grow("number")),
    call(pick("abs", "round", "int", "float"), pairs(grow("number"))),
    call(pick("int", "float"), pairs(pick("12", " 3\n", "1_0", "2.5", "-4", "", "x").map(textOf))),
    call(fc.constant("round"), pairs(grow("number"), fc.integer({ min: 0, max: 4 }).map(whole))),
    call(pick("len"), pairs(fc.oneof(grow("text"), grow("list"), grow("other")))),
    call(pick("min", "max", "sum"), pairs(listOf(grow("number")))),
    call(pick("min", "max"), few(grow("number"), 2)),
    method(pick("count", "find"), grow("text"), pairs(grow("text"))),
    method(fc.constant("count"), grow("list"), pairs(grow("number"))),
    each(grow, "number", pick("sum", "min", "max")),
    item(grow("list"), indexOf(grow)),
    choice(grow, "number"),
  ],
  text: (grow) => [
    binary(fc.constant("+"), grow("text"), grow("text")),
    binary(fc.constant("*"), grow("text"), indexOf(grow)),
    call(fc.constant("str"), pairs(fc.oneof(grow("number"), grow("list"), grow("other"), grow("truth")))),
    method(pick("lower", "upper", "strip"), grow("text"), fc.constant([])),
    method(fc.constant("strip"), grow("text"), pairs(grow("text"))),
    method(fc.constant("replace"), grow("text"), pairs(grow("text"), grow("text"))),
    method(fc.constant("replace"), grow("text"), pairs(grow("text"), grow("text"), indexOf(grow))),
    item(grow("text"), indexOf(grow)),
    item(method(fc.constant("split"), grow("text"), fc.constant([])), indexOf(grow)),
    slice(grow("text"), indexOf(grow)),
    choice(grow, "text"),
  ],
  list: (grow) => [
    few(fc.oneof(grow("number"), grow("text"), grow("other"))).map((items): Sample => ({ is: "list", items })),
    listOf(grow("number")),
    listOf(grow("text")),
    binary(fc.constant("+"), grow("list"), grow("list")),
    binary(fc.constant("*"), indexOf(grow), grow("list")),
    method(fc.constant("split"), grow("text"), fc.constant([])),
    method(fc.constant("split"), grow("text"), pairs(grow("text"))),
    method(fc.constant("split"), grow("text"), pairs(grow("text"), indexOf(grow))),
    call(fc.constant("sorted"), pairs(fc.oneof(listOf(grow("number")), grow("text"), grow("list")))),
    slice(grow("list"), indexOf(grow)),
    each(grow, "number"),
    each(grow, "text", fc.constantFrom("sorted")),
    each(grow, "other"),
  ],
  other: (grow) => [
    few(fc.oneof(grow("number"), grow("text"))).map((items): Sample => ({ is: "tuple", items })),
    fc
      .array(fc.tuple(pick(...keys), fc.oneof(grow("number"), grow("text"), grow("list"))), { maxLength: 2 })
      .map((entries): Sample => ({ is: "dict", entries })),
    fc.record({ is: fc.constant("attribute" as const), of: grow("other"), name: pick(...keys) }),
    item(grow("other"), pick(...keys).map(textOf)),
    item(grow("list"), indexOf(grow)),
    method(fc.constant("get"), grow("other"), pairs(pick(...keys).map(textOf))),
    binary(pick("and", "or"), grow("other"), grow("text")),
    choice(grow, "other"),
  ],
};

const kinds: readonly Kind[] = ["truth", "number", "text", "list", "other"];

/** Now and then something of another kind stands where it does not fit. */
function ofKind(kind: Kind, depth: number): Made {
  const leaf = fc.oneof({ weight: 3, arbitrary: leaves[kind] }, { weight: 2, arbitrary: rootOf(kind) });
  if (depth === 0) return leaf;
  const grow: Grow = (wanted) => deepen(wanted, depth - 1);
  const made = makers[kind](grow);
  const strange = fc.constantFrom(...kinds).chain((other) => deepen(other, 0));
  return fc.oneof(
    { weight: 10, arbitrary: leaf },
    { weight: 1, arbitrary: strange },
    { weight: 1, arbitrary: grow(kind).map((value): Sample => ({ is: "brackets", value })) },
    ...made.map((arbitrary) => ({ weight: Math.ceil(20 / made.length), arbitrary })),
  );
}

const known = new Map<string, Made>();
function deepen(kind: Kind, depth: number): Made {
  const key = `${kind} ${depth}`;
  const made = known.get(key) ?? ofKind(kind, depth);
  known.set(key, made);
  return made;
}

export const samples: fc.Arbitrary<Sample> = fc
  .oneof(...kinds.flatMap((kind) => makers[kind]((wanted) => deepen(wanted, 3))))
  .map((sample) => closed(sample, []));

/** A variable outside of its loop becomes a number. */
function closed(sample: Sample, known: readonly string[]): Sample {
  if (sample.is === "name") {
    const isFree = ["x", "y", "z"].includes(sample.value) && !known.includes(sample.value);
    return isFree ? (sample.value === "x" ? whole(3) : textOf(sample.value)) : sample;
  }
  if (sample.is === "each") {
    const inside = [...known, sample.variable];
    return {
      ...sample,
      over: closed(sample.over, known),
      gives: closed(sample.gives, inside),
      when: sample.when.map((test) => closed(test, inside)),
    };
  }
  return mapParts(sample, (part) => closed(part, known));
}

function mapParts(value: Sample, change: (part: Sample) => Sample): Sample {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    if ("is" in part) return change(part as Sample); // whatever says what it is, is a sample
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, walk(one)]));
  };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one)])) as Sample; // the same shape
}
