/**
 * The ready-made handlers of repository hooks and rules. They are registered by name, one by one, as a module of a project
 * registers its own: nothing else in Hookline knows them.
 */
import type { Handler } from "../../engine/ports.ts";
import { abilitySuggestion } from "./ability-suggestion/suggestion.ts";
import { autoTestDeploy } from "./auto-test-deploy.ts";
import { buildCheck } from "./build-check/build-check.ts";
import { compileYaml } from "./compile-yaml/compile-yaml.ts";
import { lspDiagnose } from "./lsp-diagnose.ts";
import { softGuardrail } from "./soft-guardrail.ts";
import { usageTracker } from "./usage-tracker.ts";

/** What a module's `registerAction` comes to: a name, and the handler made of what was given. */
export type Register = (name: string, handler: Handler) => void;

export function registerBuiltins(register: Register): void {
  register("usage_tracker", usageTracker);
  register("ability_suggestion", abilitySuggestion);
  register("soft_guardrail", softGuardrail);
  register("build_check", buildCheck);
  register("lsp_diagnose", lspDiagnose);
  register("compile_yaml", compileYaml);
  register("auto_test_deploy", autoTestDeploy);
}
