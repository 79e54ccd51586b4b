import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { type Verified, verify } from "../../../src/hosts/daemon/webhook-signatures.ts";

const secret = `whsec_${randomBytes(24).toString("base64")}`;
const other = `whsec_${randomBytes(24).toString("base64")}`;
const now = 1_760_000_000_000;
const bytes = (text: string): Buffer => Buffer.from(text);
const body = '{"type":"build.finished","data":{"ok":true}}';

interface Message {
  id?: string;
  at?: number;
  signature?: string;
  body?: string;
}
function told({ id = "msg_1", at = now, signature, body: sent = body }: Message = {}, secrets = secret): Verified {
  const headers: Record<string, string> = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": signature ?? new Webhook(secret).sign(id, new Date(at), body),
  };
  return verify({ header: (name) => headers[name], body: bytes(sent) }, secrets, now);
}
const because = (verified: Verified): string => (verified.is === "refused" ? verified.because : "signed");

test("what the reference library signs is accepted", () => {
  assert.deepEqual(told(), { is: "signed", id: "msg_1" });
});

test("a changed body, another id, another secret and a missing header are refused", () => {
  assert.equal(because(told({ body: `${body} ` })), "signature_invalid");
  const signature = new Webhook(secret).sign("msg_2", new Date(now), body);
  assert.equal(because(told({ signature })), "signature_invalid");
  assert.equal(because(told({}, other)), "signature_invalid");
  assert.equal(because(verify({ header: () => undefined, body: bytes(body) }, secret, now)), "signature_invalid");
});

test("five minutes either way are accepted, a second more is not", () => {
  for (const seconds of [-300, 300]) assert.equal(because(told({ at: now + seconds * 1000 })), "signed");
  for (const seconds of [-301, 301]) assert.equal(because(told({ at: now + seconds * 1000 })), "timestamp_invalid");
});

test("one right signature among several is enough, and so is one right secret", () => {
  const right = new Webhook(secret).sign("msg_1", new Date(now), body);
  const wrong = new Webhook(other).sign("msg_1", new Date(now), body);
  assert.equal(because(told({ signature: `${wrong} ${right}` })), "signed");
  assert.equal(because(told({ signature: `v2,${right.slice(3)}` })), "signature_invalid");
  assert.equal(because(told({}, `${other} ${secret}`)), "signed");
});

test("without a secret nothing can be signed", () => {
  for (const empty of ["", " ", "whsec_", "%%%"]) {
    assert.equal(because(told({}, empty)), "signature_invalid");
  }
  assert.equal(because(github({ key: "" }, " ")), "signature_invalid");
});

interface Delivery {
  key?: string;
  signature?: string;
  headers?: Record<string, string | undefined>;
}
function github({ key = secret, signature, headers = {} }: Delivery = {}, secrets = secret): Verified {
  const right = `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
  const all: Record<string, string | undefined> = {
    "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    "x-github-event": "push",
    "x-hub-signature-256": signature ?? right,
    ...headers,
  };
  return verify({ header: (name) => all[name], body: bytes(body) }, secrets, now);
}

test("GitHub's own signature is read: its secret is the text that was typed there", () => {
  const signed = { is: "signed", id: "72d3162e-cc78-11e3-81ab-4c9367dc0958", github: "push" };
  assert.deepEqual(github(), signed);
  assert.deepEqual(github({ key: "It's a Secret to Everybody" }, "It's a Secret to Everybody"), signed);
  assert.deepEqual(github({}, `${other} ${secret}`), signed);
  for (const signature of ["", "sha256=", "sha256=00", `sha1=${"0".repeat(40)}`, `sha256=${"0".repeat(64)}`])
    assert.equal(because(github({ signature })), "signature_invalid");
  for (const name of ["x-github-delivery", "x-github-event"])
    assert.equal(because(github({ headers: { [name]: undefined } })), "signature_invalid");
  assert.equal(because(github({ headers: { "webhook-id": "msg_1" } })), "signature_invalid", "one kind at a time");
});
