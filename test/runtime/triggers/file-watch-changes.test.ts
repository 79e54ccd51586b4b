import assert from "node:assert/strict";
import { test } from "node:test";
import { note, type Operation, type Pendings } from "../../../src/runtime/triggers/files-known.ts";

const sumOf = (...all: Operation[]): Operation | undefined => {
  const pendings: Pendings = new Map();
  for (const one of all) note(pendings, "a", one);
  return pendings.get("a")?.operation;
};

test("[A13] created and modified is created, created and deleted is nothing, modified and deleted is deleted", () => {
  assert.equal(sumOf("created", "modified"), "created");
  assert.equal(sumOf("created", "deleted"), undefined);
  assert.equal(sumOf("modified", "deleted"), "deleted");
});

test("[A13] deleted and created is created, and modified twice is modified", () => {
  assert.equal(sumOf("deleted", "created"), "created");
  assert.equal(sumOf("modified", "modified"), "modified");
});

test("a file that was there, came anew and went is deleted; one that came and went is forgotten whatever follows", () => {
  assert.equal(sumOf("deleted", "created", "deleted"), "deleted");
  assert.equal(sumOf("modified", "deleted", "created", "modified", "deleted"), "deleted");
  assert.equal(sumOf("created", "deleted", "created"), "created");
});
