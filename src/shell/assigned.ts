/** Which names a part of a line may set, whatever the way: what is known of them before does not hold behind it. */
import { type Command, forEachChild, type SyntaxNode } from "unbash";
import { everyName, suffixesOf } from "./shell.ts";
import { type Budget, countWork } from "./tree.ts";

/** Builtins that set the variables they name, and those that may set any. */
const setters: ReadonlySet<string> = new Set(
  "read mapfile readarray printf getopts unset declare typeset local export readonly wait".split(" "),
);
const setsAny: ReadonlySet<string> = new Set(["eval", "source", ".", "let", "trap", "command", "builtin"]);
const moves: ReadonlySet<string> = new Set(["cd", "pushd", "popd"]);

export const setsNames = (program: string): boolean =>
  setters.has(program) || setsAny.has(program) || moves.has(program) || program === "set" || program === "shift";

/** Processes of their own: what they set ends with them. */
const isApart = (node: SyntaxNode): boolean =>
  node.type === "Subshell" ||
  node.type === "CommandExpansion" ||
  node.type === "ArithmeticCommandExpansion" ||
  node.type === "ProcessSubstitution" ||
  (node.type === "Pipeline" && node.commands.length > 1) ||
  (node.type === "Statement" && node.background === true);

/** The folder is "PWD", the arguments are "@", a function is `name()`. */
export function assignedIn(node: SyntaxNode, budget: Budget): ReadonlySet<string> {
  const names = new Set<string>();
  addFrom(node, names, budget);
  return names;
}

function addFrom(node: SyntaxNode, names: Set<string>, budget: Budget): void {
  countWork(budget, 1);
  if (isApart(node)) return;
  switch (node.type) {
    case "Assignment":
      names.add(node.name);
      break;
    case "For":
    case "Select":
      names.add(node.name.value);
      break;
    case "ParameterExpansion":
      if (node.operation?.type === "Default") names.add(node.parameter);
      break;
    case "ArithmeticWord":
      names.add(node.value);
      break;
    case "Coproc":
      names.add(node.name?.value ?? "COPROC");
      return;
    case "Function":
      names.add(`${node.name.value}()`);
      return;
    case "Command":
      if (node.name) addSet(node, names);
      break;
    default:
  }
  forEachChild(node, (child) => addFrom(child, names, budget));
}

function addSet(command: Command, names: Set<string>): void {
  const program = command.name?.value ?? "";
  if (moves.has(program)) names.add("PWD");
  if (program === "set" || program === "shift") names.add("@");
  if (setsAny.has(program) && !isHarmless(command)) names.add(everyName);
  if (!setters.has(program) || (program === "printf" && !command.args[0]?.text.startsWith("-v"))) return;
  for (const one of command.args) {
    if (one.type === "Word") names.add(one.parts ? everyName : (/^\w+/.exec(one.value)?.[0] ?? ""));
    if (one.type === "Word" && /^-\w\w/.test(one.value))
      for (const attached of suffixesOf(one.value.slice(2))) names.add(attached);
    if (one.type === "Word" && program === "unset") names.add(`${one.value}()`);
  }
}

/** `command -v x`, `command ls`: no builtin that sets anything. */
function isHarmless({ name, args }: Command): boolean {
  if (name?.value !== "command" && name?.value !== "builtin") return false;
  const [first] = args;
  if (first?.type !== "Word" || first.parts) return false;
  return (
    /^-[vV]$/.test(first.value) || (!first.value.startsWith("-") && !setsNames(first.value) && first.value !== "exec")
  );
}
