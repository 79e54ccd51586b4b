/** How a scripted reply leaves: whole, cut in the middle, or never. Apart from what it says. */
import type { ServerResponse } from "node:http";
import type { Json } from "../../engine/event.ts";

export interface Reply {
  status?: number;
  body?: Json;
  /** A body that is no JSON of ours. */
  text?: string;
  /** Server-sent events. */
  stream?: string;
  headers?: Readonly<Record<string, string>>;
  /** When the connection closes too early; absent: it does not. */
  ends?: "never" | "at once" | "half-way";
}

export function send(response: ServerResponse, { status = 200, body, text, stream, headers, ends }: Reply): void {
  if (ends === "never") return;
  if (ends === "at once") {
    response.destroy();
    return;
  }
  const type = stream === undefined ? "application/json" : "text/event-stream";
  const content = stream ?? text ?? (body === undefined ? "" : JSON.stringify(body));
  const length = ends === "half-way" ? { "content-length": String(Buffer.byteLength(content)) } : {};
  response.writeHead(status, { "content-type": type, "cache-control": "no-cache", ...headers, ...length });
  if (ends === "half-way")
    response.write(content.slice(0, content.length / 2), () => {
      response.destroy();
    });
  else response.end(content);
}
