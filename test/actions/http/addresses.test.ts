import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as holds, property } from "fast-check";
import { checkedLookup, hostFault, kindOfAddress, type Resolve } from "../../../src/actions/http/send.ts";
import type { Reach } from "../../../src/engine/reach.ts";
import { internal, listed, spelledAddress } from "./spellings.ts";

const refuses = (host: string, reach: Reach = "public"): boolean =>
  hostFault(new URL(`http://${host}:8080/x`), reach) !== undefined;

for (const [kind, hosts] of Object.entries(internal))
  test(`[SD9] only a person's own hook may name an address that is not public: ${kind}`, () => {
    for (const host of listed(hosts)) {
      if (!URL.canParse(`http://${host}:8080/x`)) continue; // then nothing is sent at all
      assert.ok(refuses(host), host);
      assert.ok(!refuses(host, "internal"), host);
    }
  });

test("[SD9] the table holds more than 100 addresses that a request could be sent to", () => {
  const usable = Object.values(internal)
    .flatMap(listed)
    .filter((host) => URL.canParse(`http://${host}:8080/x`));
  assert.ok(new Set(usable).size > 100, `${usable.length}`);
});

test("[SD9] public addresses and names are not refused", () => {
  const hosts = `1.1.1.1 8.8.8.8 134744072 0x08080808 11.0.0.1 9.255.255.255 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1
    169.253.255.255 169.255.0.1 172.15.255.255 172.32.0.1 192.167.255.255 192.169.0.1 192.0.1.1 192.0.3.1 198.17.255.255 198.20.0.1
    203.0.112.1 203.0.114.1 223.255.255.255 168.63.129.17 [2606:4700::1111] [2a00:1450::1] [2001:4860:4860::8888] [2001:200::1]
    [2003::1] [3ffe::1] [::ffff:8.8.8.8] example.com api.anthropic.com localhost.example internal.example.com 10.example.com
    127.0.0.1.example.com bücher.example`;
  for (const host of listed(hosts)) assert.ok(!refuses(host), host);
});

test("[SD9] a project's address of this machine leads to this machine and nowhere else", () => {
  for (const host of ["127.0.0.1", "[::1]", "localhost", "127.1.2.3"]) assert.ok(!refuses(host, "loopback"), host);
  for (const host of ["10.0.0.1", "169.254.169.254", "[fd00::1]", "0.0.0.0", "8.8.8.8", "[::ffff:10.0.0.1]"])
    assert.ok(refuses(host, "loopback"), host);
});

/** What a lookup gives, through the guard, where the name has these addresses. */
const look = (addresses: readonly string[], reach: Reach): string => {
  const resolve: Resolve = (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  let given = "";
  checkedLookup(reach, resolve)("name.example", { all: true }, (error, found) => {
    given = error ? `refused: ${error.message}` : JSON.stringify(found);
  });
  return given;
};

test("[SD9] a name is refused where one of its addresses is not public, wherever that one stands", () => {
  const open = ["93.184.216.34", "2606:4700::1111"];
  assert.match(look(open, "public"), /^\[\{"address":"93/);
  for (const closed of [
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "::1",
    "::ffff:10.0.0.1",
    "fe80::1%eth0",
    "fd00::1",
    "no address",
  ])
    for (const at of [0, 1, 2])
      assert.match(look(open.toSpliced(at, 0, closed), "public"), /^refused: name.example leads to /);
  assert.match(look([], "public"), /has no address/);
});

test("[SD9] a name may lead a person's own hook to internal addresses, but not to where a cloud keeps its keys", () => {
  assert.doesNotMatch(look(["10.1.2.3", "127.0.0.1", "fd12::1"], "internal"), /refused/);
  for (const closed of [
    "169.254.169.254",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
  ])
    assert.match(look([closed], "internal"), /refused: .* where a cloud keeps the keys/);
  assert.doesNotMatch(look(["127.0.0.1", "::1"], "loopback"), /refused/);
  for (const other of ["10.0.0.1", "93.184.216.34"]) assert.match(look(["127.0.0.1", other], "loopback"), /refused/);
});

const count = Number(process.env.HOOKLINE_TEST_ADDRESSES ?? 10_000);

test(`[SD9, T21] ${count} addresses in mutated spellings are judged as an oracle judges their numbers`, () => {
  let judged = 0;
  holds(
    property(spelledAddress, ({ host, open }) => {
      if (!URL.canParse(`http://${host}:8080/x`)) return;
      judged += 1;
      assert.equal(refuses(host), !open, `${host} is ${open ? "" : "not "}public`);
    }),
    { numRuns: count },
  );
  assert.ok(judged > count * 0.9, `${judged} could be read`);
});

test("[SD9] what is no address is not taken for a public one", () => {
  for (const text of ["", "x", "1.2.3", "::g", "1.2.3.4.5", "0x8.8.8.8"])
    assert.equal(kindOfAddress(text), "internal", text);
});
