/** What the table of programs says of each program, by lines: a row that is lost is a program that runs another one unseen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readShell } from "../../src/shell/read.ts";
import { compileShellTemplate } from "../../src/shell/template.ts";

const read = (line: string) => readShell(line, { cwd: "/w", home: "/home/ada" });

/** In front of a program. */
const wrappers =
  "env|sudo|doas|pkexec|timeout 5|nohup|nice|ionice -c 2|chrt 1|taskset 1|stdbuf -oL|time|setsid|unshare -n|nsenter -t 1 -m|chroot /x|setarch x86_64|linux32|linux64|prlimit|choom -n 1|strace -f|ltrace|unbuffer|caffeinate -i|dbus-run-session|xvfb-run -a|torsocks|proxychains|proxychains4|cross-env A=1|cross-env-shell A=1|dotenv -e .env|busybox|toybox|watch|command|builtin command|exec|npm exec|npm x|pnpm exec|pnpm dlx|yarn exec|yarn dlx|npx|pnpx|bunx|uvx|uv run|pipx run|poetry run|pipenv run|pdm run|hatch run|bundle exec|rbenv exec|pyenv exec|direnv exec .|conda run|micromamba run|rustup run stable|mise exec|mise x|op run|doppler run|entr|gosu ada|su-exec ada|tini|dumb-init|faketime now|rlwrap|chronic|fakeroot|setpriv --no-new-privs|systemd-run --user|flock lock|xargs|perf stat|valgrind|mise x node@20 --|rtx exec node@20 python@3 --|fnm exec --using 20|volta run --node 20|numactl -N 0|meson devenv -C build|script -q /dev/null|gtimeout 5|gnice -n 5|gstdbuf -oL|genv A=1";

test("a program behind one that runs it is found", () => {
  for (const wrapper of wrappers.split("|")) {
    const isFound = read(`${wrapper} rm y`).commands.some(({ words }) => words.join(" ").startsWith("rm y"));
    assert.ok(isFound, wrapper);
  }
});

test("of a program that nobody knows each word may be another program, behind its own words, numbers and options", () => {
  for (const line of [
    "retry 3 rm y",
    "rtk err rm y",
    "rtk test rm y",
    "cmake -E chdir . rm y",
    "cargo make -- rm y",
    "with-env prod rm y",
    "distrobox enter x -- rm y",
    "pueue add -- 'rm y'",
    "pm2 start 'rm y'",
  ]) {
    const found = read(line).commands.find(({ words }) => words.join(" ") === "rm y");
    assert.equal(found?.isPerhaps, true, line);
  }
  for (const line of ["tldr rm y", "gh issue create --title 'rm y'", "cargo test rm y"])
    assert.ok(!read(line).commands.some(({ words }) => words.join(" ") === "rm y"), line);
});

const opaque =
  "dtach firejail bwrap start-stop-daemon daemonize nodemon npm-run-all osascript sem run-parts rr scl nix guix schroot proot fakechroot dbus-launch aa-exec runcon sg newgrp capsh setuidgid envdir softlimit chpst s6-setuidgid catchsegv eatmydata cpulimit trickle mispipe ifne pee errno lckdo annotate-output libtool moreutils ltrace-run dpkg-trigger git-shell";
const shells = "zsh fish ksh ksh93 mksh pdksh yash csh tcsh elvish nu xonsh pwsh powershell";

test("of a program whose words nobody here can tell apart it is said that it may run anything", () => {
  const givesUp = (line: string): boolean => read(line).unknown.some(({ what }) => what === "runs");
  assert.deepEqual(
    opaque.split(" ").filter((name) => !givesUp(`${name} rm y`)),
    [],
  );
  assert.deepEqual(
    shells.split(" ").filter((name) => !givesUp(`${name} -c 'rm y'`)),
    [],
  );
});

test("shells and interpreters have what they are given read", () => {
  const runsIt = (line: string): boolean => read(line).commands.some(({ words }) => words.join(" ") === "rm y");
  for (const name of "bash sh dash ash rbash".split(" ")) assert.ok(runsIt(`${name} -c 'rm y'`), name);
  for (const line of [
    ...["python", "pypy", "python3.13"].map((name) => `${name} -c 'import os; os.system("rm y")'`),
    ...["node", "nodejs", "bun"].map((name) => `${name} -e 'require("child_process").execSync("rm y")'`),
    "deno eval 'execSync(\"rm y\")'",
    "perl -e 'system \"rm y\"'",
    "ruby -e 'system \"rm y\"'",
    "php -r 'system(\"rm y\");'",
    "lua -e 'os.execute(\"rm y\")'",
    ...["vim", "vi", "nvim", "view", "vimdiff", "gvim", "rvim"].map((name) => `${name} -c '!rm y'`),
    ...["tar", "bsdtar"].map((name) => `${name} --use-compress-program='rm y' -xf a`),
    ...["make", "gmake"].map((name) => `${name} --eval='rm y'`),
    ...["scp", "sftp"].map((name) => `${name} -o ProxyCommand='rm y' a b:`),
    "split --filter='rm y' a",
    "man -P 'rm y' ls",
    "zip -TT 'rm y' a b",
    "rg --pre 'rm y' x",
  ])
    assert.ok(runsIt(line) || read(line).unknown.length > 0, line);
});

const refused =
  "bash zsh fish ksh mksh vim vi nvim view pwsh cmd parallel expect socat ncat tmux screen at batch crontab gdb lldb emacs emacsclient ed ex m4 tclsh wish fc alias complete bind eval source . trap let declare typeset local readonly unalias shopt shift unset mapfile readarray getopts compgen compopt enable hash history jobs bg fg disown caller dirs popd emulate autoload zmodload wait run-s run-p onchange chokidar dotenvx shx lint-staged husky lerna nx turbo wireit ssh scp sftp rsync mosh rsh numactl scriptreplay byobu watchexec fswatch nc oil osh sqlite psql mysql mariadb mongosh mongo redis-cli clickhouse-client duckdb nano man bc dc gnuplot octave r scala kotlin jshell ghci runghc runhaskell erl elixir iex irb pry ipython jupyter clojure clj bb racket guile sbcl awkcc java gs tex latex pdflatex xelatex lualatex groff troff debugfs ftp lftp telnet zip bmake cmake ninja mage ant bazel swift pipx nvm asdf mamba nix-build volta fnm corepack perf valgrind";
/** They run a file, or tasks of the project, and no text. */
const careful =
  "python pypy perl ruby node nodejs deno bun tsx ts-node php lua luajit rscript julia groovy make gmake npm pnpm yarn just task cargo go mvn gradle gradlew dotnet poetry bundle rake docker podman nerdctl kubectl oc git";

test("a line with a value may not name a program that could run the value", () => {
  const isTaken = (line: string): boolean => !Array.isArray(compileShellTemplate(line));
  const named = [...refused.split(" "), ...opaque.split(" "), ...careful.split(" ")];
  assert.deepEqual(
    named.filter((name) => isTaken(`${name} '{{event.v}}'`)),
    [],
  );
  for (const name of ["echo", "cat", "wc"]) assert.ok(isTaken(`${name} -- '{{event.v}}'`), name);
});
