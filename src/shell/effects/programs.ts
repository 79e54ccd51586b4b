/**
 * What programs do with their operands and the values of their options: one table. Sources: the manual pages of GNU coreutils 9,
 * findutils, tar, curl 8, wget, rsync, OpenSSH, git 2.47, and the help of the tools of clouds and packages of 2026. Of a program
 * that is not here, an operand that looks like a path counts as read.
 */
import type { SpelledOption, Spelling } from "../../engine/command-pattern.ts";

/** sends: the program gives the file's content to the network. runs: it takes the file for a program. */
export type Use = "reads" | "writes" | "deletes" | "permits" | "executes" | "sends" | "host" | "nothing";

/** One thing that the words of a command do. */
export interface Doing {
  does: Use;
  /** As written. */
  word: string;
  below?: true;
}

/** By the name of the option. */
export type OptionUses = { readonly [name: string]: readonly Use[] };

export interface ProgramRow {
  /** By position; the last one goes on. */
  operands?: readonly Use[];
  /** The last operand, where there are two or more. */
  last?: readonly Use[];
  /** Values of options. */
  options?: OptionUses;
  /** Options by which an operand means all that is below it as well. true: it always does. */
  below?: readonly string[] | true;
  /** It connects to a network. */
  isNetwork?: true;
  /** What it writes to its output came from the network. */
  fetches?: true;
  /** Its output tells nothing of what it reads. */
  isSilent?: true;
  /** Its output is what its input meant. */
  decodes?: (spelled: Spelling) => boolean;
  /** Options with which it only tells what it would do. */
  dry?: readonly string[];
  /** It runs as another user. */
  elevates?: true;
  own?: (spelled: Spelling) => readonly Doing[];
}

/** By any of its names; of a program without a table options still have their dashes. */
const isCalled = ({ name, also }: SpelledOption, names: readonly string[]): boolean =>
  names.includes(withoutDashes(name)) || (also?.some((one) => names.includes(withoutDashes(one))) ?? false);
const withoutDashes = (name: string): string => (name.startsWith("-") ? name.replace(/^-+/, "") : name);
export const has = ({ options }: Spelling, ...names: string[]): boolean => options.some((one) => isCalled(one, names));
export const valuesOf = ({ options }: Spelling, ...names: string[]): string[] =>
  options.flatMap((one) => (one.value !== undefined && isCalled(one, names) ? [one.value] : []));

const each = (names: string, row: ProgramRow): { [name: string]: ProgramRow } =>
  Object.fromEntries(names.split(" ").map((name) => [name, row]));

/** A pattern or script comes first, unless an option gives it. */
const afterFirst =
  (...given: string[]) =>
  (spelled: Spelling): Doing[] =>
    (has(spelled, ...given) ? spelled.operands : spelled.operands.slice(1)).map((word) => ({ does: "reads", word }));

function inPlace(spelled: Spelling): Doing[] {
  const files = afterFirst("expression", "e", "file", "f")(spelled);
  const isEdit = has(spelled, "in-place", "i");
  return isEdit
    ? files.flatMap(({ word }): Doing[] => [
        { does: "reads", word },
        { does: "writes", word },
      ])
    : files;
}

const isRemote = (word: string): boolean =>
  /^(?:[\w.@-]+:(?!\/\/)|(?:rsync|ssh|sftp|ftp):\/\/)/.test(word) && !/^[A-Za-z]:[\\/]/.test(word);

/** cp, and copying to and from hosts. */
function copies(spelled: Spelling): Doing[] {
  const target = valuesOf(spelled, "target-directory", "t");
  const operands = [...spelled.operands];
  const [to] = target.length > 0 ? target : operands.splice(-1);
  if (to === undefined) return [];
  const from = operands.filter((word) => !isRemote(word));
  const isUpload = isRemote(to);
  return [
    ...from.map((word): Doing => ({ does: isUpload ? "sends" : "reads", word })),
    ...(isUpload ? [{ does: "host" as const, word: hostIn(to) }] : written(to, operands)),
    ...operands.filter(isRemote).map((word): Doing => ({ does: "host", word: hostIn(word) })),
  ];
}

const hostIn = (word: string): string =>
  word
    .replace(/^[a-z]+:\/\//, "")
    .replace(/^[^@/]*@/, "")
    .replace(/[:/].*$/s, "");

/** The target, and what a folder of that name would get. */
const written = (to: string, from: readonly string[]): Doing[] => [
  { does: "writes", word: to },
  ...from.map(
    (word): Doing => ({
      does: "writes",
      word: `${to.replace(/\/+$/, "")}/${word.replace(/\/+$/, "").replace(/^.*\//, "")}`,
    }),
  ),
];

const copiesBelow = (spelled: Spelling): Doing[] => {
  const all = copies(spelled);
  if (!spelled.options.some(({ name }) => name.startsWith("delete"))) return all;
  return all.flatMap((one): Doing[] =>
    one.does === "writes" ? [one, { does: "deletes", word: one.word, below: true }] : [one],
  );
};

/** A mode may look like an option: `chmod -x file`. */
function permits(spelled: Spelling): Doing[] {
  const isMode = spelled.options.some(({ name }) => /^-?[rwxXst]+$/.test(name)) || has(spelled, "reference");
  const below = has(spelled, "recursive", "R") ? { below: true as const } : {};
  return spelled.operands.slice(isMode ? 0 : 1).map((word) => ({ does: "permits", word, ...below }));
}

const moves = (spelled: Spelling): Doing[] => {
  const target = valuesOf(spelled, "target-directory", "t");
  const from = spelled.operands.slice(0, target.length > 0 ? undefined : -1);
  const to = target[0] ?? spelled.operands.at(-1) ?? "";
  return [
    ...copies(spelled).filter(({ does }) => does !== "reads"),
    ...from.filter((word) => !staysBelow(word, to)).map((word): Doing => ({ does: "deletes", word, below: true })),
  ];
};

/** `mv * old/`, and a loop that gives each file another name: all of it is in the folder still. */
const staysBelow = (word: string, to: string): boolean =>
  /^(?:\.\/)?\*\/?$/.test(word) && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(to);

/** `if=x of=y` */
const assigned =
  (names: Readonly<Record<string, Use>>) =>
  (spelled: Spelling): Doing[] =>
    Object.entries(names).flatMap(([name, does]) => valuesOf(spelled, name).map((word) => ({ does, word })));

function archive(spelled: Spelling): Doing[] {
  // Old style: `tar xzf file`.
  const [bundle = ""] = spelled.operands;
  const isOld = spelled.options.length === 0 && /^[a-zA-Z]+$/.test(bundle);
  const letters = isOld ? bundle : "";
  const rest = isOld ? spelled.operands.slice(1) : spelled.operands;
  const file = isOld && letters.includes("f") ? rest.slice(0, 1) : valuesOf(spelled, "file", "f");
  const members = isOld && letters.includes("f") ? rest.slice(1) : rest;
  const creates = /[cru]/.test(letters) || has(spelled, "create", "c", "append", "r", "update", "u");
  const extracts = letters.includes("x") || has(spelled, "extract", "get", "x");
  return [
    ...file.filter((word) => word !== "-").map((word): Doing => ({ does: creates ? "writes" : "reads", word })),
    ...(creates ? members.map((word): Doing => ({ does: "reads", word, below: true })) : []),
    ...(extracts ? valuesOf(spelled, "directory", "C").map((word): Doing => ({ does: "writes", word })) : []),
    ...(has(spelled, "remove-files") ? members.map((word): Doing => ({ does: "deletes", word, below: true })) : []),
  ];
}

const finds =
  (deleting: RegExp) =>
  (spelled: Spelling): Doing[] => {
    const words = spelled.operands;
    const end = words.findIndex((word) => /^[-(!]/.test(word));
    const starts = (end < 0 ? words : words.slice(0, end)).filter((word) => !/^-/.test(word));
    const isDeleting =
      words.some((word) => deleting.test(word)) || spelled.options.some(({ name }) => deleting.test(`-${name}`));
    // With a name or a pattern it takes what fits, and not the whole of the folder.
    if (!isDeleting) return [];
    const tests = [...words, ...spelled.options.map(({ name }) => `-${name}`)].filter((word) =>
      /^-+(?:i?name|i?path|i?wholename|i?regex|mtime|mmin|newer|size|empty|user|group|atime|ctime|perm)/.test(word),
    );
    const names = namesOf(spelled);
    const excepted = words.filter((word) => word === "!").length + spelled.options.filter(isNot).length;
    // Everything but these, or everything.
    const isAll = tests.length === names.length && (excepted >= names.length || names.includes("*"));
    return (starts.length > 0 ? starts : ["."]).flatMap((word): Doing[] => {
      if (isAll) return [{ does: "deletes", word, below: true }];
      const folder = word.replace(/\/+$/, "");
      const named = excepted > 0 ? [] : names.filter((name) => name !== "*");
      const found = named.length > 0 ? named.map((name) => name.replace(/^(?:\*|\.)\/+/, "")) : ["(found)"];
      return found.map((name) => ({ does: "deletes", word: name.startsWith("/") ? name : `${folder}/${name}` }));
    });
  };

const isNot = ({ name }: SpelledOption): boolean => /^-?not$/.test(name);

/** The patterns of names and paths that `find` looks for, without those of folders that it leaves out. */
const namesOf = ({ options }: Spelling): string[] =>
  options.flatMap(({ name, value }, at) =>
    value !== undefined && /^-?i?(?:name|path|wholename)$/.test(name) && !isLeftOut(options, at + 1) ? [value] : [],
  );

const isLeftOut = (options: Spelling["options"], at: number): boolean =>
  /^-?prune$/.test(options[at]?.name ?? "") && /^-?or?$/.test(options[at + 1]?.name ?? "");

/** Whatever of the words looks like a file goes along. */
const sendsPaths = ({ operands, options }: Spelling): Doing[] =>
  [...operands, ...options.flatMap(({ value }) => value ?? [])].flatMap((word): Doing[] =>
    /^(?:\.{0,2}|~)\/|^\.[a-z]|^~$/.test(word) ? [{ does: "sends", word }] : [],
  );

/** `lftp -e 'put FILE'`, `smbclient -c 'put FILE'`, `tftp HOST -c put FILE` */
const puts = ({ operands, options }: Spelling): Doing[] =>
  putIn([...options.flatMap(({ value }) => value ?? []), ...operands].join(" ")).map((word) => ({
    does: "sends",
    word,
  }));

/** Files that the commands of a client for file transfer send. */
export const putIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:m?put|send|reput)\s+(?:-\w+\s+)*([^\s;'"]+)/g)].flatMap(([, word]) => word ?? []);

const dataFile = /^@(.+)$/s;
function curl(spelled: Spelling): Doing[] {
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
    ...(has(spelled, "remote-name", "O")
      ? spelled.operands.map((url): Doing => ({ does: "writes", word: lastName(url) }))
      : []),
    ...[...spelled.operands, ...valuesOf(spelled, "url")].map(
      (word): Doing => ({
        does: word.startsWith("file://") ? "reads" : "host",
        word: word.startsWith("file://") ? word.slice(7) : hostIn(word),
      }),
    ),
  ];
}

const lastName = (url: string): string =>
  url
    .replace(/[?#].*$/s, "")
    .replace(/\/+$/, "")
    .replace(/^.*\//s, "") || "index.html";

function wget(spelled: Spelling): Doing[] {
  const outputs = valuesOf(spelled, "output-document", "O");
  return [
    ...valuesOf(spelled, "post-file", "body-file").map((word): Doing => ({ does: "sends", word })),
    ...(outputs.length > 0
      ? outputs.filter((word) => word !== "-")
      : spelled.operands.map((url) =>
          [...valuesOf(spelled, "directory-prefix", "P").slice(0, 1), lastName(url)].join("/"),
        )
    ).map((word): Doing => ({ does: "writes", word })),
    ...spelled.operands.map((word): Doing => ({ does: "host", word: hostIn(word) })),
  ];
}

/** `httpie` and its kin: items behind the address. */
const items = (spelled: Spelling): Doing[] =>
  spelled.operands.flatMap((word): Doing[] => {
    const file = /^[\w.-]*(?:@|=@|:=@)(.+)$/s.exec(word)?.[1];
    if (file !== undefined) return [{ does: "sends", word: file }];
    return /^[a-z]+:\/\/|\.[a-z]{2,}|^localhost|^:\d/i.test(word) ? [{ does: "host", word: hostIn(word) }] : [];
  });

/** `aws s3 cp here there` */
const cloudCopy =
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

/** What of git's sub-commands touches files; history and remotes are for patterns. */
function git(spelled: Spelling): Doing[] {
  const { subcommand = "", operands } = spelled;
  const all = (does: Use): Doing[] => operands.filter((word) => !/^-/.test(word)).map((word) => ({ does, word }));
  switch (subcommand) {
    case "rm":
      return has(spelled, "cached") ? [] : all("deletes");
    case "mv":
      return [
        ...all("deletes")
          .slice(0, -1)
          .filter(({ word }) => !staysBelow(word, operands.at(-1) ?? "")),
        ...all("writes").slice(-1),
      ];
    case "clone":
    case "fetch":
    case "pull":
    case "push":
    case "ls-remote":
      return operands
        .filter((word) => /:\/\/|@[\w.-]+:/.test(word))
        .map((word) => ({ does: "host", word: hostIn(word) }));
    case "config":
      return configures(spelled);
    case "archive":
      return valuesOf(spelled, "output", "o").map((word) => ({ does: "writes", word }));
    default:
      return [];
  }
}

/** A setting is written to a file: the repository's own, the person's or the system's. */
function configures(spelled: Spelling): Doing[] {
  const words = spelled.operands.filter((word) => !/^(?:set|unset|get|list|edit)$/.test(word));
  const writes =
    (words.length > 1 && !has(spelled, "get", "get-all", "get-regexp", "list", "l")) ||
    has(spelled, "unset", "unset-all", "add", "replace-all", "edit", "e", "remove-section", "rename-section") ||
    /^(?:set|unset|edit)$/.test(spelled.operands[0] ?? "");
  if (!writes) return [];
  const [name = ""] = words;
  const runs =
    /^(?:core\.(?:hookspath|fsmonitor|sshcommand|editor|pager|gitproxy|askpass)|alias\..*|credential\..*|include.*|filter\..*|diff\..*\.(?:command|textconv)|merge\..*\.driver|url\..*|init\.templatedir|gpg\..*program|http\.proxy|http\.sslverify)/i.test(
      name,
    );
  const edits = has(spelled, "edit", "e") || spelled.operands[0] === "edit";
  if (!runs && !edits) return [];
  if (/hookspath/i.test(name)) return [{ does: "writes", word: ".git/hooks" }];
  if (has(spelled, "global")) return [{ does: "writes", word: "~/.gitconfig" }];
  if (has(spelled, "system")) return [{ does: "writes", word: "/etc/gitconfig" }];
  return [{ does: "writes", word: valuesOf(spelled, "file", "f")[0] ?? ".git/config" }];
}

/** Options of programs for disks that only look: letters and names; every option has to be one of them, and one has to be there. */
const lookers: { readonly [program: string]: RegExp } = {
  fdisk: /^(?:[lxs]|list|list-details|getsz|help|version)$/,
  gdisk: /^l$/,
  sgdisk:
    /^(?:[pviFEfDLO]|print|verify|info|first-in-largest|end-of-largest|display-alignment|list-types|print-mbr|help|version)$/,
  sfdisk: /^(?:[ldJgsFVT]|list|dump|json|show-geometry|show-size|list-free|verify|list-types|help|version)$/,
  parted: /^(?:[ls]|list|script|help|version)$/,
  hdparm: /^(?:[iItTvgCHqd]|Istdout|direct|fibmap)$/,
};
const partedLooks = /^(?:print|align-check|version)$/;
const partedChanges =
  /^(?:mklabel|mktable|mkpart\w*|mkfs|rm|resize\w*|name|set|toggle|disk_set|disk_toggle|rescue|move|cp|type)$/;
const cryptsetupLooks = /^(?:status|benchmark|isLuks|luksUUID|\w*[dD]ump)$/;

function looksAtDisk({ program, options, operands, subcommand }: Spelling): boolean {
  const names = options.flatMap(({ name }) => (/^-[^-]/.test(name) ? [...name.slice(1)] : withoutDashes(name)));
  if (program === "cryptsetup") return [subcommand, ...operands].some((word) => cryptsetupLooks.test(word ?? ""));
  if (program === "badblocks") return !names.some((name) => /^[wn]$/.test(name));
  const looks = lookers[program];
  const isPlain = looks !== undefined && names.every((name) => looks.test(name));
  if (program !== "parted") return isPlain && names.length > 0;
  const isShown = operands.some((word) => partedLooks.test(word)) || names.some((name) => /^l/.test(name));
  return isShown && !operands.some((word) => partedChanges.test(word));
}

const editor: ProgramRow = { operands: ["reads", "writes"] };
const decodes = (spelled: Spelling): boolean => has(spelled, "decode", "d", "D");

export const programs: { readonly [name: string]: ProgramRow } = {
  ...each(
    "cat bat batcat less more head tail tac nl od xxd hexdump strings cut paste column fold fmt expand unexpand sort uniq comm join diff cmp sdiff colordiff rev shuf pr csvlook glow pygmentize highlight xxh xmllint iconv dos2unix ccze most view readelf objdump nm plutil sqlite3 pdftotext exiftool look zcat zless gzcat bzcat xzcat zgrep",
    { operands: ["reads"] },
  ),
  ...each(
    "wc md5sum sha1sum sha256sum sha512sum shasum b2sum cksum sum file stat fd fdfind locate mdfind ls tree du df exa eza lsd realpath readlink basename dirname test [ [[ which type cd pushd mkdir mktemp",
    {
      isSilent: true,
    },
  ),
  mkdir: { operands: ["writes"], isSilent: true },
  ...each("base64 base32 basenc gbase64", { operands: ["reads"], decodes }),
  xxd: { operands: ["reads"], decodes: (spelled) => has(spelled, "revert", "r") },
  uudecode: { operands: ["reads"], decodes: () => true },
  openssl: {
    options: { in: ["reads"], out: ["writes"], inkey: ["reads"], connect: ["host"] },
    decodes: (spelled) => has(spelled, "d", "decode") || ["base64", "enc"].includes(spelled.subcommand ?? ""),
  },
  ...each("gpg gpg2", {
    operands: ["reads"],
    options: { output: ["writes"], o: ["writes"] },
    decodes: (spelled) => has(spelled, "decrypt", "d"),
  }),
  ...each("age sops", {
    operands: ["reads"],
    options: { output: ["writes"], o: ["writes"], identity: ["reads"], i: ["reads"] },
  }),
  ...each("grep egrep fgrep rg ag ack ugrep ggrep", { own: afterFirst("regexp", "e", "file", "f", "files") }),
  ...each("jq yq gojq awk gawk mawk nawk", { own: afterFirst("from-file", "f", "file") }),
  ...each("sed gsed perl", { own: inPlace }),
  ...each("vi vim nvim nano emacs ed ex code subl micro helix hx kak", editor),
  ...each("tee sponge", { operands: ["writes"] }),
  ...each("touch truncate mkfifo fallocate mknod", {
    operands: ["writes"],
    options: { reference: ["nothing"], r: ["nothing"], size: ["nothing"], s: ["nothing"] },
  }),
  ...each("rm rmdir unlink srm trash trash-put gio rd", { operands: ["deletes"], below: ["recursive", "r", "R"] }),
  ...each("rimraf del-cli del trash-cli", { operands: ["deletes"], below: true }),
  ...each("shred wipe", { operands: ["deletes"] }),
  ...each("chmod gchmod", { own: permits }),
  ...each("chown chgrp", { operands: ["nothing", "permits"], below: ["recursive", "R"] }),
  ...each("setfacl chattr xattr setcap chflags", { operands: ["nothing", "permits"] }),
  ...each("cp gcp install ditto", { own: copies }),
  ...each("scp sftp", { own: copies, isNetwork: true }),
  rsync: { own: copiesBelow, dry: ["dry-run", "n", "list-only"] },
  ...each("mv gmv rename", { own: moves }),
  ...each("ln gln link", {
    operands: ["nothing"],
    own: (spelled) => copies(spelled).filter(({ does }) => does === "writes"),
  }),
  dd: { own: assigned({ if: "reads", of: "writes" }) },
  ...each("tar gtar bsdtar", { own: archive }),
  ...each("zip 7z 7za rar", { operands: ["writes", "reads"] }),
  ...each("unzip unrar gunzip bunzip2 unxz unzstd cpio", {
    operands: ["reads", "nothing"],
    options: { d: ["writes"] },
  }),
  ...each("gzip bzip2 xz zstd pigz lz4", { operands: ["reads"] }),
  ...each("find gfind", { own: finds(/^-delete$/), isSilent: true }),
  patch: { operands: ["writes", "reads"], options: { input: ["reads"], i: ["reads"] } },
  ...each("split csplit", { operands: ["reads", "writes"] }),
  crontab: {
    own: (spelled) =>
      has(spelled, "l", "list")
        ? []
        : [
            { does: "writes", word: "/var/spool/cron/crontab" },
            ...spelled.operands.map((word): Doing => ({ does: "reads", word })),
          ],
  },
  visudo: {
    own: (spelled) =>
      spelled.options.some(({ name }) => /^-?[a-z]*c/.test(name)) ? [] : [{ does: "writes", word: "/etc/sudoers" }],
  },
  ...each("useradd adduser usermod userdel groupadd gpasswd passwd chpasswd chsh vipw", {
    own: () => [{ does: "writes", word: "/etc/passwd" }],
  }),
  ...each(
    "mkfs mke2fs mkswap wipefs blkdiscard parted fdisk gdisk sgdisk sfdisk cfdisk badblocks hdparm cryptsetup zpool",
    {
      dry: ["no-act", "pretend", "P", "list", "help"],
      own: (spelled) =>
        looksAtDisk(spelled)
          ? []
          : spelled.operands.filter((word) => word.startsWith("/dev/")).map((word) => ({ does: "writes", word })),
    },
  ),
  ...each("curl", { own: curl, isNetwork: true, fetches: true }),
  ...each("wget wget2 aria2c axel", { own: wget, isNetwork: true, fetches: true }),
  ...each("http https xh xhs curlie", { own: items, isNetwork: true, fetches: true }),
  ...each("fetch lynx w3m links elinks irm iwr Invoke-WebRequest Invoke-RestMethod", {
    isNetwork: true,
    fetches: true,
    operands: ["host"],
  }),
  ...each("nc ncat netcat telnet ftp", { isNetwork: true, fetches: true, operands: ["host", "nothing"] }),
  ...each("lftp tftp ncftp ncftpput smbclient", { isNetwork: true, own: puts }),
  socat: {
    isNetwork: true,
    fetches: true,
    own: ({ operands }) =>
      operands.flatMap((word) =>
        /^(?:FILE|OPEN|GOPEN|CREATE):/i.test(word)
          ? [{ does: "sends", word: word.replace(/^\w+:/, "").replace(/,.*$/, "") }]
          : [],
      ),
  },
  ...each("ssh autossh mosh", {
    isNetwork: true,
    fetches: true,
    operands: ["host", "nothing"],
    options: { identity: ["nothing"], i: ["nothing"], F: ["reads"] },
  }),
  ...each("dig nslookup host ping drill whois traceroute", { isNetwork: true }),
  ...each("mail mailx mutt sendmail msmtp swaks az", { isNetwork: true, own: sendsPaths }),
  ...each("aws", { isNetwork: true, own: cloudCopy(/^s3:\/\//) }),
  ...each("gsutil gcloud", { isNetwork: true, own: cloudCopy(/^gs:\/\//) }),
  rclone: { isNetwork: true, own: cloudCopy(/^[\w-]+:/) },
  ...each("transfer croc wormhole magic-wormhole ffsend", { isNetwork: true, operands: ["nothing", "sends"] }),
  ...each("docker podman nerdctl docker-compose lxc multipass", { operands: ["nothing"] }),
  ...each("kubectl oc", {
    operands: ["nothing"],
    options: { filename: ["reads"], f: ["reads"], "from-file": ["sends"], "from-env-file": ["sends"] },
  }),
  ...each("psql mysql mariadb", { options: { file: ["reads"], f: ["reads"] } }),
  gh: {
    isNetwork: true,
    own: (spelled) => [
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
    ],
  },
  git: { own: git },
  ...each("sudo doas su pkexec run0 gosu", { elevates: true }),
  ...each("source .", { operands: ["executes", "nothing"] }),
  ...each(
    "echo printf true false pwd export set unset alias exit return local declare read wait sleep kill pkill killall date whoami id hostname uname",
    { operands: ["nothing"] },
  ),
};
