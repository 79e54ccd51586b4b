/** What commands do that touches no file of this machine: to history, packages, data, machines and services. One table. */
import type { Spelling } from "../../engine/command-pattern.ts";
import { anything, lastPart } from "./deed.ts";

/** One command as the table asks about it. */
export interface Spoken {
  program: string;
  sub: string;
  operands: readonly string[];
  /** All words behind the program. */
  rest: readonly string[];
  has(...names: string[]): boolean;
  valueOf(...names: string[]): string | undefined;
}

interface Row {
  programs: RegExp;
  when?(spoken: Spoken): boolean;
  kind: string | ((spoken: Spoken) => string);
  /** Absent: anything. */
  on?(spoken: Spoken): readonly string[];
}

const bare = (name: string): string => name.replace(/^-+/, "");

export function spokenOf({ program, subcommand = "", options, operands }: Spelling, words: readonly string[]): Spoken {
  const named = (names: readonly string[]) =>
    options.filter(({ name, also = [] }) => [name, ...also].some((one) => names.includes(bare(one))));
  return {
    ...{ program, operands, sub: subcommand, rest: words.slice(1) },
    has: (...names) => named(names).length > 0,
    valueOf: (...names) => named(names).find(({ value }) => value !== undefined)?.value,
  };
}

const says =
  (...subs: string[]) =>
  ({ sub, operands }: Spoken): boolean =>
    subs.includes(sub) || subs.includes(sub.split(" ")[0] ?? "") || (sub === "" && subs.includes(operands[0] ?? ""));

/** Operands behind the sub-command, wherever the table of programs has put that. */
const objects = ({ sub, operands }: Spoken): string[] =>
  operands.filter((word, index) => !(sub === "" && index === 0) && word !== "");

const anyWord =
  (pattern: RegExp) =>
  ({ rest }: Spoken): boolean =>
    rest.some((word) => pattern.test(word));

const isDry = anyWord(/^(?:--dry-run(?:=(?!none).*)?|--check|--what-?if|--help|-h)$/);

/** The branches of the remote that a push changes. */
function branches({ operands: [remote = "origin", ...refs] }: Spoken): string[] {
  const to = refs.map((ref) => (ref.replace(/^\+/, "").split(":").at(-1) ?? "").replace(/^refs\/heads\//, ""));
  return to.length === 0 ? [`${remote} ${anything}`] : to.map((branch) => `${remote} ${branch}`);
}
const isForced = ({ has, operands }: Spoken): boolean =>
  has("force", "force-with-lease", "force-if-includes", "mirror") ||
  operands.slice(1).some((ref) => ref.startsWith("+"));
const deletesRef = ({ has, operands }: Spoken): boolean =>
  has("delete", "prune") || operands.slice(1).some((ref) => ref.startsWith(":"));

const branchOf = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, "");

/** The name of a package without its version. */
const packageOf = (written: string): string => written.toLowerCase().replace(/(?<=.)(?:@|[=~<>!]=?|\[).*$/s, "");
const packages = (spoken: Spoken): string[] =>
  objects(spoken)
    .filter((word) => !/^[./]/.test(word))
    .map(packageOf);

const ecosystems: readonly (readonly [RegExp, string])[] = [
  [/^(?:npm|pnpm|yarn|bun|lerna|np|changeset|semantic-release|jsr)$/, "js"],
  [/^(?:pip[\d.]*|pipx|uv|poetry|conda|mamba|easy_install|twine|flit|hatch|pdm)$/, "python"],
  [/^(?:cargo)$/, "rust"],
  [/^(?:apt|apt-get|aptitude|dnf|yum|apk|pacman|brew|zypper|snap|port|choco|winget|scoop|nix-env)$/, "system"],
];
const ofEcosystem =
  (kind: string) =>
  ({ program }: Spoken): string =>
    `${kind} ${ecosystems.find(([names]) => names.test(program))?.[1] ?? program}`;

/** What destroying words mean: without options, kinds of things, and the paths before a name. */
const kindsOfThings =
  /^(?:pods?|po|deployments?|deploy|services?|svc|namespaces?|ns|secrets?|volumes?|pvc?|nodes?|containers?|images?|repo|repos|release|apps?|stack|s3|s3api|ec2|rds|instances?|clusters?|compute|sql|functions?|delete|destroy|rm|rb|remove|terminate|purge|uninstall|prune|all|system|network)$/i;
export const things = (words: readonly string[]): string[] =>
  words
    .filter((word) => !word.startsWith("-"))
    .map((word) => lastPart(word.replace(/^[a-z0-9+]+:(?:\/\/)?/, "").replace(/^.*=/, "")).toLowerCase())
    .filter((word) => word !== "" && !kindsOfThings.test(word));
const thingsOf = ({ rest }: Spoken): string[] => {
  const found = things(
    rest.flatMap((word) => (word.startsWith("--") && word.includes("=") ? word.slice(word.indexOf("=") + 1) : word)),
  );
  return found.length === 0 ? [anything] : found;
};

const destroying =
  /^(?:delete|destroy|terminate|purge|remove|uninstall|rm|rb|rmi|prune|del|un|apps:destroy|pg:reset|down)(?:[-:].*)?$/;
const families: readonly (readonly [RegExp, string])[] = [
  [/^(?:kubectl|oc|helm|kustomize|k3s)$/, "kubernetes"],
  [/^(?:terraform|tofu|terragrunt|pulumi|cdk|cdktf|sam|serverless|sls|sst)$/, "infrastructure"],
];
const familyOf = ({ program }: Spoken): string[] => [families.find(([names]) => names.test(program))?.[1] ?? program];

const rows: readonly Row[] = [
  {
    programs: /^git$/,
    when: (one) => one.sub === "push" && deletesRef(one),
    kind: "deletes remote branch",
    on: branches,
  },
  {
    programs: /^git$/,
    when: (one) => /^(?:push|send-pack)$/.test(one.sub || (one.operands[0] ?? "")) && isForced(one),
    kind: "forces history",
    on: branches,
  },
  { programs: /^git$/, when: ({ sub }) => sub === "push", kind: "pushes", on: branches },
  { programs: /^git$/, when: (one) => one.sub === "push" && one.has("no-verify"), kind: "skips checks of push" },
  {
    programs: /^git$/,
    when: ({ sub, has }) => sub === "branch" && has("delete", "d") && has("force", "f"),
    kind: "deletes branch",
    on: ({ operands }) => operands,
  },
  {
    programs: /^git$/,
    when: ({ sub, rest }) => sub === "update-ref" && rest.includes("-d"),
    kind: ({ rest }) => (rest.some((word) => word.startsWith("refs/tags/")) ? "deletes tag" : "deletes branch"),
    on: ({ rest }) => rest.filter((word) => word.startsWith("refs/")).map(branchOf),
  },
  {
    programs: /^git$/,
    when: ({ sub, has }) => sub === "tag" && has("delete", "d"),
    kind: "deletes tag",
    on: ({ operands }) => operands,
  },
  {
    programs: /^git$/,
    when: ({ sub, has }) =>
      (sub === "reset" && has("hard", "merge")) ||
      (sub === "checkout" && has("force", "f")) ||
      (sub === "switch" && has("discard-changes", "force", "f")) ||
      (sub === "read-tree" && has("reset", "u")) ||
      (sub === "checkout-index" && has("force", "f")),
    kind: "loses changes",
  },
  {
    programs: /^git$/,
    when: ({ sub, has, rest }) =>
      (sub === "restore" && (!has("staged", "S") || has("worktree", "W"))) ||
      (sub === "checkout" && (rest.includes("--") || rest.at(-1) === ".")),
    kind: "loses changes",
    on: ({ sub, rest }) => {
      const paths = rest.includes("--") ? rest.slice(rest.indexOf("--") + 1) : rest.slice(sub === "restore" ? 1 : -1);
      const plain = paths.filter((word) => !word.startsWith("-"));
      return plain.some((word) => /^(?:\.|:\/|\*|\.\/)$/.test(word))
        ? [anything]
        : plain.map((word) => word.replace(/^\.\//, ""));
    },
  },
  {
    programs: /^git$/,
    when: ({ sub, rest }) => /^stash/.test(sub) && /^(?:drop|clear)$/.test(rest[rest.indexOf("stash") + 1] ?? ""),
    kind: "drops stash",
  },
  {
    programs: /^git$/,
    when: ({ sub, has }) => sub === "clean" && has("force", "f") && !has("dry-run", "n"),
    kind: "loses untracked",
  },
  {
    programs: /^(?:git|git-filter-repo|bfg)$/,
    when: ({ program, sub }) => program !== "git" || /^filter-/.test(sub),
    kind: "rewrites history",
  },
  {
    programs: /^git$/,
    when: ({ sub, rest }) =>
      (sub === "reflog" && rest.includes("expire")) ||
      (sub === "gc" && rest.some((word) => /^--prune=(?:now|all)/.test(word))),
    kind: "drops reflog",
  },
  {
    programs: /^git$/,
    when: ({ sub, has, rest }) =>
      (sub === "commit" && has("no-verify", "n")) ||
      (/^(?:commit|merge|config)$/.test(sub) && rest.some((word) => /^core\.hookspath/i.test(word))),
    kind: "skips checks of commit",
  },
  {
    programs:
      /^(?:npm|pnpm|yarn|bun|lerna|np|changeset|semantic-release|jsr|cargo|poetry|uv|flit|hatch|pdm|twine|gem|vsce|ovsx|mvn|deno)$/,
    when: (one) =>
      (/^(?:np|semantic-release)$/.test(one.program) || anyWord(/^(?:publish|upload|push|deploy)$/)(one)) &&
      !isDry(one) &&
      !one.rest.includes("run"),
    kind: ofEcosystem("publishes"),
  },
  {
    programs: /^(?:docker|podman|nerdctl|crane|skopeo|buildah)$/,
    when: says("push", "copy"),
    kind: "pushes image",
    on: (one) => objects(one).map((word) => word.replace(/:[^:/]*$/, "")),
  },
  {
    programs:
      /^(?:npm|pnpm|yarn|bun|pip[\d.]*|pipx|uv|poetry|conda|mamba|easy_install|pdm|cargo|go|gem|apt|apt-get|aptitude|dnf|yum|apk|pacman|brew|zypper|snap|port|choco|winget|scoop|composer)$/,
    when: (one) =>
      says("install", "i", "add", "get", "require", "-S", "pip", "pip install")(one) ||
      one.program === "easy_install" ||
      one.rest.includes("-S"),
    kind: ofEcosystem("installs"),
    on: (one) => packages(one).filter((name) => !/^(?:install|add|pip)$/.test(name)),
  },
  { programs: /^(?:dropdb)$/, kind: "destroys data", on: ({ operands }) => operands.slice(-1) },
  {
    programs: /^mysqladmin$/,
    when: anyWord(/^drop$/),
    kind: "destroys data",
    on: ({ operands }) => operands.slice(-1),
  },
  {
    programs:
      /^(?:rails|rake|prisma|manage\.py|python[\d.]*|knex|typeorm|sequelize|artisan|php|drizzle-kit|supabase|alembic)$/,
    when: anyWord(
      /^(?:db:(?:drop|reset|wipe|purge)|db:schema:load|--force-reset|--accept-data-loss|migrate:(?:fresh|reset|refresh)|schema:drop|flush|reset_db)$/,
    ),
    kind: "destroys data",
  },
  { programs: /^(?:prisma|supabase)$/, when: ({ rest }) => rest.includes("reset"), kind: "destroys data" },
  {
    programs:
      /^(?:kubectl|oc|helm|aws|gcloud|az|doctl|linode-cli|oci|hcloud|s3cmd|s5cmd|gsutil|rclone|mc|b2|azcopy|gh|glab|heroku|fly|flyctl|vercel|netlify|railway|supabase|wrangler|firebase|eksctl)$/,
    when: (one) => anyWord(destroying)(one) && !isDry(one),
    kind: "destroys",
    on: thingsOf,
  },
  {
    programs: /^(?:docker|podman|nerdctl|docker-compose)$/,
    when: (one) => {
      const word = one.rest.find((each) => destroying.test(each));
      return (
        word !== undefined &&
        !isDry(one) &&
        (word !== "down" || one.has("v", "volumes", "rmi")) &&
        !/^(?:run|exec)/.test(one.sub)
      );
    },
    kind: "destroys",
    on: (one) => (anyWord(/^(?:prune|down)$/)(one) ? [anything] : thingsOf(one)),
  },
  {
    programs: /^(?:terraform|tofu|terragrunt|pulumi|cdk|cdktf|sam|serverless|sls|sst)$/,
    when: ({ rest, has }) =>
      rest.some((word) => /^(?:destroy|remove|down|delete|run-all)$/.test(word)) ||
      (rest.includes("apply") && (rest.includes("-destroy") || has("destroy"))),
    kind: "destroys infrastructure",
  },
  {
    programs: /^(?:curl|xh|http|https|wget|gh|glab)$/,
    when: ({ rest }) =>
      rest.some((word, at) =>
        /^(?:-X|--request|--method)$/.test(word)
          ? /^delete$/i.test(rest[at + 1] ?? "")
          : /^(?:-XDELETE|--(?:request|method)=delete|DELETE)$/i.test(word),
      ),
    kind: "destroys",
    on: ({ rest }) => things(rest.filter((word) => /[/]/.test(word)).map((word) => word.replace(/[?#].*$/, ""))),
  },
  {
    programs: /^(?:systemctl|service|rc-service|initctl|launchctl|supervisorctl|pm2|brew)$/,
    when: anyWord(/^(?:stop|disable|restart|kill|mask|unload|bootout|delete|isolate)$/),
    kind: "stops service",
    on: ({ rest }) =>
      rest
        .filter((word) => !/^(?:-.*|stop|disable|restart|kill|mask|unload|bootout|delete|services|isolate)$/.test(word))
        .map((word) => word.replace(/\.service$/, "")),
  },
  {
    programs: /^(?:kill|pkill|killall|skill|fuser|taskkill)$/,
    when: ({ program, rest }) => program !== "fuser" || rest.some((word) => /^-\w*k/.test(word)),
    kind: "kills",
    on: ({ rest }) => rest.filter((word) => !/^(?:-.*|TERM|KILL|HUP|INT)$/.test(word)),
  },
  { programs: /^(?:shutdown|reboot|poweroff|halt)$/, kind: "stops machine" },
  { programs: /^(?:systemctl|init|telinit)$/, when: anyWord(/^(?:reboot|poweroff|halt|0|6)$/), kind: "stops machine" },
  { programs: /^crontab$/, when: ({ has, rest }) => rest.length > 0 && !has("l", "e"), kind: "removes crontab" },
  { programs: /^(?:userdel|deluser)$/, kind: "removes user", on: ({ operands }) => operands },
  {
    programs: /^(?:ufw|iptables|ip6tables|nft|setenforce)$/,
    when: anyWord(/^(?:disable|reset|-F|--flush|flush|0)$/),
    kind: "opens firewall",
  },
  {
    programs: /^(?:vercel|netlify|fly|flyctl|firebase|wrangler|serverless|sls|cdk|sam|eb|kamal|cap|gcloud|railway)$/,
    when: (one) =>
      anyWord(/^(?:deploy|promote|publish|--prod|up)$/)(one) || (one.program === "vercel" && one.rest.length === 0),
    kind: "deploys",
    on: familyOf,
  },
  {
    programs: /^(?:kubectl|oc|helm)$/,
    when: (one) =>
      /^(?:apply|replace|rollout|set|install|upgrade)$/.test(one.rest.find((word) => !word.startsWith("-")) ?? "") &&
      !isDry(one),
    kind: "deploys",
    on: familyOf,
  },
  {
    programs: /^(?:terraform|tofu|terragrunt|pulumi)$/,
    when: anyWord(/^(?:apply|up)$/),
    kind: "deploys",
    on: familyOf,
  },
  { programs: /^ansible-playbook$/, kind: "deploys", on: familyOf },
  {
    programs: /^(?:gh|glab)$/,
    when: ({ rest }) => /^(?:pr|mr)$/.test(rest[0] ?? "") && rest[1] === "merge",
    kind: "merges",
    on: ({ rest }) => things(rest.slice(2)),
  },
  {
    programs: /^(?:gh|glab|curl)$/,
    when: anyWord(/\/(?:pulls|merge_requests)\/\d+\/merge/),
    kind: "merges",
    on: ({ rest }) => rest.flatMap((word) => /\/(?:pulls|merge_requests)\/(\d+)\/merge/.exec(word)?.[1] ?? []),
  },
  {
    programs: /^(?:gh|curl)$/,
    when: ({ rest }) =>
      rest.some((word) => /\/git\/refs\/heads\//.test(word)) &&
      rest.some((word) => /force["']?[=:]\s*["']?true/.test(word)),
    kind: "forces history",
    on: ({ rest }) =>
      rest
        .flatMap((word) => /\/git\/refs\/heads\/([^\s"']+)/.exec(word)?.[1] ?? [])
        .map((branch) => `origin ${branch}`),
  },
  {
    programs: /^(?:printenv|env|export|declare|set)$/,
    when: ({ rest }) => rest.every((word) => /^-[px]+$/.test(word)),
    kind: "prints environment",
  },
  {
    programs: /^printenv$/,
    when: ({ operands }) => operands.length > 0,
    kind: "prints variable",
    on: ({ operands }) => operands,
  },
];

/** The most telling first. */
export const deedsOfCommand = (spoken: Spoken): { kind: string; on: string }[] =>
  rows
    .filter(({ programs, when }) => programs.test(spoken.program) && (when?.(spoken) ?? true))
    .flatMap(({ kind, on }) => {
      const named = typeof kind === "string" ? kind : kind(spoken);
      const all = on?.(spoken) ?? [anything];
      return all.map((one) => ({ kind: named, on: one }));
    });

const clients =
  /^(?:psql|mysql|mariadb|sqlite3?|sqlcmd|duckdb|clickhouse(?:-client)?|cockroach|mongosh?|redis-cli|cqlsh|bq|snowsql|usql|pgcli|mycli|litecli)$/;
export const isDatabaseClient = (program: string): boolean => clients.test(program);

const named = String.raw`(?:if\s+exists\s+)?["'\`[]?(?:\w+["'\`\]]?\.["'\`[]?)?(\w+)`;
const destroyingStatements: readonly RegExp[] = [
  new RegExp(String.raw`\bdrop\s+(?:table|database|schema|view|index|collection)\s+${named}`, "gi"),
  new RegExp(String.raw`\btruncate\s+(?:table\s+)?${named}`, "gi"),
  new RegExp(String.raw`\bdelete\s+from\s+${named}`, "gi"),
  /\bdb\.(?:getCollection\(\s*["'])?(\w+)["')]*\.(?:drop|deleteMany|remove)\s*\(/g,
  /\bdrop_(?:table|collection|database)\s*\(\s*["'](\w+)/g,
];

/** What statements of a database destroy. */
export function dataDestroyed(text: string): string[] {
  const found = destroyingStatements.flatMap((form) =>
    [...text.matchAll(form)].map(([, name = ""]) => name.toLowerCase()),
  );
  return /\bdropDatabase\s*\(|\bflush(?:all|db)\b/i.test(text) ? [...found, anything] : found;
}
