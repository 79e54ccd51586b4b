/**
 * What programs do with their operands and the values of their options: one table. Sources: the manual pages of GNU coreutils 9,
 * findutils, tar, curl 8, wget, rsync, OpenSSH, git 2.47, and the help of the tools of clouds and packages of 2026. Of a program
 * that is not here, an operand that looks like a path counts as read.
 */

import type { Spelling } from "../../engine/command-pattern.ts";
import type { SimpleCommand, Written } from "../../engine/effects.ts";
import { unknownText } from "../../engine/pattern.ts";
import { archives } from "../archives.ts";
import { operandsOf, valuesOf as valuesIn } from "../own-words.ts";
import { asPaths, asWhole, type Doing, filled, has, type Own, type ProgramRow, type Use, useOf } from "./doings.ts";
import {
  afterFirst,
  archive,
  assigned,
  copies,
  copiesBelow,
  finds,
  inPlace,
  links,
  looksAtDisk,
  moves,
  permits,
  written,
} from "./files.ts";
import { git, patch } from "./git.ts";
import { cloudCopy, curl, gh, items, puts, sendsPaths, wget } from "./transfers.ts";

type Words = readonly string[];
const does = (use: Use, words: Words): Doing[] => words.map((word) => ({ does: use, word }));
const hasBlank = (word: string): boolean => /\s/.test(word);
export const pathsIn = (text: string): string[] => text.split(/[\s'"`;|&()<>,!]+/).filter((one) => /[/.~]/.test(one));
/** What the words as they stand say to guards of files. */
const byWords =
  (read: (words: Words) => readonly Written[]) =>
  (_: Spelling, { words: [, ...words] }: SimpleCommand): Doing[] =>
    filled(read(words));
const behindCode = afterFirst("from-file", "f", "file");

const replaced = (words: Words): Written[] =>
  words.some((word) => /^-[A-Za-z]*i|^--in-?place/.test(word)) ? asWhole(operandsOf(words)) : [];
const inPlaceOrPut = (words: Words): Written[] =>
  words[0] === "put" || words[0] === "delete"
    ? asWhole([...operandsOf(words), ...valuesIn(words, "-f", "--file")])
    : replaced(words);

/** `w FILE`, alone or behind `s/x/y/`. */
const writtenBySed = (word: string): string[] =>
  [...word.matchAll(/(?:^|[;{}\n\d$/!\s])[gpiIm\d]*[wW]\s+(\S+)/g)].map(([, path = ""]) => path.replace(/[;}]+$/, ""));

/** awk -i inplace */
const byAwk = (words: Words): Written[] =>
  words.some(
    (word, index) =>
      word === "inplace" ||
      /^--(?:include|in-place)=?inplace$/.test(word) ||
      (word === "-i" && words[index + 1] === "inplace"),
  )
    ? asWhole(operandsOf(words))
    : [];

const byStow = (words: Words): Written[] => [
  { path: valuesIn(words, "-t", "--target")[0] ?? "..", whole: true, from: operandsOf(words) },
];

/** They put a person's own settings into place, and which ones stands in their source. */
function ownSettings(words: Words): Written[] {
  const looks =
    /^(?:diff|status|managed|doctor|add|edit|cd|list|check|build|news|generations)$/.test(words[0] ?? "") ||
    words.some((word) => /^(?:-n|--dry-run|--help|--version)$/.test(word)) ||
    (words[0] === "init" && !words.includes("--apply"));
  if (looks) return [];
  const named = words[0] !== "init" && operandsOf(words).length > 1;
  return asPaths(named ? operandsOf(words).slice(1) : [`${unknownText}/.claude/settings.json`]);
}

/** A container writes what it is given of this machine's files. */
function byContainer(words: Words): Doing[] {
  const copied = words.includes("cp") && !words.includes("run") ? operandsOf(words.slice(words.indexOf("cp") + 1)) : [];
  return [
    ...copied.slice(-1).flatMap((to) => written(to, { from: copied.slice(0, -1), isTree: true })),
    ...valuesIn(words, "-v", "--volume").flatMap((one) =>
      /:ro\b/.test(one) ? [] : does("fills", one.split(":").slice(0, 1)),
    ),
    ...valuesIn(words, "--mount", "--mount").flatMap((one) =>
      /\breadonly|\bro\b/.test(one) ? [] : does("fills", /(?:source|src)=([^,]+)/.exec(one)?.slice(1) ?? []),
    ),
  ].map((one) => ({ ...one, does: "fills", whole: true }));
}

/** What the words of a program mean, where uses by position do not say it. */
const owns: { readonly [name: string]: Own } = {
  outputs: (_, { words }) =>
    filled(asPaths([...valuesIn(words, "-o", "--output"), ...valuesIn(words, "-out", "-out")])),
  textOfEditor: (_, { words }) => filled(asPaths(words.filter(hasBlank).flatMap(pathsIn))),
  reverted: (spelled, { words }) =>
    words.some((word) => /^-[a-z]*r/.test(word)) ? does("writes", spelled.operands.slice(1)) : [],
  behindPattern: afterFirst("regexp", "e", "file", "f", "files"),
  query: (spelled, { words: [, ...words] }) => [...behindCode(spelled), ...filled(inPlaceOrPut(words))],
  awk: (spelled, { words: [, ...words] }) => [...behindCode(spelled), ...filled(byAwk(words))],
  sed: (spelled, { words }) => [...inPlace(spelled), ...filled(asPaths(words.flatMap(writtenBySed)))],
  replaced: byWords(replaced),
  ...{
    permits,
    copies,
    copiesBelow,
    moves,
    links,
    archive,
    finds,
    patch,
    curl,
    wget,
    items,
    puts,
    sendsPaths,
    gh,
    git,
  },
  dd: assigned({ if: "reads", of: "writes" }),
  crontab: (spelled) =>
    has(spelled, "l", "list")
      ? []
      : [...does("writes", ["/var/spool/cron/crontab"]), ...does("reads", spelled.operands)],
  sudoers: ({ options }) =>
    options.some(({ name }) => /^-?[a-z]*c/.test(name)) ? [] : does("writes", ["/etc/sudoers"]),
  users: () => does("writes", ["/etc/passwd"]),
  disk: (spelled) =>
    looksAtDisk(spelled)
      ? []
      : does(
          "writes",
          spelled.operands.filter((word) => word.startsWith("/dev/")),
        ),
  socat: ({ operands }) =>
    does(
      "sends",
      operands
        .filter((word) => /^(?:FILE|OPEN|GOPEN|CREATE):/i.test(word))
        .map((word) => word.replace(/^\w+:/, "").replace(/,.*$/, "")),
    ),
  s3: cloudCopy(/^s3:\/\//),
  gs: cloudCopy(/^gs:\/\//),
  remote: cloudCopy(/^[\w-]+:/),
  container: (_, { words: [, ...words] }) => byContainer(words),
  lastWhole: byWords((words) => asWhole(operandsOf(words).slice(-1))),
  lastWord: byWords((words) => asPaths(words.slice(-1))),
  stow: byWords(byStow),
  ownSettings: byWords(ownSettings),
};

/**
 * Names of programs, and what they do: uses of the operands by position, of which the last goes on; `option=use`; `below`, or the options by
 * which an operand means all that is below it as well; `dry=`, the options with which it only tells what it would do; `decodes=`, the options
 * with which its output is what its input meant; `network`; `fetches`, where its output came from there; `silent`, where that
 * tells nothing of what it reads; `elevates`; `partly`, where it may write more than stands here; `@`, a function of `owns`. A later row counts.
 */
const rows = `
cat bat batcat less more head tail tac nl od hexdump strings cut paste column fold fmt expand unexpand comm join diff cmp sdiff colordiff rev shuf pr csvlook glow pygmentize highlight xxh xmllint dos2unix ccze most view readelf objdump nm plutil sqlite3 pdftotext look zcat zless gzcat bzcat xzcat zgrep gzip bzip2 xz zstd pigz lz4 : reads
wc md5sum sha1sum sha256sum sha512sum shasum b2sum cksum sum file stat fd fdfind locate mdfind ls tree du df exa eza lsd realpath readlink basename dirname test [ [[ which type cd pushd mktemp : silent
mkdir : writes silent
sort : reads output=writes o=writes
uniq split csplit : reads writes
base64 base32 basenc gbase64 : reads decodes=decode,d,D
xxd : reads decodes=revert,r @reverted
uudecode : reads decodes
openssl : in=reads out=writes inkey=reads connect=host @outputs decodes=d,decode
gpg gpg2 : reads output=writes o=writes @outputs decodes=decrypt,d
age sops : reads output=writes o=writes identity=reads i=reads @outputs
iconv exiftool : reads @outputs
pandoc gcc cc clang g++ c++ ld go rustc dot protoc : path @outputs
convert magick ffmpeg : path @lastWord
grep egrep fgrep rg ag ack ugrep ggrep : @behindPattern
jq yq gojq jaq dasel : @query
awk gawk mawk nawk : @awk
sed gsed : @sed
perl ruby : path @replaced
vi vim nvim ex ed nano pico emacs code codium cursor subl micro helix hx kak joe : edits @textOfEditor
tee sponge : writes
touch truncate mkfifo fallocate mknod : writes reference=nothing r=nothing size=nothing s=nothing
rm rmdir unlink srm trash trash-put gio rd : deletes below=recursive,r,R
rimraf del-cli del trash-cli : deletes below
shred wipe : deletes
chmod gchmod : @permits
chown chgrp : nothing permits below=recursive,R
setfacl chattr xattr setcap chflags : nothing permits
cp gcp install ditto : @copies
scp sftp : @copies network
rsync : @copiesBelow dry=dry-run,n,list-only
mv gmv rename : @moves
ln gln link : nothing @links
umount : fills
mount bindfs : path @lastWhole
stow : path @stow
chezmoi rcup dotbot homeshick home-manager : path @ownSettings
dd : @dd
tar gtar bsdtar : @archive
zip rar 7z 7za 7zr 7zz : writes reads
unzip cpio : reads nothing d=writes
unrar gunzip bunzip2 unxz unzstd : reads nothing d=writes partly
jar unar : path
find gfind : @finds silent
patch : writes reads input=reads i=reads @patch
crontab : @crontab partly
visudo : @sudoers partly
useradd adduser usermod userdel groupadd gpasswd passwd chpasswd chsh vipw : @users partly
mkfs mke2fs mkswap wipefs blkdiscard parted fdisk gdisk sgdisk sfdisk cfdisk badblocks hdparm cryptsetup zpool : @disk partly dry=no-act,pretend,P,list,help
curl : @curl network fetches
wget wget2 aria2c axel : @wget network fetches
http https xh xhs curlie : @items partly network fetches
fetch lynx w3m links elinks irm iwr Invoke-WebRequest Invoke-RestMethod : host network fetches
nc ncat netcat telnet ftp : host nothing network fetches
lftp tftp ncftp ncftpput smbclient : @puts partly network
socat : @socat partly network fetches
ssh autossh mosh : host nothing identity=nothing i=nothing F=reads network fetches
dig nslookup host ping drill whois traceroute : network
mail mailx mutt sendmail msmtp swaks az : @sendsPaths partly network
aws : @s3 partly network
gsutil gcloud : @gs partly network
rclone : @remote partly network
transfer croc wormhole magic-wormhole ffsend : nothing sends network
docker podman nerdctl : nothing @container
kubectl oc : nothing filename=reads f=reads from-file=sends from-env-file=sends @container
docker-compose lxc multipass : nothing
psql mysql mariadb : file=reads f=reads
gh : @gh network
git : @git
sudo doas su pkexec run0 gosu : elevates
source . : executes nothing
echo printf true false pwd export set unset alias exit return local declare read wait sleep kill pkill killall date whoami id hostname uname : nothing
`;

const marks = {
  network: "isNetwork",
  fetches: "fetches",
  silent: "isSilent",
  elevates: "elevates",
  partly: "isPartly",
} as const;
const isMark = (token: string): token is keyof typeof marks => Object.hasOwn(marks, token);

/** A word that is spelled wrong would take a guard away in silence. */
function known<T>(found: T | undefined, word: string): T {
  if (found === undefined) throw new Error(`${word} says nothing of a program in effects/programs.ts`);
  return found;
}

function readRow(text: string): ProgramRow {
  const row: ProgramRow = {};
  const operands: Use[] = [];
  const options: { [name: string]: Use[] } = {};
  for (const token of text.split(" ")) {
    const [name = "", value] = token.split("=");
    const names = value?.split(",");
    if (token.startsWith("@")) row.own = known(owns[token.slice(1)], token);
    else if (isMark(token)) row[marks[token]] = true;
    else if (name === "below") row.below = names ?? true;
    else if (name === "dry") row.dry = names ?? [];
    else if (name === "decodes") row.decodes = (spelled) => names === undefined || has(spelled, ...names);
    else if (value !== undefined) options[name] = [known(useOf(value), token)];
    else operands.push(known(useOf(token), token));
  }
  if (operands.length > 0) row.operands = operands;
  if (Object.keys(options).length > 0) row.options = options;
  return row;
}

export const programs: { readonly [name: string]: ProgramRow } = Object.fromEntries(
  rows
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [names = "", text = ""] = line.split(" : ");
      const row = readRow(text);
      return names.split(" ").map((name) => [name, withArchives(name, row)]);
    }),
);

/** Programs that unpack say so in a table of their own. */
function withArchives(name: string, row: ProgramRow): ProgramRow {
  const unpacks = Object.hasOwn(archives, name) ? archives[name] : undefined;
  if (!unpacks) return row;
  const own: Own = (spelled, command) => [
    ...(row.own?.(spelled, command) ?? []),
    ...filled(unpacks(command.words.slice(1), command)),
  ];
  return { ...row, own };
}

/** Whether its words are more than paths to rules of effects. */
export const isTold = (name: string): boolean =>
  Object.hasOwn(programs, name) && (name === "perl" || programs[name]?.operands?.[0] !== "path");
