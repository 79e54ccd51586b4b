/** What hooks start: that the scripts are there and may run, and that their interpreters and programs are on this machine. Nothing is started. */
import { chmodSync, lstatSync, statSync } from "node:fs";
import { agentVariables } from "../../../agents/index.ts";
import type { Hook, Problem } from "../../../engine/hook.ts";
import { isBuiltIn } from "../../../engine/hook.ts";
import { word } from "../../../engine/program.ts";
import { counted } from "../../../engine/words.ts";
import { findOnPath, isInside } from "../../../files/paths.ts";
import { isOwn } from "../../../files/write.ts";
import { type Inspected, inspected, missingProgram } from "../../../formats/inspect.ts";
import { countHooks, waitingOf } from "../../../operations/hooks/hook-counts.ts";
import { placeOf } from "../../../operations/shown.ts";
import { programsOf } from "../hooks/check.ts";
import { shortPath } from "../terminal.ts";
import { type Area, row } from "./check.ts";
import type { Here } from "./here.ts";

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
      find: (here) =>
        ofEach(here, (one) => {
          const missing = missingProgram(one, programsOf(here.invocation));
          return missing && { program: missing.name, file: one.script?.path ?? missing.name };
        }),
      says: ({ program, hook }) => `the program ${program} is not on this machine's PATH, and ${hook} starts it`,
      run: ({ program = "" }, here) => installing(program, here),
    }),
  ],
  async good(here) {
    const hooks = (await startersOf(here)).length;
    const waiting = waitingOf(countHooks(await here.hooks()));
    return hooks === 0
      ? waiting > 0
        ? `no hook that is trusted here is a command or a script; ${counted(waiting, "hook")} ${waiting === 1 ? "is" : "are"} not trusted yet`
        : "no hook here is a command or a script"
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
    const place = placeOf(hook.origin, { path: (path) => shortPath(path, cwd, home) });
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
