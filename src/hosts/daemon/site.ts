/** The documentation at /docs/: files for every program of this machine, read only. Loaded when a browser first comes. */
import type { Call, CallAnswer } from "./call.ts";
import { createPageFiles, pageHeaders } from "./dashboard/files.ts";
import { type Refused, refused } from "./refusals.ts";

const headers = { "cache-control": "no-store", ...pageHeaders() };

const site = {
  name: "site",
  script: "scripts/build-site.ts",
  sources: ["docs/**/*.*", "scripts/site/**/*.*", "scripts/docs/groups.ts", "dashboard/src/{colors.css,icon.svg}"],
};

/**
 * To be called for what `isOfSite` says.
 *
 * @param root the folder of the package, or of the clone
 */
export function createSite(root: string): (call: Call, path: string) => Promise<CallAnswer | Refused> {
  const files = createPageFiles(root, site);
  return async ({ request }, path) => {
    if (request.method !== "GET") return refused("method_not_allowed");
    if (path === "/docs") return { status: 308, headers: { ...headers, location: "/docs/" }, body: "" };
    const found = await files.read(path.slice("/docs/".length).replace(/(^|\/)$/, "$1index.html"));
    if (!found) return refused("not_found");
    return { status: 200, headers: { ...headers, "content-type": found.type }, body: found.body };
  };
}
