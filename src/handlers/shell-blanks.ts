/** Passes over what is nothing to a shell: blanks, comments, and the here-documents behind a line break. */
import { marksIn, type Reader } from "./shell-reading.ts";

/** Blanks, comments and line breaks that are escaped. */
export function skipBlanks(reader: Reader): void {
  const { source } = reader;
  for (;;) {
    const sign = source[reader.at];
    if (sign === " " || sign === "\t") reader.at += 1;
    else if (sign === "\\" && source[reader.at + 1] === "\n") reader.at += 2;
    else if (sign !== "#") return;
    else {
      const end = source.indexOf("\n", reader.at);
      const stop = end < 0 ? source.length : end;
      reader.judge.refuse(marksIn(reader, reader.at, stop), "in a comment");
      reader.at = stop;
    }
  }
}

/** Line breaks too, and the here-documents behind them. */
export function skipLines(reader: Reader): void {
  for (skipBlanks(reader); reader.source[reader.at] === "\n"; skipBlanks(reader)) {
    reader.at += 1;
    for (const document of reader.documents.splice(0)) skipDocument(reader, document);
  }
}

function skipDocument(reader: Reader, { delimiter, tabs, isFilled }: Reader["documents"][number]): void {
  const { source } = reader;
  const start = reader.at;
  while (reader.at < source.length) {
    const end = source.indexOf("\n", reader.at);
    const stop = end < 0 ? source.length : end;
    const line = source.slice(reader.at, stop);
    reader.at = Math.min(stop + 1, source.length);
    if ((tabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
  }
  reader.judge.refuse(marksIn(reader, start, reader.at), "in a here-document");
  if (isFilled) reader.judge.document(source.slice(start, reader.at));
}
