/** For payloads that mean one event. */
export function onlyOne<T>(all: readonly T[]): T {
  const [one, ...others] = all;
  if (one === undefined || others.length > 0) throw new Error(`${all.length} where one was expected`);
  return one;
}
