/** A YAML file of ours: its tree, and a place for every finding about it. Shared by rules and settings. */
import type { Origin, Problem } from "../../engine/hook.ts";
import type { Node } from "./json-tree.ts";
import { createLocator, type Place } from "./locate.ts";
import { type RuleReport, readYaml, type YamlTree } from "./yaml-tree.ts";

export interface YamlFile {
  text: string;
  origin: Origin;
  root: Node | undefined;
  isFaulty: YamlTree["isFaulty"];
  /** The text itself is broken there: what is left of it may be anything. */
  isBroken(node: Node): boolean;
  locate(offset: number): Place;
  report: RuleReport;
  /** All findings so far in the order of the file, each told once: what an alias repeats is one mistake. */
  problems(): Problem[];
}

/** Never throws. */
export function openYaml(text: string, origin: Origin): YamlFile {
  const locate = createLocator(text);
  const problems = new Map<string, Problem>();
  const report: RuleReport = (offset, finding) => {
    const problem: Problem = { ...finding, file: origin.file ?? "", ...locate(offset) };
    const key = `${offset} ${finding.code} ${finding.message}`;
    if (!problems.has(key)) problems.set(key, problem);
  };
  const { root, isFaulty } = readYaml(text, report);
  return {
    text,
    origin,
    root: root?.type === "null" ? undefined : root,
    isFaulty,
    isBroken: (node) => isFaulty(node) && [...problems.values()].some(({ code }) => code === "syntax"),
    locate,
    report,
    problems: () => [...problems.values()].sort((left, right) => left.line - right.line || left.column - right.column),
  };
}
