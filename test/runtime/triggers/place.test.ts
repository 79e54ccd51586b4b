import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { headOf } from "../../../src/runtime/changes/tracking.ts";
import { repositoryIn, submoduleIn, temporaryFolder, usualRepository } from "./repository.ts";

test("the commit that HEAD leads to is read from loose and packed refs, detached, in linked work trees and submodules", (context) => {
  const repository = usualRepository(context);
  const { folder, git } = repository;
  const expected = (at = folder): string => git("-C", at, "rev-parse", "HEAD").trim();
  assert.equal(headOf(folder), expected());
  git("pack-refs", "--all");
  assert.equal(headOf(folder), expected());
  repository.commit();
  assert.equal(headOf(folder), expected(), "a loose one stands before a packed one");
  const linked = join(folder, "../linked");
  git("worktree", "add", "-q", "-b", "other", linked, "HEAD~1");
  assert.equal(headOf(linked), expected(linked));
  assert.notEqual(headOf(linked), headOf(folder));
  submoduleIn(repository, "inner");
  assert.equal(headOf(join(folder, "inner")), expected(join(folder, "inner")));
  git("checkout", "-q", "--detach", "HEAD~1");
  assert.equal(headOf(folder), expected());
});

test("if the files do not name it, only git can name the commit", (context) => {
  const folder = temporaryFolder(context);
  assert.equal(headOf(folder), undefined, "no repository");
  repositoryIn(folder);
  assert.equal(headOf(folder), undefined, "no commit");
  for (const head of ["ref: refs/heads/../../../secret\n", "ref: refs/heads/.invalid\n", "what is no HEAD", ""]) {
    writeFileSync(join(folder, ".git/HEAD"), head);
    assert.equal(headOf(folder), undefined, head);
  }
  writeFileSync(join(folder, ".git/HEAD"), "ref: HEAD\n");
  assert.equal(headOf(folder), undefined);
  rmSync(join(folder, ".git"), { recursive: true });
  writeFileSync(join(folder, ".git"), "gitdir: nowhere\n");
  assert.equal(headOf(folder), undefined);
  rmSync(join(folder, ".git"));
  mkdirSync(join(folder, ".git"));
  assert.equal(headOf(folder), undefined);
});
