/**
 * What the configuration says of servers and channels, with `${NAME}` filled from the environment. Faults name or quote what
 * is written, never what it is filled with: that may be a secret.
 */

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

/**
 * @param called how a fault names it: its field, or what is written
 * @throws Error for what is no http or https address, or holds a user name or password
 */
export function addressOf(written: string, called: string, environment: Environment): URL {
  const filled = secretOf(written, called, environment);
  if (!URL.canParse(filled)) throw new Error(`${called} is not an address`);
  const address = new URL(filled);
  if (address.protocol !== "https:" && address.protocol !== "http:")
    throw new Error(`${called} is neither http nor https`);
  if (address.username || address.password)
    throw new Error("the address holds a user name or password: send it as a header"); // not quoted: it is a secret
  return address;
}

/** @throws Error where it is empty, or a variable is not set */
export function secretOf(written: string, called: string, environment: Environment): string {
  const filled = fill(written, environment).trim();
  if (filled === "") throw new Error(`${called} is empty`);
  return filled;
}

/** @throws Error for what no header may hold */
export function headerOf(written: string, called: string, environment: Environment): string {
  const filled = fill(written, environment).trim();
  if (/[^\t\x20-\x7e\x80-\xff]/.test(filled)) throw new Error(`${called} holds characters that no header may`);
  return filled;
}
