/** The ready-made handlers of repository hooks and rules, by name: nothing else in Hookline knows them. */
import type { Handler } from "../../engine/ports.ts";
import { abilitySuggestion } from "./ability-suggestion/suggestion.ts";
import { autoTestDeploy } from "./auto-test-deploy.ts";
import { buildCheck } from "./build-check/build-check.ts";
import { compileYaml } from "./compile-yaml/compile-yaml.ts";
import { lspDiagnose } from "./lsp-diagnose.ts";
import { softGuardrail } from "./soft-guardrail.ts";
import { usageTracker } from "./usage-tracker.ts";

export const builtins: ReadonlyMap<string, Handler> = new Map([
  ["usage_tracker", usageTracker],
  ["ability_suggestion", abilitySuggestion],
  ["soft_guardrail", softGuardrail],
  ["build_check", buildCheck],
  ["lsp_diagnose", lspDiagnose],
  ["compile_yaml", compileYaml],
  ["auto_test_deploy", autoTestDeploy],
]);
