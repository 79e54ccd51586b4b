/** Commands and their effects in a person's words. */
import { unknownText } from "./command-pattern.ts";
import type { Effect } from "./effects.ts";

const longest = 200;

export function commandText(words: readonly string[]): string {
  const line = withoutUnknown(words.join(" "));
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

const withoutUnknown = (text: string): string => text.replace(new RegExp(`${unknownText}+`, "g"), "…");

export function effectText({ is, path, below, host, from, to }: Effect): string {
  const at = path === undefined ? "" : ` ${withoutUnknown(path)}${below ? " and all below" : ""}`;
  switch (is) {
    case "network":
      return host === undefined ? "uses the network" : `connects to ${host}`;
    case "pipes":
      return `passes ${from === "decoded" ? "decoded text" : `text from ${from}`} to ${to === "shell" ? "a shell" : "the network"}`;
    case "elevates":
      return "runs as another user";
    case "forks":
      return "starts itself again and again";
    case "permits":
      return `changes mode or owner of${at}`;
    default:
      return `${is}${at}`;
  }
}
