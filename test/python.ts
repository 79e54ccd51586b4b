/** The Python of this machine itself: what is first on the PATH may be a script that starts forty processes to find it. */
import { spawnSync } from "node:child_process";

let found: string | undefined;

/** Its path; none where there is no python3. */
export function pythonHere(): string | undefined {
  if (found === undefined) {
    const asked = spawnSync("python3", ["-S", "-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
    found = asked.status === 0 ? asked.stdout.trim() : "";
  }
  return found || undefined;
}
