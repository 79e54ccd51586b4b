/** Blocks of pages that show a file: `<!-- file: examples/library/guard.ts -->`, and below it the file as a reader would write it. */

type Read = (path: string) => string | undefined;

const block = /^<!-- file: (\S+) -->\n(```\w*\n)([\s\S]*?)^```$/gm;

export const filesIn = (page: string): string[] => [...page.matchAll(block)].map(([, path = ""]) => path);

/** A reader has the package; the files import what lies beside them. */
const asReaderWritesIt = (text: string): string => text.replace(/from "(\.\.\/)+src\/index\.ts"/g, 'from "hookline"');

/** The page with every such block as its file is now; a file that is missing leaves its block alone. */
export const withFiles = (page: string, read: Read): string =>
  page.replace(block, (written, path: string, fence: string) => {
    const text = read(path);
    return text === undefined ? written : `<!-- file: ${path} -->\n${fence}${asReaderWritesIt(text)}\`\`\``;
  });

/** The files whose block is another text. */
export const staleBlocks = (page: string, read: Read): string[] =>
  [...page.matchAll(block)].filter(([written]) => withFiles(written, read) !== written).map(([, path = ""]) => path);
