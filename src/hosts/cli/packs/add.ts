/** hookline add: writes a pack of rules or a recipe into hook files, after it has shown what comes. */
import { nearest } from "../../../engine/nearest.ts";
import { findProject } from "../../../loading/project.ts";
import { type ExitCode, type Invocation, usageError } from "../command.ts";
import { whyAgent } from "../guards/person.ts";
import { askForKey, isPersonThere, safeText, shortPath } from "../terminal.ts";
import { isPackName, levels, packNames, readPack, rulesAt } from "./pack.ts";
import {
  type Proposal,
  type ProposedPack,
  packProposal,
  recipeProposal,
  showProposal,
  writeProposals,
} from "./proposal.ts";
import { isRecipeName, readRecipe, recipeNames } from "./recipe.ts";

const names: readonly string[] = [...packNames, ...recipeNames];

export async function add(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.words;
  if (name === undefined || invocation.flags.list === true) return list(invocation, name);
  const { terminal } = invocation;
  const proposal = proposalOf(name, invocation);
  for (const one of proposal.same) terminal.print(`nothing to do: ${one}`);
  if (proposal.edits.length === 0) return proposal.same.length > 0 ? 0 : 1;
  const shown = (file: string): string => shortPath(file, invocation.cwd, invocation.home);
  const changed = proposal.edits.find(({ before, isGenerated }) => before !== undefined && !isGenerated);
  const agent = changed === undefined ? undefined : whyAgent(invocation);
  if (changed && agent !== undefined) {
    terminal.error(
      `hookline: ${shown(changed.file)} was not changed — ${agent} — only a person can change the rules that an agent works under: type the command in a terminal of your own`,
    );
    return 1;
  }
  showProposal(proposal, invocation);
  if (!(await isWanted(proposal, invocation))) {
    terminal.print("nothing was written");
    return 1;
  }
  await writeProposals([proposal], invocation);
  for (const { file, isGenerated } of proposal.edits) if (!isGenerated) terminal.print(`written: ${shown(file)}`);
  terminal.print(tryIt(name));
  return 0;
}

function proposalOf(name: string, invocation: Invocation): Proposal | ProposedPack {
  if (isPackName(name)) return packProposal(name, invocation);
  if (!isRecipeName(name)) throw unknown(name, invocation);
  const proposal = recipeProposal(name, invocation);
  if (proposal.edits.length === 0 && proposal.same.length === 0)
    invocation.terminal.error(
      `hookline: nothing here for the recipe ${name} — ${shortPath(findProject(invocation.cwd, invocation.home).root, invocation.cwd, invocation.home)} — it looks for ${proposal.looksFor.join(", ")}`,
    );
  return proposal;
}

function unknown(name: string, { usage }: Invocation): Error {
  const near = nearest(name, names);
  return usageError(
    `no pack or recipe is called "${name}"${near === undefined ? `; there are ${names.join(", ")}` : `; did you mean "${near}"?`}`,
    usage,
  );
}

/** What shows that it works. */
const tries: Readonly<Record<string, string>> = {
  guard: "git push --force",
  push: "git push",
};
const tryIt = (name: string): string => {
  const command = tries[name];
  return command === undefined
    ? "try it: hookline list shows it, and hookline runs tail shows when it runs"
    : `try it: hookline explain PreToolUse --data '${JSON.stringify({ tool_name: "Bash", tool_input: { command } })}'`;
};

/** Who asks for it without a terminal has asked; at one, a person sees first what comes. */
async function isWanted({ edits }: Proposal, invocation: Invocation): Promise<boolean> {
  if (invocation.flags.yes === true || !isPersonThere(invocation)) return true;
  const files = edits.map(({ file }) => safeText(shortPath(file, invocation.cwd, invocation.home)));
  return (await askForKey(`Write ${files.join(", ")}? [y/N] `, invocation)) === "y";
}

function list(invocation: Invocation, name: string | undefined): ExitCode {
  const {
    self: [, bin],
    terminal,
    json,
  } = invocation;
  if (name !== undefined && !names.includes(name)) throw unknown(name, invocation);
  const packs = packNames.filter((one) => name === undefined || one === name).map((one) => readPack(one, bin));
  const { root } = findProject(invocation.cwd, invocation.home);
  const recipes = recipeNames
    .filter((one) => name === undefined || one === name)
    .map((one) => readRecipe(one, root, bin));
  if (json) {
    terminal.print(
      JSON.stringify([
        ...packs.map((pack) => ({ ...pack, rules: pack.rules.map(({ text: _text, ...rule }) => rule) })),
        ...recipes.map(({ parts, ...recipe }) => ({ ...recipe, files: parts.map(({ file }) => file) })),
      ]),
    );
    return 0;
  }
  for (const pack of packs) {
    const counts = levels.map((level) => `${level} ${rulesAt(pack, level).length}`).join(", ");
    terminal.print(`${pack.name}, version ${pack.version}: ${pack.about} (rules: ${counts})`);
    if (name !== undefined)
      for (const { id, level, decision, reason } of pack.rules)
        terminal.print(`  ${level.padEnd(8)} ${decision.padEnd(5)} ${id}: ${reason}`);
  }
  for (const { name: recipe, about, parts, looksFor } of recipes) {
    terminal.print(`${recipe}: ${about}`);
    terminal.print(
      `  ${parts.length > 0 ? `fits here${parts.some(({ runs }) => runs) ? `: ${parts.flatMap(({ runs = [] }) => runs).join(", ")}` : ""}` : `nothing here for it: it looks for ${looksFor.join(", ")}`}`,
    );
  }
  return 0;
}
