/** The language servers that are known without configuration. Data only, so that documentation and code cannot differ. */
import type { Fields, Json } from "../../engine/event.ts";

export interface KnownServer {
  /** As hookline.yaml names it, to replace it or to switch it off. */
  name: string;
  /** LSP's language id by extension. */
  languages: { readonly [extension: string]: string };
  /** Tried in this order: the first that is found is used. */
  commands: readonly (readonly [program: string, ...args: string[]])[];
  /** What a person does to have one. */
  install: string;
  settings?: { readonly [section: string]: Json };
  initialization?: Fields;
  /** It says itself when it has read the project (`experimental/serverStatus`); before that its answers mean nothing. */
  tellsWhenReady?: true;
}

export const knownServers: readonly KnownServer[] = [
  {
    name: "typescript",
    languages: {
      ".ts": "typescript",
      ".tsx": "typescriptreact",
      ".mts": "typescript",
      ".cts": "typescript",
      ".js": "javascript",
      ".jsx": "javascriptreact",
      ".mjs": "javascript",
      ".cjs": "javascript",
    },
    commands: [["typescript-language-server", "--stdio"]],
    install: "npm install --save-dev typescript-language-server typescript@5",
  },
  {
    name: "python",
    languages: { ".py": "python", ".pyi": "python" },
    commands: [["pyright-langserver", "--stdio"], ["basedpyright-langserver", "--stdio"], ["pylsp"]],
    install: "npm install --save-dev pyright",
  },
  {
    name: "go",
    languages: { ".go": "go" },
    commands: [["gopls"]],
    install: "go install golang.org/x/tools/gopls@latest",
  },
  {
    name: "rust",
    languages: { ".rs": "rust" },
    commands: [["rust-analyzer"]],
    install: "rustup component add rust-analyzer",
    tellsWhenReady: true,
  },
  {
    name: "c",
    languages: { ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp" },
    commands: [["clangd"]],
    install: "install clangd with the system's packages",
  },
  {
    name: "json",
    languages: { ".json": "json", ".jsonc": "jsonc" },
    commands: [["vscode-json-language-server", "--stdio"]],
    install: "npm install --save-dev vscode-langservers-extracted",
  },
  {
    name: "css",
    languages: { ".css": "css", ".scss": "scss", ".less": "less" },
    commands: [["vscode-css-language-server", "--stdio"]],
    install: "npm install --save-dev vscode-langservers-extracted",
    settings: {
      css: { validate: true, lint: {} },
      scss: { validate: true, lint: {} },
      less: { validate: true, lint: {} },
    },
  },
  {
    name: "yaml",
    languages: { ".yaml": "yaml", ".yml": "yaml" },
    commands: [["yaml-language-server", "--stdio"]],
    install: "npm install --save-dev yaml-language-server",
  },
  {
    name: "shell",
    languages: { ".sh": "shellscript", ".bash": "shellscript" },
    commands: [["bash-language-server", "start"]],
    install: "npm install --save-dev bash-language-server, and shellcheck with the system's packages",
  },
  {
    name: "lua",
    languages: { ".lua": "lua" },
    commands: [["lua-language-server"]],
    install: "install lua-language-server with the system's packages",
  },
  { name: "zig", languages: { ".zig": "zig" }, commands: [["zls"]], install: "install zls with the system's packages" },
  { name: "ruby", languages: { ".rb": "ruby" }, commands: [["ruby-lsp"]], install: "gem install ruby-lsp" },
];

/** By the whole table: a configured server may name any of these extensions without a language of its own. */
export const languageOf = (extension: string): string | undefined =>
  knownServers.find(({ languages }) => Object.hasOwn(languages, extension))?.languages[extension];
