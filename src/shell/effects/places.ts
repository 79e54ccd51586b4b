/**
 * The places that rules name: a table from a name to the paths that it means. Source of the files with credentials and of what
 * starts by itself: the manuals of the programs that keep them there.
 */

import { unknownText } from "../../engine/command-pattern.ts";
import type { PlaceName } from "../../engine/effects.ts";

export interface Where {
  /** The folder of the repository, absolute. */
  workspace: string;
  home: string;
  /** Temporary folders and files of this session: its own folder, and what the call itself makes. */
  own?: readonly string[] | undefined;
}

/** An absolute path without `.` and `..`. */
export interface Place {
  path: string;
  /** With everything below it. */
  below?: true | undefined;
}

type Test = (place: Place, where: Where) => boolean;

const isIn = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** Patterns of paths: `~/x` from home, `/x` from the root, others in any folder; what lies below a match belongs to it. */
function listed(patterns: string): Test {
  const all = patterns.trim().split(/\s+/);
  const source = (one: string): string => one.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
  const joined = (some: readonly string[], start: string): RegExp =>
    new RegExp(some.length === 0 ? "$^" : `${start}(?:${some.map(source).join("|")})(?:/|$)`, "i");
  const ofHome = joined(
    all.flatMap((one) => (one.startsWith("~") ? one.slice(1) : [])),
    "^",
  );
  const ofRoot = joined(
    all.filter((one) => one.startsWith("/")),
    "^",
  );
  const anywhere = joined(
    all.filter((one) => !/^[~/]/.test(one)),
    "/",
  );
  return ({ path }, { home }) =>
    anywhere.test(path) || (isIn(path, home) ? ofHome.test(path.slice(home.length)) : ofRoot.test(path));
}

function divided(patterns: string): [string, string] {
  const all = patterns.trim().split(/\s+/);
  const isPlaced = (one: string): boolean => /^[~/]/.test(one);
  return [all.filter(isPlaced).join(" "), all.filter((one) => !isPlaced(one)).join(" ")];
}

const systemFolders =
  /^\/(?:etc|usr|bin|sbin|lib|lib32|lib64|boot|var|opt|sys|proc|srv|System|Library|Applications|private\/(?:etc|var)|nix|snap)(?:\/|$)|^\/[A-Za-z]:\/(?:Windows|Program Files)/;
const tempFolders = /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm|run\/user)\/./;
const temp = /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)(?:\/|$)/;
const disks = /^\/dev\/(?:[shv]d[a-z]|xvd|nvme|mmcblk|r?disk|mapper|md\d|loop|dm-|mem$|kmem$|port$|zvol|vg|sr\d)/;
/** Streams that every program has. */
/** `/dev/fd` is a link to a folder of /proc. */
const streams =
  /^\/dev\/(?:null|zero|full|u?random|tty|pts|ptmx|std(?:in|out|err)|fd|tcp|udp)(?:\/|$)|^\/proc\/(?:self|\d+)\/fd(?:\/|$)/;

const credentialFiles = `
  ~/.ssh/id_* ~/.ssh/identity ~/.ssh/*.pem ~/.ssh/*.key ~/.ssh/*_rsa ~/.ssh/*_ed25519 ~/.aws/credentials ~/.aws/sso ~/.aws/cli/cache ~/.azure ~/.config/gcloud
  ~/.kube/config ~/.docker/config.json ~/.netrc ~/_netrc ~/.npmrc ~/.yarnrc.yml ~/.pypirc ~/.git-credentials ~/.config/git/credentials
  ~/.config/gh/hosts.yml ~/.config/glab-cli ~/.config/hub ~/.gnupg ~/.password-store ~/.terraform.d ~/.terraformrc ~/.vault-token ~/.cargo/credentials*
  ~/.gem/credentials ~/.m2/settings.xml ~/.gradle/gradle.properties ~/.pgpass ~/.my.cnf ~/.mylogin.cnf ~/.config/op ~/.1password ~/.config/Bitwarden* ~/.boto ~/.s3cfg
  ~/.config/rclone ~/.config/doctl ~/.config/heroku ~/.fly ~/.config/flyctl ~/.vercel ~/.local/share/com.vercel.cli ~/.netlify ~/.config/netlify
  ~/.local/share/keyrings ~/.kde/share/apps/kwallet ~/Library/Keychains ~/.mozilla ~/.config/google-chrome ~/.config/chromium ~/.config/BraveSoftware
  ~/Library/Application*Support/Google ~/Library/Application*Support/Firefox ~/.claude/.credentials.json ~/.codex/auth.json ~/.gemini/oauth_creds.json ~/.config/github-copilot
  ~/.local/share/opencode/auth.json ~/.cursor/auth.json ~/.qwen/oauth_creds.json ~/.bash_history ~/.zsh_history ~/.python_history ~/.psql_history ~/.mysql_history ~/.node_repl_history
  ~/.cache/huggingface/token ~/.huggingface ~/.kaggle ~/.databrickscfg ~/.snowsql ~/.dbt/profiles.yml ~/.msmtprc ~/.fetchmailrc ~/.config/weechat ~/.irssi ~/.chef ~/.oci ~/.aliyun
  ~/.config/linode-cli ~/.config/hcloud ~/.config/ngrok ~/.ngrok2 ~/.config/stripe ~/.twilio-cli ~/.sentryclirc ~/.config/configstore ~/.circleci ~/.config/.wrangler ~/.wrangler ~/.supabase ~/.railway ~/.expo ~/.android/*.keystore
  ~/.config/sops ~/.age ~/Library/Cookies ~/.thunderbird ~/.pki ~/.config/Signal ~/.config/discord ~/.config/1Password ~/.openai ~/.anthropic ~/.config/openai ~/.ansible ~/.config/containers/auth.json ~/.config/helm/registry ~/.rclone.conf
  /etc/ssl/private /etc/wireguard /etc/openvpn /etc/ppp /etc/NetworkManager/system-connections /home/*/.ssh /Users/*/.ssh /home/*/.aws /var/lib/jenkins/secrets /etc/letsencrypt /etc/rancher /etc/mysql/debian.cnf /var/lib/docker /etc/krb5.conf.d
  *.tfstate *.tfstate.backup wp-config.php .s3cfg .dockercfg .docker/config.json .aws/credentials .ssh/id_* .kube/config secring.gpg *.p8 *.mobileprovision google-services.json firebase-adminsdk*.json *-adminsdk-*.json
  ~/.subversion/auth ~/.config/Slack ~/.wallet ~/.bitcoin ~/.ethereum ~/.electrum ~/.config/solana
  /etc/shadow /etc/gshadow /etc/shadow- /etc/sudoers /etc/master.passwd /etc/ssh/ssh_host_* /etc/krb5.keytab /proc/*/environ /proc/*/mem /var/run/secrets /run/secrets /etc/kubernetes /root/.ssh /root/.aws
  id_rsa id_dsa id_ecdsa id_ed25519 *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.ovpn *private*.pem *key*.pem *.agekey
  .netrc .pgpass .git-credentials .htpasswd .vault_pass .vault-password .vault-token credentials.json client_secret*.json service-account*.json service_account*.json gcp-key*.json
  secrets/*.y*ml secrets/*.json secrets/*.env state.vscdb ~/.claude.json
  secrets.yml secrets.yaml secrets.json secrets.toml secrets.env credentials.yml credentials.ini master.key kubeconfig Login*Data key4.db logins.json cookies.sqlite Cookies wallet.dat .pypirc
`;

/** Of the person and the system, and those of that name in any folder. */
const [ownSecrets, secretsAnywhere] = divided(credentialFiles).map(listed) as [Test, Test]; // as many as it is divided into

/** Folders whose whole holds some of these. */
const foldersOfSecrets = /^\/?(?:\.ssh|\.aws|\.kube|\.docker|\.config|\.claude|\.codex)?$/;

/** For words with `*` and `?`, whose files only the shell will know. */
const knownSecrets =
  "~/.ssh/id_rsa ~/.ssh/id_ed25519 ~/.aws/credentials ~/.netrc ~/.npmrc ~/.pypirc ~/.kube/config ~/.docker/config.json ~/.git-credentials /etc/shadow".split(
    " ",
  );

function couldBe({ path }: Place, { home }: Where, files: readonly string[]): boolean {
  if (!/[*?[]/.test(path) || publicHalf.test(path)) return false;
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (/^\*+(?:\.\w+)?$/.test(last)) return false; // it means all files of its kind
  const source = path
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replace(/\[!?\^?[^\]]*\]|\?/g, ".")
    .replaceAll("[", "\\[") // one that nothing closes
    .replaceAll("**/", "\0") // any folders, in the patterns of tools that search
    .replaceAll("*", "[^/]*")
    .replaceAll("\0", "(?:.*/)?");
  const pattern = new RegExp(`^${source}$`);
  return files.some((file) => pattern.test(file.replace(/^~/, home)));
}

const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));

const publicHalf = /\.pub$/;
/** What only looks like secrets: text about them, and samples of tests. */
const looksLikeOne = /\.(?:pub|md|txt|ts|tsx|js|jsx|mjs|py|go|rs|rb|java|html|css|svg|snap|test)$/i;
const foldersOfSamples = /(?:^|\/)(?:node_modules|test|tests|__tests__|fixtures|testdata|spec|docs|src)\//i;

/** Only below the workspace does a folder's name say so: `~/src` is where people keep their work. */
const isSample = ({ path }: Place, { workspace }: Where): boolean =>
  looksLikeOne.test(path) || (isIn(path, workspace) && foldersOfSamples.test(path.slice(workspace.length + 1)));

const environmentFile = /\/\.env(?:\.[\w.-]+)?$|\/[\w-]+\.env$|\/\.envrc$|\/\.dev\.vars$/i;
/** `.env*`, `.env.$STAGE`: only the shell will know the end. */
const opensEnvironment = new RegExp(`/\\.(?:e|env?)\\.?${unknownText}+$`);
const isSampleOfVariables = /\.(?:example|sample|template|dist|defaults?|tpl|schema|d\.ts|md|ci|test|testing)$/i;

const startFiles = listed(`
  ~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.bash_aliases ~/.profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.zlogin ~/.zlogout ~/.zsh ~/.oh-my-zsh ~/.kshrc ~/.cshrc ~/.tcshrc
  ~/.login ~/.inputrc ~/.config/fish ~/.config/nushell ~/.xprofile ~/.xinitrc ~/.xsession ~/.pam_environment ~/.gitconfig ~/.config/git ~/.git-templates ~/.config/autostart ~/.config/systemd ~/.config/environment.d
  ~/.local/share/systemd ~/Library/LaunchAgents ~/.ssh/authorized_keys ~/.ssh/authorized_keys2 ~/.ssh/config ~/.ssh/rc ~/.ssh/environment ~/.ssh/known_hosts ~/.config/pip ~/.pip ~/.pdbrc ~/.pythonrc ~/.npmrc ~/.yarnrc
  ~/.vimrc ~/.vim ~/.config/nvim ~/.emacs ~/.emacs.d ~/.tmux.conf ~/.screenrc ~/.curlrc ~/.wgetrc ~/.aws ~/.kube ~/.docker ~/.cargo/config.toml ~/.bunfig.toml ~/.crontab ~/.config/Code ~/.config/Cursor ~/Library/Application*Support/Code ~/.envrc ~/.direnvrc ~/.config/direnv
  ~/.irbrc ~/.gdbinit ~/.lldbinit ~/.Rprofile ~/.psqlrc ~/.sqliterc ~/.gradle/init.gradle ~/.gradle/init.d ~/.config/zed usercustomize.py sitecustomize.py site-packages/*.pth ~/.local/share/applications
  /etc/profile /etc/profile.d /etc/bash.bashrc /etc/bashrc /etc/zsh /etc/zshrc /etc/environment /etc/cron* /var/spool/cron /etc/systemd /lib/systemd /usr/lib/systemd /etc/init.d /etc/rc.local /etc/ld.so.preload
  /Library/LaunchAgents /Library/LaunchDaemons /etc/sudoers /etc/sudoers.d /etc/pam.d /etc/passwd /etc/shadow /etc/group /etc/hosts /etc/ssh /etc/gitconfig
`);

/** What decides about tool calls, of every agent that reads hooks. */
const hookFiles = listed(`
  .hookline hookline.yaml hookline.yml hookline.config.ts hookline.config.mts hookline.config.js hookline.config.mjs .discobot/hooks .system/hooks
  .claude/settings.json .claude/settings.local.json .claude/hooks .claude-plugin .claude/plugins .claude/dev-mods ~/.claude/skills/*/hooks .agents/plugins .qwen/extensions .clinerules/hooks .factory/hooks.json .factory/hooks .factory/plugins .kilocode/plugin .codex/plugins .codex/hooks.json .codex/config.toml .codex/hooks .codex/rules .gemini/settings.json .gemini/hooks .gemini/extensions
  .cursor/hooks.json .cursor/hooks .cursor/cli.json .cursor/permissions.json .cursor/mcp.json .cursor/rules .github/hooks .github/copilot .copilot .qwen/settings.json .qwen/hooks .gen/settings.json .gen/settings.local.json
  .opencode opencode.json opencode.jsonc .pi/extensions .pi/settings.json .mcp.json ~/.claude.json .vscode/mcp.json .windsurf ~/.codeium/windsurf .roo/mcp.json .kiro/settings .kiro/hooks .amazonq ~/.config/goose .continue/config.json .continue/config.yaml .aider.conf.yml .factory/settings.json ~/.config/hookline ~/.local/state/hookline ~/.config/opencode ~/.pi /etc/hookline /etc/claude-code
  .amp/plugins .amp/settings.json ~/.config/amp .augment/settings.json .augment/settings.local.json .augment/hooks .augment/plugins .trae/hooks.json .trae/hooks .trae/plugins .trae-cn/hooks.json .codebuddy/settings.json .codebuddy/settings.local.json
  .codebuddy/hooks .codebuddy/plugins .codebuddy-plugin .iflow/settings.json .iflow/hooks .iflow/extensions .iflow/plugins .openhands/hooks.json .openhands/hooks .openhands/setup.sh .qoder/settings.json .qoder/settings.local.json .qoder/hooks .qoder/plugins
  .kimi/config.toml .kimi/hooks .kimi/plugins .grok/settings.json .grok/user-settings.json .grok/hooks .grok/plugins .letta/settings.json .letta/hooks .devin/hooks.json .devin/hooks .devin/settings.json
  .git/hooks .husky lefthook.yml .pre-commit-config.yaml
`);

/** Folders of agents, where the whole of them is meant. */
const holdsHooks = /\/\.(?:claude|codex|cursor|gemini|qwen|opencode|pi|github|copilot|discobot|system|git)$/;

/** Committed text of a team that an agent changes every day. */
const isWorkspaceWork = /\/(?:lefthook\.yml|\.pre-commit-config\.yaml)$/;

/** Temporary files of the session (R101). Where the workspace itself lies in a folder for them, what lies beside it is work like any other. */
export const isExempt = (path: string, { workspace, own = [] }: Where): boolean =>
  tempFolders.test(path) && (!tempFolders.test(workspace) || own.some((one) => isIn(path, one)));

const outside: Test = ({ path, below }, where) =>
  !path.startsWith(unknownText) &&
  !(isIn(path, where.workspace) && path !== where.workspace) &&
  !(path === where.workspace && below !== true) &&
  !isExempt(path, where) &&
  !streams.test(path) &&
  !isCache(path, where.home);

/** What package managers fill and people empty. */
const isCache = (path: string, home: string): boolean =>
  isIn(path, home) &&
  /^\/(?:\.cache|\.npm|\.pnpm-store|\.cargo\/registry|\.gradle\/caches|\.m2\/repository|go\/pkg|Library\/Caches|\.nvm|\.pyenv|\.rustup)(?:\/|$)/.test(
    path.slice(home.length),
  );

/** `cd "$DIR" && rm -rf *`, `rm -rf "$DIR"/*` */
const wholeUnknown = new RegExp(`^${unknownText}+/\\.?$`);

const tests: { readonly [N in PlaceName]: Test } = {
  workspace: ({ path }, { workspace }) => isIn(path, workspace) && path !== workspace,
  "whole workspace": ({ path, below }, { workspace }) =>
    path === workspace || (below === true && isIn(workspace, path)),
  "outside workspace": outside,
  home: ({ path }, { home }) => path === home || (isIn(home, path) && path !== "/"),
  root: ({ path }) => path === "/",
  system: ({ path }, { home, workspace }) =>
    systemFolders.test(path) && !temp.test(path) && !isIn(path, home) && !isIn(path, workspace) && !streams.test(path),
  temporary: ({ path }) => temp.test(path),
  disks: ({ path }) => disks.test(path),
  credentials: (place, where) =>
    (ownSecrets(place, where) && !publicHalf.test(place.path)) ||
    (secretsAnywhere(place, where) && !isSample(place, where)) ||
    couldBe(place, where, knownSecrets) ||
    (place.below === true &&
      isIn(place.path, where.home) &&
      foldersOfSecrets.test(place.path.slice(where.home.length))),
  "environment files": (place, where) =>
    (environmentFile.test(place.path) && !isSampleOfVariables.test(place.path)) ||
    opensEnvironment.test(place.path) ||
    couldBe(place, where, [`${folderOf(place.path)}/.env`]),
  "start files": startFiles,
  "hook files": (place, where) =>
    (hookFiles(place, where) && !isWorkspaceWork.test(place.path)) ||
    (place.below === true && holdsHooks.test(place.path)),
  git: ({ path }) => /\/\.git(?:\/|$)/.test(path),
  unknown: ({ path }) => path.startsWith(unknownText),
  "unknown folder": ({ path, below }) => below === true && wholeUnknown.test(path),
};

export const isAt = (name: PlaceName, place: Place, where: Where): boolean => tests[name](place, where);
