/** Where a notice goes, as the person's settings say, filled from the environment. Faults quote what is written: what it is filled with is a secret. */
import { fill } from "../mcp/fill.ts";

type Environment = Readonly<Record<string, string>>;

/** @throws Error */
export function addressOf(written: string, field: string, environment: Environment): URL {
  const filled = secretOf(written, field, environment);
  if (!URL.canParse(filled)) throw new Error(`${field} is not an address`);
  const address = new URL(filled);
  if (address.protocol !== "https:" && address.protocol !== "http:")
    throw new Error(`${field} is neither http nor https`);
  if (address.username || address.password) throw new Error(`${field} holds a user name or password`);
  return address;
}

/** @throws Error where it is empty, or a variable is not set */
export function secretOf(written: string, field: string, environment: Environment): string {
  const filled = fill(written, environment).trim();
  if (filled === "") throw new Error(`${field} is empty`);
  return filled;
}

/** @throws Error for what no header may hold */
export function headerOf(written: string, field: string, environment: Environment): string {
  const filled = fill(written, environment).trim();
  if (/[^\t\x20-\x7e\x80-\xff]/.test(filled)) throw new Error(`${field} holds characters that no header may`);
  return filled;
}
