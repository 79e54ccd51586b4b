/** What each flag of a command does, for `--help` and the command line's page. Apart, so that commands start without it. */
const everywhere = {
  "--cwd": "works in this folder instead of the current one",
  "--json": "prints exact JSON, for programs",
  "--store":
    "the store's file, or the `postgres://…` to which the record of the usual one goes; default: the one in your state folder",
  "--quiet": "`-q`: prints nothing but errors",
  "--verbose": "also prints notes and what programs said, where a command has such",
  "--help": "`-h`: what a command takes, with an example",
  "--version": "`-v`: which Hookline this is",
} as const;

export const flagTexts: Readonly<Record<string, string>> = {
  ...everywhere,
  "init --team": "also writes into CONTRIBUTING or README what Hookline is, how to install it and how to go on without",
  "init --yes": "makes each change that it proposes, without asking",
  "init --dry-run": "shows each change, writes nothing, and shows changes of agents' settings whole",
  "demo --once": "exits when the replay is over, and serves no dashboard",
  "emit --data": "the payload: JSON, `@FILE`, or `-` for standard input; default: `{}`",
  "emit --session": "the session of the event; limits such as `once` count per session",
  "explain --data": "as for `emit`",
  "explain --all": "also the automations that the store keeps for other projects",
  "explain --session": "as for `emit`",
  "run --data": "as for `emit`; the event is the first one that the hook listens to",
  "run --session": "the session that it runs in; a pending check of that session is done when the hook passes",
  "run --all": "for hooks on changed files: treats every file of the repository as changed",
  "replay --with":
    "this hook file takes the place of the one with its name, or is added; the project's own file stays as it is",
  "replay --run":
    "runs programs, in a scratch copy of the project; without it none runs, and a program whose file and input are unchanged counts with its recorded answer",
  "replay --all": "of a day the events of all projects, not only of this one",
  "list --event": "only hooks that listen to this event",
  "list --all": "also the automations that the store keeps for other projects",
  "list --slow":
    "slowest first, by the 95th percentile of each hook's runs in the last 30 days (at most 500), with its budget",
  "add --level": "which rules: `quiet` has those that disturb almost no work, `strict` all; default: `standard`",
  "add --report": "the rules only record what they would do, as for a first week; `guard stats` counts it",
  "add --obey": "the rules of a file that was written with `--report` count from now on",
  "add --user": "writes to your own hook files, for all your projects, and not to this project",
  "add --yes": "writes without asking",
  "add --update":
    "compares the file with the pack or the recipe and takes over what has changed; rules of your own stay",
  "add --list": "lists the packs and the recipes, or the rules of a pack, and writes nothing",
  "guard off --for": "how long, such as `30m`, `1h` or `1h30m`; at most `24h`; required",
  "test --from":
    "makes a test of what a recorded run's event was answered; prints it, or writes it to FILE, which must be new",
  "test --watch": "runs again after each change of a file of the project, until Ctrl-C",
  "test --junit": "also writes the results to this file, as CI servers read them",
  "trust --hash":
    "trusts without asking if the folder still has this hash. `trust list --json` prints it. For CI, after you have read the files",
  "trust --watch": "keeps running, shows each change of a hook file and asks whether to trust it",
  "register --validate": "also reports every mistake with file and line on standard error; exits 1 if one is an error",
  "runs --hook": "only runs of this hook, by the name or the id that `list` shows",
  "runs --since": "only runs that began in this time, such as `30m`, `2h` or `1d`, or after this date",
  "runs --text": "only runs that hold this text in their names, reasons, answers or output",
  "runs --project": "only runs of the project that this folder belongs to; default: the current folder",
  "runs --all": "runs of all projects",
  "runs --session": "only runs of this session",
  "runs --event": "only runs of this event",
  "runs --status":
    "only runs with this status: queued, running, completed, skipped, failed, timeout, cancelled or interrupted",
  "runs --limit": "how many; default: 30",
  "store --to": "where the record goes: `postgres://ROLE@HOST/DATABASE`, or `sqlite:FILE`, which must be new",
  "store --writer": "gives this role the right to write rows, and no other",
  "store --reader": "gives this role the right to read rows",
  "store --keep": "days after which events and runs are forgotten; at first 30",
  "check --all": "also the automations that the store keeps for other projects",
  "follow-ups --all": "also lists those that are done, and those of other projects",
  "follow-ups --yes": "runs a command without asking; needed where there is no terminal",
  "install --layer": "which of the agent's settings files: `user`, `project` or `local`; default: `user`",
  "install --http":
    "the agent sends its events to the daemon over HTTP, where it can; not for `project`, because the file then holds a token",
  "install --take-over": "moves the agent's own hooks into Hookline's file; uninstall moves them back",
  "install --dry-run": "shows what would change, line by line, and writes nothing",
  "doctor --fire":
    "runs each registered line with a payload for no hook, as the agent would, and says which events did not arrive",
  "doctor --fix":
    "does what is safe and says what it did: execute bits, modes of the state folder, a daemon that hooks wait for, registrations that lead nowhere",
  "uninstall --layer": "as for `install`",
  "uninstall --dry-run": "shows what would change, line by line, and writes nothing",
  "git --dry-run": "shows what would change and writes nothing",
  "git --by": "internal: the hook file that git started",
  "git --renew": "internal: the hook file of an earlier build says it; without effect",
  "up --port":
    "the port on this machine; 0: any free port. Default: the port that agents' HTTP hooks use, else 4665, else any free port",
  "up --workspace":
    "a folder whose automation files are active; may be given more than once; default: the current folder",
  "up --once": "runs what is due and queued now, waits for it and exits: for cron, or a test",
  "up --background": "starts it in the background, and returns when it is running or has failed",
  "up --idle-exit":
    "stops after so many minutes without events, unless a schedule, a watch or a run needs it; default: it stays",
  "up --service":
    "starts nothing: prints a `systemd` user unit or a `launchd` agent that runs it from login on with these flags; default of `--workspace` here: your home folder",
  "up --on-demand":
    "internal: how clients start it. It exits when a daemon is already running, exits when you start your own, and stops after an hour without events",
  "mcp --read-only": "offers only the tools that change nothing",
  "mcp --tools":
    "offers only these tools: a list with commas of operations, or of groups such as `task`; `task_*` is the same",
  "why --session": "the newest event of the session whose id begins so",
  "worker --name":
    "its name, which no other process may have at the same time; default: one that stays in your state folder",
  "why --event": "the newest event of this name",
  "why --all":
    "the newest event of any project, and automations of other projects too; without it, an event of this project comes first",
  "purge --before": "a date such as 2026-01-01; everything older is deleted",
  "hook --event": "the event, for payloads that do not name it themselves",
  "hook --by": "internal: the registration that calls, so that a redelivery is recognized",
};
