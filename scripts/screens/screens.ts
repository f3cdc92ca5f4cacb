import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { root } from '../steps/root.mjs'
import type { DemoIds } from './demo-ids.ts'
import { listEvaluationScreens } from './evaluation-screens.ts'

export interface Screen {
  readonly name: string
  readonly path: string
  /** Brings the page into the state of the picture. When it throws, the screen is skipped with a message. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** Opened in a browser that has not signed in. */
  readonly signedOut?: boolean
}

/** A picture that a page of the documentation shows. */
export interface DocPicture {
  /** Name of the file in docs/screens, without its extension. */
  readonly name: string
  /** Name of a screen of `listScreens`. */
  readonly screen: string
  readonly prepare?: (page: Page) => Promise<unknown>
  /** Pixels of the picture per pixel of the page. */
  readonly scale: number
  /** Quality of the WebP, 0 to 100. */
  readonly quality: number
}

export const DOC_PICTURES: readonly DocPicture[] = [
  {
    name: 'trace',
    screen: 'trace-tree',
    prepare: async (page) => {
      await page.getByRole('tree').first().getByText('answer', { exact: true }).click()
      await page.getByRole('cell', { name: 'X-ray fluorescence' }).waitFor()
    },
    scale: 2,
    quality: 70,
  },
  ...['runs', 'monitor', 'thread', 'compare-runs'].map((name) => ({ name, screen: name, scale: 1, quality: 40 })),
]

/** Screens of pages in particular states. */
export function listScreens(ids: DemoIds): Screen[] {
  const {
    tenant,
    docs,
    support,
    research,
    report,
    earlierReport,
    failure,
    answer,
    board,
    retriever,
    model,
    thread,
    shareToken,
  } = ids
  const project = (id: string) => `/o/${tenant}/projects/p/${id}`
  const trace = `${project(research)}/r/${report}`
  const filter = encodeURIComponent('and(eq(is_root, true), gt(latency, "1s"), eq(feedback_key, "correctness"))')
  const either = encodeURIComponent('or(eq(status, "error"), gt(latency, "2s"))')
  return [
    { name: 'login', path: '/login', signedOut: true },
    { name: 'home', path: `/o/${tenant}` },
    { name: 'projects', path: `/o/${tenant}/projects` },
    { name: 'runs', path: `${project(docs)}?t=7d` },
    { name: 'runs-filtered', path: `${project(docs)}?t=7d&filter=${filter}` },
    { name: 'runs-facets', path: `${project(docs)}?t=7d&facets=1&filter=${either}` },
    { name: 'runs-columns', path: `${project(docs)}?t=7d`, prepare: (page) => page.keyboard.press('c') },
    { name: 'runs-peek', path: `${project(docs)}?t=7d&peek=${answer}` },
    ...['tree', 'waterfall', 'flame', 'graph', 'thread'].map((view) => ({
      name: `trace-${view}`,
      path: `${trace}?v=${view}`,
    })),
    ...['chat', 'io', 'metadata', 'raw'].map((tab) => ({
      name: `run-${tab}`,
      path: `${project(research)}/r/${model}?tab=${tab}`,
    })),
    { name: 'run-feedback', path: `${project(docs)}/r/${answer}?tab=feedback` },
    { name: 'run-error', path: `${project(docs)}/r/${failure}` },
    { name: 'run-retriever', path: `${project(docs)}/r/${retriever}` },
    { name: 'run-share', path: `${project(docs)}/r/${answer}`, prepare: clicks('Share') },
    { name: 'run-to-dataset', path: `${project(docs)}/r/${answer}`, prepare: opens('Shift+D') },
    { name: 'compare-runs', path: `/o/${tenant}/compare-runs?a=${earlierReport}&b=${report}` },
    { name: 'threads', path: `${project(support)}/threads?t=7d` },
    { name: 'thread', path: `${project(support)}/threads/${encodeURIComponent(thread)}` },
    { name: 'monitor', path: `${project(docs)}/monitor?t=7d` },
    { name: 'monitor-by-name', path: `${project(research)}/monitor?group=name&scope=runs&t=7d` },
    { name: 'dashboard', path: `${project(docs)}/monitor?t=7d&board=${board}` },
    { name: 'monitor-compared', path: `${project(docs)}/monitor?t=24h&prev=1&tables=latency` },
    { name: 'project-settings', path: `${project(docs)}/settings` },
    { name: 'public-run', path: `/public/${shareToken}/r`, signedOut: true },
    { name: 'palette', path: `${project(docs)}?t=7d`, prepare: opens('Control+k') },
    { name: 'shortcuts', path: trace, prepare: opens('?') },
    ...listEvaluationScreens(ids),
    { name: 'nothing-there', path: `${project(docs)}/r/00000000-0000-4000-8000-000000000000` },
  ]
}

/** Presses keys that open a dialog, and waits for it. */
export const opens = (keys: string) => async (page: Page) => {
  await page.keyboard.press(keys)
  await page.getByRole('dialog').first().waitFor({ timeout: 10_000 })
}

/** Clicks a button that opens a dialog, and waits for it. */
export const clicks = (button: string) => async (page: Page) => {
  await page.getByRole('button', { name: button, exact: true }).last().click({ timeout: 10_000 })
  await page.getByRole('dialog').first().waitFor({ timeout: 10_000 })
}

/** Lists all other routes that need only the workspace, for example those of the settings. */
export function listOtherPages(places: DemoIds, known: readonly Screen[]): Screen[] {
  const generated = readFileSync(join(root, 'packages/web/src/route-tree.gen.ts'), 'utf8')
  const [, table] = /interface FileRoutesByFullPath \{([\s\S]*?)\n\}/.exec(generated)!
  const paths = [...table!.matchAll(/^ {2}'([^']+)'/gm)].map(([, path]) => path!.replace(/\/$/, ''))
  const taken = new Set(known.map(({ path }) => path.replace(/\?.*/, '')))
  const layouts = (path: string) => paths.some((other) => other.startsWith(`${path}/`))
  return paths
    .filter((path) => path.startsWith('/o/$tenant/') && !layouts(path))
    .map((path) => path.replace('$tenant', places.tenant).replace('$projectId', places.docs))
    .filter((path) => !path.includes('$') && !taken.has(path))
    .map((path) => ({
      name: path
        .split('/')
        .slice(3)
        .filter((part) => part.length !== 36 && part !== 'p')
        .join('-'),
      path,
    }))
}
