/** Operations over HTTP, on the daemon's line: parameters of a question are texts until the operation's schema says what they are. */
import type { Fields } from "../core/event.ts";
import { isRecord } from "../core/schema.ts";
import { readValue } from "../operations/from-text.ts";
import type { OperationContext } from "../operations/operation.ts";
import { answerOverHttp, listOverHttp, type OperationRequest } from "../operations/over-http.ts";
import { type OperationTable, serveOperations } from "../operations/serve.ts";

export interface Operating {
  list(): Response;
  /** Never rejects. */
  answer(request: OperationRequest): Promise<Response>;
}

export function createOperating(table: OperationTable, context: OperationContext): Operating {
  const served = serveOperations(table, context);
  return {
    list: () => Response.json(listOverHttp(served)),
    async answer(request) {
      const input =
        request.method === "GET" ? fromTexts(request.input, table.get(request.name)?.params.json) : request.input;
      const { status, body } = await answerOverHttp({ ...request, input }, served);
      return Response.json(body, { status });
    },
  };
}

function fromTexts(texts: Fields, schema: Fields | undefined): Fields {
  const known = isRecord(schema?.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const own = Object.hasOwn(known, name) ? known[name] : undefined;
      return [name, own === undefined ? text : readOr(String(text), own)];
    }),
  );
}

function readOr(text: string, schema: unknown): Fields[string] {
  try {
    return readValue(text, schema);
  } catch {
    return text; // JSON that is none: the schema says what was expected
  }
}
