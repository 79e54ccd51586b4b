/** What the file of a project may not say, since other people write it, and what no file may. */
import { offsetAt } from "../reading/mismatches.ts";
import { type Node, reportError } from "../reading/tree.ts";
import { type Provider, providerKinds } from "./config.ts";
import type { Kind, Reader } from "./readers.ts";

/** Where people say what a project's file may not. */
const ownFile = "say it in your own ~/.config/hookline/config.yaml";

/** What a project's file may not say: it is refused there. An empty key says nothing that could be refused. */
export const ofUser = <T>(kind: Kind<T>, message: string): Kind<T | undefined> => ({
  ...kind,
  read(node, name, reader) {
    if (!reader.ofProject || node.type === "null") return kind.read(node, name, reader);
    reportError(reader.file.report, node.offset, { code: "setting-refused", message, suggestion: ownFile });
    return undefined;
  },
});

/** It stands in an address. */
export function isUsable(name: string, node: Node, { file }: Reader): boolean {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return true;
  const message = `the name of the webhook "${name}" stands in its address`;
  const suggestion = "use letters, digits, dots, _ and -";
  reportError(file.report, offsetAt({ node }, [name], "key"), { code: "shape", message, suggestion });
  return false;
}

type Providers = { [name: string]: Provider };

/** A project must not be able to send the user's keys, or what is asked, to a server of its own. */
export function allowedProviders(all: Providers, node: Node, { ofProject, file: { report } }: Reader): Providers {
  if (!ofProject) return all;
  return Object.fromEntries(
    Object.entries(all).filter(([name, provider]) => {
      const refusal = refusalOf(name, provider);
      if (!refusal) return true;
      const { key, message, suggestion } = refusal;
      reportError(report, offsetAt({ node }, [name, key], "key"), { code: "setting-refused", message, suggestion });
      return false;
    }),
  );
}

interface Refusal {
  key: string;
  message: string;
  suggestion: string;
}

function refusalOf(name: string, { kind, url, key, key_variable: variable }: Provider): Refusal | undefined {
  if (key !== undefined) {
    const message = `the key of ${name} is in a project's file, which others can read`;
    return { key: "key", message, suggestion: `${ownFile}, or name a key_variable` };
  }
  if (providerKinds.some((known) => known === name)) {
    const message = `a project's file may not put anything else in the place of ${name}`;
    return { key: url === undefined ? "kind" : "url", message, suggestion: "give it a name of its own" };
  }
  if (url === undefined) return undefined;
  if (variable !== undefined) {
    const message = `a project's file may not say where the key in ${variable} is sent`;
    return { key: "key_variable", message, suggestion: ownFile };
  }
  if (kind !== "openai-compatible") {
    const message = `a project's file may not say where ${kind} is, because your key would be sent there`;
    return { key: "url", message, suggestion: `${ownFile}, or write kind: openai-compatible` };
  }
  return undefined;
}
