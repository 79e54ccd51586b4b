/** Who can be reached by what addresses, in a network of its own: the same with few mutated addresses and with many. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { sample } from "fast-check";
import { bundled } from "../../program.ts";
import { internal, isPublicNumber, listed, spelledAddress } from "./spellings.ts";

/** A network without a way out, in which every address is local: whatever is sent arrives, and is seen. */
const everyAddress = "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo";
const inNamespace = (command: string, words: string[], input = "") =>
  spawnSync("unshare", ["-Urn", "sh", "-c", `${everyAddress} && ${command}`, ...words], {
    ...{ input, encoding: "utf8", maxBuffer: 64 << 20 },
  });
const canSeparate = inNamespace("true", []).status === 0;

export function noneArrivesWhereNoneMay(count: number): void {
  test(`[SD9, T21] of ${count} mutated addresses and all known spellings no connection arrives where none may`, {
    skip: canSeparate ? false : "needs network namespaces for users (unshare -Urn, ip)",
  }, () => {
    const known = Object.values(internal).flatMap(listed);
    const hosts = [...known, ...sample(spelledAddress, count).map(({ host }) => host)];
    const child = bundled(join(import.meta.dirname, "namespace-child.ts"));
    const done = inNamespace('exec "$0" "$1"', [process.execPath, child], JSON.stringify(hosts));
    assert.equal(done.status, 0, done.stderr);
    const { byFetch, byLibraries, open, byRedirect, own } = JSON.parse(done.stdout);
    for (const arrived of [byFetch, byLibraries]) {
      assert.deepEqual(
        arrived.filter((address: string) => !isPublicNumber(address)),
        [],
      );
      assert.ok(arrived.length > count / 20, `${arrived.length} public ones arrived`);
    }
    assert.deepEqual(open, ["::ffff:93.184.216.34"]);
    assert.deepEqual(new Set(byRedirect), new Set(["::ffff:93.184.216.34"]));
    assert.deepEqual(own, ["::ffff:10.0.0.1", "::ffff:10.0.0.2"]);
  });
}
