/** The dashboard's built files: read from the disk when a browser asks, so that a daemon without one holds none of them. */
import { spawn } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { HooklineError } from "../../../engine/error.ts";

export interface PageFile {
  type: string;
  body: Buffer;
  /** Its name changes with its content. */
  isNamedByContent: boolean;
}

export interface PageFiles {
  /** Undefined: there is none of this name. Rejects with a HooklineError where the dashboard could not be built. */
  read(name: string): Promise<PageFile | undefined>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** @param root the folder of the package, or of the clone */
export function createPageFiles(root: string): PageFiles {
  const clone = cloneOf(root);
  const folder = clone === undefined ? join(root, "dist", "dashboard") : join(clone, "build", "dashboard");
  let building: Promise<void> | undefined;

  /** A clone has no built files until somebody asks, or has older ones. */
  async function ready(): Promise<void> {
    if (clone === undefined || !isStale(clone, folder)) return;
    building ??= build(clone).finally(() => {
      building = undefined;
    });
    await building;
  }

  return {
    async read(name) {
      const isPage = name === "index.html";
      if (isPage) await ready();
      const type = types[extname(name)];
      const path = isPage ? join(folder, name) : join(folder, "assets", name);
      if (type === undefined || !/^[\w-][\w.-]*$/.test(name) || !existsSync(path)) return undefined;
      return { type, body: await readFile(path), isNamedByContent: !isPage };
    },
  };
}

/** What browsers are sent: texts shrink to a third. */
export const packed = (body: Buffer): Buffer => gzipSync(body);

const buildScript = (clone: string): string => join(clone, "scripts", "build-dashboard.ts");

/** A clone's sources, also for the bundle that it keeps in build/. */
function cloneOf(root: string): string | undefined {
  const above = basename(root) === "build" ? dirname(root) : root;
  return existsSync(buildScript(above)) ? above : undefined;
}

function isStale(clone: string, folder: string): boolean {
  const built = statSync(join(folder, "index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync("dashboard/**/*.*", { cwd: clone, exclude: ["dashboard/node_modules"] });
  return sources.some((name) => statSync(join(clone, name)).mtimeMs > built);
}

function build(clone: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [buildScript(clone), join("build", "dashboard")], {
      cwd: clone,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.on("error", (error) => reject(notBuilt(error.message)));
    child.on("close", (code) => (code === 0 ? resolve() : reject(notBuilt(said.trim().split("\n")[0] ?? ""))));
  });
}

const notBuilt = (reason: string): HooklineError =>
  new HooklineError("usage", {
    what: `the dashboard of this clone could not be built: ${reason}`,
    where: "scripts/build-dashboard.ts",
    advice: "run npm ci, then npm run build",
  });
