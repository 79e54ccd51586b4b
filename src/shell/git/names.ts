/** Names of git's own commands: another word may be an alias. Apart from git.ts, because the text of a line is looked at before a reader is loaded. */

const names: ReadonlySet<string> = new Set(
  (
    "add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout " +
    "checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects credential daemon describe " +
    "diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo flow fmt-merge-msg " +
    "for-each-ref for-each-repo format-patch fsck gc grep gui hash-object help hook index-pack init init-db instaweb interpret-trailers lfs log " +
    "ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree " +
    "multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read-tree " +
    "rebase reflog refs remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm scalar send-email send-pack shell shortlog " +
    "show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref tag unpack-file " +
    "unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree"
  ).split(" "),
);

export const mayBeAlias = (name: string): boolean => /^[a-z][\w-]*$/i.test(name) && !names.has(name);

const called = /\bgit\s+(?:(?:-[cC]\s+\S+|--?[a-z][\w-]*(?:=\S+)?)\s+){0,9}([a-z][\w-]*)/gi;

/** Whether a line could use an alias of git, by its text alone. */
export const mayUseAlias = (line: string): boolean => {
  for (const [, name = ""] of line.matchAll(called)) if (mayBeAlias(name)) return true;
  return false;
};
