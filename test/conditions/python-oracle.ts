/** The real Python, where the machine has one: it evaluates many expressions in one process. */
import { spawnSync } from "node:child_process";
import { pythonHere } from "../python.ts";

/** What R64 adds to Python (what is missing is None) and what we take from it (whole numbers beyond 2**53) is put around the code. */
const program = `
import ast, json, sys
class Limit(Exception): pass
def exact(v):
    if type(v) is int and abs(v) > 2**53 - 1: raise Limit()
    return v
def attribute(of, name): return of.get(name) if isinstance(of, dict) else None
def item(of, index):
    if of is None: return None
    if isinstance(of, dict):
        hash(index)
        return of.get(index) if isinstance(index, str) else None
    try: return of[index]
    except IndexError: return None
def method(of, name, *given):
    allowed = {str: "lower upper strip startswith endswith split replace count find", list: "count", tuple: "count", dict: "get"}
    if name not in allowed.get(type(of), "").split(): raise AttributeError(str(type(of)))
    return getattr(of, name)(*given)
def power(a, b):
    if isinstance(b, int) and abs(b) > 60: raise Limit()
    result = a ** b
    if isinstance(result, complex): raise Limit()
    return exact(result)
def times(a, b):
    for one, other in ((a, b), (b, a)):
        if isinstance(one, (str, list, tuple)) and isinstance(other, int) and len(one) * other > 100000: raise Limit()
    return exact(a * b)
def rest(a, b):
    if isinstance(a, str): raise TypeError()
    return exact(a % b)
def total(values):
    result = 0
    for one in values: result = exact(result + one)
    return result
def rounded(*given): return exact(round(*given))
def lacks(error): return "NoneType" in str(error) or str(error).endswith("not None")
def operand(ask):
    try: return ask()
    except Limit: raise
    except Exception as error:
        if lacks(error): return None
        raise
def length(value):
    if not isinstance(value, (str, list, tuple, dict)): raise TypeError(str(type(value)))
    return len(value)
class Rewrite(ast.NodeTransformer):
    def call(self, name, *given): return ast.Call(ast.Name(name, ast.Load()), list(given), [])
    def operand(self, node):
        return self.call("_operand", ast.Lambda(ast.arguments([], [], None, [], [], None, []), node))
    def visit_BoolOp(self, node):
        self.generic_visit(node)
        node.values = [self.operand(one) for one in node.values]
        return node
    def visit_IfExp(self, node):
        self.generic_visit(node)
        node.test = self.operand(node.test)
        return node
    def each(self, node):
        self.generic_visit(node)
        node.elt = self.operand(node.elt)
        for loop in node.generators: loop.ifs = [self.operand(one) for one in loop.ifs]
        return node
    visit_ListComp = each
    visit_GeneratorExp = each
    def visit_Attribute(self, node):
        return self.call("_attribute", self.visit(node.value), ast.Constant(node.attr))
    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.slice, ast.Slice): return node
        return self.call("_item", node.value, node.slice)
    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            return self.call("_method", self.visit(node.func.value), ast.Constant(node.func.attr), *[self.visit(one) for one in node.args])
        node.args = [self.visit(one) for one in node.args]
        return node
    def visit_BinOp(self, node):
        self.generic_visit(node)
        for kind, name in ((ast.Pow, "_power"), (ast.Mult, "_times"), (ast.Mod, "_rest")):
            if isinstance(node.op, kind): return self.call(name, node.left, node.right)
        return self.call("_exact", node)
    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self.operand(node.operand)
            return node
        return self.call("_exact", node)
allowed = dict(len=length, any=any, all=all, min=min, max=max, abs=abs, str=str, bool=bool, float=float, sorted=sorted,
    int=lambda v: exact(int(v)), round=rounded, sum=total, _attribute=attribute, _item=item, _method=method, _exact=exact,
    _power=power, _times=times, _rest=rest, _operand=operand)
def answer(text, names):
    try: tree = ast.parse(text, mode="eval")
    except SyntaxError: return "SYNTAX"
    code = compile(ast.fix_missing_locations(Rewrite().visit(tree)), "expression", "eval")
    try: return repr(eval(code, {"__builtins__": {}, **allowed, **names}))
    except Exception as error: return "MISSING" if lacks(error) else "FAULT"
import fnmatch, warnings
warnings.simplefilter("ignore")
given = json.load(sys.stdin)
if "globs" in given: result = [fnmatch.fnmatchcase(name, glob) for glob, name in given["globs"]]
else:
    worlds = [{**world, "pressure": None if world["pressure"] is None else float(world["pressure"])} for world in given["worlds"]]
    result = [answer(text, worlds[world]) for text, world in given["asked"]]
json.dump(result, sys.stdout)
`;

function ask(given: unknown): unknown {
  const done = spawnSync(pythonHere() ?? "python3", ["-c", program], {
    input: JSON.stringify(given),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, PYTHONIOENCODING: "utf-8", PYTHONUTF8: "1" },
  });
  if (done.status !== 0) throw new Error(`python3 failed: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

export const hasPython: boolean = pythonHere() !== undefined;

/** repr() of each answer, or FAULT, or SYNTAX; the numbers name the worlds that the names are read in. */
export const askPython = (
  asked: readonly (readonly [string, number])[],
  worlds: readonly unknown[],
): readonly string[] => ask({ asked, worlds }) as string[]; // what the program prints

/** fnmatch.fnmatchcase for each pair of glob and name. */
export const askFnmatch = (globs: readonly (readonly [string, string])[]): readonly boolean[] =>
  ask({ globs }) as boolean[]; // what the program prints
