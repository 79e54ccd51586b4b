import assert from "node:assert/strict";
import test from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import { reportSameIds } from "../../../src/formats/registry/registry.ts";
import { compile, only, told, written } from "../registry-helpers.ts";

const from = (file: string, fields: { [field: string]: string } = {}, root = "/project"): Hook =>
  only(compile(written(fields), { label: file }, { file: `${root}/${file}`, root }));

test("[B10, BT5] two files with one id are an error that names both, and the later hook is disabled", () => {
  const hooks = [from("a.yaml"), from("b.yaml"), from("c.yaml", { id: "other" })];
  const checked = reportSameIds(hooks);
  assert.deepEqual(told(checked), [
    '1:1 error duplicate-key the id "tracker" is also that of /project/a.yaml:1, so this hook does not run (give each hook an id of its own)',
  ]);
  assert.equal(checked.problems[0]?.file, "/project/b.yaml");
  assert.deepEqual(
    checked.hooks.map(({ enabled }) => enabled),
    [true, false, true],
  );
  assert.equal(checked.hooks[1]?.disabledBecause, 'the id "tracker" is also that of /project/a.yaml:1');
});

test("[BT5, B13] a disabled hook takes no id from an enabled one, and both are reported", () => {
  const checked = reportSameIds([
    from("a.yaml", { enabled: "false" }),
    from("b.yaml"),
    from("c.yaml"),
    from("d.yaml", { enabled: "false" }),
  ]);
  assert.deepEqual(
    checked.hooks.map(({ enabled }) => enabled),
    [false, true, false, false],
  );
  const message = (place: string): string =>
    `1:1 error duplicate-key the id "tracker" is also that of /project/${place}:1`;
  const advice = " (give each hook an id of its own)";
  assert.deepEqual(told(checked), [
    `${message("a.yaml")}, which is disabled, so this hook runs${advice}`,
    `${message("b.yaml")}, so this hook does not run${advice}`,
    `${message("b.yaml")}; this hook is disabled${advice}`,
  ]);
});

test("[BT5, R46] a blocking hook stays on watch, whose id it may have", () => {
  const checked = reportSameIds([from("a.yaml"), from("b.yaml", { blocking: "true" })]);
  assert.equal(checked.hooks[1]?.enabled, true);
  assert.match(told(checked).join(), /both run, because this one is blocking/);
});

test("[BT5] hooks of two projects may have one id, and a duplicate within one file is reported too", () => {
  assert.deepEqual(reportSameIds([from("a.yaml"), from("a.yaml", {}, "/elsewhere")]).problems, []);
  const entry = "{ id: a, event_type: SessionStart, handler: { kind: script, command: x } }";
  const { hooks } = compile(`- ${entry}\n- ${entry}\n`);
  assert.equal(new Set(hooks.map(({ id }) => id)).size, 2);
  assert.match(told(reportSameIds(hooks)).join(), /^2:3 error duplicate-key/);
});
