/** What hooks start: that the scripts are there and may run, and that their interpreters and programs are on this machine. Nothing is started. */
import { chmodSync, lstatSync, statSync } from "node:fs";
import { agentVariables } from "../../../agents/index.ts";
import type { Hook, Problem } from "../../../engine/hook.ts";
import { isBuiltIn } from "../../../engine/hook.ts";
import { findOnPath, isInside, isProgram } from "../../../files/paths.ts";
import { isOwn } from "../../../files/write.ts";
import { type Inspected, inspected } from "../../../formats/inspect.ts";
import { readShell } from "../../../shell/read.ts";
import { placeIn, word } from "../terminal.ts";
import { type Area, row } from "./check.ts";
import type { Here } from "./here.ts";
import { counted } from "./words.ts";

/** A file that a hook starts, or the program that reads it. */
interface Started {
  file: string;
  /** The hook's name, and where it stands. */
  hook: string;
  program?: string;
}

export const programs: Area = {
  name: "programs",
  checks: [
    row<Started>("not-executable", {
      is: "bad",
      find: async (here) => [...(await scriptsWithoutBit(here)), ...(await ofEach(here, withoutBit))],
      says: ({ file, hook }, { show }) => `${show(file)} may not be executed, so ${hook} cannot run`,
      run: ({ file }) => `chmod +x ${word(file)}`,
      fix: async ({ file }, here) => ((await isStrangers(file, here)) ? undefined : makeExecutable(file)),
    }),
    row<Started>("script-missing", {
      is: "bad",
      find: (here) =>
        ofEach(here, ({ script, mode }) => (script && mode === undefined ? { file: script.path } : undefined)),
      says: ({ file, hook }, { show }) => `${show(file)} is not there, and ${hook} is to start it`,
      run: () => "hookline check",
    }),
    row<Started>("line-ends", {
      is: "bad",
      find: (here) =>
        ofEach(here, ({ script, text = "" }) => (script && /^#!.*\r\n/.test(text) ? { file: script.path } : undefined)),
      says: ({ file, hook }, { show }) => `the #! line of ${show(file)} ends as on Windows, so ${hook} cannot start it`,
      run: ({ file }) => `sed -i.bak 's/\r$//' ${word(file)}`.replace("\r", "\\r"),
    }),
    row<Started>("program-missing", {
      is: "bad",
      find: (here) => ofEach(here, (one) => missingProgram(one, here)),
      says: ({ program, hook }) => `the program ${program} is not on this machine's PATH, and ${hook} starts it`,
      run: ({ program = "" }, here) => installing(program, here),
    }),
  ],
  async good(here) {
    const hooks = (await startersOf(here)).length;
    return hooks === 0
      ? "no hook here starts a program"
      : `all that ${counted(hooks, "hook")} start is there and may run`;
  },
};

/** Of loading: a script without the bit is no hook yet. Whatever else keeps it from starting is mended in its text. */
export const lacksRunBit = ({ code, file }: Problem): boolean => code === "not-executable" && hasNoBit(file);

function hasNoBit(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return process.platform !== "win32" && found?.isFile() === true && (found.mode & 0o111) === 0;
}

const scriptsWithoutBit = async (here: Here): Promise<Started[]> =>
  (await here.loaded()).problems.filter(lacksRunBit).map(({ file }) => ({ file, hook: "its hook" }));

function withoutBit({ script, mode }: Inspected): { file: string } | undefined {
  return script && mode !== undefined && script.interpreter === undefined && hasNoBit(script.path)
    ? { file: script.path }
    : undefined;
}

/** Hooks that would run here. What is not trusted is looked at by who reads it, before it is trusted. */
async function startersOf(here: Here): Promise<{ hook: Hook; one: Inspected }[]> {
  const { cwd, home } = here.invocation;
  return (await here.hooks())
    .filter((hook) => hook.enabled && hook.untrusted === undefined && !isBuiltIn(hook))
    .flatMap((hook) => {
      const one = inspected(hook, { cwd, home, variables: agentVariables });
      return one ? [{ hook, one }] : [];
    });
}

async function ofEach(here: Here, look: (one: Inspected) => Omit<Started, "hook"> | undefined): Promise<Started[]> {
  const { cwd, home } = here.invocation;
  return (await startersOf(here)).flatMap(({ hook, one }) => {
    const found = look(one);
    const place = placeIn(hook.origin, { cwd, home });
    return found ? [{ ...found, hook: `${hook.name}${place === "" ? "" : ` (${place})`}` }] : [];
  });
}

/** In a project that waits for consent nothing is changed. */
const isStrangers = async (file: string, { loaded, places }: Here): Promise<boolean> =>
  (await loaded()).untrusted.length > 0 && isInside(places.root, file);

/** A link is left alone: what it leads to may be no file of hooks. */
function makeExecutable(file: string): string | undefined {
  const found = lstatSync(file);
  if (!found.isFile() || !isOwn(found.uid)) return undefined;
  chmodSync(file, found.mode | ((found.mode & 0o444) >> 2));
  return "it may be executed now (chmod +x); a hook of a project asks for your trust again";
}

function missingProgram(
  one: Inspected,
  { invocation: { environment, cwd, home } }: Here,
): Omit<Started, "hook"> | undefined {
  const isThere = (program: string): boolean =>
    program.startsWith("/") ? isProgram(program) : findOnPath(program, environment.PATH ?? "") !== undefined;
  const wanted = [
    firstProgram(one, { cwd, home }),
    one.script?.interpreter === undefined ? interpreterOf(one) : undefined,
  ];
  const program = wanted.find((name) => name !== undefined && !isThere(name));
  return program === undefined ? undefined : { program, file: one.script?.path ?? program };
}

/** What the #! line names. */
function interpreterOf({ text = "" }: Inspected): string | undefined {
  const [, path = "", rest = ""] = /^#!\s*(\S+)[ \t]*([^\r\n]*)/.exec(text) ?? [];
  if (!/\/env$/.test(path)) return path === "" ? undefined : path;
  return rest.split(/\s+/).find((part) => part !== "" && !part.startsWith("-") && !part.includes("="));
}

/** Such a line looks by itself whether a program is there, or does without it. */
const triesIt = /\|\||\b(?:command\s+-v|type|which|hash|if|test)\b/;

/** The program of the line's first command, where its text alone says which: a name, no path. */
function firstProgram({ hook, command }: Inspected, place: { cwd: string; home: string }): string | undefined {
  if (command === "" || triesIt.test(command)) return undefined;
  const [first] = Array.isArray(hook.steps[0].with.args)
    ? [command]
    : (readShell(command, place).commands[0]?.words ?? []);
  return first !== undefined && /^[A-Za-z0-9_][\w.+-]*$/.test(first) && !ofShells.has(first) ? first : undefined;
}

/** What shells do themselves. */
const ofShells: ReadonlySet<string> = new Set(
  ". : alias bg break builtin cd command continue declare dirs echo enable eval exec exit export false fg getopts hash jobs kill let local mapfile popd printf pushd pwd read readarray readonly return set shift shopt source test times trap true type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

const managers = {
  "apt-get": "sudo apt-get install",
  brew: "brew install",
  dnf: "sudo dnf install",
  apk: "sudo apk add",
} as const;
/** Programs whose package has their name everywhere: of any other one a package of that name may be a stranger's. */
const packaged = /^(?:bash|zsh|fish|git|jq|ruby|perl|php|lua|curl|make|shellcheck|python3)$/;

function installing(program: string, { invocation: { environment } }: Here): string {
  const name = program.replace(/^.*\//, "");
  const manager = Object.entries(managers).find(([one]) => findOnPath(one, environment.PATH ?? "") !== undefined);
  return packaged.test(name) && manager ? `${manager[1]} ${name}` : "hookline check";
}
