/** What a page says where something is not as usual: too large, written by others meanwhile, empty, or of a project that is unknown. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { automation, placeFor, until } from "../hosts/daemon/started.ts";
import { closeBrowser, findBrowser, openPage } from "./open.ts";
import { bash, files, tell } from "./workspace.ts";

const skip = findBrowser() === undefined ? "there is no chromium on this machine" : false;
after(closeBrowser);

test("a payload that is too large is refused, and the page does not take the daemon for gone", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const { page, go } = await openPage(t, place, daemon);
  await go("/try");
  await page.getByText("live", { exact: true }).waitFor();
  await page.evaluate(`
    const area = document.querySelector("textarea");
    area.value = JSON.stringify({ tool_name: "Bash", tool_input: { command: "x".repeat(3_000_000) } });
    area.dispatchEvent(new Event("input", { bubbles: true }));`);
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByText(/larger than/).waitFor();
  await page.getByLabel("Payload").fill("{}");
  await page.getByRole("button", { name: "Try it" }).click();
  await page.locator("#tried").waitFor();
  assert.equal(await page.getByText("live", { exact: true }).count(), 1);
  assert.equal(await page.getByText("The daemon does not answer").count(), 0);
});

test("an automation that was changed while its form was open is not written over", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  place.hookline("automation", "create", "nightly", "--cron", "0 3 * * *", "--prompt-template", "one");
  const { page, go } = await openPage(t, place, daemon);
  await go("/automations");
  await page.getByRole("link", { name: "Edit nightly" }).click();
  await page.getByLabel("prompt template").fill("mine");
  const edited = place.hookline("automation", "edit", "nightly", "--prompt-template", "theirs");
  assert.equal(edited.status, 0, edited.stderr);
  const save = page.getByRole("button", { name: "Save" }).and(page.locator(":enabled"));
  await save.click();
  await page.getByText("it was changed since you opened it").waitFor();
  assert.match(place.hookline("automation", "show", "nightly", "--json").stdout, /"prompt_template": ?"theirs"/);
  await page.reload();
  const prompt = page.getByLabel("prompt template");
  await until(async () => (await prompt.inputValue()) === "theirs" || undefined, "what they wrote");
  await prompt.fill("mine");
  await save.click();
  await page.locator(".hook", { hasText: "nightly" }).waitFor();
  assert.match(place.hookline("automation", "show", "nightly", "--json").stdout, /"prompt_template": ?"mine"/);
});

test("a project where nothing has happened is named, and leads to the projects where something has", {
  skip,
}, async (t) => {
  const place = placeFor(t, { ...files, "elsewhere/.git/HEAD": "ref: refs/heads/main" });
  const daemon = await place.up();
  tell(place, "PreToolUse", { ...bash("ls"), cwd: `${place.folder}/elsewhere` });
  const { page, go } = await openPage(t, place, daemon);
  await page.getByText("Nothing has happened in this project lately").waitFor();
  await page.getByRole("link", { name: "See all projects" }).click();
  await page.locator(".lane").getByText("elsewhere", { exact: true }).waitFor();
  await go(`/now?project=${encodeURIComponent("/nobody/has heard")}`);
  await page.getByText("Nothing has happened in this project lately").waitFor();
  const chosen = (): Promise<string> =>
    page.evaluate("document.querySelector('.choice select').selectedOptions[0].text");
  await until(async () => (await chosen()) === "has heard" || undefined, "the project's name");
});

test("a form that is still untouched says no mistake; then it says those of the fields that were typed in", {
  skip,
}, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const { page, go } = await openPage(t, place, daemon);
  const checked = page.waitForResponse((response) => response.url().endsWith("/automation_draft"));
  await go("/automation/new");
  await checked;
  const wrong = page.locator("small.wrong");
  const name = page.getByLabel("name", { exact: true });
  await page.getByText("YAML follows when").waitFor();
  assert.equal(await wrong.count(), 0);
  await name.fill("x");
  await name.fill("");
  await page.getByText('an automation needs "name"').waitFor();
  assert.equal(await wrong.count(), 1);
  await name.fill("x");
  await wrong.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Create" }).and(page.locator(":enabled")).click();
  await page.getByText('needs "event_type"').waitFor();
});

test("a page that got no answer asks again when the daemon answers", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  tell(place, "PreToolUse", bash("git push"));
  const { page } = await openPage(t, place, daemon);
  const run = (await page.locator(".refusal a.more").first().getAttribute("href")) ?? assert.fail("no run");
  for (const [hash, ready] of [
    ["/insight", ".figures"],
    [run.slice(1), ".trace"],
    ["/automation/new", "fieldset"],
  ] as const) {
    await page.route("**/api/**", (route) => route.abort());
    await page.goto(`http://127.0.0.1:${daemon.port}/#${hash}`);
    await page.reload();
    await page.getByText("The daemon does not answer").waitFor();
    assert.equal(await page.locator(ready).count(), 0);
    await page.unroute("**/api/**");
    await page.locator(ready).first().waitFor();
  }
});

test("the page of a run that goes on shows its end when it has ended", { skip }, async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/long.yaml": automation(
      "long",
      "type: event, event_type: task.completed",
      "while [ ! -e done ]; do sleep 0.1; done; echo it is done",
    ),
  });
  place.hookline("trust", "--yes");
  const daemon = await place.up();
  await daemon.emit("task.completed");
  const { page } = await openPage(t, place, daemon);
  await page.locator("#running + .rows a").first().click();
  const status = page.locator(".facts .badge");
  await status.getByText("running", { exact: true }).waitFor();
  place.write("workspace/done", "");
  await status.getByText("completed", { exact: true }).waitFor();
  await page.locator(".trace").getByText("it is done").first().waitFor({ state: "attached" });
});

test("where an agent calls Hookline already, the first page says to start a session", { skip }, async (t) => {
  const place = placeFor(t, files);
  place.hookline("install", "claude-code");
  const { page } = await openPage(t, place, await place.up());
  await page.getByText("Start a session of Claude Code").waitFor();
  assert.equal(await page.getByText("hookline install").count(), 0);
});

test("on a phone each page is in the navigation without scrolling it", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const { page } = await openPage(t, place, daemon, { size: "phone" });
  const boxes = await Promise.all((await page.locator("nav a").all()).map((link) => link.boundingBox()));
  assert.equal(boxes.length, 8);
  for (const box of boxes) assert.ok(box && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844);
});

test("the list of runs offers newer ones, and does not move by itself", { skip }, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const { page, go } = await openPage(t, place, daemon);
  await go("/runs");
  await page.getByText("No hook has run yet").waitFor();
  tell(place, "PreToolUse", bash("git push"));
  await page.getByRole("button", { name: "Show newer runs" }).click();
  await page.locator(".run", { hasText: "no-force-push" }).waitFor();
  const before = await page.locator(".run").count();
  tell(place, "PreToolUse", bash("git push --tags"));
  const newer = page.getByRole("button", { name: "Show newer runs" });
  await newer.waitFor();
  assert.equal(await page.locator(".run").count(), before);
  await newer.click();
  await newer.waitFor({ state: "detached" });
  await until(async () => (await page.locator(".run").count()) > before || undefined, "the newer runs");
});

test("[X11] a call that ran although it was refused stands first on Now, in red, at every width, light and dark", {
  skip,
}, async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const call = (id: string, command: string): object => ({ ...bash(command), tool_use_id: id });
  const long = `git push --force origin ${"a-long-name-without-a-blank".repeat(9)}`;
  tell(place, "UserPromptSubmit", { prompt: "Ship it" });
  tell(place, "PreToolUse", call("c1", "git push --force origin main"));
  tell(place, "PreToolUse", call("c2", long));
  tell(place, "PreToolUse", call("c3", "git push --force origin other"));
  for (const [id, command] of [
    ["c1", "git push --force origin main"],
    ["c2", long],
  ] as const)
    tell(place, "PostToolUse", { ...call(id, command), tool_response: "" });
  tell(place, "Stop", {});
  const { page, axe, look } = await openPage(t, place, daemon);
  const rows = page.locator(".alarm .row");
  await rows.nth(1).waitFor();
  assert.match(
    await rows.nth(1).innerText(),
    /not obeyed\s+Bash\s+git push --force origin main\s+the agent did not obey: it was refused and ran all the same/,
  );
  assert.match(await page.locator(".refusal").first().innerText(), /blocked\s+obeyed/);
  const first = await page.locator("main section").first().getAttribute("aria-labelledby");
  assert.equal(first, "disobeyed");
  for (const size of ["phone", "desktop"] as const)
    for (const dark of [true, false]) {
      await look({ size, dark });
      assert.deepEqual(await axe(), [], `${size} ${dark ? "dark" : "light"}`);
      assert.ok((await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")) <= 0, size);
    }
  await rows.nth(1).click();
  await page.locator(".trace").first().waitFor();
});
