import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { type Verified, verify } from "../../../src/hosts/daemon/webhooks.ts";

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
});
