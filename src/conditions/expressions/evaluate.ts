/** An expression's tree → closures. Reads the tree as what it is: data from a store, which may be damaged or of another version. */
import type { Scope } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import { functions, methods } from "./functions.ts";
import { rootNames } from "./names.ts";
import { calculateBy, checkKey, compareBy, negative, positive } from "./operators.ts";
import {
  begin,
  columnOf,
  damaged,
  deepest,
  type Evaluate,
  type Frame,
  listIn,
  type Node,
  newFrame,
  operand,
  type Place,
  rowFor,
  textIn,
} from "./tree.ts";
import {
  allOf,
  float,
  isDictionary,
  isTuple,
  itemAt,
  keysOf,
  sliceOf,
  truth,
  tuple,
  type Value,
  valueAt,
} from "./values.ts";

/**
 * May throw HooklineError pattern_invalid: the tree is none. What it returns may throw: an Error whose message says the
 * column and what could not be done; the expression then has no answer.
 */
export function compileExpression(tree: unknown): (scope: Scope) => Value {
  const evaluate = compile(tree, { variables: [], slots: { count: 0 }, depth: 0 });
  return (scope) => evaluate(newFrame(scope));
}

function compile(node: unknown, place: Place): Evaluate {
  if (place.depth > deepest) throw damaged(`it is deeper than ${deepest} levels`);
  if (!isRecord(node) || typeof node.is !== "string") throw damaged("a part of it is no node");
  const build = rowFor(builders, node.is, "a node");
  return build(node, { ...place, depth: place.depth + 1 });
}

const compileAll = (node: Node, key: string, place: Place): Evaluate[] =>
  listIn(node, key).map((one) => compile(one, place));

const builders: { readonly [is: string]: (node: Node, place: Place) => Evaluate } = {
  constant({ value = null }) {
    if (value !== null && !["boolean", "number", "string"].includes(typeof value)) throw damaged("a constant is none");
    const constant = value as Value; // one of the three
    return () => constant;
  },
  float({ value }) {
    if (typeof value !== "number") throw damaged("a float is no number");
    const constant = float(value);
    return () => constant;
  },
  name: compileName,
  list(node, place) {
    const items = compileAll(node, "items", place);
    return (frame) => collect(frame, items, columnOf(node));
  },
  tuple(node, place) {
    const items = compileAll(node, "items", place);
    return (frame) => tuple(collect(frame, items, columnOf(node)));
  },
  dictionary(node, place) {
    const keys = listIn(node, "keys").map(String);
    const values = compileAll(node, "values", place);
    return (frame) => {
      begin(frame, columnOf(node));
      return Object.fromEntries(keys.map((key, index) => [key, values[index]?.(frame) ?? null]));
    };
  },
  attribute: compileAttribute,
  item: compileItem,
  slice: compileSlice,
  not(node, place) {
    const value = operand(compile(node.value, place));
    return (frame) => !truth(value(frame));
  },
  minus: (node, place) => compileSign(node, place, negative),
  plus: (node, place) => compileSign(node, place, positive),
  and: (node, place) => compileChoices(node, place, false),
  or: (node, place) => compileChoices(node, place, true),
  compare: compileComparison,
  arithmetic(node, place) {
    const calculate = rowFor(calculateBy, node.by, "an operation");
    const [left, right, at] = [compile(node.left, place), compile(node.right, place), columnOf(node)];
    return (frame) => {
      const [one, other] = [left(frame), right(frame)];
      begin(frame, at);
      return calculate(frame, one, other);
    };
  },
  choice(node, place) {
    const test = operand(compile(node.test, place));
    const [value, otherwise] = [compile(node.value, place), compile(node.otherwise, place)];
    return (frame) => (truth(test(frame)) ? value(frame) : otherwise(frame));
  },
  call: compileCall,
  method: compileMethod,
  each: compileList,
  generator: compileList,
};

function compileList(node: Node, place: Place): Evaluate {
  const walk = compileEach(node, place);
  return (frame) => gather(frame, walk);
}

function collect(frame: Frame, parts: readonly Evaluate[], at: number): Value[] {
  const values = parts.map((part) => part(frame));
  begin(frame, at);
  return values;
}

function compileName(node: Node, place: Place): Evaluate {
  const name = textIn(node, "name");
  const variable = place.variables.findLast((one) => one.name === name);
  if (variable) return (frame) => frame.variables[variable.slot] ?? null;
  const { read } = rowFor(rootNames, name, "a name");
  const at = columnOf(node);
  return (frame) => {
    begin(frame, at);
    const value = read(frame.scope);
    if (isDictionary(value)) keysOf(frame, value); // it may just have been gathered
    return value;
  };
}

/** `tool.name` reads one field, where `tool` alone would gather them all. */
function compileAttribute(node: Node, place: Place): Evaluate {
  const name = textIn(node, "name");
  const at = columnOf(node);
  const root = isRecord(node.of) && node.of.is === "name" ? node.of.name : undefined;
  if (typeof root === "string" && !place.variables.some((one) => one.name === root)) {
    const { attribute } = rowFor(rootNames, root, "a name");
    if (attribute) {
      return (frame) => {
        begin(frame, at);
        return attribute(frame.scope, name);
      };
    }
  }
  const of = compile(node.of, place);
  return (frame) => {
    const value = of(frame);
    begin(frame, at);
    return valueAt(value, name);
  };
}

function compileItem(node: Node, place: Place): Evaluate {
  const [of, index, at] = [compile(node.of, place), compile(node.index, place), columnOf(node)];
  return (frame) => {
    const [value, key] = [of(frame), index(frame)];
    begin(frame, at);
    if (value === null) return null;
    if (!isDictionary(value)) return itemAt(frame, value, key);
    return typeof key === "string" ? valueAt(value, key) : checkKey(frame, key) && null;
  };
}

function compileSlice(node: Node, place: Place): Evaluate {
  const of = compile(node.of, place);
  const bounds = listIn(node, "bounds").map((bound) => (bound === null ? () => null : compile(bound, place)));
  const at = columnOf(node);
  return (frame) => {
    const value = of(frame);
    const given = bounds.map((bound) => bound(frame));
    begin(frame, at);
    const found = sliceOf(frame, value, given);
    if (typeof value === "string") return found.join("");
    return isTuple(value) ? tuple(found) : found;
  };
}

function compileSign(node: Node, place: Place, sign: (frame: Frame, value: Value) => Value): Evaluate {
  const [of, at] = [compile(node.value, place), columnOf(node)];
  return (frame) => {
    const value = of(frame);
    begin(frame, at);
    return sign(frame, value);
  };
}

/** The first value whose truth decides, else the last. */
function compileChoices(node: Node, place: Place, decides: boolean): Evaluate {
  const values = compileAll(node, "values", place).map(operand);
  const [first, second] = values;
  if (!first || !second) throw damaged("it joins fewer than two values");
  if (values.length === 2) {
    return (frame) => {
      const value = first(frame);
      return truth(value) === decides ? value : second(frame);
    };
  }
  const last = values.length - 1;
  return (frame) => {
    for (let index = 0; index < last; index++) {
      const value = values[index]?.(frame) ?? null;
      if (truth(value) === decides) return value;
    }
    return values[last]?.(frame) ?? null;
  };
}

function compileComparison(node: Node, place: Place): Evaluate {
  const first = compile(node.first, place);
  const rest = listIn(node, "rest").map((one) => {
    if (!isRecord(one)) throw damaged("a comparison is none");
    return { compare: rowFor(compareBy, one.by, "a comparison"), at: columnOf(one), value: compile(one.value, place) };
  });
  const [only, ...others] = rest;
  if (!only) throw damaged("a comparison has one side");
  if (others.length === 0) {
    const { compare, at, value } = only;
    return (frame) => {
      const [left, right] = [first(frame), value(frame)];
      begin(frame, at);
      return compare(frame, left, right);
    };
  }
  return (frame) => {
    let left = first(frame);
    for (const { compare, at, value } of rest) {
      const right = value(frame);
      begin(frame, at);
      if (!compare(frame, left, right)) return false;
      left = right;
    }
    return true;
  };
}

function checkCount({ least, most }: { least: number; most: number }, given: readonly unknown[]): void {
  if (given.length < least || given.length > most) throw damaged("a call has too many or too few values");
}

function compileCall(node: Node, place: Place): Evaluate {
  const name = textIn(node, "name");
  const called = rowFor(functions, name, "a function");
  const written = listIn(node, "given");
  checkCount(called, written);
  const at = columnOf(node);
  const [only] = written;
  const decides = name === "any" ? true : name === "all" ? false : undefined;
  if (decides !== undefined && isRecord(only) && only.is === "generator") {
    const walk = compileEach(only, { ...place, depth: place.depth + 1 });
    return (frame) => walk(frame, (value) => truth(value) === decides) === decides;
  }
  const given = written.map((one) => compile(one, place));
  return (frame) => called.call(frame, collect(frame, given, at));
}

function compileMethod(node: Node, place: Place): Evaluate {
  const called = rowFor(methods, textIn(node, "name"), "a method");
  const of = compile(node.of, place);
  const given = compileAll(node, "given", place);
  checkCount(called, given);
  const at = columnOf(node);
  return (frame) => {
    const value = of(frame);
    return called.call(frame, value, collect(frame, given, at));
  };
}

/** Shows the values one by one until enough() is true. */
type Walk = (frame: Frame, enough: (value: Value) => boolean) => boolean;

function gather(frame: Frame, walk: Walk): Value[] {
  const values: Value[] = [];
  walk(frame, (value) => {
    values.push(value);
    return false;
  });
  return values;
}

function compileEach(node: Node, place: Place): Walk {
  const loops = listIn(node, "loops");
  if (loops.length === 0) throw damaged("a comprehension goes through nothing");
  return compileLoop(loops, node.gives, place);
}

/** What is gone through does not see the variable; the tests, the inner loops and the value do. */
function compileLoop([loop, ...others]: readonly unknown[], gives: unknown, place: Place): Walk {
  if (loop === undefined) {
    const value = operand(compile(gives, place));
    return (frame, enough) => enough(value(frame));
  }
  if (!isRecord(loop)) throw damaged("a loop is none");
  const over = compile(loop.over, place);
  const at = isRecord(loop.over) ? columnOf(loop.over) : 0;
  const slot = place.slots.count++;
  const inside = within(place, { name: textIn(loop, "variable"), slot });
  const when = listIn(loop, "when").map((test) => operand(compile(test, inside)));
  const inner = compileLoop(others, gives, inside);
  return (frame, enough) => {
    const values = over(frame);
    frame.at = at;
    for (const value of allOf(frame, values)) {
      begin(frame, at);
      frame.variables[slot] = value;
      if (when.every((test) => truth(test(frame))) && inner(frame, enough)) return true;
    }
    return false;
  };
}

function within(place: Place, variable: Place["variables"][number]): Place {
  if (place.depth >= deepest) throw damaged(`it is deeper than ${deepest} levels`);
  return { ...place, variables: [...place.variables, variable], depth: place.depth + 1 };
}
