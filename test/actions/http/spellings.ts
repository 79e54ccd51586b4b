/** Addresses in the many ways in which they can be spelled, and an oracle that knows from their numbers which are public. */
import { type Arbitrary, bigInt, constantFrom, integer, oneof, record, tuple } from "fast-check";

/** Spellings of addresses that are not public, by what they have in common. */
export const internal: { readonly [kind: string]: string } = {
  "loopback, in all forms of numbers": `127.0.0.1 127.1 127.0.1 127.00.00.01 0177.0.0.1 0177.1 0x7f.0.0.1 0x7f.1
    0X7F.0.0.0x1 0x7f000001 2130706433 017700000001 0x0000007f.1 127.255.255.254 127.0.0.1. 127.65535.1 127.16777214`,
  "this host and this network": "0 0.0.0.0 0x0 00.0 0.1.2.3 0.255.255.255",
  "loopback by characters that look alike":
    "①②⑦.⓪.⓪.① １２７.0.0.1 127。0。0。1 127．0．0．1 %31%32%37.0.0.1 127.0.0.%31 ０ₓ7f.1",
  "private networks": `10.0.0.1 10.1 10.255.255.255 0xa.1 012.0.0.1 167772161 0x0a000001 172.16.0.1 172.31.255.255 0xac.0x10.1
    2886729729 192.168.0.1 192.168.257 192.168.65535 0300.0250.0.1 3232235521 0xc0a80001 192.168.255.255`,
  "places where clouds hand out keys": `169.254.169.254 169.254.170.2 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518
    0xa9.254.0251.254 025177524776 168.63.129.16 100.100.100.200 192.0.0.192 [::ffff:169.254.169.254] [::ffff:a9fe:a9fe]
    [fd00:ec2::254] [fd20:ce::254] [fe80::a9fe:a9fe]`,
  "shared, reserved, tests, documentation": `100.64.0.1 100.127.255.255 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255
    198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 4294967295 169.254.0.1`,
  "IPv6 of this machine and its networks": `[::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001]
    [fe80::1] [feBF::1] [fec0::1] [fc00::1] [fd12:3456:789a::1] [FDFF::1] [ff02::1] [100::1] [5f00::1] [4000::1] [::2]`,
  "IPv4 inside IPv6": `[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:10.0.0.1] [::ffff:192.168.0.1]
    [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b:1::10.0.0.1]
    [64:ff9b::8.8.8.8] [2002:7f00:1::] [2002:a00:1::1] [2001:0:7f00:1::1] [2001:db8::1] [2001:10::1] [2001:20::1] [3fff::1]`,
  names: `localhost LOCALHOST localhost. a.localhost ｌｏｃａｌｈｏｓｔ lo%63alhost printer db kubernetes metadata printer.local
    db.internal metadata.google.internal x.localdomain router.home.arpa nas.lan intranet.corp metadata.goog wiki.intranet`,
};

export const listed = (text: string): string[] => text.trim().split(/\s+/);

// An oracle that shares nothing with the guard: addresses are numbers here, and ranges are first and last number.

const from4 = (text: string): bigint => text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
const notPublic4: readonly (readonly [bigint, bigint])[] = `0.0.0.0-0.255.255.255 10.0.0.0-10.255.255.255
  100.64.0.0-100.127.255.255 127.0.0.0-127.255.255.255 168.63.129.16-168.63.129.16 169.254.0.0-169.254.255.255
  172.16.0.0-172.31.255.255 192.0.0.0-192.0.0.255 192.0.2.0-192.0.2.255 192.88.99.0-192.88.99.255
  192.168.0.0-192.168.255.255 198.18.0.0-198.19.255.255 198.51.100.0-198.51.100.255 203.0.113.0-203.0.113.255
  224.0.0.0-255.255.255.255`
  .split(/\s+/)
  .map((range) => range.split("-").map(from4))
  .map(([first = 0n, last = 0n]) => [first, last]);
const isPublic4 = (address: bigint): boolean =>
  !notPublic4.some(([first, last]) => address >= first && address <= last);

function isPublic6(address: bigint): boolean {
  if (address >> 32n === 0xffffn) return isPublic4(address & 0xffffffffn);
  const [first16, first20, first23, first32] = [112n, 108n, 105n, 96n].map((bits) => address >> bits);
  if (address >> 125n !== 1n) return false;
  return first16 !== 0x2002n && first20 !== 0x3fffn * 16n && first23 !== 0x2001n << 7n && first32 !== 0x20010db8n;
}

/** Near the ends of ranges more often than anywhere else. */
const address4 = oneof(
  bigInt({ min: 0n, max: 0xffffffffn }),
  tuple(constantFrom(...notPublic4.flat()), integer({ min: -2, max: 2 })).map(
    ([edge, by]) => (edge + BigInt(by) + 0x100000000n) & 0xffffffffn,
  ),
);
const starts6 = [
  0n,
  1n,
  0xffffn << 32n,
  0x64ff9bn << 96n,
  0x2000n << 112n,
  0x2001n << 112n,
  0x20010db8n << 96n,
  0x2002n << 112n,
];
const more6 = [
  0x3fffn << 112n,
  0x3ffen << 112n,
  0x2606n << 112n,
  0xfc00n << 112n,
  0xfe80n << 112n,
  0xff02n << 112n,
  0x200102n << 104n,
];
const address6 = oneof(
  bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  tuple(constantFrom(...starts6, ...more6), address4).map(([start, low]) => start + low),
);
const digits = ["0123456789", "０１２３４５６７８９", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"] as const;

interface Spelling {
  parts: number;
  bases: number[];
  zeros: number;
  script: number;
  dot: string;
  encode: boolean;
  end: string;
}
const spelling = record<Spelling>({
  parts: integer({ min: 1, max: 4 }),
  bases: tuple(...[1, 2, 3, 4].map(() => constantFrom(8, 10, 16))),
  zeros: integer({ min: 0, max: 3 }),
  script: integer({ min: 0, max: 2 }),
  dot: constantFrom(".", ".", "。", "．", "｡"),
  encode: constantFrom(true, false),
  end: constantFrom("", "", "."),
});

/** An IPv4 address in one of the ways in which a browser's reader of addresses takes it. */
function spell4(address: bigint, { parts, bases, zeros, script, dot, encode, end }: Spelling): string {
  const bytes = [24n, 16n, 8n, 0n].map((bits) => (address >> bits) & 255n);
  const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256n + byte, 0n);
  const numbers = [...bytes.slice(0, parts - 1), last].map((number, index) => {
    const base = bases[index] ?? 10;
    const prefix = { 8: "0", 10: "", 16: "0x" }[base] ?? "";
    return prefix + (base === 10 ? "" : "0".repeat(zeros)) + number.toString(base);
  });
  const alike = (text: string): string =>
    text.replace(/\d/g, (digit) => [...(digits[script] ?? "")][Number(digit)] ?? digit);
  const written = alike(numbers.join(".")).replaceAll(".", dot) + end;
  return encode ? written.replace(/\d/, (digit) => `%3${digit}`) : written;
}

function spell6(address: bigint, { zeros, encode, bases, script }: Spelling): string {
  const groups = Array.from({ length: 8 }, (_, index) => (address >> BigInt(112 - index * 16)) & 0xffffn);
  const hex = groups.map((group) =>
    group
      .toString(16)
      .padStart(zeros + 1, "0")
      .slice(-4)
      .padStart(group.toString(16).length, "0"),
  );
  const dotted = [24n, 16n, 8n, 0n].map((bits) => (address >> bits) & 255n).join(".");
  const tail = encode ? [...hex.slice(0, 6), dotted] : hex;
  const text = tail.join(":");
  const short = bases[0] === 8 ? new URL(`http://[${text}]/`).hostname.slice(1, -1) : text;
  return `[${script === 0 ? short.toUpperCase() : short}]`;
}

const spelled4 = tuple(address4, spelling).map(([address, how]) => ({
  host: spell4(address, how),
  open: isPublic4(address),
}));
const spelled6 = tuple(address6, spelling).map(([address, how]) => ({
  host: spell6(address, how),
  open: isPublic6(address),
}));

/** A host as an address may hold it, and whether it is a public one. */
export const spelledAddress: Arbitrary<{ host: string; open: boolean }> = oneof(spelled4, spelled4, spelled6);

/** Whether the oracle takes an address, as a connection has it, for a public one. */
export function isPublicNumber(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
  if (/^[\d.]+$/.test(mapped)) return isPublic4(from4(mapped));
  const hexTail = (tail: string): string =>
    `${(from4(tail) >> 16n).toString(16)}:${(from4(tail) & 0xffffn).toString(16)}`;
  const [left = "", right] = address.replace(/[\d.]+\.\d+$/, hexTail).split("::");
  const groups = (text: string | undefined): string[] => (text ? text.split(":") : []);
  const [head, tail] = [groups(left), groups(right)];
  const whole = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return isPublic6(whole.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n));
}
