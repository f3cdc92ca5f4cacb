import { relative } from 'node:path'
import { build } from 'vite'

/**
 * The chunks of pages in the order in which users open them. `from` lists the modules that a page loads at once, `budget`
 * what a browser may receive for it, without the API. A module that several pages after the first load, or that many
 * parts of the UI load, is in the `-common` chunk of the first of them.
 */
export const PAGES = [
  {
    name: 'Home',
    budget: { files: 6, kilobytes: 180 },
    chunk: 'app',
    from: [
      'index.html',
      'src/routes/o/$tenant/route.tsx',
      'src/routes/o/$tenant/index.tsx',
      'src/routes/o/$tenant/-get-started.tsx',
      'src/routes/o/$tenant/-home-cards.tsx',
      'src/domain/onboarding/first-trace.tsx',
      'src/domain/projects/project-activity.tsx',
      'src/data/workspaces.ts',
      'src/shell/jobs-tray.tsx',
    ],
  },
  {
    name: 'Runs list',
    budget: { files: 8, kilobytes: 212 },
    chunk: 'runs',
    from: [
      'src/routes/o/$tenant/projects/p/$projectId/index.tsx',
      'src/routes/o/$tenant/projects/p/$projectId/-read-default-view.ts',
      'src/shell/project-label.tsx',
    ],
  },
  {
    name: 'Menus, popovers and the command palette',
    chunk: 'layers',
    from: [
      'src/ui/menu-layer.tsx',
      'src/ui/popover-layer.tsx',
      'src/shell/command-palette.tsx',
      'src/domain/filter-bar/chip-editor.tsx',
      'src/domain/filter-bar/text-editor.tsx',
      'src/ui/time-range-form.tsx',
      'src/routes/o/$tenant/projects/p/$projectId/-column-menu.tsx',
      'src/routes/o/$tenant/projects/p/$projectId/-view-list.tsx',
    ],
  },
  {
    name: 'Trace',
    chunk: 'trace',
    from: [
      'src/routes/o/$tenant/projects/p/$projectId/r/$runId.tsx',
      'src/routes/o/$tenant/projects/p/$projectId/-run-peek.tsx',
      'src/routes/o/$tenant/projects/p/$projectId/-runs-bulk-bar.tsx',
    ],
  },
]

/** What every page loads and only an update of a library changes. */
const FRAMEWORK =
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(react-router|router-core|history|react-query|query-core|react-store|store))\//

/** The bundler's own helpers. */
const RUNTIME = /^\0?rolldown\/runtime/

/** Modules that this many parts of the UI load are common. */
const COMMON_FROM = 12

/**
 * Assigns modules to chunks by the pages that load them, so that a page is a few requests and has little of what only
 * other pages need. A build without groups tells which modules a page loads after tree shaking.
 *
 * @returns the name of the chunk of a module, or undefined if the bundler decides
 */
export async function groupChunks(root) {
  const { output } = await build({
    root,
    logLevel: 'warn',
    plugins: [
      { name: 'touchstone:no-styles', enforce: 'pre', load: (id) => (/\.css(\?|$)/.test(id) ? '' : undefined) },
    ],
    build: { write: false, minify: false },
  })
  const entries = output.filter((file) => file.type === 'chunk' && (file.isEntry || file.isDynamicEntry))
  const uses = new Map()
  for (const id of entries.flatMap((entry) => listAllModules(entry, output))) uses.set(id, (uses.get(id) ?? 0) + 1)

  const groups = new Map()
  const assign = (id, group) => groups.has(id) || groups.set(id, group)
  for (const id of uses.keys()) if (FRAMEWORK.test(id)) groups.set(id, 'react')
  const pages = PAGES.map(({ chunk, from }) => {
    const parts = from.flatMap((source) => findParts(root, output, source))
    return { chunk, modules: new Set(parts.flatMap((part) => listAllModules(part, output))) }
  })
  const [first, ...others] = pages
  for (const id of first.modules) assign(id, first.chunk)
  for (const { chunk, modules } of others) {
    for (const id of modules) {
      const isCommon =
        (uses.get(id) ?? 0) >= COMMON_FROM || others.some((page) => page.chunk !== chunk && page.modules.has(id))
      assign(id, isCommon ? `${chunk}-common` : chunk)
    }
  }
  return (id) => (RUNTIME.test(id) ? 'react' : groups.get(id))
}

/** The chunks with a module of the UI. A route is split into parts, whose names end with a query. */
export function findParts(root, output, source) {
  const isPart = (id) => relative(root, id).replace(/\?.*/, '') === source
  const found = output.filter((file) => file.type === 'chunk' && listModules(file).some(isPart))
  if (found.length === 0) throw new Error(`The build has no part ${source}; scripts/group-chunks.mjs names it.`)
  return found
}

/** A chunk and all chunks that it imports, directly or through another. */
export function listChunks(chunk, output, found = new Set()) {
  if (found.has(chunk)) return found
  found.add(chunk)
  for (const name of chunk.imports) {
    const imported = output.find(({ fileName }) => fileName === name)
    if (imported !== undefined) listChunks(imported, output, found)
  }
  return found
}

const listAllModules = (chunk, output) => [...listChunks(chunk, output)].flatMap(listModules)
const listModules = (chunk) => Object.keys(chunk.modules)
