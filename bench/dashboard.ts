/**
 * The dashboard in a real browser (chromium), before the daemon that people install, on a store of a million runs: what the first page
 * weighs, how soon it is painted, how soon each page has its data, and whether a page ever stands still, in a list of 10,000 runs and
 * while 200 events a second happen.
 *
 * First paint: beside an address of the same server that is answered with a line of text, in the same browser, in turn. A page's
 * data: what it asks first, from the browser; the median of nine, and the very first time. Memory: another daemon, with the hooks of
 * bench/memory.ts, that a page looks at while it is told of events.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { findBrowser } from "../test/browser/open.ts";
import { type Running, startDaemon, stateOf } from "./daemon.ts";
import { ask, connected } from "./http-load.ts";
import { fill, runId } from "./large-store-fill.ts";
import {
  type Benchmark,
  boundOf,
  type Findings,
  inFolder,
  joined,
  quantile,
  ratioOf,
  rowOf,
  rowsOf,
  sampleReadings,
  sized,
} from "./measure.ts";
import { atMostInMegabytes, manyHooks, memoryOf, requestOf, settlesFor } from "./memory.ts";
import { trustWith } from "./trusted.ts";

export const dashboard: Benchmark = {
  name: "dashboard",
  about: "the dashboard in a real browser, on a store of a million runs",
  missing: () => (findBrowser() === undefined ? "there is no chromium on this machine" : undefined),
  measure: () =>
    inFolder(async (folder) => {
      const executablePath = findBrowser();
      const bin = join(packageForTests("asked"), "bin", "hookline.js");
      const browser = await chromium.launch({
        ...(executablePath && { executablePath }),
        args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
      });
      const started: Running[] = [];
      try {
        return joined([
          await onLargeStore(
            await daemonIn(join(folder, "large"), bin, { started, runs: rowsOfYears, hooks: 20 }),
            browser,
          ),
          await memoryWithPage(await daemonIn(join(folder, "many"), bin, { started, runs: 2, hooks: 1_000 }), browser),
        ]);
      } finally {
        await browser.close();
        for (const { close } of started) await close();
      }
    }),
};

const rowsOfYears = sized(1_000_000, 2_000);

interface Watched extends Running {
  project: string;
  /** Lets one browser in. */
  link(): string;
}
interface Wanted {
  started: Running[];
  runs: number;
  hooks: number;
}

async function daemonIn(folder: string, bin: string, { started, runs, hooks }: Wanted): Promise<Watched> {
  const project = join(folder, "project");
  const environment = { HOME: folder, TMPDIR: folder, PATH: process.env.PATH ?? "" };
  const state = stateOf(environment);
  for (const made of [join(project, ".hookline"), state]) mkdirSync(made, { recursive: true, mode: 0o700 });
  const all = { hooks: { PreToolUse: manyHooks().slice(0, hooks) }, deny: ["Bash(git push --force *)"] };
  writeFileSync(join(project, ".hookline", "hooks.json"), JSON.stringify(all));
  fill(join(state, "hookline.db"), { runs, now: Date.now() });
  const place = { cwd: project, env: environment };
  trustWith(bin, { cwd: project, environment });
  const daemon = await startDaemon({ bin, cwd: project, environment });
  started.push(daemon);
  const link = (): string =>
    JSON.parse(spawnSync(process.execPath, [bin, "open", "--json"], { ...place, encoding: "utf8" }).stdout).url;
  return { ...daemon, project, link };
}

/** Runs in the page, before all of its own. */
const keeping = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: "longtask", buffered: true });`;

async function enter(browser: Browser, daemon: Watched): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(keeping);
  await page.goto(daemon.link());
  await page.locator("main h1").waitFor();
  return page;
}

async function onLargeStore(daemon: Watched, browser: Browser): Promise<Findings> {
  const page = await enter(browser, daemon);
  const firsts = await measureData(page);
  return joined([
    firsts,
    await measureFirstPage(page, daemon),
    await measureList(page, daemon),
    await measureLive(page, daemon),
  ]);
}

const painting = `new Promise((done) => new PerformanceObserver((list) => {
  const [paint] = list.getEntriesByName("first-contentful-paint");
  if (paint) done(paint.startTime);
}).observe({ type: "paint", buffered: true }))`;
const [line, first] = ["a line of text", "the dashboard"];
const firstPageAtMost = 90;

async function measureFirstPage(page: Page, { port }: Running): Promise<Findings> {
  const origin = `http://127.0.0.1:${port}`;
  const samples = await sampleReadings([line, first], 15, async (side) => {
    await page.goto("about:blank");
    await page.goto(side === line ? `${origin}/no-such-page` : `${origin}/`);
    return page.evaluate<number>(painting);
  });
  await page.goto("about:blank");
  await page.goto(`${origin}/`, { waitUntil: "load" });
  await page.locator("main h1").waitFor();
  const sent = await page.evaluate<number>(`
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter(({ name }) => !name.includes("/api/"))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000`);
  return {
    rows: rowsOf("first paint", "ms", samples),
    ratios: [
      ratioOf(samples, { goal: "first paint", cost: first, by: line, atMost: 3 }),
      boundOf("first page, compressed", sent, firstPageAtMost, { unit: "kB" }),
    ],
  };
}

/** What each page asks first. */
const asked: readonly [page: string, name: string, input: object][] = [
  ["Now", "now", {}],
  ["Runs", "runs", {}],
  ["Runs of a hook", "runs", { hook: "settings:.hookline/hooks.json:waiting" }],
  ["Runs that failed", "runs", { status: "failed" }],
  ["Run", "trace", { id: runId(rowsOfYears / 2 + 1) }],
  ["Hooks", "hook_list", {}],
  ["Guards", "guards", {}],
  ["Automations", "automations", {}],
  ["Insight", "insight", { days: 30 }],
  ["Try", "event_names", {}],
  ["the choice of projects", "projects", {}],
];
const dataWithin = 150;
const timesAsked = sized(9, 1);

async function measureData(page: Page): Promise<Findings> {
  const parts: Findings[] = [];
  for (const [called, name, input] of asked) {
    const times: number[] = [];
    for (let round = 0; round <= timesAsked; round++)
      times.push(
        await page.evaluate<number>(`(async () => {
          const began = performance.now();
          const answer = await fetch("/api/${name}", {
            method: "POST",
            headers: { "content-type": "application/json", "x-hookline": "bench" },
            body: ${JSON.stringify(JSON.stringify(input))},
          });
          await answer.json();
          if (!answer.ok) throw new Error("${name}: " + answer.status);
          return performance.now() - began;
        })()`),
      );
    const [cold = Number.NaN, ...others] = times;
    parts.push({
      rows: [rowOf("data of a page", `${called}, the first time`, "ms", cold)],
      ratios: [boundOf(`data of the page ${called}`, quantile(others, 0.5), dataWithin, { unit: "ms" })],
    });
  }
  return joined(parts);
}

const listed = sized(10_000, 200);
const taskAtMost = 100;

async function measureList(page: Page, { port }: Running): Promise<Findings> {
  await page.goto(`http://127.0.0.1:${port}/#/runs`);
  await page.reload();
  await page.locator(".run").first().waitFor();
  const rows = (): Promise<number> => page.evaluate("parseInt(document.querySelector('.foot').textContent)");
  for (let round = 0; round < 2_000 && (await rows()) < listed; round++)
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight), new Promise(requestAnimationFrame)");
  const count = await rows();
  if (count < listed) throw new Error(`the list came to ${count} runs`);
  return longestIn(page, `longest task, ${listed} runs in a list`);
}

const [perSecond, seconds] = [200, sized(15, 1)];

async function measureLive(page: Page, daemon: Watched): Promise<Findings> {
  await page.goto(`http://127.0.0.1:${daemon.port}/#/now`);
  await page.reload();
  await page.locator("main h1").waitFor();
  await page.evaluate("longest = 0");
  const reached = await tellEvenly(daemon);
  const { ratios } = await longestIn(page, `longest task, ${perSecond} events a second on the page Now`);
  return { rows: [rowOf("live", "events that were told", "a second", reached)], ratios };
}

const longestIn = async (page: Page, goal: string): Promise<Findings> => {
  const value = await page.evaluate<number>("longest");
  return { rows: [], ratios: [boundOf(goal, value, taskAtMost, { unit: "ms" })] };
};

/** A second of events is told in twenty parts. Gives how many a second it came to. */
async function tellEvenly({ port, token, project }: Watched): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: 10 }, () => connected(port)));
  const began = performance.now();
  for (let part = 0; part < seconds * 20; part++) {
    await Promise.all(
      sockets.map((socket, at) => ask(socket, requestOf(part * sockets.length + at, { port, token, project }))),
    );
    await wait(Math.max(0, began + (part + 1) * 50 - performance.now()));
  }
  for (const socket of sockets) socket.destroy();
  return (seconds * perSecond * 1000) / (performance.now() - began);
}

/** Milliseconds at each page. */
const looksFor = sized(1_000, 100);

async function memoryWithPage(daemon: Watched, browser: Browser): Promise<Findings> {
  await wait(settlesFor); // as the goal without a page is measured
  const page = await enter(browser, daemon);
  const readings: number[] = [];
  const looking = setInterval(() => readings.push(memoryOf(daemon.pid)), 500);
  await tellEvenly(daemon);
  for (const name of ["hooks", "runs", "insight", "now"]) {
    await page.goto(`http://127.0.0.1:${daemon.port}/#/${name}`);
    await page.locator("main h1").waitFor();
    await wait(looksFor);
  }
  clearInterval(looking);
  return {
    rows: [rowOf("daemon with a page open", "at the end", "MB", readings.at(-1) ?? Number.NaN)],
    ratios: [boundOf("memory with a page open", Math.max(...readings), atMostInMegabytes, { unit: "MB" })],
  };
}
