/** Puts environment variables into an http hook's headers and address: only those that the hook names (C74, C75). */

interface Filled {
  text: string;
  notes: string[];
}
type Environment = Readonly<Record<string, string>>;

/** `$NAME` and `${NAME}`; a name that is not allowed, or not set, becomes empty and leaves a note. */
export function fillIn(written: string, allowed: readonly string[], environment: Environment): Filled {
  const notes: string[] = [];
  const text = written.replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (_whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    if (!allowed.includes(name)) notes.push(`the variable ${name} is not in allowedEnvVars: sent empty`);
    else if (!Object.hasOwn(environment, name)) notes.push(`the variable ${name} is not set: sent empty`);
    else return environment[name] ?? "";
    return "";
  });
  return { text, notes };
}

/** All headers, or a sentence why they cannot be sent. */
export function fillHeaders(
  written: Readonly<Record<string, string>>,
  allowed: readonly string[],
  environment: Environment,
): { headers: Record<string, string>; notes: string[] } | string {
  const headers: Record<string, string> = {};
  const notes: string[] = [];
  for (const [name, value] of Object.entries(written)) {
    const filled = fillIn(value, allowed, environment);
    if (breaksHeader.test(filled.text)) return `the header ${name} would hold a line break or a NUL`;
    notes.push(...filled.notes);
    headers[name.toLowerCase()] = filled.text.trim();
  }
  return { headers, notes };
}

const breaksHeader = /[\r\n\0]/;
