/** Built files of pages: read from the disk when a browser asks, so that a daemon without one holds none of them. */
import { spawn } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { HooklineError } from "../../../engine/error.ts";

/** What was built from what. */
export interface Built {
  /** Of its folder in dist/, or in build/ of a clone. */
  name: string;
  /** The script of a clone that builds it into a folder. */
  script: string;
  /** Newer ones make it stale. */
  sources: readonly string[];
}

export interface PageFile {
  type: string;
  body: Buffer;
}

export interface PageFiles {
  /** Undefined: there is none of this path. Rejects with a HooklineError where the pages could not be built. */
  read(path: string): Promise<PageFile | undefined>;
}

/** For every page of the daemon: nothing of another origin is loaded, and no other page holds it or reads it. */
export const pageHeaders = (...more: readonly string[]): Readonly<Record<string, string>> => ({
  "content-security-policy": [...policy, ...more].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
});

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** No segment begins with a dot, and none is empty. */
const isPath = (path: string): boolean => /^(?:[\w-]+\/)*[\w-][\w.-]*$/.test(path);

/** @param root the folder of the package, or of the clone */
export function createPageFiles(root: string, built: Built): PageFiles {
  const clone = cloneOf(root, built);
  const folder = clone === undefined ? join(root, "dist", built.name) : join(clone, "build", built.name);
  let building: Promise<void> | undefined;

  /** A clone has no built files before the first question, or has older ones. */
  async function ready(): Promise<void> {
    if (clone === undefined || !isStale(clone, folder, built)) return;
    building ??= build(clone, built).finally(() => {
      building = undefined;
    });
    await building;
  }

  return {
    async read(path) {
      const type = types[extname(path)];
      if (type === undefined || !isPath(path)) return undefined;
      if (extname(path) === ".html") await ready();
      const file = join(folder, path);
      return existsSync(file) ? { type, body: await readFile(file) } : undefined;
    },
  };
}

/** What browsers are sent: texts shrink to a third. */
export const packed = (body: Buffer): Buffer => gzipSync(body);

/** A clone's sources, also for the bundle that it keeps in build/. */
function cloneOf(root: string, { script }: Built): string | undefined {
  const above = basename(root) === "build" ? dirname(root) : root;
  return existsSync(join(above, script)) ? above : undefined;
}

function isStale(clone: string, folder: string, { sources }: Built): boolean {
  const since = statSync(join(folder, "index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return globSync(sources, { cwd: clone, exclude: ["**/node_modules"] }).some(
    (name) => statSync(join(clone, name)).mtimeMs > since,
  );
}

function build(clone: string, { name, script }: Built): Promise<void> {
  const notBuilt = (reason: string): HooklineError =>
    new HooklineError("usage", {
      what: `the pages of this clone could not be built: ${reason}`,
      where: script,
      advice: "run npm ci, then npm run build",
    });
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(clone, script), join("build", name)], {
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
