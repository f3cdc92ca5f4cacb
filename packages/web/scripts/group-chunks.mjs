import { relative } from 'node:path'
import { build } from 'vite'

const WORKSPACE = 'src/routes/o/$tenant'
const PROJECT = `${WORKSPACE}/projects/p/$projectId`
const DATASET = `${WORKSPACE}/datasets/$datasetId`

/** What every page loads, in the chunk `app`. */
export const SHELL = ['index.html', `${WORKSPACE}/route.tsx`, 'src/features/accounts/workspaces.ts']

/**
 * Pages and other parts of the UI. `from` lists the modules that one loads at once beyond the shell; `chunks` is how many
 * chunks it may have beyond that of the shell, `kilobytes` what a browser may receive for it, without the API.
 */
export const PAGES = [
  {
    name: 'Home',
    chunks: 1,
    kilobytes: 180,
    from: [
      `${WORKSPACE}/index.tsx`,
      'src/features/home/get-started.tsx',
      'src/features/home/home-cards.tsx',
      'src/features/onboarding/first-trace.tsx',
      'src/features/projects/project-activity.tsx',
    ],
  },
  {
    name: 'Projects',
    chunks: 5,
    kilobytes: 182,
    from: [
      `${WORKSPACE}/projects/index.tsx`,
      'src/features/projects/list/project-extras.tsx',
      'src/features/projects/project-activity.tsx',
    ],
  },
  {
    name: 'Runs list',
    chunks: 5,
    kilobytes: 206,
    from: [`${PROJECT}/index.tsx`, 'src/features/runs/list/views/read-default-view.ts', 'src/shell/project-label.tsx'],
  },
  {
    name: 'Menus, popovers and the command palette',
    from: [
      'src/ui/menu-layer.tsx',
      'src/ui/popover-layer.tsx',
      'src/shell/command-palette.tsx',
      'src/features/filter/chip-editor.tsx',
      'src/features/filter/text-editor.tsx',
      'src/ui/time-range-form.tsx',
      'src/features/runs/list/columns/column-menu.tsx',
      'src/features/runs/list/views/view-list.tsx',
    ],
  },
  {
    name: 'Preview of a run',
    from: ['src/features/runs/panel/run-peek.tsx', 'src/features/runs/list/runs-bulk-bar.tsx'],
  },
  { name: 'Trace', from: [`${PROJECT}/r/$runId.tsx`, 'src/shell/project-label.tsx'] },
  { name: 'Monitor', from: [`${PROJECT}/monitor.tsx`] },
  { name: 'Threads', from: [`${PROJECT}/threads/index.tsx`] },
  { name: 'Thread', from: [`${PROJECT}/threads/$threadId.tsx`] },
  { name: 'Datasets', from: [`${WORKSPACE}/datasets/index.tsx`] },
  { name: 'Dataset', from: [`${DATASET}/index.tsx`, 'src/shell/evaluation-crumbs.tsx'] },
  { name: 'Experiments', from: [`${DATASET}/experiments.tsx`, 'src/shell/evaluation-crumbs.tsx'] },
  { name: 'Comparison', from: [`${DATASET}/compare.tsx`, 'src/shell/evaluation-crumbs.tsx'] },
  { name: 'Queues', from: [`${WORKSPACE}/annotation-queues/index.tsx`] },
  {
    name: 'Review',
    from: [
      `${WORKSPACE}/annotation-queues/$queueId/review.tsx`,
      'src/features/annotation-queues/review/correction.tsx',
    ],
  },
  { name: 'Prompts', from: [`${WORKSPACE}/prompts/index.tsx`] },
  {
    name: 'Prompt',
    from: [`${WORKSPACE}/prompts/$owner/$repo/{-$commit}.tsx`, 'src/shell/evaluation-crumbs.tsx'],
  },
  { name: 'Playground', from: [`${WORKSPACE}/playground/index.tsx`] },
  // The first page has the name of every chunk, so that small ones in chunks of their own cost it something.
  {
    name: 'Automations',
    from: [
      `${WORKSPACE}/rules/index.tsx`,
      `${WORKSPACE}/rules/$ruleId/index.tsx`,
      `${WORKSPACE}/rules/new.tsx`,
      'src/features/rules/run-rules.tsx',
      'src/shell/rule-crumb.tsx',
    ],
  },
  {
    name: 'Evaluators',
    from: [
      `${WORKSPACE}/evaluators/index.tsx`,
      `${WORKSPACE}/evaluators/$evaluatorId/index.tsx`,
      `${WORKSPACE}/evaluators/new.tsx`,
    ],
  },
]

/** Chunks of a page beyond that of the shell, unless it has its own number. */
const CHUNKS = 10

/** Bytes that a page with a budget receives for nothing count more than those of other pages. */
const BUDGET_WEIGHT = 20

/** The bundler's own helpers. */
const RUNTIME = /^\0?rolldown\/runtime/

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
  return groupOutput(root, output)
}

/** The same from the output of a build without groups. */
function groupOutput(root, output) {
  const pages = PAGES.map(({ from }) => findChunks(root, output, from))
  const small = pages.filter((_, at) => PAGES[at].kilobytes !== undefined)
  const isShared = (chunk) => small.filter((page) => page.has(chunk)).length > 1 && pages[0].has(chunk)
  const shell = new Set([...findChunks(root, output, SHELL), ...output.filter(isShared)])
  const chunkOf = new Map(listModules([...shell]).map((id) => [id, 'app']))
  const pieces = output.filter((chunk) => chunk.type === 'chunk' && !shell.has(chunk))
  for (const [at, { chunks }] of mergeGroups(groupByPages(pieces, pages)).entries()) {
    for (const id of listModules(chunks)) chunkOf.set(id, `pages-${at + 1}`)
  }
  return (id) => (RUNTIME.test(id) ? 'app' : chunkOf.get(id))
}

/** The chunks with parts of the UI, and all that these import. */
function findChunks(root, output, sources) {
  const parts = sources.flatMap((source) => findParts(root, output, source))
  return new Set(parts.flatMap((part) => [...listChunks(part, output)]))
}

/**
 * Groups the pieces that the same pages load.
 *
 * @param pieces  chunks of a build without groups
 * @param pages   the chunks of each page
 * @returns groups with their pages as a set of bits, and the file names that they import
 */
function groupByPages(pieces, pages) {
  const groups = new Map()
  for (const piece of pieces) {
    const on = pages.reduce((bits, chunks, at) => (chunks.has(piece) ? bits | (1 << at) : bits), 0)
    if (on === 0) continue
    const size = Object.values(piece.modules).reduce((sum, { renderedLength }) => sum + renderedLength, 0)
    const group = { on, size, chunks: [piece] }
    groups.set(on, groups.has(on) ? mergeTwo(groups.get(on), group) : group)
  }
  return [...groups.values()]
}

/** Merges groups, always the two that cost the pages the fewest bytes, until no page has more chunks than it may have. */
function mergeGroups(groups) {
  const isCrowded = (at) => groups.filter(({ on }) => on & (1 << at)).length > (PAGES[at].chunks ?? CHUNKS)
  for (;;) {
    const crowded = PAGES.reduce((on, _, at) => (isCrowded(at) ? on | (1 << at) : on), 0)
    if (crowded === 0) return groups
    const pairs = groups.flatMap((a, at) =>
      groups.slice(at + 1).flatMap((b) => (a.on & b.on & crowded ? [{ a, b, waste: getWaste(a, b) }] : [])),
    )
    pairs.sort((one, other) => one.waste - other.waste)
    const merged = findMerge(groups, pairs)
    if (merged === undefined) throw new Error('The chunks of a page cannot be merged further without a cycle.')
    groups = merged
  }
}

/** How many of the cheapest merges are tried out, with what the pages then load because of imports. */
const TRIED = 40

/** The groups after the best merge. */
function findMerge(groups, pairs) {
  let best
  let tried = 0
  for (const { a, b } of pairs) {
    const merged = sortByImports([...groups.filter((group) => group !== a && group !== b), mergeTwo(a, b)])
    if (merged === undefined) continue
    const bytes = sumBytes(merged)
    if (best === undefined || bytes < best.bytes) best = { merged, bytes }
    if (++tried === TRIED) break
  }
  return best?.merged
}

/** Bytes that all pages receive together. */
function sumBytes(groups) {
  return groups.reduce(
    (sum, { on, size }) => sum + size * PAGES.reduce((n, page, at) => (on & (1 << at) ? n + getWeight(page) : n), 0),
    0,
  )
}

const getWeight = ({ kilobytes }) => (kilobytes === undefined ? 1 : BUDGET_WEIGHT)

/** Bytes that pages receive for nothing when two groups are one chunk. */
function getWaste(a, b) {
  return PAGES.reduce((sum, page, at) => {
    const [isA, isB] = [a.on & (1 << at), b.on & (1 << at)]
    if (Boolean(isA) === Boolean(isB)) return sum
    return sum + (isA ? b.size : a.size) * getWeight(page)
  }, 0)
}

const mergeTwo = (a, b) => ({ on: a.on | b.on, size: a.size + b.size, chunks: [...a.chunks, ...b.chunks] })

/**
 * The groups in an order in which each comes after those that import it, with the pages of these. Undefined if groups
 * import each other in a circle, in which case a module could run before what it imports.
 */
function sortByImports(groups) {
  const groupOf = new Map(groups.flatMap((group) => group.chunks.map(({ fileName }) => [fileName, group])))
  const importsOf = new Map(
    groups.map((group) => [
      group,
      new Set(
        group.chunks.flatMap(({ imports }) => imports.map((name) => groupOf.get(name)).filter((to) => to !== group)),
      ),
    ]),
  )
  const [left, sorted] = [new Set(groups), []]
  for (;;) {
    const free = [...left].filter((group) => ![...left].some((from) => importsOf.get(from).has(group)))
    if (free.length === 0) break
    for (const group of free) left.delete(group)
    sorted.push(...free)
  }
  if (left.size > 0) return undefined
  const pages = new Map(groups.map((group) => [group, group.on]))
  for (const group of sorted) {
    for (const to of importsOf.get(group)) if (to) pages.set(to, pages.get(to) | pages.get(group))
  }
  return sorted.map((group) => ({ ...group, on: pages.get(group) }))
}

/** The chunks with a module of the UI. A route is split into parts, whose names end with a query. */
export function findParts(root, output, source) {
  const isPart = (id) => relative(root, id).replace(/\?.*/, '') === source
  const found = output.filter((file) => file.type === 'chunk' && listModules([file]).some(isPart))
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

const listModules = (chunks) => chunks.flatMap((chunk) => Object.keys(chunk.modules))
