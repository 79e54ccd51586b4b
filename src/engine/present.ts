/** Objects of optional fields. */

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields without those that are undefined: where properties are exact, an absent field and an undefined one differ. */
export const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>; // all the others
