/** How many tokens the context of Claude Code's models holds, as Claude Code 2.1.330 has it itself. */

const million = 1_000_000;

/** By the beginning of the name, the longest that fits. */
const windowOf: Readonly<Record<string, number>> = {
  "claude-": 200_000, // what Claude Code takes for a name that it does not know
  "claude-opus-4-7": million,
  "claude-opus-4-8": million,
  "claude-opus-5": million,
  "claude-sonnet-5": million,
  "claude-haiku-5": million,
  "claude-fable-5": million,
  "claude-mythos-5": million,
};

/**
 * The context window of a model, in tokens; undefined for a model that nobody told about.
 *
 * @param model as a transcript names it; `[1m]` at its end asks for the large window
 * @param told sizes by the beginning of a name, from the settings `models.windows`; they win over the table
 */
export function contextWindow(model: string, told: Readonly<Record<string, number>>): number | undefined {
  const own = model.slice(Math.max(0, model.indexOf("claude-"))); // cloud providers write their own words before it
  const size = longestStart(told, model) ?? longestStart(told, own);
  if (size !== undefined) return size;
  return /\[1m\]$/i.test(own) ? million : longestStart(windowOf, own);
}

function longestStart(sizes: Readonly<Record<string, number>>, model: string): number | undefined {
  const starts = Object.keys(sizes).filter((start) => model.startsWith(start));
  const longest = starts.reduce((one, other) => (other.length > one.length ? other : one), "");
  return starts.length === 0 ? undefined : sizes[longest];
}
