/** How much may wait: a burst is refused with a reason before it fills memory or disk (SAFETY F14). */

export interface Waiting {
  ofHook: number;
  inAll: number;
}
const atMost: Waiting = { ofHook: 1_000, inAll: 20_000 };

const opening = "queue full: ";

/** Whether a run was refused because too many wait. */
export const saysFull = (reason: string | undefined): boolean => reason?.startsWith(opening) === true;

/** Why nothing more is taken; undefined: there is room. */
export function fullQueue({ ofHook, inAll }: Waiting): string | undefined {
  if (ofHook >= atMost.ofHook) return `${opening}${ofHook} wait`;
  return inAll >= atMost.inAll ? `${opening}${inAll} wait, of all hooks` : undefined;
}
