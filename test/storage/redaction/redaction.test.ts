import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createRedaction, isSecretName } from "../../../src/storage/redaction/redaction.ts";
import { anyCharacter } from "../../any-character.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Fresh each time: no text of this file is a secret. */
const random = (length: number, from: string = letters): string =>
  [...randomBytes(length)].map((byte) => from[byte % from.length]).join("");
const hex = "0123456789abcdef";
const encoded = (text: string): string => Buffer.from(text).toString("base64url");
const begin = "-----BEGIN";

const byShape = createRedaction({ environment: {} });

/** Per class: a text, and the part of it that must not stay. */
const shapes: Record<string, () => { text: string; secret: string }> = {
  "a private key": () => {
    const secret = random(64);
    return {
      text: `key:\n${begin} RSA PRIVATE KEY-----\n${secret}\n${random(20)}\n-----END RSA PRIVATE KEY-----\nrest`,
      secret,
    };
  },
  "a private key whose end is missing": () => {
    const secret = random(64);
    return { text: `${begin} OPENSSH PRIVATE KEY-----\n${secret}`, secret };
  },
  "a PGP private key": () => {
    const secret = random(64);
    return { text: `${begin} PGP PRIVATE KEY BLOCK-----\n\n${secret}\n-----END PGP PRIVATE KEY BLOCK-----`, secret };
  },
  "an AWS key id": () => alone(`AKIA${random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`),
  "a GitHub token": () => alone(`ghp_${random(36)}`),
  "a GitHub fine-grained token": () => alone(`github_pat_${random(22)}_${random(59)}`),
  "a GitLab token": () => alone(`glpat-${random(20)}`),
  "a Slack token": () => alone(`xoxb-${random(11, "0123456789")}-${random(24)}`),
  "a Google key": () => alone(`AIza${random(35)}`),
  "a model provider's key": () => alone(`sk-ant-api03-${random(40)}`),
  "a Stripe key": () => alone(`sk_live_${random(24)}`),
  "an npm token": () => alone(`npm_${random(36)}`),
  "a PyPI token": () => alone(`pypi-${random(80)}`),
  "a Hugging Face token": () => alone(`hf_${random(34)}`),
  "a DigitalOcean token": () => alone(`dop_v1_${random(64, hex)}`),
  "a Vault token": () => alone(`hvs.${random(40)}`),
  "a SendGrid key": () => alone(`SG.${random(22)}.${random(43)}`),
  "an age key": () => alone(`AGE-SECRET-KEY-1${random(58, "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789")}`),
  "a JSON web token": () => alone(`${encoded('{"alg":"HS256"}')}.${encoded(`{"sub":"${random(12)}"}`)}.${random(43)}`),
  "a Slack webhook": () =>
    within(random(24), (secret) => `https://hooks.slack.com/services/T${random(8)}/B${random(8)}/${secret}`),
  "an Azure account key": () => within(random(86), (secret) => `AccountName=x;AccountKey=${secret}==;EndpointSuffix=y`),
  "a bearer header": () =>
    within(random(30), (secret) => `curl -H "Authorization: Bearer ${secret}" https://example.com`),
  "a bearer token by itself": () => within(random(30), (secret) => `use Bearer ${secret} for it`),
  "a basic header": () => within(Buffer.from(`user:${random(12)}`).toString("base64"), (secret) => `Basic ${secret}`),
  "a header of another scheme": () => within(random(12), (secret) => `authorization: token ${secret}`),
  "a proxy header": () => within(random(12), (secret) => `Proxy-Authorization=${secret}`),
  "a password in a URL": () => within(random(12), (secret) => `postgres://app:${secret}@db.example.com/main`),
  "a token in a URL": () =>
    within(random(12), (secret) => `git clone https://x-access-token:${secret}@example.com/a.git`),
};
const alone = (secret: string): { text: string; secret: string } => ({ text: `it is ${secret}, they said`, secret });
const within = (secret: string, put: (secret: string) => string): { text: string; secret: string } => ({
  text: put(secret),
  secret,
});

for (const [what, make] of Object.entries(shapes)) {
  test(`[SD12, T25] ${what} is redacted by its shape, in text, in JSON, in quoted JSON and after a line break`, () => {
    const { text, secret } = make();
    const places = [
      text,
      `first\n${text}`,
      JSON.stringify({ a: [text], b: { c: `x\n${text}` } }),
      JSON.stringify({ out: JSON.stringify({ a: `line\n${text}\tx` }) }),
      JSON.stringify({ [text]: 1 }),
    ];
    for (const place of places) {
      const clean = byShape(place);
      assert.ok(!clean.includes(secret), clean);
      assert.match(clean, /\[redacted\]/);
      if (place.startsWith("{")) assert.doesNotThrow(() => JSON.parse(clean));
      assert.equal(byShape(clean), clean, "redacting again changes nothing");
    }
  });
}

test("[SD12] a header in JSON is redacted by its name, and what says what it was stays", () => {
  const secret = random(10);
  const clean = byShape(JSON.stringify({ headers: { Authorization: secret, accept: "*/*" } }));
  assert.deepEqual(JSON.parse(clean), { headers: { Authorization: "[redacted]", accept: "*/*" } });
  assert.equal(byShape(`postgres://app:${secret}@db/main`), "postgres://[redacted]@db/main");
  assert.equal(byShape(`Authorization: Bearer ${random(30)}`), "Authorization: Bearer [redacted]");
});

test("ordinary text stays as it is", () => {
  const texts = [
    "Run the risk-averse task-list again: disk-usage and mask-image-composite-operation are fine",
    "git@github.com:hookline/hookline.git and https://example.com/a:b@c and mailto:someone@example.com",
    "basic authentication, bearer of bad news, Basic JavaScript knowledge, the authorization was given",
    "AKIA is a prefix; sk-short; eyJ; npm_config_cache; ghp_; hf_hub; -----BEGIN PUBLIC KEY-----",
    "-----\n| a table | b |\n-----",
    '{"hash":"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=","n":12345678,"at":1750000000000}',
  ];
  for (const text of texts) assert.equal(byShape(text), text);
});

test("[SD12] a value under a secret name is redacted in each of its forms", () => {
  const value = `${random(8)}"\\/+ ü🙂${random(8)}`;
  const redact = createRedaction({ environment: { DB_PASSWORD: value } });
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const forms: Record<string, string> = {
    plain: value,
    json,
    "json twice": JSON.stringify(json).slice(1, -1),
    url: encodeURIComponent(value),
    "url, lower case": encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
    "a form": encodeURIComponent(value).replaceAll("%20", "+"),
    "json with escaped slashes": json.replaceAll("/", "\\/"),
    base64: base64(value),
    "base64 in a longer text": base64(`user:${value}`),
    "base64 in another": base64(`user1:${value}!`),
    "base64 in a third": base64(`user12:${value}!!`),
    base64url: Buffer.from(value).toString("base64url"),
  };
  for (const [name, form] of Object.entries(forms)) {
    for (const place of [
      `<${form}>`,
      JSON.stringify({ a: `<${form}>`, [form]: 1 }),
      JSON.stringify({ a: JSON.stringify([form]) }),
    ]) {
      const clean = redact(place);
      assert.match(clean, /\[redacted\]/, `${name}: ${place}`);
      assert.ok(!clean.includes(form.slice(4, -4)), `${name}: ${clean}`);
      if (place.startsWith("{")) assert.doesNotThrow(() => JSON.parse(clean), name);
    }
  }
});

test("[SD12] configured secrets count like those of the environment; short values do not", () => {
  const secret = random(8);
  assert.equal(
    createRedaction({ environment: {}, secrets: [secret, "short"] })(`a ${secret} short`),
    "a [redacted] short",
  );
  assert.equal(
    createRedaction({ environment: { TOKEN: "1234567", KEY: undefined, SECRET: "" } })("1234567"),
    "1234567",
  );
});

test("[SD12] the longer of two secrets goes as a whole", () => {
  const short = random(10);
  const redact = createRedaction({ environment: { A_TOKEN: short, B_TOKEN: `${short}-${random(4)}` } });
  assert.equal(redact(`x${short}-`), "x[redacted]-");
  assert.equal(createRedaction({ environment: {}, secrets: [short, `${short}more`] })(`${short}more`), "[redacted]");
});

test("a name says whether its value is secret", () => {
  const secret = [
    "API_KEY",
    "GITHUB_TOKEN",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DB_PASS",
    "AWS_SECRET_ACCESS_KEY",
    "npm_config_//r/:_authToken",
    "apiKey",
    "CLIENT_SECRET",
    "GOOGLE_CREDENTIALS",
    "BASIC_AUTH",
    "SESSION_COOKIE",
    "SIGNING_KEYS",
    "NPMTOKEN",
    "KEY",
  ];
  const plain = [
    "PATH",
    "PWD",
    "OLDPWD",
    "HOME",
    "SSH_AUTH_SOCK",
    "GIT_AUTHOR_NAME",
    "XAUTHORITY",
    "KEYBOARD",
    "MONKEY",
    "AWS_CREDENTIALS_FILE",
    "TOKENIZERS_PARALLELISM",
    "GIT_ASKPASS",
    "PASSAGE",
    "npm_package_name",
    "",
  ];
  assert.deepEqual(
    secret.filter((name) => !isSecretName(name)),
    [],
  );
  assert.deepEqual(plain.filter(isSecretName), []);
});

test("[SD12] JSON stays valid JSON whatever the secrets are, with the same shape and none of them in its texts", () => {
  const nasty = fc.oneof(
    fc.string({ minLength: 8, maxLength: 12, unit: anyCharacter }),
    fc.constantFrom(
      "12345678",
      "-1234567",
      "n1234567",
      "u0041bcd",
      '","a":1,"',
      "{}[]{}[]",
      "\\\\\\\\\\\\\\\\",
      '""""""""',
      "\n\n\n\n\n\n\n\n",
      "toolName",
      "3e100000",
    ),
  );
  fc.assert(
    fc.property(nasty, fc.jsonValue({ stringUnit: anyCharacter }), fc.string(), (secret, value, around) => {
      const given = {
        value,
        list: [secret, `${around}${secret}${around}`, 12345678, -1234567, "\n1234567", "\\u0041bcd"],
        [secret]: 1,
        toolName: 1,
        nested: JSON.stringify({ secret }),
      };
      const redact = createRedaction({ environment: {}, secrets: [secret] });
      const clean: { list: unknown[] } = JSON.parse(redact(JSON.stringify(given)));
      assert.equal(clean.list.length, given.list.length);
      assert.equal(clean.list[0], "[redacted]");
      assert.ok(!String(clean.list[1]).includes(secret));
      assert.ok(!Object.hasOwn(clean, secret));
    }),
    { numRuns: 300 },
  );
});

test("numbers, keys called __proto__ and everything between the strings stay as they were", () => {
  const secret = random(10);
  const redact = createRedaction({ environment: {}, secrets: [secret] });
  const text = `{ "__proto__" : [1e5, -0.5, true,null ] ,"a":"${secret}" }`;
  assert.equal(redact(text), text.replace(secret, "[redacted]"));
  assert.equal(redact(`{"half": "${secret}`), '{"half": "[redacted]');
});

test("[T25] hostile texts take linear time and never overflow", () => {
  const secret = random(10);
  const redact = createRedaction({ environment: {}, secrets: [secret] });
  const parts = [
    "\n",
    '"',
    "\\",
    "a",
    " ",
    "@",
    "-",
    "eyJ",
    "-eyJaaaaaaaa",
    "://a:",
    "://",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "authorization: ",
    "authorization:",
    "Basic ",
    "Basic aaaaaaaa",
    "Bearer ",
    "sk-",
    "SG.aaaaaaaaaaaaaaaa",
    "hooks.slack.com/services/",
    "é",
    "\ud800",
  ];
  const started = performance.now();
  for (const part of parts) {
    const text = part.repeat(Math.ceil(200_000 / part.length));
    for (const place of [text + secret, JSON.stringify([text, secret]), `${part}${"x".repeat(200_000)}${secret}`])
      assert.ok(!redact(place).includes(secret));
  }
  assert.ok(performance.now() - started < 600_000, "exponential time would be for ever");
});
