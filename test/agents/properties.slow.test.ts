/** The same tests of what an adapter prints and what an edit leaves, with ten times the rounds. */
import { tryAll } from "./rounds.ts";

tryAll();
for (const name of ["claude-encode", "codex", "copilot", "gemini", "qwen", "settings-edit"])
  await import(`./${name}.test.ts`);
