/** docs/exports.md: each name that programs can import, as its declaration says it. A review sees there what changes for them. */
import ts from "typescript-for-its-server";

/** A name that can be imported, from one of the entries of the package. */
export interface Exported {
  entry: string;
  name: string;
  /** Without comments. */
  declaration: string;
  /** It exists when a program runs; the others are types. */
  isValue: boolean;
  /** What its docstring shows after `@example`. */
  example: string | undefined;
}

/** @param entries what is imported, such as "hookline/testing" → the file that declares it */
export function exportedOf(program: ts.Program, entries: Readonly<Record<string, string>>): Exported[] {
  const checker = program.getTypeChecker();
  return Object.entries(entries).flatMap(([entry, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} exports nothing`);
    return checker
      .getExportsOfModule(module)
      .map((symbol) => exported(entry, symbol, checker))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  });
}

const printer = ts.createPrinter({ removeComments: true });

function exported(entry: string, symbol: ts.Symbol, checker: ts.TypeChecker): Exported {
  const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declarations = meant.declarations ?? [];
  const texts = declarations.map((declaration) => {
    const whole = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return printer
      .printNode(ts.EmitHint.Unspecified, whole, whole.getSourceFile())
      .replace(/^export (?:declare )?/, "");
  });
  const tags = meant.getJsDocTags(checker).filter(({ name }) => name === "example");
  return {
    ...{ entry, name: symbol.name, declaration: texts.join("\n") },
    isValue: (meant.flags & ts.SymbolFlags.Value) !== 0,
    example: tags.length === 0 ? undefined : ts.displayPartsToString(tags[0]?.text),
  };
}

export function exportsPage(exported: readonly Exported[]): string {
  const entries = [...new Set(exported.map(({ entry }) => entry))];
  const sections = entries.map((entry) => {
    const names = exported.filter((one) => one.entry === entry);
    const block = (are: string, chosen: readonly Exported[]): string =>
      `### ${are}\n\n\`\`\`ts\n${chosen.map(({ declaration }) => declaration).join("\n\n")}\n\`\`\`\n`;
    const [values, types] = [names.filter(({ isValue }) => isValue), names.filter(({ isValue }) => !isValue)];
    return `## \`${entry}\`\n\n${block("Functions and values", values)}\n${block("Types", types)}`;
  });
  return `${head}\n${sections.join("\n")}`;
}

const head = `# What programs import

Each name that the package exports, as its type declarations say it. \`node scripts/check-package.ts --write\` writes this page, and
\`npm run check\` fails while it is stale, so a change for programs is a change of this page. How to use them:
[the library](library.md), [TypeScript](typescript.md), [tests of hooks](hook-tests.md).
`;
