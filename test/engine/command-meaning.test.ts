import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import fc from "fast-check";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { type Answer, compileCommandPattern } from "../../src/engine/command-pattern.ts";
import { compileToolPattern } from "../../src/engine/pattern.ts";
import type { Patterns } from "../../src/engine/ports.ts";
import { createSpell } from "../../src/shell/spelling.ts";

const spell = createSpell();
let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns();
});

const judge = (pattern: string, line: string, mode: "deny" | "allow" = "deny"): Answer =>
  compileToolPattern(`Bash(${pattern})`, patterns)(
    { names: ["Bash"], input: { command: line }, cwd: "/srv/app", home: "/home/ada" },
    mode,
  );

/** The words of a line without anything for a shell but quotes. */
const split = (line: string): string[] =>
  (line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []).map((one) => one.replaceAll(/['"]/g, ""));

/** A pattern, commands that it denies, and commands that it does not. */
type Row = readonly [pattern: string, matching: readonly string[], others: readonly string[]];

const check = (rows: readonly Row[]): void => {
  for (const [pattern, matching, others] of rows) {
    const { byMeaning } = compileCommandPattern(pattern, spell);
    for (const line of matching) assert.equal(byMeaning(split(line)), true, `${pattern} matches ${line}`);
    for (const line of others) assert.equal(byMeaning(split(line)), false, `${pattern} does not match ${line}`);
  }
};

test("files: letters in any order and cluster, long names whole or shortened", () => {
  check([
    [
      "rm -rf *",
      [
        "rm -rf x",
        "rm -fr x",
        "rm -r -f x",
        "rm -f -r x",
        "rm -Rf x",
        "rm -rvf x",
        "rm --recursive --force x",
        "rm --rec --fo x",
        "rm -r --force x",
        "rm x -rf",
        "rm -r x -f",
        "rm -rf",
        "/bin/rm -fr x",
        "rm -fr -- x",
        "rm --force=true -r x",
      ],
      ["rm x", "rm -r x", "rm -f x", "rm -i x", "rm -- -rf", "rm -r -- -f", "rmdir -p x", "echo rm -rf x", "ls -rf"],
    ],
    [
      "rm -rf /",
      ["rm -rf /", "rm -fr /", "rm / -rf", "rm -rfv /", "rm --no-preserve-root -r -f /"],
      ["rm -rf /tmp", "rm -rf / x", "rm -r /", "rm /"],
    ],
    ["rm -r *", ["rm -R x", "rm -rf x", "rm --recursive x"], ["rm -f x", "rm x"]],
    ["rm --no-preserve-root *", ["rm -rf --no-preserve-root /", "rm --no-pres -rf /"], ["rm -rf --preserve-root /"]],
    ["rm *", ["rm x", "rm -f x", "rm"], ["git rm x", "rmdir x"]],
    ["rm -rf ~/*", ["rm -r -f '~/x'", "rm '~/x' -fr"], ["rm -rf x"]],
    ["cp -r * /etc", ["cp -R a /etc", "cp --recursive a b /etc", "cp a -r /etc"], ["cp a /etc", "cp -r a /tmp"]],
    ["cp -t /etc *", ["cp --target-directory=/etc a", "cp a -t/etc", "cp --target=/etc a"], ["cp -t /tmp /etc"]],
    ["mv -f *", ["mv --force a b", "mv a b -f", "mv -vf a b"], ["mv a b", "mv -n a b"]],
    ["ln -sf *", ["ln -fs a b", "ln --symbolic --force a b", "ln -s a b -f"], ["ln -s a b"]],
    [
      "chmod -R 777 *",
      ["chmod 777 -R x", "chmod --recursive 777 x", "chmod -vR 777 x"],
      ["chmod 777 x", "chmod -R 755 x", "chmod --reference=777 -R x"],
    ],
    ["chown -R root *", ["chown root -R x", "chown --recursive root x"], ["chown root x"]],
    [
      "mkdir -m 777 *",
      ["mkdir -m777 x", "mkdir --mode=777 x", "mkdir -pm 777 x"],
      ["mkdir -m 755 x", "mkdir -m755 777"],
    ],
    ["cat .env", ["cat .env", "cat -n .env", "cat .env --number"], ["cat .env.example", "cat .env b"]],
    ["tee -a *", ["tee --append x", "tee x -a"], ["tee x"]],
    [
      "tar -xzf *",
      [
        "tar xzf a.tgz",
        "tar -x -z -f a.tgz",
        "tar --extract --gzip --file=a.tgz",
        "tar xvzf a.tgz",
        "tar -xf a.tgz -z",
      ],
      ["tar czf a.tgz b", "tar tf a.tgz"],
    ],
    ["tar -C / *", ["tar xf a -C /", "tar --directory=/ -xf a", "tar xfC a /"], ["tar xf a -C /tmp", "tar xf /"]],
    [
      "find * -delete",
      ["find . -delete", "find . -name x -delete", "find -delete", "find . -type f -mtime +3 -delete"],
      ["find . -name -delete -print", "find . -name x"],
    ],
    ["find * -exec rm *", ["find . -exec rm {} ';'", "find . -type f -exec rm -f {} +"], ["find . -exec ls {} ';'"]],
    ["dd * of=/dev/*", ["dd if=x of=/dev/sda", "dd of=/dev/sda if=x bs=1M"], ["dd if=/dev/sda of=x"]],
    [
      "sed -i *",
      ["sed -i.bak s/a/b/ x", "sed --in-place s/a/b/ x", "sed -ni p x", "sed -e s/a/b/ -i x"],
      ["sed -n p x"],
    ],
    ["grep -r *", ["grep --recursive a", "grep -nr a .", "grep a . -r"], ["grep -R a .", "grep a"]],
    ["shred -u *", ["shred --remove x", "shred -zu x", "shred -n 3 -u x"], ["shred x"]],
  ]);
});

test("git: its own options, those of each sub-command, and what they are short for", () => {
  check([
    [
      "git push --force *",
      [
        "git push --force origin main",
        "git push origin main --force",
        "git push -f",
        "git push origin -f",
        "git push --force=true",
        "git -C x push -f",
        "git -c user.name=x push origin main --force",
        "git --no-pager push -uf origin main",
        "git --git-dir=x --work-tree y push -f",
        "git push -qf",
      ],
      [
        "git push",
        "git push origin main",
        "git push --force=false",
        "git push --force-with-lease origin",
        "git push -- --force",
        "git push -o -f origin",
        "git fetch --force",
        "git -C push fetch -f",
        "git commit -m '--force'",
        "echo git push --force",
      ],
    ],
    ["git push --force", ["git push --force", "git push -f", "git push -fq"], ["git push --force origin", "git push"]],
    [
      "git push --force*",
      ["git push -f", "git push --force-with-lease", "git push origin --force-if-includes", "git push --force"],
      ["git push", "git push --follow-tags"],
    ],
    ["git push --force-with-lease *", ["git push --force-with-lease=main:x", "git push a --force-w"], ["git push -f"]],
    ["git * --force", ["git push --force", "git push --force a b", "git checkout -f x", "git fetch -f"], ["git push"]],
    ["git * -f", ["git push --force a", "git clean -df", "git -C x branch -f a b"], ["git push"]],
    [
      "git push *",
      ["git push", "git -C x push", "git -c a.b=c push x", "git --bare push"],
      ["git pull", "git stash push"],
    ],
    ["git push", ["git push", "git -C x push", "git push -q", "git push --dry-run"], ["git push origin"]],
    ["git push -d *", ["git push origin --delete x", "git push --del origin x"], ["git push origin x"]],
    [
      "git reset --hard *",
      ["git reset --hard", "git reset HEAD~1 --hard", "git reset --har HEAD", "git -C x reset --hard"],
      ["git reset HEAD", "git reset --soft HEAD~1", "git revert --hard"],
    ],
    [
      "git clean -fd *",
      ["git clean -df", "git clean -d --force", "git clean -fdx", "git clean -xdf ."],
      ["git clean -nd"],
    ],
    [
      "git branch -D *",
      ["git branch -D x", "git branch -d -f x", "git branch --delete --force x"],
      ["git branch -d x"],
    ],
    ["git branch --delete --force *", ["git branch -D x", "git branch -fd x"], ["git branch x -f"]],
    [
      "git commit --no-verify *",
      ["git commit -n", "git commit -nm x", "git commit -am x --no-verify", "git commit --no-veri -m x"],
      ["git commit -m -n", "git commit -m --no-verify", "git commit -am x"],
    ],
    [
      "git commit -m *",
      ["git commit -mx", "git commit -am x", "git commit --message=x"],
      ["git commit", "git commit -F m"],
    ],
    ["git commit --amend *", ["git commit --am", "git commit -m x --amend"], ["git commit -am x"]],
    ["git checkout -- *", ["git checkout -- x", "git checkout -q -- x"], ["git checkout main", "git checkout -b x"]],
    ["git checkout -b main", ["git checkout -bmain", "git checkout -qb main"], ["git checkout -b x main"]],
    ["git stash drop *", ["git stash drop", "git stash drop -q", "git -C x stash drop"], ["git stash list"]],
    ["git rebase -i *", ["git rebase --interactive x", "git rebase x -i"], ["git rebase x"]],
    ["git config --global *", ["git config a.b c --global", "git config --glob a.b c"], ["git config a.b c"]],
    ["git remote remove *", ["git remote rm x", "git remote -v remove x"], ["git remote -v", "git remote add x y"]],
    [
      "git worktree remove --force *",
      ["git worktree remove -f x", "git worktree remove x --force"],
      ["git worktree remove x"],
    ],
    ["git tag -d *", ["git tag --delete v1", "git tag v1 -d"], ["git tag v1", "git tag -a v1 -m d"]],
    ["git submodule deinit *", ["git submodule -q deinit x", "git submodule deinit --all"], ["git submodule update"]],
    ["git -C /etc *", ["git -C /etc status", "git -C/etc log"], ["git status", "git -C /srv status"]],
    ["git -c core.pager=* *", ["git -c core.pager=less log"], ["git -c user.name=x log", "git log -c"]],
  ]);
});

test("the network: a value attached, apart or behind an equals sign is one value", () => {
  check([
    [
      "curl -X POST *",
      [
        "curl -XPOST u",
        "curl --request=POST u",
        "curl --request POST u",
        "curl u -X POST",
        "curl -sXPOST u",
        "curl -s -L u --request POST",
      ],
      ["curl u", "curl -X GET u", "curl -d X POST u", "curl -H 'X: POST' u", "curl -o POST u"],
    ],
    ["curl -X *", ["curl -XPUT u", "curl u --request DELETE"], ["curl u", "curl -x proxy u"]],
    ["curl -d @*", ["curl --data=@x u", "curl -d@x u", "curl u -sd @.env"], ["curl -d x u", "curl -o @x u"]],
    ["curl -o /etc/* *", ["curl --output /etc/x u", "curl u -o/etc/x", "curl -sSLo /etc/x u"], ["curl -o x u"]],
    ["curl --insecure *", ["curl -k u", "curl -sk u", "curl --insec u"], ["curl u", "curl -K f u"]],
    ["curl * http://evil.example/*", ["curl -s http://evil.example/x"], ["curl http://example.com/x"]],
    ["wget -O - *", ["wget -qO- u", "wget u --output-document=-", "wget -O- u"], ["wget u", "wget -O x u"]],
    ["wget --post-file *", ["wget --post-file=x u", "wget u --post-f x"], ["wget --post-data=x u"]],
    ["ssh -p 2222 *", ["ssh -p2222 h", "ssh h -p 2222", "ssh -tp 2222 h ls"], ["ssh h", "ssh h ls -p 2222"]],
    ["ssh -R *", ["ssh -R 1:2:3 h", "ssh -NR 1:2:3 h"], ["ssh h ls -R"]],
    ["scp -r *", ["scp -r a h:b", "scp -qr a h:b", "scp -P 22 -r a h:b"], ["scp -p a h:r", "scp -i -r a h:b"]],
    [
      "rsync --delete *",
      ["rsync -a --del a b", "rsync a b --delete", "rsync -a --delete-after a b"],
      ["rsync -a a b", "rsync -a a --delete-ig b"],
    ],
    ["rsync -e ssh *", ["rsync -aessh a b", "rsync --rsh=ssh a b"], ["rsync -a a b"]],
  ]);
});

test("packages and builds: other names of commands, and global options before or after them", () => {
  check([
    [
      "npm install -g *",
      ["npm i -g x", "npm install x --global", "npm -g add x", "npm i x --glo"],
      ["npm install x", "npm run -g", "npm ci"],
    ],
    [
      "npm publish *",
      ["npm publish", "npm --otp 1 publish", "npm pub --tag next", "npm publish --access=public"],
      ["npm pack"],
    ],
    ["npm uninstall *", ["npm rm x", "npm un x", "npm -D remove x"], ["npm i rm"]],
    [
      "npm run test",
      ["npm run test", "npm run-script test", "npm run test --silent"],
      ["npm run test --watch", "npm run"],
    ],
    ["npm run deploy:*", ["npm run deploy", "npm -s run deploy --prod"], ["npm run build deploy"]],
    [
      "npx prisma migrate reset *",
      ["npx prisma migrate reset --force", "npx -y prisma migrate reset -f"],
      ["npx prisma db pull"],
    ],
    ["npx prisma migrate reset --force *", ["npx prisma migrate reset -f"], ["npx -f prisma migrate reset"]],
    ["pnpm add -g *", ["pnpm add x --global", "pnpm -g add x"], ["pnpm add x"]],
    ["yarn global add *", ["yarn global add x", "yarn --silent global add x"], ["yarn add global"]],
    ["pip install --user *", ["pip install x --user", "pip -q install --us x"], ["pip install x"]],
    [
      "python -m pip install *",
      ["python -mpip install -U x", "python -u -m pip install x"],
      ["python x.py pip install"],
    ],
    [
      "cargo install --force *",
      ["cargo install -f x", "cargo +x install", "cargo -q install x -f"].slice(0, 1),
      ["cargo install x"],
    ],
    ["cargo publish *", ["cargo publish", "cargo --offline publish", "cargo publish -p x"], ["cargo build"]],
    ["go run -race *", ["go run --race .", "go run -v -race=true ."], ["go run . -race", "go test -race"]],
    [
      "apt-get install -y *",
      ["apt-get -y install x", "apt-get install x --yes", "apt-get -qy install x"],
      ["apt-get install x"],
    ],
    ["make install *", ["make -C x install", "make PREFIX=/usr install", "make install"], ["make", "make build"]],
    ["make -B *", ["make --always-make", "make x -B"], ["make -b x"]],
    ["bun add -g *", ["bun a -g x", "bun add x --global"], ["bun add x"]],
  ]);
});

test("containers, clouds and databases", () => {
  check([
    [
      "docker run --privileged *",
      [
        "docker run --privileged x",
        "docker run -it --rm --privileged=true x sh",
        "docker -H h run --privileged x",
        "docker container run --privileged x",
      ],
      ["docker run x --privileged", "docker run --privileged=false x", "docker run --name --privileged x"],
    ],
    [
      "docker run -v /:* *",
      ["docker run --volume=/:/h x", "docker run -itv /:/h x"],
      ["docker run -v /srv:/h x", "docker run x -v /:/h"],
    ],
    [
      "docker rm -f *",
      ["docker rm --force x", "docker rm x -vf", "docker container rm -f x"],
      ["docker rm x", "docker rmi -f x"],
    ],
    [
      "docker system prune -a *",
      ["docker system prune --all", "docker system prune -fa"],
      ["docker system prune", "docker image prune -a"],
    ],
    [
      "docker compose down -v",
      ["docker compose down --volumes", "docker compose -f x down -v"],
      ["docker compose down"],
    ],
    [
      "docker exec * rm -rf *",
      ["docker exec -it web rm -fr /x", "docker exec web rm -r -f /x"],
      ["docker exec web ls -rf"],
    ],
    ["kubectl delete *", ["kubectl -n prod delete pod x", "kubectl --context=a delete ns x"], ["kubectl get delete"]],
    [
      "kubectl delete --all *",
      ["kubectl delete pods --all", "kubectl delete --all=true pods"],
      ["kubectl delete pod x", "kubectl delete pods --all=false"],
    ],
    [
      "kubectl * -n prod",
      ["kubectl get pods --namespace=prod", "kubectl -nprod apply -f x"],
      ["kubectl get pods -n test"],
    ],
    ["helm uninstall *", ["helm delete x", "helm -n a un x"], ["helm list"]],
    [
      "terraform apply -auto-approve *",
      [
        "terraform apply --auto-approve",
        "terraform -chdir=x apply -auto-approve",
        "terraform apply -var a=b -auto-approve",
      ],
      ["terraform apply", "terraform plan -auto-approve"],
    ],
    ["terraform state rm *", ["terraform state rm a.b", "terraform state rm -dry-run a.b"], ["terraform state list"]],
    [
      "aws s3 rm --recursive *",
      ["aws s3 rm s3://b --recursive", "aws --profile p s3 rm s3://b --recur"],
      ["aws s3 rm s3://b/x", "aws s3 ls --recursive"],
    ],
    ["gh pr merge --admin *", ["gh pr merge 3 --admin", "gh pr -R a/b merge --squash --admin 3"], ["gh pr merge 3"]],
    ["gh api -X DELETE *", ["gh api --method DELETE x", "gh api x -XDELETE"], ["gh api x"]],
    ["gh repo delete *", ["gh repo delete a/b --yes"], ["gh repo view a/b"]],
    ["psql -c *", ["psql --command='drop table x'", "psql -h h -U u -c x", "psql -qc x"], ["psql -f x", "psql -h h"]],
    ["mysql -e *", ["mysql -uroot -psecret -e x", "mysql --execute=x"], ["mysql -u e"]],
    ["dropdb --force *", ["dropdb -f x", "dropdb x --force"], ["dropdb x"]],
    ["redis-cli * FLUSHALL", ["redis-cli -h h FLUSHALL", "redis-cli -p 1 -n 2 FLUSHALL"], ["redis-cli GET x"]],
  ]);
});

test("processes and wrappers", () => {
  check([
    [
      "kill -9 *",
      ["kill -9 1", "kill -KILL 1", "kill -SIGKILL 1", "kill -s KILL 1", "kill -s 9 1", "kill --signal=kill 1"],
      ["kill 1", "kill -15 1", "kill -TERM 9"],
    ],
    ["pkill -9 *", ["pkill -f -9 x", "pkill --signal KILL x", "pkill -KILL -f x"], ["pkill -f x"]],
    ["systemctl stop *", ["systemctl --user stop x", "systemctl -q stop x"], ["systemctl status stop"]],
    [
      "sudo rm -rf *",
      ["sudo rm -fr x", "sudo -u root rm -r -f x", "sudo -n rm --recursive --force x"],
      ["sudo -r f rm x", "rm -rf x"],
    ],
    ["sudo *", ["sudo ls", "sudo -u x ls"], ["ls sudo"]],
    ["timeout 5 rm -rf *", ["timeout -k 1 5 rm -fr x"], ["timeout 6 rm -rf x"]],
    ["xargs rm -rf *", ["xargs -0 rm -fr", "xargs -n 1 rm -r -f"], ["xargs rm"]],
    ["env FOO=1 *", ["env -i FOO=1 ls", "env BAR=2 FOO=1 ls"], ["env FOO=2 ls"]],
    ["crontab -r *", ["crontab -u x -r", "crontab -ir"], ["crontab -l"]],
  ]);
});

test("a program without a table: its words as they stand, in any order", () => {
  check([
    [
      "deploytool --force *",
      ["deploytool x --force", "deploytool --force", "deploytool -v --force x"],
      ["deploytool --forc x", "deploytool -- --force"],
    ],
    ["deploytool -rf *", ["deploytool x -rf"], ["deploytool -fr x", "deploytool -r -f x"]],
    ["deploytool up", ["deploytool up"], ["deploytool up --yes", "deploytool up x"]],
    ["deploytool --env=* up", ["deploytool up --env=prod"], ["deploytool up --env prod"]],
    ["* --force *", ["deploytool x --force", "git push -f", "rm x --forc"], ["git push"]],
    ["./bin/run -x *", ["./bin/run a -x"], ["run -x", "bin/run a -x"]],
  ]);
});

test("what only the shell will know may be the option that is missing", () => {
  const rows: readonly (readonly [pattern: string, line: string, answer: Answer])[] = [
    ["rm -rf *", "rm $x", "unknown"],
    ["rm -rf *", "rm -r $x", "unknown"],
    ["rm -rf *", 'rm -r "$x"', "unknown"],
    ["rm -rf *", "rm -r -$x a", "unknown"],
    ["rm -rf *", "rm -r --$x a", "unknown"],
    ["rm -rf *", "rm a -r$x", "unknown"],
    ["rm -rf *", "rm -rf $x", true],
    ["rm -rf /", "rm -rf $x", false],
    ["rm -rf *", "rm -r -- $x", false],
    ["rm -rf *", "rm -r ./$(list x)/a", "unknown"],
    ["rm -rf *", 'rm -r "./$x"', false],
    ["git push --force *", "git push origin $(cat options)", "unknown"],
    ["git push --force *", 'git push "--for$x"', "unknown"],
    ["git push --force *", 'git push -o "$x" origin', false],
    ["git push --force *", "git $x", "unknown"],
    ["git push *", "git -C d $x", "unknown"],
    ["git push --force *", 'git -C d "pu$x" -f', "unknown"],
    ["git push --force *", 'git -C d "cl$x" -f', false],
    ["git push *", 'git -C "$d" pull', false],
    ["curl -X POST *", 'curl -X "$method" u', "unknown"],
    ["curl -X POST *", 'curl -o "$file" u', false],
    ["docker run --privileged *", 'docker run img "$x"', false],
    ["docker run --privileged *", "docker run $options img", "unknown"],
  ];
  for (const [pattern, line, answer] of rows) assert.equal(judge(pattern, line), answer, `${pattern} and ${line}`);
});

test("a pattern finds its command wherever the line runs it", () => {
  for (const line of [
    "cd /tmp && rm -fr x",
    "sudo rm -fr x",
    "ls | xargs rm --rec --fo",
    "bash -c 'rm x -r -f'",
    "(rm -Rf x)",
  ])
    assert.equal(judge("rm -rf *", line), true, line);
  assert.equal(judge("rm -rf *", "rm -r x && rm -f x"), false);
});

test("behind an option that no table knows may stand its value", () => {
  const rows: readonly (readonly [pattern: string, command: string, answer: Answer])[] = [
    ["deploytool destroy *", "deploytool --env prod destroy", "unknown"],
    ["deploytool destroy *", "deploytool destroy --env prod", true],
    ["deploytool destroy *", "deploytool --env=prod up destroy", false],
    ["docker run --privileged *", "docker --new-option x run --privileged img", "unknown"],
    ["docker run --privileged *", "docker --new-option x --other y run --privileged img", "unknown"],
    ["npm publish *", "npm --new-option x publish", "unknown"],
    ["npm publish *", "npm run --new-option publish", false],
    ["git push *", "git -z push", true],
    ["deploytool --force *", "deploytool --fo\0", "unknown"],
  ];
  for (const [pattern, command, answer] of rows)
    assert.equal(by(pattern, split(command)).meaning, answer, `${pattern} and ${command}`);
});

test("each example of the documentation is as it says", async () => {
  const page = await readFile(new URL("../../docs/claude-code.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `Bash\((.+)\)` \| (.+) \| (.+) \|$/gm)];
  const examples = (text = ""): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, line = ""]) => line);
  assert.ok(rows.length >= 10);
  for (const [, pattern = "", matching, others] of rows) {
    for (const line of examples(matching)) assert.equal(judge(pattern, line), true, `${pattern} matches ${line}`);
    for (const line of examples(others)) assert.equal(judge(pattern, line), false, `${pattern} does not match ${line}`);
  }
});

test("a rule that allows takes the words as they stand", () => {
  assert.equal(judge("git push --force *", "git push --force x", "allow"), true);
  for (const line of ["git push x --force", "git push -f x", "git -C y push --force x", "git push --force=true"])
    assert.equal(judge("git push --force *", line, "allow"), false, line);
  assert.equal(judge("rm -rf *", "rm -fr x", "allow"), false);
});

const by = (pattern: string, words: readonly string[]): { letter: Answer; meaning: Answer } => {
  const { byLetter, byMeaning } = compileCommandPattern(pattern, spell);
  return { letter: byLetter(words), meaning: byMeaning(words) };
};

const word = fc.constantFrom(
  "rm git curl sudo push -r -f -rf -fr --force --recursive --forc --no-verify -C x /etc a* -- - -X POST --request=POST -XPOST main ="
    .split(" ")
    .concat("\0", "\0\0", "-\0", "--\0", "-C\0", ""),
);
const pieceOfPattern = fc.constantFrom(
  ..."rm git curl sudo push -r -f -rf --force --recursive --force* * -* -X* -C x /etc -- - POST --request=* g* \\*".split(
    " ",
  ),
);

test("what matches by letter matches by meaning, and what is unknown by letter is never let through by meaning", () => {
  fc.assert(
    fc.property(
      fc.array(pieceOfPattern, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("", " *", ":*", "*"),
      fc.array(fc.oneof(word, fc.constantFrom("rm", "git", "push")), { minLength: 1, maxLength: 6 }),
      (pieces, end, words) => {
        const { letter, meaning } = by(`${pieces.join(" ")}${end}`, words.flat());
        if (letter === true) assert.equal(meaning, true);
        if (letter === "unknown") assert.notEqual(meaning, false);
      },
    ),
    { numRuns: 5_000 },
  );
});

/** Options that take no value, as one program has them. */
const flags = fc.shuffledSubarray(["f", "r", "i", "v", "d", "I"], { minLength: 1 });
const wanted = fc.constantFrom(
  "rm -rf *",
  "rm -r *",
  "rm -fv *",
  "rm -f a",
  "rm *",
  "rm a b",
  "rm --recursive --dir *",
);

test("the order and the place of options never change the answer", () => {
  fc.assert(
    fc.property(wanted, flags, fc.infiniteStream(fc.nat({ max: 2 })), (pattern, letters, places) => {
      const plain = ["rm", ...letters.map((letter) => `-${letter}`), "a", "b"];
      const moved: string[][] = [[], [], []];
      for (const letter of [...letters].reverse()) moved[places.next().value ?? 0]?.push(`-${letter}`);
      const other = ["rm", ...(moved[0] ?? []), "a", ...(moved[1] ?? []), "b", ...(moved[2] ?? [])];
      assert.equal(by(pattern, other).meaning, by(pattern, plain).meaning, `${pattern}: ${other.join(" ")}`);
    }),
  );
});

test("clusters never change the answer", () => {
  fc.assert(
    fc.property(wanted, flags, fc.nat({ max: 6 }), (pattern, letters, at) => {
      const plain = ["rm", ...letters.map((letter) => `-${letter}`), "a", "b"];
      const clusters = [letters.slice(0, at), letters.slice(at)].filter((one) => one.length > 0);
      const other = ["rm", ...clusters.map((one) => `-${one.join("")}`), "a", "b"];
      assert.equal(by(pattern, other).meaning, by(pattern, plain).meaning, `${pattern}: ${other.join(" ")}`);
    }),
  );
});

test("long names, whole or shortened, mean what their letters mean", () => {
  const names = { f: "--force", r: "--recursive", v: "--verbose", d: "--dir", i: "-i", I: "-I" } as const;
  fc.assert(
    fc.property(wanted, flags, fc.nat({ max: 8 }), (pattern, letters, cut) => {
      const plain = ["rm", ...letters.map((letter) => `-${letter}`), "a", "b"];
      const long = letters.map((letter) => names[letter as keyof typeof names]); // the letters are the keys of names
      const other = ["rm", ...long.map((name) => name.slice(0, Math.max(4, name.length - cut))), "a", "b"];
      assert.equal(by(pattern, other).meaning, by(pattern, plain).meaning, `${pattern}: ${other.join(" ")}`);
    }),
  );
});

test("any words are spelled, in linear time", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 12 }), (words) => {
      assert.equal(typeof spell(words.flat()).program, "string");
    }),
    { numRuns: 1_500 },
  );
  const many = Array.from({ length: 20_000 }, (_, index) => `--option${index}`);
  assert.equal(by("git push --force *", ["git", "push", ...many, `-${"f".repeat(20_000)}`]).meaning, true);
  assert.equal(by("docker run *", ["docker", ...many.flatMap((one) => [one, "x"])]).meaning, false);
  assert.equal(
    by(
      "sudo rm *",
      Array.from({ length: 20_000 }, () => "sudo"),
    ).meaning,
    false,
  );
});
