/** A file of hook tests as a person would write it. Loads the YAML library. */
import { stringify } from "yaml";
import type { HookTests } from "./fields.ts";

/** @param about lines of a comment above it */
export const textOfTests = (tests: HookTests, about: readonly string[]): string =>
  `${about.map((line) => `# ${line}\n`).join("")}${stringify(tests, { lineWidth: 120 })}`;
