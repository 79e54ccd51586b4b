/** What a repository says of Hookline to who clones it: a paragraph in its CONTRIBUTING or README. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../../agents/install/files.ts";
import type { Proposal } from "../packs/proposal.ts";
import type { Here } from "./look.ts";

const places = ["CONTRIBUTING.md", "README.md", "docs/CONTRIBUTING.md", ".github/CONTRIBUTING.md"];
const heading = "## Hooks of coding agents";
const paragraph = `${heading}

This repository has hooks for coding agents in \`.hookline/\`: they refuse, ask or check what an agent does here. Hookline runs them
(\`npm docs hookline\` opens its page). \`npm install -g hookline\` installs it; \`hookline trust\` then shows what the hooks would run, and
asks. To go on without it in one session, set \`HOOKLINE_DISABLE=1\` in your own environment.
`;

/** Throws HooklineError settings_unusable. */
export function teamProposal({ root }: Pick<Here, "root">): Proposal {
  const name = places.find((place) => existsSync(join(root, place))) ?? "CONTRIBUTING.md";
  const file = join(root, name);
  const before = readText(file);
  const isThere = before?.includes(heading) === true;
  const start = before === undefined || before.trim() === "" ? "" : `${before.replace(/\n*$/, "")}\n\n`;
  return {
    name: "the team",
    about: "reads what Hookline is, how to install it and how to go on without",
    edits: isThere ? [] : [{ file, before, after: start + paragraph }],
    same: isThere ? [`${name} tells the team of Hookline`] : [],
  };
}
