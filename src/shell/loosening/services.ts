/** What takes Hookline away without naming a file of it: managers of packages, services and processes, and a Node that goes. */
import { baseName, unknownText } from "../../engine/command-pattern.ts";
import type { SimpleCommand } from "../../engine/effects.ts";
import { between, isAsked, type Line, removes, stops, sweeping } from "./line.ts";

const managers = /^(?:npm|pnpm|yarn|bun|brew|apt|apt-get|dnf|pacman|pip|pipx|volta|asdf|mise|nix-env|cnpm|corepack)$/;
const removing = /^(?:un|uninstall|unlink|remove|rm|r|purge|delete|link|rebuild|autoremove|-R|-Rs|-e)$/;
const replacing = /^(?:i|in|install|add|update|up|upgrade|ci)$/;
const isPackage = (word: string): boolean => /^(?:npm:)?hookline(?:@.*)?$/i.test(word);
/** Of another origin than the registry: an archive, a folder, an address, another package under its name. */
const isOtherPackage = (word: string): boolean =>
  /(?:^|[/:])hookline(?:-\d[\w.+-]*)?\.(?:tgz|tar\.gz|git)(?:#.*)?$|^hookline@(?:file|npm|git|https?|link|github)\b.*|^(?:file|link|github):.*\/hookline$/i.test(
    word,
  );

export function byService(name: string, texts: readonly string[], { own, workspace }: Line): string | undefined {
  const words = texts.slice(1);
  // A folder that holds another Hookline takes the place of the installed one.
  const isInstalling =
    managers.test(name) && words.some((word) => /^(?:-g|--global|--location=global|global|link)$/.test(word));
  if (isInstalling && words.some((word) => /^[./~]/.test(word) && own.isProgram(`${word}/bin/any`, workspace)))
    return removes;
  if (managers.test(name) && words.some(isOtherPackage) && words.some((word) => replacing.test(word))) return removes;
  if (managers.test(name) && words.some(isPackage)) {
    const isGlobal = words.some((word) => /^(?:-g|--global|--location=global|global)$/.test(word)) || name === "volta";
    if (words.some((word) => removing.test(word)) || (isGlobal && words.some((word) => replacing.test(word))))
      return removes;
  }
  if (/^(?:systemctl|service|launchctl|pm2|sv|rc-service)$/.test(name) && words.some((word) => /hookline/i.test(word)))
    return words.some((word) => /^(?:status|show|list|list-units|is-active|cat|print|start|enable|restart)$/.test(word))
      ? undefined
      : stops;
  if (/^(?:kill|pkill|killall|killall5|fuser|skill|tskill|xkill)$/.test(name)) {
    const daemon = own.daemon();
    const means = (word: string): boolean =>
      /hookline/i.test(word) ||
      (daemon !== undefined &&
        (word === String(daemon.pid) ||
          word === `-${daemon.pid}` ||
          (/^node(?:js)?$/.test(word) && name !== "kill"))) ||
      (daemon?.port !== undefined && new RegExp(`^:?${daemon.port}(?:/tcp)?$`).test(word));
    if (words.some((word) => word.split(between).some(means))) return stops;
    if (daemon?.port !== undefined && words.some((word) => word.includes(`:${daemon.port}`))) return stops;
  }
  return undefined;
}

const versionManagers = /^(?:nvm|fnm|n|nodenv|nvs|volta|asdf|mise|brew|apt|apt-get|dnf|pacman)$/;

/** Without the Node that it runs with, Hookline cannot be started. */
export function takesNode(command: SimpleCommand, line: Line): boolean {
  const [program = "", ...words] = command.words;
  const name = baseName(program);
  if (/^(?:nvm|fnm|n|nodenv|nvs)$/.test(name)) return words.some((word) => removing.test(word));
  if (versionManagers.test(name))
    return words.some((word) => removing.test(word)) && words.some((word) => /^node(?:js)?(?:@.*)?$/.test(word));
  if (!sweeping.has(name) || name === "find" || name === "fd") return false;
  return words.some((word) => nodeNames.test(word)) || isAsked(command, line, /^node(?:js)?$/);
}
const nodeNames = new RegExp(`(?:^|/)bin/node(?:js)?$|^/${unknownText}/node(?:js)?$`);

/** What is written there is another program from then on. A project may have one of its own. */
export function isNode(path: string, cwd: string | undefined, workspace: string): boolean {
  if (!nodeNames.test(path) && !(/^node(?:js)?$/.test(path) && /\/bin$/.test(cwd ?? ""))) return false;
  return (path.startsWith("/") || path.startsWith("~") || cwd !== workspace) && !path.startsWith(`${workspace}/`);
}
