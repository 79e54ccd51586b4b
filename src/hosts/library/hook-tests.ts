/** Tests of hooks in TypeScript: NAME.hooktest.ts exports what a NAME.hooktest.yaml holds. `hookline test` runs both. */
import type { HookTests } from "../../formats/hook-tests/fields.ts";

export type { Expectation, HookTest, HookTests, TestedEvent } from "../../formats/hook-tests/fields.ts";

/**
 * Gives tests their types. It changes nothing.
 *
 * @example export default defineHookTests({ tests: [{ name: "a push is refused", commands: ["git push"], expect: { verdict: "deny" } }] });
 */
export const defineHookTests = (tests: HookTests): HookTests => tests;
