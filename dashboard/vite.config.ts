/** How the dashboard is built: one page whose parts are files of the same origin, as its content policy wants. */
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/dashboard",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
export default config;
