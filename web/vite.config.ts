import { defineConfig } from 'vitest/config';

// One script and one style sheet with fixed names: the C++ build embeds them, and the one-file report inlines them.
export default defineConfig({
  base: './',
  test: { include: ['tests/unit/*.test.ts'], css: true },
  build: {
    outDir: '../build/web/dist',
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        entryFileNames: 'app.js',
        assetFileNames: 'app.[ext]',
        codeSplitting: false,
      },
    },
  },
});
