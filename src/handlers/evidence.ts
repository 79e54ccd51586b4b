/** What a run keeps of a handler's own words. Apart because every handler that talks to something outside needs it. */

const sizeInCharacters = 16 * 1024;

/** Keeps both ends: the beginning says what it was, the end what became of it. */
export function shorten(said: string): string {
  if (said.length <= sizeInCharacters) return said;
  const half = sizeInCharacters / 2;
  return `${said.slice(0, half)}\n[… ${said.length - sizeInCharacters} characters …]\n${said.slice(-half)}`;
}
