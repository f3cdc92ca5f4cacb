import { readFileSync } from 'node:fs'
import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Where `vite dev` forwards API calls to; a built UI is served by the server itself. */
const server = process.env.TOUCHSTONE_SERVER ?? 'http://127.0.0.1:3000'

const FIRST_ICONS =
  /lucide-react\/.*\/icons\/(arrow-(up|down)|bot|check|chevron-down|chevrons-up-down|circle-check|circle-user-round|clock|database|ellipsis|folder-kanban|house|list-checks|log-out|monitor|moon|panel-left|pencil|pin|plus|search|search-x|settings|sun|trash|trash-2|user-plus|x)\.m?js$/

/** What every page loads: React, the router, the query cache. */
const FRAMEWORK =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(react-router|router-core|history|react-query|query-core|react-store|store))\//

/** Modules of ours that the frame of every page needs. */
const FIRST_CONTROLS =
  /src\/(lib\/(store|browser|preferences|format)|ui\/(button|tooltip|copy-button|shortcuts|toast|menu|hooks|lazy))\.tsx?$/

export default defineConfig({
  plugins: [
    tanstackRouter({
      routesDirectory: './src/routes',
      generatedRouteTree: './src/route-tree.gen.ts',
      quoteStyle: 'single',
      autoCodeSplitting: true,
      // Loaders go with their pages: the first screen need not carry what reads a trace.
      codeSplittingOptions: { defaultBehavior: [['component', 'loader']] },
      routeFileIgnorePattern: '\\.test\\.',
    }),
    react(),
    tailwindcss(),
    inlineThemeScript(),
  ],
  resolve: { conditions: ['touchstone:source', 'module', 'browser', 'development|production'] },
  server: { proxy: { '/api': server } },
  build: {
    target: 'es2023',
    // Module preload needs no polyfill in the browsers we target, and the polyfill would be an inline script to the CSP.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          // Small modules that several pages share would be a request and a gzip header each.
          groups: [
            { name: 'icons', test: FIRST_ICONS },
            { name: 'react', test: FRAMEWORK },
            { name: 'controls', test: FIRST_CONTROLS },
            // The editor as one chunk would be over the budget of a chunk.
            {
              name: 'editor-view',
              test: /node_modules\/(@codemirror\/(view|state)|style-mod|w3c-keyname|crelt|@marijn\/find-cluster-break)\//,
            },
          ],
        },
      },
    },
  },
})

/** Puts the theme into the page before the first paint; the server's CSP allows this one script by its hash. */
function inlineThemeScript(): Plugin {
  const source = new URL('./src/shell/theme-before-paint.js', import.meta.url)
  return {
    name: 'touchstone:inline-theme',
    transformIndexHtml: (html) =>
      html.replace('<!-- theme -->', `<script>${readFileSync(source, 'utf8').trim()}</script>`),
  }
}
