/** Asks a model once whether an event may go on (C64, C67). Its verdict tightens what others decided, and loosens nothing. */
import type { Handler } from "../core/ports.ts";
import { object } from "../core/schema.ts";
import { type Judging, judge, judgingSchemas, promptSchema } from "./model-ask.ts";

export const prompt: Handler<Judging> = {
  params: object({ prompt: promptSchema }, judgingSchemas),
  needs: ["model"],
  run: (params, context) => judge(params, context),
};
