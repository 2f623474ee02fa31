import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The page is served by the table server: `make page` builds it into the package. While working on
// it, `npm run dev` shows each change at once and passes everything else on to `pitboss serve`.
const server = "http://127.0.0.1:8021";

export default defineConfig(({ command }) => ({
  base: command === "build" ? "/page/" : "/",
  plugins: [svelte()],
  build: {
    outDir: "../src/pitboss/page",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2022",
  },
  server: { proxy: { "/api": { target: server, ws: true } } },
}));
