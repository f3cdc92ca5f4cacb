import { readFileSync } from 'node:fs'
import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Where `vite dev` forwards API calls to; a built UI is served by the server itself. */
const server = process.env.TOUCHSTONE_SERVER ?? 'http://127.0.0.1:3000'

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
    drawBeforeLoading(),
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
          groups: [
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

/**
 * Puts theme, frame and their styles into the page, so that something is drawn before its files arrive. The server's CSP
 * allows this one script by its hash. Style sheets go below the frame, because nothing behind them is drawn without them.
 */
function drawBeforeLoading(): Plugin {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8').trim()
  return {
    name: 'touchstone:draw-before-loading',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const inline = `<style>${readFrameColors(read('./src/ui/tokens.css'))}\n${read('./src/shell/before-paint.css')}</style>
    <script>${read('./src/shell/before-paint.js')}</script>`
        const styles = html.match(/<link rel="stylesheet"[^>]*>/g) ?? []
        const rest = styles.reduce((page, link) => page.replace(link, ''), html)
        return rest
          .replace('<!-- before-paint -->', inline)
          .replace('<!-- styles -->', styles.join(''))
          .replace('/favicon.svg', `data:image/svg+xml,${encodeURIComponent(read('./public/favicon.svg'))}`)
      },
    },
  }
}

/** The colors of both themes that the frame needs. */
function readFrameColors(tokens: string): string {
  const [light = '', dark = ''] = tokens.split('[data-theme="dark"]')
  const pick = (theme: string) => theme.match(/--(bg|surface|sunken|hover|border): [^;]+;/g)?.join(' ')
  return `:root { ${pick(light)} }\n[data-theme="dark"] { ${pick(dark)} }`
}
