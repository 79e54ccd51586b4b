/** `${NAME}` in what the configuration says of a server, filled from the environment. Apart because both kinds of server need it. */

type Environment = Readonly<Record<string, string>>;

/**
 * `${NAME}`, or `${NAME:-otherwise}`; a variable that is set to nothing counts as set.
 *
 * @throws Error for a variable that is not set: a server called with half a key fails in a way that is hard to read
 */
export function fill(written: string, environment: Environment): string {
  return written.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_whole, name: string, otherwise?: string) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : otherwise;
    if (value === undefined) throw new Error(`the variable ${name} is not set`);
    return value;
  });
}

/** @throws Error as fill */
export const fillAll = (written: Environment, environment: Environment): Record<string, string> =>
  Object.fromEntries(Object.entries(written).map(([name, value]) => [name, fill(value, environment)]));
