import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions } from "../../src/shell/options.ts";
import { type OptionText, type Program, programNames, programOf } from "../../src/shell/programs.ts";
import { createSpell } from "../../src/shell/spelling.ts";

const texts = ({ options = "", subcommands = {} }: Program): OptionText[] => [options, ...Object.values(subcommands)];
const rows: readonly (readonly [string, Program])[] = programNames().map((name) => [name, programOf(name)]);
const namesIn = (text: OptionText): string[] =>
  text.split(" ").flatMap((entry) => entry.replace(/(?<=.)(\?\$|[=?!.$])?(>.*)?$/, "").split(","));

test("every option stands once in its text, so none hides another", () => {
  for (const [program, row] of rows) {
    for (const text of texts(row)) {
      const names = namesIn(text);
      assert.deepEqual(names, [...new Set(names)], `${program}: ${text.slice(0, 40)}`);
      assert.ok(text === "" || !names.includes(""), `${program}: a blank too many in ${text.slice(0, 40)}`);
    }
  }
});

test("a row of the table is read whole: its own options, those of sub-commands, other names, and where another program begins", () => {
  assert.deepEqual(programOf("cargo").aliases, { b: "build", c: "check", r: "run", t: "test", rm: "remove" });
  const { options, reads, isMixed, runs, subcommands } = programOf("kubectl");
  assert.match(options ?? "", /^as= as-group= /);
  assert.deepEqual([reads, isMixed, runs, subcommands?.["config delete-context"]], ["exact", true, { exec: 1 }, ""]);
  assert.match(subcommands?.describe ?? "", /^f,filename= .* show-events$/);
  assert.deepEqual(programOf("netlify").subcommands, { "sites:delete": "f,force" });
  assert.equal(programOf("docker"), programOf("podman"));
});

test("what an option stands for is an option itself", () => {
  for (const [program, row] of rows)
    for (const text of texts(row))
      for (const [, meaning = ""] of text.matchAll(/>(\S+)/g))
        for (const name of meaning.split(">")) assert.ok(namesIn(text).includes(name), `${program}: ${name}`);
});

const spell = createSpell();
const spelled = (line: string): object => {
  const { program, subcommand, options, operands } = spell(line.split(" "));
  const given = options.map(({ name, value }) => (value === undefined ? name : `${name}=${value}`));
  return [[program, subcommand].filter(Boolean).join(" "), given, operands];
};

test("a command is spelled with one name for each option, and its operands in order", () => {
  const rows: readonly (readonly [line: string, ...spelling: unknown[]])[] = [
    ["/bin/rm -fr --verb a b", "rm", ["force", "recursive", "verbose"], ["a", "b"]],
    ["git -C x push -fo k origin", "git push", ["C=x", "force", "push-option=k"], ["origin"]],
    ["git remote rm x", "git remote remove", [], ["x"]],
    ["docker --context a compose -f y up -d web", "docker compose up", ["context=a", "file=y", "detach"], ["web"]],
    ["docker container run -p 1:2 img -p x", "docker run", ["publish=1:2"], ["img", "-p", "x"]],
    ["kubectl exec -n=a pod -it -- ls -l", "kubectl exec", ["namespace=a", "stdin", "tty", "ls l"], ["pod", "ls"]],
    ["tar cf a.tar b", "tar", ["create", "file=a.tar"], ["b"]],
    ["terraform apply -auto-approve -var a=b", "terraform apply", ["auto-approve", "var=a=b"], []],
    ["python3.12 -m pip install -U x", "python3.12", ["m", "pip upgrade"], ["pip", "install", "x"]],
    ["sudo -u ada FOO=1 rm -r x", "sudo", ["user=ada", "FOO=1", "rm recursive"], ["rm", "x"]],
    ["kill -SIGKILL 1", "kill", ["signal=KILL"], ["1"]],
    ["head -5 x", "head", ["5"], ["x"]],
    ["bzip2 -dk x", "bzip2", ["decompress", "keep"], ["x"]],
    ["npm unpub x", "npm unpublish", [], ["x"]],
    ["deploytool -rf --a=b x", "deploytool", ["-rf", "--a=b"], ["x"]],
    ["constructor -r x", "constructor", ["-r"], ["x"]],
    ["git toString -r", "git toString", ["r"], []],
  ];
  for (const [line, ...spelling] of rows) assert.deepEqual(spelled(line), spelling, line);
});

test("what runs others is read from the same rows, up to the first word that they do not tell", () => {
  const rows: readonly (readonly [line: string, read: object])[] = [
    ["timeout -k 5 --foreground 9 rm x", { given: ["kill-after=5", "foreground="], rest: ["9", "rm", "x"] }],
    ["timeout --version rm x", { given: ["version="], rest: ["rm", "x"], stops: true }],
    ["timeout --kill 5 rm x", { given: ["kill-after=5"], rest: ["rm", "x"], fault: "--kill" }],
    ["nice -10 rm x", { given: ["10="], rest: ["rm", "x"] }],
    ["nohup -10 rm x", { given: ["10="], rest: ["rm", "x"], fault: "-10" }],
    ["su ada -c x", { given: ["command=x"], lines: ["x"], rest: ["ada"] }],
    ["bash +x -O a b", { given: ["x=", "O=a"], rest: ["b"] }],
    ["screen -list -S a b", { given: ["-list=", "S=a"], rest: ["b"] }],
    ["uv -m a b", { given: ["module="], rest: ["a", "b"], stops: true }],
  ];
  for (const [line, read] of rows) {
    const words = line.split(" ");
    const { given, ...found } = readOptions(words, programOf(words[0] ?? ""));
    const named = given.map(({ name, value }) => `${name}=${value}`);
    assert.deepEqual({ ...found, given: named }, { given: [], lines: [], stops: false, ...read }, line);
  }
});
