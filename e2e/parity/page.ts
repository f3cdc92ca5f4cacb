import { mountedPaths, type Route } from '@touchstone/contract'
import type { Chapter, Item, Proof } from './item.ts'
import { MISSING, MISSING_ENTRIES, STRICTER } from './surface/differences.ts'

/** `docs/reference/parity.md`: a table per chapter, and what is not proven at the end. */
export function parityPage(chapters: readonly Chapter[]): string {
  const items = chapters.flatMap((chapter) => chapter.items)
  const open = items.filter((item) => item.unproven !== undefined)
  const parts = [
    '# Parity',
    '<!-- Written by scripts/write-reference.mjs; change e2e/parity/items and run it. -->',
    [
      'What the specification of the client asks for, the methods of our client that do it, the routes of the server that answer,',
      'and the tests that prove it: with our client, against a started server. A test compares this page with the code, and fails',
      'when an item has no proof or a named test does not exist.',
    ].join('\n'),
    `${items.length} items, ${items.length - open.length} proven.`,
    ...chapters.map(({ title, items }) => `## ${title}\n\n${table(items)}`),
    '## The published client beside ours',
    'Every public method of the `Client` of the npm package `langsmith` is ours too, but for these; a test compares.',
    list('not in ours', 'why', MISSING),
    'And these take less, which only TypeScript notices.',
    list('stricter in ours', 'why', STRICTER),
    'Entry points of the package that ours does not have:',
    list('entry', 'why', MISSING_ENTRIES),
    ...(open.length === 0 ? [] : [`## Not proven yet\n\n${open.map(reason).join('\n')}`]),
  ]
  return `${parts.join('\n\n')}\n`
}

const reason = ({ statement, unproven }: Item) => `- ${statement}: ${unproven}`

function list(name: string, why: string, reasons: Readonly<Record<string, string>>): string {
  const rows = Object.entries(reasons).map(([one, reason]) => [`\`${one}\``, reason])
  return [[name, why], ['---', '---'], ...rows].map(line).join('\n')
}

function table(items: readonly Item[]): string {
  const rows = items.map(({ statement, methods, routes, proofs }) => [
    statement,
    methods.map((name) => `\`${name}\``).join('<br>') || 'all',
    routes.map(routeCell).join('<br>') || 'none: the client alone',
    proofs.map(proofCell).join('<br>') || 'not yet',
  ])
  return [['the specification', 'method', 'route', 'proof'], ['---', '---', '---', '---'], ...rows].map(line).join('\n')
}

const routeCell = (route: Route) => `\`${route.method} ${mountedPaths(route).at(-1)}\``

const proofCell = ({ file, test }: Proof) =>
  `[${file.replace(/^.*\/(?=[^/]+\/)/, '')}](../../${file}): ${test.replaceAll(/[<>*_]/g, (sign) => `\\${sign}`)}`

const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
