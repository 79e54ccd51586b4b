/** How the tests of the settings dialect compile a text. */
import assert from "node:assert/strict";
import type { Hook, Origin } from "../../src/engine/hook.ts";
import type { Patterns } from "../../src/engine/ports.ts";
import { type CompiledSettings, compileSettings, type SettingsFormat } from "../../src/formats/settings/settings.ts";
import { settingsFormat } from "../../src/loading/places.ts";

export const origin: Origin = {
  dialect: "settings",
  layer: "project",
  file: "/project/.claude/settings.json",
  root: "/project",
};

/** The platform's own regular expressions are enough where only validity matters. */
export const patterns: Patterns = {
  regex(source) {
    const expression = new RegExp(source);
    return (text) => expression.test(text);
  },
  glob: () => () => false,
  commands: () => ({ commands: [], unknown: [] }),
  expression: () => null,
};

export type FormatName = "claude" | "gen" | "plugin" | "hookline";

/** As loading hands it to the format. */
export function formatOf(name: FormatName): SettingsFormat {
  const format = settingsFormat(name);
  assert.ok(format, name);
  return format;
}

export const compile = (source: unknown, name: FormatName = "claude"): CompiledSettings =>
  compileSettings(typeof source === "string" ? source : JSON.stringify(source, null, 2), origin, {
    format: formatOf(name),
    patterns,
  });

export const command = (text: string, more: object = {}): object => ({ type: "command", command: text, ...more });
export const settings = (event: string, handler: object, group: object = {}): object => ({
  hooks: { [event]: [{ ...group, hooks: [handler] }] },
});

export function only({ hooks, problems }: CompiledSettings): Hook {
  const [hook] = hooks;
  if (!hook || hooks.length > 1) throw new Error(`expected one hook, got ${hooks.length}: ${JSON.stringify(problems)}`);
  return hook;
}
export const codes = ({ problems }: CompiledSettings): string[] => problems.map(({ code }) => code);
