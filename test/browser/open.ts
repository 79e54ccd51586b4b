/** A real browser before a real daemon: what it complains of, and how long its page is busy, is kept. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Place, Started } from "../hosts/daemon/started.ts";

/** Undefined: there is none on this machine. */
export function findBrowser(): string | undefined {
  const onPath = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "chromium"));
  const downloaded = globSync(join(homedir(), ".cache/ms-playwright/chromium-*/chrome-linux*/chrome"));
  return [...onPath, ...downloaded].find((path) => existsSync(path));
}

export const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const;
export type Size = keyof typeof sizes;

export interface Look {
  size?: Size;
  dark?: boolean;
}

export interface Opened {
  page: Page;
  /** Violations of the content policy and errors of the console, so far. */
  complaints(): Promise<string[]>;
  /** Milliseconds of the longest time in which the page did not answer. */
  longestTask(): Promise<number>;
  /** What a function says that runs in a page of another port, in the same browser; it gets the address of the dashboard. */
  strange(code: string): Promise<string[]>;
  /** What axe-core finds wrong on what is shown now. */
  axe(): Promise<string[]>;
  /** The person turns the screen, or sets it otherwise: the page stays. */
  look(look: Look): Promise<void>;
}

export interface Dashboard extends Opened {
  /** Goes to a page of the dashboard, by what stands behind the #, and waits for its head. */
  go(hash: string): Promise<void>;
}

/** Runs in the page, before all of its own. */
const keeping = `
  window.kept = { violations: [], longest: 0 };
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    kept.violations.push(violatedDirective + " " + blockedURI));
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) kept.longest = Math.max(kept.longest, duration);
  }).observe({ type: "longtask", buffered: true });`;

/** Of what holds one node of each rule is enough: to describe all of them takes twice as long as to find what is wrong. */
const looking = `axe.run({ resultTypes: ["violations"] }).then(({ passes, violations }) => ({
  passes: passes.length,
  violations: violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + " " + target + ": " + failureSummary)),
}))`;

let browser: Browser | undefined;

/** The dashboard, let in by a link. */
export async function openPage(t: TestContext, place: Place, daemon: Started, look: Look = {}): Promise<Dashboard> {
  const { url } = JSON.parse(place.hookline("open", "--json").stdout);
  const opened = await openAt(t, daemon, url, look);
  return {
    ...opened,
    async go(hash) {
      await opened.page.goto(`http://127.0.0.1:${daemon.port}/#${hash}`);
      await opened.page.locator("main h1").waitFor();
    },
  };
}

/**
 * @param url of a page of the daemon
 * @param look how the person has set the screen
 */
export async function openAt(
  t: TestContext,
  daemon: Pick<Started, "port">,
  url: string,
  { size = "desktop", dark = false }: Look = {},
): Promise<Opened> {
  const executablePath = findBrowser() ?? assert.fail("no browser");
  browser ??= await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
  const context = await browser.newContext({ viewport: sizes[size], colorScheme: dark ? "dark" : "light" });
  t.after(() => context.close());
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  const said: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`http://127.0.0.1:${daemon.port}/`)) said.push(`a foreign address: ${request.url()}`);
  });
  await page.addInitScript(keeping);
  await page.goto(url);
  await page.locator("h1").waitFor();
  return {
    page,
    complaints: async () => [...said, ...(await page.evaluate<string[]>("kept.violations"))],
    longestTask: () => page.evaluate<number>("kept.longest"),
    async strange(code) {
      const server = createServer((_asked, answer) => {
        answer.setHeader("content-type", "text/html");
        answer.end("<!doctype html><title>another page</title><body>");
      }).listen(0, "127.0.0.1");
      t.after(() => server.close());
      await once(server, "listening");
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const other = await context.newPage();
      await other.goto(`http://127.0.0.1:${port}/`);
      return other.evaluate<string[]>(`(${code})("http://127.0.0.1:${daemon.port}")`);
    },
    async axe() {
      if (!(await page.evaluate<boolean>("'axe' in window"))) {
        // Beside the page's own content policy, as a person's developer tools are.
        const source = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
        const session = await context.newCDPSession(page);
        await session.send("Runtime.evaluate", { expression: readFileSync(source, "utf8") });
        await session.detach();
      }
      const { passes, violations } = await page.evaluate<{ passes: number; violations: string[] }>(looking);
      assert.ok(passes > 10, `axe-core had only ${passes} rules to look at`);
      return violations;
    },
    async look({ size: to = "desktop", dark: isDark = false }) {
      await page.setViewportSize(sizes[to]);
      await page.emulateMedia({ colorScheme: isDark ? "dark" : "light" });
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"); // what listens has heard of it
    },
  };
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}
