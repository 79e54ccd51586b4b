/** A language server's protocol over the pipes of its process. */
import {
  createProtocolConnection,
  type Disposable,
  type ProtocolConnection,
  ReadableStreamMessageReader,
  WriteableStreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import type { PipedProcess } from "../../engine/program.ts";

/** Not yet listening, so that what the server asks at once finds its answers. */
export function connect(child: PipedProcess): ProtocolConnection {
  const reader = new ReadableStreamMessageReader({
    onData(listener) {
      child.onOutput(listener);
      return nothing;
    },
    onClose: () => nothing,
    onError: () => nothing,
    onEnd: () => nothing,
  });
  const writer = new WriteableStreamMessageWriter({
    write(data: string | Uint8Array) {
      child.write(data);
      return Promise.resolve();
    },
    end: () => {},
    onClose: () => nothing,
    onError: () => nothing,
    onEnd: () => nothing,
  });
  return createProtocolConnection(reader, writer, silent);
}

/** The process outlives the connection, and its end is told by its process. */
const nothing: Disposable = { dispose() {} };
/** What a server wants to tell people is not ours to print; its last words on stderr are kept with the failure. */
const silent = { error() {}, warn() {}, info() {}, log() {} };
