/** node scripts/dashboard-images.ts: pictures of the dashboard for docs/images, taken of `hookline demo` in a real browser. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { findBrowser, sizes } from "../test/browser/open.ts";

const root = join(import.meta.dirname, "..");
const folder = process.argv[2] ?? join(root, "docs", "images");
const executablePath = findBrowser();
if (executablePath === undefined) throw new Error("there is no chromium on this machine");

/** The run is the first that was blocked. */
const pages = ["now", "run", "hooks", "runs", "guards", "automations", "automation", "insight", "try"];
/** The pictures that the documentation shows; all others are made with a folder as the word. */
const shownInDocs = new Set([
  ...["now-desktop-light", "now-phone-light", "now-phone-dark", "run-desktop-dark", "automation-desktop-light"],
]);
const areAllWanted = process.argv[2] !== undefined;

const demo = spawn(process.execPath, [join(root, "bin", "hookline.js"), "demo"], {
  stdio: ["ignore", "pipe", "inherit"],
});
let url = "";
let store = "";
for await (const line of createInterface({ input: demo.stdout })) {
  store = /--store (\S+\.db)/.exec(line)?.[1] ?? store;
  url = /http:\S+#enter=\S+/.exec(line)?.[0] ?? url;
  if (url !== "") break;
}

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
const first = await browser.newContext();
const entering = await first.newPage();
await entering.goto(url);
await entering.locator(".refusal").first().waitFor();
const project = await entering.evaluate<string>("location.hash.split('?')[1]");
const run = await entering.locator(".refusal", { hasText: "git push" }).locator("a.more").getAttribute("href");
const state = await first.storageState();
const origin = new URL(url).origin;
for (const [size, viewport] of Object.entries(sizes))
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport, colorScheme, storageState: state });
    const page = await context.newPage();
    for (const name of pages) {
      const picture = `${name}-${size}-${colorScheme}`;
      if (!areAllWanted && !shownInDocs.has(picture)) continue;
      await page.goto(
        `${origin}/${name === "run" ? run : `#/${name}${name === "automation" ? "/new" : ""}?${project}`}`,
      );
      await page.locator("main h1").waitFor();
      if (name === "automation") {
        await page.getByLabel("name", { exact: true }).fill("nightly tests");
        await page.getByLabel("when").selectOption("cron");
        await page.getByLabel("cron", { exact: true }).fill("0 25 * * *");
        await page.locator(".wrong").first().waitFor();
      }
      if (name === "try") await page.getByRole("button", { name: "Try it" }).click();
      await page.waitForLoadState("load");
      await page.locator(".waiting").waitFor({ state: "detached" });
      await page.evaluate("document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 400)))");
      await page.screenshot({ path: join(folder, `dashboard-${picture}.png`) });
    }
    await context.close();
  }
await browser.close();
demo.kill("SIGINT");
console.log(`pictures are in ${folder}; the demo's store is ${store}`);
