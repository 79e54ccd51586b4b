/** The programs of native/, compiled for a system: where they lie beside the sources, or beside what is built from them. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Undefined: there is none for this system. */
export function nativeProgram(name: string): string | undefined {
  const place = `native/${process.platform}-${process.arch}/${name}`;
  const isSource = import.meta.url.endsWith(".ts");
  return (isSource ? ["../../"] : ["../", "../../"])
    .map((up) => fileURLToPath(new URL(up + place, import.meta.url)))
    .find((path) => existsSync(path));
}
