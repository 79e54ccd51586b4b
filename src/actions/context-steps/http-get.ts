/** The http step of automations (specification 000, 4.3): one GET request, whose answer is a result whatever it is. */
import { messageOf } from "../../engine/error.ts";
import type { Fetch, Handler, StepResult } from "../../engine/ports.ts";
import { addressFault, reachOfHook } from "../../engine/reach.ts";
import { object, say, text } from "../../engine/schema.ts";
import { failed, fitted, noted, shorten } from "../step.ts";
import { contextStep, isOverLimit, timeoutOf } from "./context-step.ts";

export const usualLimit = 30;
const mostCharacters = 50_000;
const headers = { accept: "*/*", "user-agent": "hookline" };

export const httpGet: Handler = contextStep(
  {
    type: "http",
    summary: "Sends a GET request to an address.",
    limit: usualLimit,
    gives: {
      body: "the answer, up to 50,000 characters; at a status of 400 and above: what that status means",
      status_code: "the status; 0 where there was no answer",
    },
  },
  {
    params: object(
      {},
      {
        url: say(text(), "an http or https address, without user name and password", ""),
        timeout: say(timeoutOf(usualLimit), "time limit in seconds", usualLimit),
      },
    ),
    needs: ["fetch"],
    async run({ url = "" }, { hook, ports, signal, timeout }) {
      if (!ports.fetch) return unreached("nothing here can send requests");
      const fault = addressFault(url);
      if (fault !== undefined) return unreached(fault);
      try {
        const limitInBytes = 40 * mostCharacters; // so that the end of most is known
        const request = { url, method: "GET", headers, body: "", limitInBytes, reach: reachOfHook(url, hook) };
        return answered(await ports.fetch(request, signal));
      } catch (error) {
        const origin = new URL(url).origin;
        if (isOverLimit(signal)) return unreached(`${origin} gave no reply within ${timeout} s`, "timeout");
        return unreached(`${origin} gave no reply: ${messageOf(error)}`);
      }
    },
  },
);

const unreached = (error: string, failure: "error" | "timeout" = "error"): StepResult =>
  failed(failure, error, { body: "", status_code: 0, error });

function answered({ status, body, cut }: Awaited<ReturnType<Fetch>>): StepResult {
  if (status >= 400) {
    const { STATUS_CODES } = process.getBuiltinModule("node:http"); // loaded by the request itself
    const meaning = `HTTP Error ${status}: ${STATUS_CODES[status] ?? "Unknown"}`;
    return { ok: true, output: { body: meaning, status_code: status }, evidence: { stdout: shorten(body) } };
  }
  const { text, notes } = fitted(body, mostCharacters, { name: "body", goesOn: cut });
  return { ok: true, output: { body: text, status_code: status }, ...noted(notes) };
}
