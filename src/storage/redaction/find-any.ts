/** Whether a text holds any of many others. Apart because how to look depends on how many they are, and on how often one looks. */

/** One expression for all of them takes a millisecond to make: a process that writes a few texts and ends has no use for it. */
const looksBefore = 200;
/** Of so few, looking for each is quicker in a long text. */
const few = 20;
const short = 128;
/** An expression of many more would be too large for V8. */
const charactersAtMost = 50_000;

export function createFindAny(wanted: readonly string[]): (text: string) => boolean {
  const characters = wanted.reduce((sum, { length }) => sum + length, 0);
  const mayCompile = characters > 0 && characters <= charactersAtMost;
  let looks = 0;
  let any: RegExp | undefined;
  return (text) => {
    if (mayCompile && looks++ === looksBefore) any = new RegExp(wanted.map(escaped).join("|"));
    return any !== undefined && (text.length <= short || wanted.length > few)
      ? any.test(text)
      : wanted.some((one) => text.includes(one));
  };
}

export const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
