/** Comprehensions → closures. Apart, because any and all stop one before its end. */
import { isRecord } from "../../engine/schema.ts";
import { type Compile, columnOf, damaged, listIn, type Node, type Place, textIn } from "../stored-tree.ts";
import { deepest } from "./expression-tree.ts";
import { begin, type Frame, operand } from "./frame.ts";
import { allOf } from "./python-items.ts";
import { truth, type Value } from "./python-value.ts";

/** Shows the values one by one, until whoever sees them has enough: true. */
export type Walk = (frame: Frame, enough: (value: Value) => boolean) => boolean;

export function gather(frame: Frame, walk: Walk): Value[] {
  const values: Value[] = [];
  walk(frame, (value) => {
    values.push(value);
    return false;
  });
  return values;
}

export function compileEach(node: Node, place: Place, compile: Compile): Walk {
  const loops = listIn(node, "loops");
  if (loops.length === 0) throw damaged("a comprehension goes through nothing");
  return compileLoop(loops, node.gives, { place, compile });
}

interface Around {
  place: Place;
  compile: Compile;
}

/** What is gone through does not see the variable; the tests, the inner loops and the value do. */
function compileLoop([loop, ...others]: readonly unknown[], gives: unknown, { place, compile }: Around): Walk {
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
  const inner = compileLoop(others, gives, { place: inside, compile });
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
