/** Programs that only look: they show what they are given, or a file, and change nothing. For guards of files, who err towards yes. */
import type { SimpleCommand } from "../engine/effects.ts";
import { baseName } from "../engine/pattern.ts";

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const lookers = set(
  "cat bat less more head tail grep egrep fgrep zgrep rg ag ack ls ll dir exa eza tree stat file wc diff cmp comm md5sum sha1sum sha256sum " +
    "sha512sum shasum cksum du df which whereis type hash readlink realpath basename dirname echo printf print test [ [[ true false : man " +
    "cut column nl od hexdump strings pwd cd pushd popd tee pbcopy xclip seq tr fold fmt rev paste join let return exit " +
    "help info apropos tldr date uname whoami id ps top pgrep lsof mkdir touch",
);
/** They do with names what a looker does, but with some of their words. */
const lookersUnless: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|execdir|ok|okdir|delete|fprint|fls)/,
  fd: /^-(?:x|X|-exec)/,
  fdfind: /^-(?:x|X|-exec)/,
  command: /^[^-]/,
  sort: /^-[a-zA-Z]*o|^--output/,
  jq: /^-[a-zA-Z]*i|^--in-?place/,
  yq: /^-[a-zA-Z]*i|^--in-?place/,
  xxd: /^-[a-z]*r|^--?revert/,
  sed: /^-[a-zA-Z]*[ifs]|^--(?:in-place|file)/,
  git: /^(?:rm|mv|clean|checkout|restore|reset|bisect|rebase|filter-branch|submodule|worktree|pull|merge|switch|stash|apply|am|cherry-pick|revert|-c|--exec-path.*|--config-env.*)$/,
};
/** With a second file, they write that. */
const filters = set("uniq");

export function onlyLooks({ words }: Pick<SimpleCommand, "words">): boolean {
  const name = baseName(words[0] ?? "");
  if (lookers.has(name)) return true;
  if (filters.has(name)) return words.slice(1).filter((word) => !/^-./.test(word)).length < 2;
  const unless = Object.hasOwn(lookersUnless, name) ? lookersUnless[name] : undefined;
  return unless !== undefined && !words.slice(1).some((word) => unless.test(word));
}
