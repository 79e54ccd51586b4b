/** The names of the files and links that an archive would unpack, without unpacking it: tar, alone or in gzip or zstd, and zip. */
import { posix } from "node:path";
import { readRegularBytesSync } from "./regular-file.ts";

const largestInBytes = 32 << 20;
const largestUnpackedInBytes = 256 << 20;
const block = 512;

/** Undefined: it is not there, too large, or of a kind that is not read here. Never throws. */
export function archiveMembers(path: string): readonly string[] | undefined {
  try {
    const bytes = unpacked(readRegularBytesSync(path, largestInBytes));
    if (bytes.readUInt32LE(0) === zipFile || bytes.readUInt32LE(0) === zipEnd) return membersOfZip(bytes);
    return bytes.toString("latin1", 257, 262) === "ustar" ? membersOfTar(bytes) : undefined;
  } catch {
    return undefined; // it is none, or broken: what unpacks it fails as well, or reads more than is read here
  }
}

function unpacked(bytes: Buffer): Buffer {
  const { gunzipSync, zstdDecompressSync } = process.getBuiltinModule("node:zlib"); // most lines unpack nothing
  const options = { maxOutputLength: largestUnpackedInBytes };
  if (bytes.readUInt16BE(0) === 0x1f8b) return gunzipSync(bytes, options);
  return bytes.readUInt32LE(0) === 0xfd2fb528 ? zstdDecompressSync(bytes, options) : bytes;
}

const textIn = (bytes: Buffer, start: number, length: number): string => {
  const end = bytes.indexOf(0, start);
  return bytes.toString("utf8", start, end < 0 ? start + length : Math.min(end, start + length));
};

/** Links of the archive itself lead what comes behind them elsewhere. */
function membersOfTar(bytes: Buffer): string[] {
  const found: string[] = [];
  const links = new Map<string, string>();
  let name: string | undefined;
  let target: string | undefined;
  for (let at = 0; at + block <= bytes.length; ) {
    if (bytes[at] === 0) {
      at += block; // the end, or a gap before one more
      continue;
    }
    const size = sizeAt(bytes, at + 124);
    const type = String.fromCharCode(bytes[at + 156] ?? 0);
    const content = at + block;
    if (type === "L") name = textIn(bytes, content, size);
    else if (type === "K") target = textIn(bytes, content, size);
    else if (type === "x") {
      const records = bytes.toString("utf8", content, content + size);
      name = /(?:^|\n)\d+ path=(.*)\n/.exec(records)?.[1] ?? name;
      target = /(?:^|\n)\d+ linkpath=(.*)\n/.exec(records)?.[1] ?? target;
    } else if (type !== "g") {
      const prefix = textIn(bytes, at + 345, 155);
      const path = name ?? [prefix, textIn(bytes, at, 100)].filter(Boolean).join("/");
      const own = led(path, links);
      if (type === "2" && links.size < mostLinks)
        links.set(own, posix.join(posix.dirname(own), target ?? textIn(bytes, at + 157, 100)));
      if (type !== "5" && !path.endsWith("/")) found.push(own);
      name = undefined;
      target = undefined;
    }
    at = content + Math.ceil(size / block) * block;
  }
  return found;
}
const mostLinks = 100;

/** Octal, or binary where it is large. */
function sizeAt(bytes: Buffer, at: number): number {
  if (((bytes[at] ?? 0) & 0x80) !== 0) return bytes.readUIntBE(at + 6, 6);
  return Number.parseInt(textIn(bytes, at, 12).trim() || "0", 8) || 0;
}

function led(path: string, links: ReadonlyMap<string, string>): string {
  const plain = posix.normalize(path).replace(/(?<=.)\/$/, "");
  for (const [link, target] of links)
    if (plain.startsWith(`${link}/`)) return posix.join(target, plain.slice(link.length));
  return plain;
}

const zipFile = 0x04034b50;
const zipEnd = 0x06054b50;
const zipEntry = 0x02014b50;

/** From the directory at its end, as programs read it. */
function membersOfZip(bytes: Buffer): string[] {
  const end = bytes.lastIndexOf("PK\x05\x06", undefined, "latin1");
  const found: string[] = [];
  for (let at = bytes.readUInt32LE(end + 16); bytes.readUInt32LE(at) === zipEntry; ) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
    if (!name.endsWith("/")) found.push(posix.normalize(name));
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return found;
}
