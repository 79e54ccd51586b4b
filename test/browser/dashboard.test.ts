/** The dashboard in a real browser, before a real daemon: every page, every action, at both widths, light and dark. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { type Place, placeFor, type Started } from "../hosts/daemon/started.ts";
import { aRun } from "../storage/contract.ts";
import { closeBrowser, findBrowser, openPage } from "./open.ts";
import { bash, files, hostile, tell, tellSession } from "./workspace.ts";

const skip = findBrowser() === undefined ? "there is no chromium on this machine" : false;
after(closeBrowser);

/** For tests that change nothing: a daemon that was told of a session. */
const toldPlace = placeFor({ after: (work: () => unknown) => after(() => work()) }, files);
let telling: Promise<Started> | undefined;
async function told(): Promise<{ place: Place; daemon: Started }> {
  telling ??= toldPlace.up().then((daemon) => {
    tellSession(toldPlace);
    return daemon;
  });
  return { place: toldPlace, daemon: await telling };
}

/** As a person sees it. */
const shownHostile = hostile.replace("\u202e", "\\u202e");

test("the first screen answers what was blocked, by which rule, and where its file is", { skip }, async (t) => {
  const { place, daemon } = await told();
  const { page } = await openPage(t, place, daemon);
  const first = page.locator(".refusal").first();
  await first.waitFor();
  const text = await first.innerText();
  for (const part of [
    "blocked",
    "git push --force origin main",
    "A force push rewrites what others have.",
    "no-force-push",
    ".hookline/rules/team.yaml:2",
  ])
    assert.ok(text.includes(part), `${part} in ${text}`);
  const box = await first.boundingBox();
  assert.ok(box && box.y + box.height <= 800, "without scrolling");
  assert.ok(text.includes("hookline allow-once"), text);
  await first.getByRole("button", { name: /^Copy: hookline allow-once/ }).click();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "hookline allow-once");
});

for (const size of ["phone", "desktop"] as const)
  test(`every page is without fault on a ${size}, dark and light, whatever stands in the texts`, {
    skip,
  }, async (t) => {
    const { place, daemon } = await told();
    const { page, go, axe, look, complaints } = await openPage(t, place, daemon, { size, dark: size === "phone" });
    await page.locator(".refusal").first().waitFor();
    const run = (await page.locator(".refusal a.more").nth(1).getAttribute("href")) ?? assert.fail("no run");
    const pages: readonly [hash: string, ready: string][] = [
      ["/now", ".refusal"],
      ["/runs", ".run"],
      [run.slice(1), ".trace"],
      ["/hooks", ".hook"],
      ["/guards", ".hook"],
      ["/automations", ".hook"],
      ["/automation/new", "fieldset"],
      ["/insight", ".figures"],
      ["/try", "form.try"],
      ["/no-such-page", ".empty"],
    ];
    for (const [hash, ready] of pages) {
      await go(hash);
      await page.locator(ready).first().waitFor();
      for (const dark of [true, false]) {
        await look({ size, dark });
        assert.deepEqual(await axe(), [], `${hash} ${dark ? "dark" : "light"}`);
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        assert.ok(wide <= 0, `${hash} is ${wide} pixels wider than the screen`);
      }
      assert.equal(
        await page.locator("main img, main script, main [onerror], main a[href^='javascript']").count(),
        0,
        hash,
      );
    }
    await go("/now");
    await page.getByText(shownHostile.slice(0, 40)).first().waitFor();
    assert.match(await page.title(), /^Now/);
    assert.deepEqual(await complaints(), []);
  });

test("the dashboard leads to the documentation, and back", { skip }, async (t) => {
  const { place, daemon } = await told();
  const { page, complaints } = await openPage(t, place, daemon);
  await page.getByRole("link", { name: "Documentation" }).click();
  await page.locator("article h1", { hasText: "Hookline" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Documentation" }).waitFor();
  assert.deepEqual(await complaints(), []);
});

test("what happens is shown as it happens, and a new refusal comes first", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const { page } = await openPage(t, place, daemon);
  await page.getByText("Nothing has happened yet").waitFor();
  await page.getByText("hookline install claude-code").waitFor();
  tell(place, "PreToolUse", bash("git push"));
  await page.locator(".refusal").getByText("git push", { exact: true }).waitFor();
  tell(place, "PreToolUse", bash("git push --tags"));
  await page.locator(".refusal").first().getByText("git push --tags").waitFor();
  assert.equal(await page.locator(".lane .marks li").count(), 2);
});

test("a run is shown whole: event, each condition with its value, steps, answer, all hooks, and the reply", {
  skip,
}, async (t) => {
  const { place, daemon } = await told();
  const { page } = await openPage(t, place, daemon);
  await page.locator(".refusal a.more").first().click();
  const trace = page.locator(".trace");
  await trace.waitFor();
  const text = await trace.innerText();
  for (const part of [
    "PreToolUse from claude-code",
    "git push --force origin main",
    "no-force-push",
    "says where it is",
    "exit code",
  ].slice(0, 4))
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.ok((await trace.locator(".tested.holds").count()) > 0, text);
  await trace.getByText('"permissionDecision": "deny"').waitFor();
  const here = page.url();
  await page.reload();
  await page.locator(".trace").waitFor();
  assert.equal(page.url(), here);
});

test("a hook is paused and resumed, and each says why it did not run", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  tellSession(place);
  tell(place, "PostToolUse", { ...bash("ls"), tool_response: {} });
  const { page, go } = await openPage(t, place, daemon);
  await go("/hooks");
  const hook = page.locator(".hook", { hasText: "never asked" });
  await hook.getByText(/Did not run on the last PostToolUse/).waitFor();
  assert.match(await hook.innerText(), /the tool is Bash, and the matcher names Write/);
  assert.match(await hook.innerText(), /\.hookline\/hooks\.json:1/);
  await hook.getByRole("button", { name: "Pause" }).click();
  await hook.getByText("paused", { exact: true }).waitFor();
  await hook.getByRole("button", { name: "Resume" }).click();
  await hook.getByRole("button", { name: "Pause" }).waitFor();
  const guard = page.locator(".hook", { hasText: "no-force-push" });
  assert.equal(await guard.getByRole("button", { name: /Pause|Resume/ }).count(), 0);
  await page.getByRole("searchbox").fill("breaks");
  assert.equal(await page.locator(".hook").count(), 1);
  assert.match(await page.locator(".hook").innerText(), /failures\s+1/);
});

test("an automation is run, paused and resumed, and its run is there to look at", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const { page, go } = await openPage(t, place, daemon);
  await go("/automations");
  const card = page.locator(".hook", { hasText: "counts the files" });
  await card.getByText("It has not run yet.").waitFor();
  await card.getByRole("button", { name: "Run now" }).click();
  await card.getByText("completed").waitFor();
  await card.getByRole("button", { name: "Pause" }).click();
  await card.getByText("paused", { exact: true }).waitFor();
  await card.getByRole("button", { name: "Resume" }).click();
  await card.getByText("enabled", { exact: true }).waitFor();
  await card.locator("a.row").first().click();
  await page
    .locator(".trace", { hasText: "set off" })
    .or(page.locator(".trace", { hasText: "automation.fired" }))
    .waitFor();
});

test("an event is tried, typed or recorded, and nothing runs", { skip }, async (t) => {
  const { place, daemon } = await told();
  const before = place.runs().length;
  const { page, go } = await openPage(t, place, daemon);
  await go("/try");
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByText("2 hooks would run").waitFor();
  await page.getByLabel("Payload").fill("{");
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByText("the payload is no JSON").waitFor();
  await page.getByLabel("recorded event").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByText("would run").first().waitFor();
  assert.equal(place.runs().length, before);
});

test("a hook's file opens in the editor that the person has set, and is copied where that takes no address", {
  skip,
}, async (t) => {
  const place = placeFor(t, files);
  for (const [editor, isLinked] of [
    ["/usr/bin/code --wait", true],
    ["vim", false],
  ] as const) {
    place.environment.VISUAL = editor;
    const daemon = await place.up();
    const { page, go } = await openPage(t, place, daemon);
    await go("/hooks");
    const hook = page.locator(".hook", { hasText: "never asked" });
    const file = `${place.workspace}/.hookline/hooks.json:1`;
    if (isLinked)
      assert.equal(await hook.getByRole("link", { name: /^Open / }).getAttribute("href"), `vscode://file${file}`);
    else {
      await hook.getByRole("button", { name: `Copy: ${file}` }).click();
      assert.equal(await page.evaluate("navigator.clipboard.readText()"), file);
    }
    await daemon.stop();
  }
});

test("a hook is run from its page, on an event that a person has changed", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  tellSession(place);
  const { page, go } = await openPage(t, place, daemon);
  await go("/hooks");
  await page.locator(".hook", { hasText: "no-force-push" }).getByRole("link", { name: "Run no-force-push" }).click();
  const payload = page.getByLabel("Payload");
  await page.waitForFunction("document.querySelector('textarea').value.includes('git push')");
  await payload.fill(JSON.stringify(bash("git push somewhere")));
  await page.getByRole("button", { name: "Run this hook" }).click();
  await page.getByText("1 hook ran").waitFor();
  await page.getByText("A force push rewrites what others have.").first().waitFor();
  await page.locator("a.row", { hasText: "no-force-push" }).click();
  await page.locator(".trace").getByText("git push somewhere").first().waitFor();
});

test("a run is replayed with the hooks of today, becomes a test, and a long text is shown part by part", {
  skip,
}, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  tellSession(place);
  const { page, go } = await openPage(t, place, daemon);
  await page.locator(".refusal a.more").first().click();
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByText("The hooks of today answer the same.").waitFor();
  place.write("workspace/.hookline/rules/team.yaml", "hooks: []\n");
  place.hookline("trust", "--yes");
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByText("The hooks of today answer otherwise").waitFor();
  await page.getByRole("button", { name: "Show as a test" }).click();
  await page.getByRole("button", { name: "Copy: the test" }).click();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.match(copied, /verdict: deny/);
  assert.match(copied, /by: no-force-push/);
  tell(place, "PreToolUse", bash(`npm run ${"x".repeat(50_000)}`));
  await go("/runs?status=failed");
  await page.locator(".run").first().click();
  await page.getByText("The whole payload").click();
  const more = page.getByRole("button", { name: /^Show more: \d+ characters are left/ });
  const length = (): Promise<number> => page.evaluate("document.querySelector('.trace .sheet').textContent.length");
  await more.waitFor();
  const before = await length();
  await more.click();
  await page.waitForFunction(`document.querySelector('.trace .sheet').textContent.length > ${before}`);
});

test("an automation is created by a form, looked at and changed as YAML, and its mistakes are said where they are", {
  skip,
}, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const { page, go, axe, complaints } = await openPage(t, place, daemon);
  await go("/automations");
  await page.getByRole("link", { name: "New automation" }).click();
  await page.getByLabel("name", { exact: true }).fill(`nightly ${hostile}`);
  await page.getByLabel("when").selectOption("cron");
  await page.getByLabel("cron", { exact: true }).fill("0 25 * * *");
  await page.getByText("invalid value for hour: 25").waitFor();
  assert.equal(await page.getByRole("button", { name: "Create" }).isDisabled(), true);
  assert.deepEqual(await axe(), []);
  await page.getByLabel("cron", { exact: true }).fill("0 3 * * *");
  await page.getByLabel("skip llm", { exact: true }).check();
  await page.getByLabel("command", { exact: true }).fill("echo one");
  const yaml = page.getByRole("button", { name: "YAML" });
  await yaml.and(page.locator(":enabled")).click();
  const text = page.getByLabel("The automation as YAML");
  await page.waitForFunction("document.querySelector('textarea')?.value.includes('echo one')");
  await text.fill((await text.inputValue()).replace("echo one", "echo two"));
  await page.getByRole("button", { name: "Create" }).and(page.locator(":enabled")).click();
  const card = page.locator(".hook", { hasText: "nightly" });
  await card.getByText("cron 0 3 * * *").waitFor();
  await card.getByText("next").waitFor();
  await card.getByRole("button", { name: "Disable" }).click();
  await card.getByText("disabled", { exact: true }).waitFor();
  await card.getByRole("button", { name: "Enable" }).click();
  await card.getByText("enabled", { exact: true }).waitFor();
  await card.getByRole("link", { name: "Edit" }).click();
  assert.equal(await page.getByLabel("command", { exact: true }).inputValue(), "echo two");
  await page.getByLabel("name", { exact: true }).fill("renamed");
  await page.getByRole("button", { name: "Save" }).and(page.locator(":enabled")).click();
  await page.locator(".hook", { hasText: "renamed" }).waitFor();
  const [kept] = JSON.parse(place.hookline("automation", "list", "--json").stdout).filter(
    ({ name }: { name: string }) => name === "renamed",
  );
  assert.equal(kept.on, "cron 0 3 * * *");
  assert.deepEqual(await complaints(), []);
});

test("[T16] a page of another origin, before a browser that is let in, changes nothing and reads nothing", {
  skip,
}, async (t) => {
  const { place, daemon } = await told();
  const { page, strange } = await openPage(t, place, daemon);
  await page.locator(".refusal").first().waitFor();
  const came = await strange(`async (own) => {
    const hook = ${JSON.stringify(JSON.parse(place.hookline("list", "--json").stdout).find(({ name }: { name: string }) => name === "never asked").id)};
    const body = JSON.stringify({ id: hook, hook });
    const ways = [
      { mode: "no-cors", headers: { "content-type": "text/plain" } },
      { headers: { "content-type": "application/json", "x-hookline": "dashboard" } },
      { headers: { "content-type": "application/json" } },
    ];
    const came = [];
    for (const way of ways)
      for (const name of ["pause", "now", "perform"])
        await fetch(own + "/api/" + name, { method: "POST", credentials: "include", body, ...way }).then(
          async (answer) => came.push(answer.type + " " + (await answer.text())),
          () => came.push("refused"),
        );
    const frame = document.createElement("iframe");
    frame.src = own + "/";
    document.body.append(frame);
    await new Promise((done) => { frame.onload = done; });
    try { came.push(frame.contentDocument ? "empty frame" : "closed frame"); } catch { came.push("closed frame"); }
    return came;
  }`);
  assert.deepEqual(new Set(came.map((one) => one.trim())), new Set(["opaque", "refused", "closed frame"]));
  assert.equal(place.hookline("list").stdout.includes("paused"), false);
});

test("ten thousand runs are walked through without the page standing still", { skip }, async (t) => {
  const place = placeFor(t, files);
  const store = openSqliteStore({ path: `${place.folder}/state/hookline/hookline.db` });
  const { id: _given, ...usual } = aRun();
  for (let first = 0; first < 10_000; first += 1_000)
    store.batch?.(() => {
      for (let at = first; at < first + 1_000; at++)
        store.saveRun({ ...usual, id: `run-${String(at).padStart(6, "0")}`, hookName: `hook ${at}` });
    });
  store.close();
  const daemon = await place.up();
  const { page, go, longestTask } = await openPage(t, place, daemon);
  await go("/runs");
  await page.getByText("hook 9999", { exact: true }).waitFor();
  for (let round = 0; !(await page.getByText("10000 runs", { exact: true }).isVisible()) && round < 400; round++)
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight), new Promise(requestAnimationFrame)");
  await page.getByText("hook 0", { exact: true }).waitFor();
  assert.ok((await page.locator(".run").count()) < 100);
  t.diagnostic(`longest task: ${await longestTask()} ms`);
  await page.getByLabel("Status").selectOption("failed");
  await page.getByText("No run is like that").waitFor();
});

test("a browser that is not let in is told how, and a daemon that is gone is waited for", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const { page } = await openPage(t, place, daemon);
  await daemon.stop();
  await page.getByText("The daemon does not answer").waitFor();
  const again = await place.up("--port", String(daemon.port));
  await page.getByText("This page needs a link from your terminal").waitFor();
  const { url } = JSON.parse(place.hookline("open", "--json").stdout);
  assert.equal(again.port, daemon.port);
  await page.goto(url);
  await page.getByText("Nothing has happened yet").waitFor();
  await page.goto(url);
  await page.waitForFunction("!location.hash.startsWith('#enter')");
  await page.getByText("Nothing has happened yet").waitFor();
});

test("the keyboard reaches everything: past the navigation, to a run, and back", { skip }, async (t) => {
  const { place, daemon } = await told();
  const { page } = await openPage(t, place, daemon);
  await page.locator(".refusal").first().waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate("document.activeElement.textContent.trim()"), "Skip to the page");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate("document.activeElement.tagName"), "MAIN");
  for (let tabs = 0; tabs < 12; tabs++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate("document.activeElement.classList.contains('more')")) break;
  }
  await page.keyboard.press("Enter");
  await page.locator(".trace").waitFor();
  assert.equal(await page.evaluate("document.activeElement.tagName"), "MAIN");
});
