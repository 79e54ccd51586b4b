/** What programs of the network do with their words: the files that they send, what they write here, and the hosts that they speak to. */
import type { Spelling } from "../../engine/command-pattern.ts";
import type { SimpleCommand } from "../../engine/effects.ts";
import { operandsOf } from "../own-words.ts";
import { type Doing, has, valuesOf } from "./doings.ts";

export const isRemote = (word: string): boolean =>
  /^(?:[\w.@-]+:(?!\/\/)|(?:rsync|ssh|sftp|ftp):\/\/)/.test(word) && !/^[A-Za-z]:[\\/]/.test(word);

export const hostIn = (word: string): string =>
  word
    .replace(/^[a-z]+:\/\//, "")
    .replace(/^[^@/]*@/, "")
    .replace(/[:/].*$/s, "");

/** Whatever of the words looks like a file goes along. */
export const sendsPaths = ({ operands, options }: Spelling): Doing[] =>
  [...operands, ...options.flatMap(({ value }) => value ?? [])].flatMap((word): Doing[] =>
    /^(?:\.{0,2}|~)\/|^\.[a-z]|^~$/.test(word) ? [{ does: "sends", word }] : [],
  );

/** `lftp -e 'put FILE'`, `smbclient -c 'put FILE'`, `tftp HOST -c put FILE` */
export const puts = ({ operands, options }: Spelling): Doing[] =>
  putIn([...options.flatMap(({ value }) => value ?? []), ...operands].join(" ")).map((word) => ({
    does: "sends",
    word,
  }));

/** Files that the commands of a client for file transfer send. */
export const putIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:m?put|send|reput)\s+(?:-\w+\s+)*([^\s;'"]+)/g)].flatMap(([, word]) => word ?? []);

const dataFile = /^@(.+)$/s;
export function curl(spelled: Spelling): Doing[] {
  const bodies = valuesOf(
    spelled,
    "data",
    "d",
    "data-binary",
    "data-raw",
    "data-urlencode",
    "data-ascii",
    "json",
    "form",
    "F",
    "upload-file",
    "T",
    "form-string",
    "url-query",
  );
  const uploads = new Set(valuesOf(spelled, "upload-file", "T"));
  const sent = bodies.flatMap((value) => {
    const upload = uploads.has(value);
    const named = upload ? value : (dataFile.exec(value)?.[1] ?? /^[\w.-]*[@=][@<](.+?)(?:;.*)?$/s.exec(value)?.[1]);
    if (named === undefined || named === "-" || named === ".") return [];
    const all = upload ? named.replace(/^\{(.*)\}$/s, "$1").split(",") : [named];
    return all.map((word) => ({ does: "sends" as const, word }));
  });
  const outputs = valuesOf(spelled, "output", "o").filter((word) => word !== "-");
  return [
    ...sent,
    ...valuesOf(spelled, "config", "K").map((word): Doing => ({ does: "reads", word })),
    ...outputs.map((word): Doing => ({ does: "writes", word })),
    ...(has(spelled, "remote-name", "O", "remote-name-all") ? loaded(spelled, valuesOf(spelled, "output-dir")) : []),
    ...[...spelled.operands, ...valuesOf(spelled, "url")].map(
      (word): Doing => ({
        does: word.startsWith("file://") ? "reads" : "host",
        word: word.startsWith("file://") ? word.slice(7) : hostIn(word),
      }),
    ),
  ];
}

/** Under the address's last name, or under all of them. */
function loaded(spelled: Spelling, [folder]: readonly string[]): Doing[] {
  const isTree = has(spelled, "force-directories", "recursive", "mirror");
  return spelled.operands.flatMap((address) => {
    const names = address
      .replace(/[?#].*$/s, "")
      .replace(/^\w+:\/\//, "")
      .replace(/\/+$/, "")
      .split("/");
    const from = isTree ? names.map((_, index) => index) : [names.length - 1];
    return from.map((index): Doing => {
      const path = names.slice(index).join("/") || "index.html";
      return { does: "writes", word: folder === undefined ? path : `${folder}/${path}` };
    });
  });
}

export function wget(spelled: Spelling): Doing[] {
  const outputs = valuesOf(spelled, "output-document", "O");
  const written = outputs.map((word): Doing => ({ does: "writes", word }));
  return [
    ...valuesOf(spelled, "post-file", "body-file").map((word): Doing => ({ does: "sends", word })),
    ...(outputs.length > 0
      ? written.filter(({ word }) => word !== "-")
      : loaded(spelled, valuesOf(spelled, "directory-prefix", "P"))),
    ...spelled.operands.map((word): Doing => ({ does: "host", word: hostIn(word) })),
  ];
}

/** `httpie` and its kin: items behind the address. */
export const items = (spelled: Spelling): Doing[] =>
  spelled.operands.flatMap((word): Doing[] => {
    const file = /^[\w.-]*(?:@|=@|:=@)(.+)$/s.exec(word)?.[1];
    if (file !== undefined) return [{ does: "sends", word: file }];
    return /^[a-z]+:\/\/|\.[a-z]{2,}|^localhost|^:\d/i.test(word) ? [{ does: "host", word: hostIn(word) }] : [];
  });

/** `aws s3 cp here there` */
export const cloudCopy =
  (address: RegExp) =>
  (spelled: Spelling): Doing[] => {
    const words = spelled.operands;
    const at = words.findIndex((word) => address.test(word));
    if (at < 0) return [];
    const isUpload = words.findLastIndex((word) => address.test(word)) === words.length - 1;
    return words.flatMap((word): Doing[] =>
      address.test(word)
        ? [{ does: "host", word: "" }]
        : /[/.~]/.test(word) && word !== "-"
          ? [{ does: isUpload ? "sends" : "writes", word }]
          : [],
    );
  };

export function gh(spelled: Spelling, { words }: SimpleCommand): Doing[] {
  return [
    ...(words[2] === "clone"
      ? operandsOf(words.slice(1))
          .slice(3, 4)
          .map((word): Doing => ({ does: "fills", word, whole: true }))
      : []),
    ...(/^gist/.test(spelled.subcommand ?? "") && spelled.operands[0] !== "list"
      ? spelled.operands.filter((word) => word !== "create").map((word): Doing => ({ does: "sends", word }))
      : []),
    ...valuesOf(spelled, "body-file", "F", "notes-file", "input")
      .filter((word) => word !== "-")
      .map((word): Doing => ({ does: "sends", word })),
    ...(spelled.subcommand === "api"
      ? valuesOf(spelled, "field", "F", "raw-field", "f").flatMap((value): Doing[] => {
          const [, word] = /=@([^-].*)$/s.exec(value) ?? [];
          return word === undefined ? [] : [{ does: "sends", word }];
        })
      : []),
    ...(/^secret/.test(spelled.subcommand ?? "")
      ? valuesOf(spelled, "env-file", "f").map((word): Doing => ({ does: "reads", word }))
      : []),
  ];
}
