/**
 * The stories of the five specifications' own examples, from the tarball that people install, which performs each command. What a bundle
 * leaves out of a library is missing there alone.
 */
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe } from "node:test";
import { bin } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { stories, tell } from "./story.ts";

const folder = temporaryFolder({ after });

/** Automations, repository hooks, settings, rules and scripts, and what comes ready-made with them. */
const ofSpecifications =
  /^(?:automation|registry|builtin|rules-example|scripts-examples|exit-2|a-deny-counts|continue-false|async-hook|session-start|permission-|rewake|user-prompt|pre-compact)/;

describe("flows, from the tarball", { concurrency: 3 }, () => {
  const packed = packedAndUnpacked();
  for (const name of stories("both")) if (ofSpecifications.test(name)) tell(name, packed);
});

/** Npm leaves links out, so what is packed is a copy without any. */
function packedAndUnpacked(): string {
  const copy = join(folder, "copy");
  cpSync(dirname(dirname(bin)), copy, { recursive: true, dereference: true });
  const words = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const said = execFileSync("npm", words, { cwd: copy, encoding: "utf8" });
  const [{ filename }] = JSON.parse(said.slice(said.search(/^\[/m)));
  execFileSync("tar", ["-xzf", join(folder, filename), "-C", folder]);
  return join(folder, "package", "bin", "hookline.js");
}
