/** The beginning of a text that a step found, where all of it would be too much for a prompt and for the run's row. */

export interface Beginning {
  text: string;
  /** Says that something is missing, where it is. */
  notes: string[];
}

/** @param name what the note calls it */
export function firstCharacters(text: string, most: number, name: string): Beginning {
  if (text.length <= most) return { text, notes: [] };
  const end = isFirstHalf(text.charCodeAt(most - 1)) ? most - 1 : most;
  return { text: text.slice(0, end), notes: [`${name} was cut at ${most} characters`] };
}

/** Of a character that takes two places. */
const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
