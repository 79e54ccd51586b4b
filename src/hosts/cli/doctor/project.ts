/** The hook files of this place: that they can be read, and that a person has trusted what the project's would run. */
import type { Problem } from "../../../engine/hook.ts";
import { word } from "../../../engine/program.ts";
import { counted } from "../../../engine/words.ts";
import { isUntrusted } from "../../../loading/trust/untrusted.ts";
import { countHooks, hooksHere, untrustedWords } from "../../../operations/hooks/hook-counts.ts";
import { type Area, row } from "./check.ts";
import type { Here } from "./here.ts";
import { lacksRunBit } from "./programs.ts";

/** A missing execute bit is a finding of the programs' area. */
const errorsOf = async (here: Here): Promise<Problem[]> =>
  (await here.loaded()).problems.filter((one) => one.severity === "error" && !lacksRunBit(one));

export const hookFiles: Area = {
  name: "hooks",
  checks: [
    row<Problem>("hook-file-broken", {
      is: "bad",
      find: errorsOf,
      says: ({ message, file, line, column }, { show }) => `${message} (${show(file)}:${line}:${column})`,
      run: ({ file }) => `hookline check ${word(file)}`,
    }),
  ],
  async good(here) {
    const { files } = await here.loaded();
    const own = hooksHere(countHooks(await here.hooks()));
    if (own === 0) return "none is active here: `hookline add guard` adds the first ones";
    return `${counted(own, "hook")} in ${counted(files.length, "file")}, without a mistake`;
  },
};

export const trust: Area = {
  name: "trust",
  checks: [
    row<string>("not-trusted", {
      is: "note",
      async find(here) {
        const asking = untrustedWords(await here.loaded());
        return asking === undefined ? [] : [asking];
      },
      says: (asking) => asking.replace(/: run .*/, ""),
      run: () => "hookline trust",
    }),
  ],
  async good(here) {
    const ofProject = (await here.hooks()).filter(
      ({ origin: { root }, untrusted }) => root !== undefined && !untrusted,
    );
    return ofProject.some(isUntrusted) || ofProject.length === 0
      ? "no hook of this project waits for your consent"
      : `you have trusted ${counted(ofProject.length, "hook")} of this project`;
  },
};
