/** How often a property of an agent's adapter is tried: a tenth of it in the quick suite, and all of it in the slow one. */
let isSlow = false;

export const rounds = (all: number): number => (isSlow ? all : Math.ceil(all / 10));

/** For the tests that are imported after it. */
export function tryAll(): void {
  isSlow = true;
}
