/** How the tests of context steps run one: as the engine does, with the real spawner, HTTP client and git. */
import { tmpdir } from "node:os";
import { createHandlers } from "../../src/actions/index.ts";
import { type Fields, firstTurn } from "../../src/engine/event.ts";
import type { Handler, StepResult } from "../../src/engine/ports.ts";
import type { StepRecord } from "../../src/engine/record.ts";
import { createGit, createGitPort } from "../../src/runtime/processes/git.ts";
import { contextOf, PATH, type Surroundings } from "./context.ts";

export { temporaryFolder } from "../temporary-folder.ts";

const handlers = createHandlers(new Map());

/** The handler behind a step's type. */
export function stepNamed(type: string): Handler {
  for (const handler of handlers.values()) if (handler.contextStep?.type === type) return handler;
  throw new Error(`no step has the type ${type}`);
}

export interface StepSurroundings extends Surroundings {
  /** The project's workspace. */
  root?: string;
  results?: StepRecord[];
}

/** Runs one step, placeholders left as they are. */
export async function runStep(type: string, params: Fields, wish: StepSurroundings = {}): Promise<StepResult> {
  const { root, results = [], ...rest } = wish;
  const origin = { dialect: "automation", ...(root === undefined ? {} : { root }), ...rest.origin };
  const context = contextOf({ caller: { environment: { PATH, HOME: tmpdir() } }, written: params, ...rest, origin });
  const { event, ports } = context;
  const git = createGitPort(createGit({ PATH, HOME: root ?? tmpdir() }));
  const scope = { event, turn: firstTurn, names: [], results };
  return stepNamed(type).run(params, { ...context, ports: { ...ports, git }, scope });
}

export const outputOf = async (...of: Parameters<typeof runStep>): Promise<Fields> => (await runStep(...of)).output;
