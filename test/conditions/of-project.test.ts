/** Which events concern an automation's project. */
import assert from "node:assert/strict";
import test from "node:test";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { ofProject } from "../../src/conditions/written-by-formats.ts";
import type { EventName, Fields } from "../../src/engine/event.ts";
import { scopeOf } from "../../src/engine/plan.ts";

const patterns = await loadPatterns({});
const scope = (name: EventName, data: Fields, cwd = "/elsewhere") =>
  scopeOf({ id: "e", name, at: 0, cwd, data, sender: "test" });
const params = { project: "shop", workspace: "/home/ada/shop" };
const holds = ofProject.compile(params, patterns);

test("[A8, AT30] an event that names a project concerns the hooks of that one alone", () => {
  assert.equal(holds(scope("task.completed", { project_id: "shop" })), true);
  assert.equal(holds(scope("task.completed", { project_id: "shop-2" })), false);
  assert.equal(holds(scope("Stop", { project_id: "other" }, "/home/ada/shop")), false);
});

test("[A8] an application event that names no project concerns the hooks of all", () => {
  for (const data of [{}, { project_id: null }, { project_id: "" }])
    assert.equal(holds(scope("deploy.done", data)), true);
});

test("[A8] an agent's event concerns the project in whose folder it happened", () => {
  assert.equal(holds(scope("Stop", {}, "/home/ada/shop")), true);
  assert.equal(holds(scope("Stop", {}, "/home/ada/shop/src")), true);
  assert.equal(holds(scope("Stop", {}, "/home/ada/shop-2")), false);
  assert.equal(ofProject.compile({ project: "shop" }, patterns)(scope("Stop", {})), true, "a project without a folder");
});

test("why says which project it was", () => {
  const said = ofProject.explain?.(params, scope("task.completed", { project_id: "b" }), patterns);
  assert.equal(said?.fails, "it concerns the project b, and the hook belongs to shop");
});
