/** The documentation in a real browser, before a real daemon: every page, at both widths, light and dark. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { placeFor, type Started } from "../hosts/daemon/started.ts";
import { bin } from "../program.ts";
import { closeBrowser, findBrowser, type Look, openAt } from "./open.ts";

const skip = findBrowser() === undefined ? "there is no chromium on this machine" : false;
after(closeBrowser);

const folder = join(dirname(dirname(bin)), "dist", "site");
const pages = globSync("**/*.html", { cwd: folder }).sort();

/** Nothing here changes what a daemon serves. */
const place = placeFor({ after: (work: () => unknown) => after(() => work()) });
let serving: Promise<Started> | undefined;
const served = (): Promise<Started> => {
  serving ??= place.up();
  return serving;
};

/** No style is about a width and a theme together: each page is looked at in two of the four, and what stands around all in each. */
const ofEach: readonly Look[] = [{ size: "phone", dark: true }, { size: "desktop" }];
const ofSome: readonly Look[] = [...ofEach, { size: "phone" }, { size: "desktop", dark: true }];

test("every page of the documentation is without fault on a dark phone and a light desktop, and every tenth on a light phone and a dark desktop", {
  skip,
}, async (t) => {
  const daemon = await served();
  const site = `http://127.0.0.1:${daemon.port}/docs/`;
  const { page, axe, look, complaints } = await openAt(t, daemon, site);
  assert.ok(pages.length > 80, `only ${pages.length} pages`);
  for (const [index, path] of pages.entries()) {
    const [first, ...others] = index % 10 === 0 ? ofSome : ofEach;
    if (first) await look(first);
    const answer = await page.goto(`${site}${path}`);
    assert.equal(answer?.status(), 200, path);
    await page.locator("main h1").waitFor();
    for (const one of [undefined, ...others]) {
      if (one) await look(one);
      const seen = `${path} ${JSON.stringify(one ?? first)}`;
      assert.deepEqual(await axe(), [], seen);
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      assert.ok(wide <= 0, `${seen} is ${wide} pixels wider than the screen`);
    }
    assert.deepEqual(await complaints(), [], path);
  }
});

test("/ begins a search, arrows and Enter choose what was found, and Escape ends it", { skip }, async (t) => {
  const daemon = await served();
  const site = `http://127.0.0.1:${daemon.port}/docs/`;
  const { page, axe, complaints } = await openAt(t, daemon, `${site}errors/index.html`);
  const found = page.locator(".found a");
  await page.keyboard.press("/");
  await page.keyboard.type("toolstart no_such_word_at_all");
  await page.getByText("Nothing found for").first().waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await found.count(), 0);
  await page.keyboard.type("daemon_running");
  await found.first().waitFor();
  assert.deepEqual(await axe(), []);
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate("document.activeElement === document.querySelector('.found a')"), true);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${site}errors/daemon_running.html`);
  await page.keyboard.press("/");
  await page.keyboard.type("templates");
  await found.first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${site}templates.html`);
  assert.deepEqual(await complaints(), []);
});

test("the keyboard passes the navigation, and links lead from page to page", { skip }, async (t) => {
  const daemon = await served();
  const { page, complaints } = await openAt(t, daemon, `http://127.0.0.1:${daemon.port}/docs`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the page");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate("document.activeElement.tagName"), "MAIN");
  await page.locator("nav.menu").getByRole("link", { name: "Rules", exact: true }).click();
  await page.locator("h1", { hasText: "Rules" }).waitFor();
  assert.equal(await page.locator("nav.menu [aria-current=page]").innerText(), "Rules");
  await page.locator(".beside [rel=next]").click();
  await page.locator("h1", { hasText: "Hook files" }).waitFor();
  assert.deepEqual(await complaints(), []);
});

test("the pages are read and searched from a disk as well", { skip }, async (t) => {
  const { page } = await openAt(t, { port: 0 }, pathToFileURL(join(folder, "decisions", "index.html")).href);
  await page.locator(".name").click();
  await page.locator("h1", { hasText: "Hookline" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("allow-once");
  await page.locator(".found a").first().waitFor();
});
