import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessibleEverywhere } from '../../support/accessibility.ts'
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts'
import { followPath } from '../../support/follow-path.ts'
import { type FilledWorkspace, seedEveryPage } from '../../support/seed-every-page.ts'
import { expectQuietConsole, getConsoleMessages, openWorkspace, type Ui } from '../../support/start-ui.ts'

let ui: Ui
let fake: FakeProvider
// Shared: each test loads its own address.
let page: Page
beforeAll(async () => {
  ;[ui, fake] = await Promise.all([openWorkspace(), startFakeProvider()])
  page = await ui.open('/ok')
})
afterAll(async () => {
  await ui?.stop()
  await fake?.close()
})

type Content = (page: Page) => Locator

/** Loads a page, waits for its content, and checks it. */
async function check(state: string, path: string, content: Content): Promise<void> {
  await page.goto(ui.server.url + path)
  await expectAccessible(state, content)
}

/** The same for a page to which a link leads. */
async function checkFollowed(state: string, path: string, content: Content): Promise<void> {
  await followPath(page, ui.server.url, path)
  await expectAccessible(state, content)
}

async function expectAccessible(state: string, content: Content): Promise<void> {
  await content(page).first().waitFor()
  await expectAccessibleEverywhere(page, state)
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name })
const text = (said: string | RegExp) => (page: Page) => page.getByText(said)
const row = (page: Page) => page.locator('[data-row]')

describe('in an empty workspace', () => {
  const own = (path: string) => `/o/${ui.tenant}${path}`

  it.each<[string, string, Content]>([
    ['Home', '', heading('Send your first trace')],
    ['projects', '/projects', heading('Send your first trace')],
    ['datasets', '/datasets', heading('No datasets yet')],
    ['queues', '/annotation-queues', text(/queue/i)],
    ['prompts', '/prompts', heading('No prompts yet')],
    ['evaluators', '/evaluators', heading('No evaluators')],
    ['automations', '/rules', heading('No rules')],
    ['a new rule', '/rules/new?template=judge', text('There is none yet: create an evaluator first')],
    ['a new judge', '/evaluators/new', text('The workspace has no model provider.')],
    ['playground', '/playground', heading('Add a provider of models first')],
    ['agents', '/agents', heading('No agents yet')],
    ['compared runs', '/compare-runs', heading('Select two runs to compare')],
    ['model providers', '/settings/providers', heading('No providers yet')],
    ['notification channels', '/settings/channels', heading('No notification channels yet')],
    ['webhooks', '/settings/webhooks', heading('No webhooks yet')],
    ['public links', '/settings/shared', heading('No public links')],
    ['API keys', '/settings/api-keys', text(/key/i)],
    ['backups', '/settings/backups', heading('No backup directory')],
    ['usage', '/settings/usage', (page) => page.getByRole('navigation', { name: 'Settings' })],
    ['ingest', '/settings/ingest', heading('Ingest')],
  ])('%s', async (state, path, content) => {
    await checkFollowed(`empty: ${state}`, own(path), content)
    expectQuietConsole(page)
  })

  it('set-up', async () => {
    await checkFollowed('set-up', '/setup', heading('Set up'))
    expectQuietConsole(page)
  })

  it('a project, a thread list, a dataset and a prompt', async () => {
    const [{ id } = { id: '' }] = (await (await fetch(`${ui.server.url}/api/v1/sessions`)).json()) as { id: string }[]
    await checkFollowed('empty: runs', own(`/projects/p/${id}`), text('Waiting for the first trace'))
    await checkFollowed('empty: threads', own(`/projects/p/${id}/threads`), heading('No threads found'))
    await checkFollowed('empty: monitor', own(`/projects/p/${id}/monitor`), (page) => page.getByRole('main'))
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'nothing in it' })
    const answer = await fetch(`${ui.server.url}/api/v1/datasets`, { method: 'POST', headers, body })
    const dataset = own(`/datasets/${((await answer.json()) as { id: string }).id}`)
    await checkFollowed('empty: examples', dataset, (page) => page.getByRole('heading', { name: 'nothing in it' }))
    await checkFollowed('empty: experiments', `${dataset}/experiments`, heading('Run your first experiment'))
    await checkFollowed('empty: versions', `${dataset}/versions`, text('No versions yet'))
    await checkFollowed('empty: pairwise', `${dataset}/pairwise`, heading('No pairwise comparisons yet'))
    await checkFollowed('empty: comparison', `${dataset}/compare`, heading('Select experiments to compare'))
    expectQuietConsole(page)
  })
})

describe('in a filled workspace', () => {
  let filled: FilledWorkspace
  beforeAll(async () => {
    filled = await seedEveryPage(ui.server.url, fake.url)
    // The next page is loaded: what the UI has read so far is of the empty workspace.
    await page.goto(`${ui.server.url}/ok`)
  })

  /** What each page of the router shows when it has its content. */
  const CONTENT: Record<string, Content> = {
    '/': (page) => page.getByRole('rowheader'),
    '/account': (page) => page.getByRole('main'),
    '/login': (page) => page.getByRole('main'),
    '/setup': heading('Set up'),
    '/o/$tenant': (page) => page.getByRole('rowheader'),
    '/o/$tenant/': (page) => page.getByRole('rowheader'),
    '/o/$tenant/compare-runs': (page) => page.getByRole('tree', { name: 'Merged traces' }),
    '/o/$tenant/rules/new': (page) => page.getByLabel('Name', { exact: true }),
    '/o/$tenant/rules/': (page) => page.getByRole('row', { name: /Collect examples.*Blocked/ }),
    '/o/$tenant/rules/$ruleId/': (page) => page.getByRole('table', { name: 'Funnel' }),
    '/o/$tenant/evaluators/new': (page) => page.getByLabel('Name', { exact: true }),
    '/o/$tenant/settings': heading('Workspace'),
    '/o/$tenant/settings/': heading('Workspace'),
    '/o/$tenant/settings/api-keys': text(/key/i),
    '/o/$tenant/settings/members': (page) => page.getByRole('link', { name: 'Set up accounts' }),
    '/o/$tenant/settings/preferences': (page) => page.getByRole('radio', { name: 'Comfortable' }),
    '/o/$tenant/settings/workspace': (page) => page.getByRole('textbox', { name: 'Name' }),
    '/public/$token/d/compare': text(/How do I reset password number 2\?/),
    '/public/$token/r/$run': (page) => page.getByRole('tree', { name: 'Runs of the trace' }),
    '/o/$tenant/agents/': text('support'),
    '/o/$tenant/annotation-queues/': (page) => page.getByRole('row', { name: /Triage/ }),
    '/o/$tenant/datasets/': (page) => page.getByRole('row', { name: /qa-golden/ }),
    '/o/$tenant/evaluators/': (page) => page.getByRole('row', { name: /Right answer/ }),
    '/o/$tenant/playground/': (page) => page.getByRole('combobox', { name: 'Model of A' }),
    '/o/$tenant/projects/': (page) => page.getByRole('img', { name: /^Activity of support-bot/ }),
    '/o/$tenant/prompts/': (page) => page.getByRole('grid', { name: 'Prompts' }).getByText('production'),
    '/public/$token/d/': row,
    '/public/$token/r/': (page) => page.getByRole('tree', { name: 'Runs of the trace' }),
    '/o/$tenant/annotation-queues/$queueId/review': text('question 0'),
    '/o/$tenant/annotation-queues/$queueId/settings': heading('Preview'),
    '/o/$tenant/datasets/$datasetId/compare': text(/How do I reset password number 2\?/),
    '/o/$tenant/datasets/$datasetId/experiments': (page) => page.getByRole('row', { name: /support-v5/ }),
    '/o/$tenant/datasets/$datasetId/pairwise': row,
    '/o/$tenant/datasets/$datasetId/settings': (page) => page.getByRole('region', { name: 'Schemas' }),
    '/o/$tenant/datasets/$datasetId/versions': (page) => page.getByRole('region', { name: 'Timeline' }),
    '/public/$token/d/e/$exampleId': heading('Answers of experiments'),
    '/o/$tenant/annotation-queues/$queueId/': (page) =>
      page.getByRole('grid', { name: 'Items' }).getByText(/question 1/),
    '/o/$tenant/datasets/$datasetId/': row,
    '/o/$tenant/evaluators/$evaluatorId/': (page) => page.getByRole('link', { name: 'Agreement with people' }),
    '/o/$tenant/settings/backups': heading('No backup directory'),
    '/o/$tenant/settings/channels': heading('No notification channels yet'),
    '/o/$tenant/settings/feedback': (page) => page.getByRole('row', { name: /tone/ }),
    '/o/$tenant/settings/ingest': (page) => page.getByRole('row').nth(1),
    '/o/$tenant/settings/prices': (page) => page.getByRole('table', { name: 'Custom prices' }),
    '/o/$tenant/settings/providers': (page) => page.getByRole('article', { name: 'Models' }),
    '/o/$tenant/settings/retention': (page) => page.getByRole('main'),
    '/o/$tenant/settings/spending': (page) => page.getByRole('region', { name: 'Monthly limits' }),
    '/o/$tenant/settings/shared': text(/public links$/),
    '/o/$tenant/settings/usage': (page) => page.getByRole('region', { name: 'By model' }),
    '/o/$tenant/settings/webhooks': heading('No webhooks yet'),
    '/o/$tenant/datasets/$datasetId/e/$exampleId': (page) => page.getByRole('textbox', { name: 'Inputs' }),
    '/o/$tenant/projects/p/$projectId/monitor': (page) =>
      page.getByRole('region', { name: 'Volume', exact: true }).getByRole('img').locator('.u-over'),
    '/o/$tenant/prompts/$owner/$repo/{-$commit}': (page) => page.getByRole('article', { name: 'system' }),
    '/o/$tenant/projects/p/$projectId/': row,
    '/o/$tenant/projects/p/$projectId/r/$runId': (page) => page.getByRole('treeitem'),
    '/o/$tenant/projects/p/$projectId/threads/$threadId': (page) => page.getByRole('article', { name: 'Turn 3' }),
    '/o/$tenant/projects/p/$projectId/settings/': heading('Danger zone'),
    '/o/$tenant/projects/p/$projectId/threads/': row,
  }
  /** These lead to another page, which is checked. An invite needs accounts: see `accounts.test.ts`. */
  const REDIRECTS = /^\/(context|datasets|go|hub|invite|projects|prompts|settings)\//

  const fill = (path: string) =>
    path
      .replace('$tenant', ui.tenant)
      .replace('$projectId', filled.projectId)
      .replace(/\$runId|\$run\b/, filled.agent.root.id)
      .replace('$token', path.startsWith('/public/$token/d') ? filled.datasetToken : filled.runToken)
      .replace('$datasetId', filled.datasetId)
      .replace('$exampleId', filled.exampleIds[0]!)
      .replace('$queueId', filled.queueId)
      .replace('$evaluatorId', filled.evaluatorId)
      .replace('$ruleId', filled.ruleId)
      .replace('$owner/$repo/{-$commit}', '-/order')
      .replace('$threadId', encodeURIComponent(filled.threadId)) + searchOf(path)
  const searchOf = (path: string) => {
    if (path.endsWith('/compare')) return `?selectedSessions=${filled.experimentIds.join(',')}`
    return path.endsWith('compare-runs') ? `?a=${filled.agent.root.id}&b=${filled.other.id}` : ''
  }

  it('every page of the router is in the list', () => {
    expect(
      everyPath()
        .filter((path) => !REDIRECTS.test(path))
        .sort(),
    ).toEqual(Object.keys(CONTENT).sort())
  })

  it.each(Object.entries(CONTENT))('%s', async (path, content) => {
    await checkFollowed(path, fill(path), content)
    expectQuietConsole(page)
  })

  it('a blocked rule and its tabs', async () => {
    const path = fill('/o/$tenant/rules/$ruleId')
    await checkFollowed('rule: blocked', path, (page) => page.getByRole('alert', { name: 'Blocked' }))
    await checkFollowed('rule: log', `${path}?tab=log`, (page) => page.getByRole('table', { name: 'Decisions' }))
    await checkFollowed('rule: versions', `${path}?tab=versions`, (page) =>
      page.getByRole('region', { name: 'Definition' }),
    )
    await checkFollowed('rule: settings', `${path}?tab=settings`, text(/match$/))
    expectQuietConsole(page)
  })
})

describe('a page that cannot be shown', () => {
  const NOTHING = '00000000-0000-4000-8000-000000000001'
  /** The browser itself logs refused requests, and React logs crashes. */
  const expectQuietBut = (allowed: RegExp) =>
    expect(getConsoleMessages(page).filter((message) => !allowed.test(message))).toEqual([])

  it.each([
    ['project', '/projects/p/$', 'This project was not found'],
    ['run', '/projects/p/$projectId/r/$', 'This run was not found'],
    ['page', '/nowhere/$', 'This page was not found'],
    ['evaluator', '/evaluators/$', 'This evaluator was not found'],
    ['rule', '/rules/$', 'This rule was not found'],
    ['comparison', '/datasets/$datasetId/compare?comparativeExperiment=$', 'This comparison was not found'],
    ['prompt', '/prompts/-/no-such-prompt', 'This prompt was not found'],
    ['commit', '/prompts/-/order/no-such-tag', 'No such commit'],
  ])('because there is no such %s', async (what, path, title) => {
    const [project] = await json<{ id: string }[]>('/sessions?name=support-bot')
    const [dataset] = await json<{ id: string }[]>('/datasets?name=qa-golden')
    const filled = path.replace('$projectId', project!.id).replace('$datasetId', dataset!.id).replace('$', NOTHING)
    await check(`missing: ${what}`, `/o/${ui.tenant}${filled}`, heading(title))
    expectQuietBut(/40[04]/)
  })

  it.each([
    ['an id', `/go/${NOTHING}`, 'No match for this ID'],
    ['a link to a run', `/public/${NOTHING}/r`, "This link isn't available"],
    ['a link to a dataset', `/public/${NOTHING}/d`, "This link isn't available"],
  ])('because nothing is behind %s', async (what, path, title) => {
    await check(`missing: ${what}`, path, heading(title))
    expectQuietBut(/40[04]/)
  })

  it('because of missing rights', async () => {
    await page.route('**/api/v1/settings', (route) => route.fulfill({ status: 403, json: { detail: 'Forbidden' } }))
    await check('forbidden', '/projects', heading("You don't have permission to view this"))
    await page.unroute('**/api/v1/settings')
    expectQuietBut(/40[034]/)
  })

  it('because it crashed', async () => {
    const broken = [{ name: 'a project', id: null }, null]
    await page.route('**/api/v1/sessions?*', (route) => route.fulfill({ json: broken }))
    await check('crashed', '/projects', heading('This page failed'))
    await page.unroute('**/api/v1/sessions?*')
    expectQuietBut(/40[034]|TypeError|error occurred|CatchBoundary/)
  })

  it('because requests fail', async () => {
    const refusal = { status: 400, headers: { 'x-request-id': 'req-1' }, json: { detail: 'no such luck' } }
    const [project] = await json<{ id: string }[]>('/sessions?name=support-bot')
    const path = `/o/${ui.tenant}/projects/p/${project!.id}`
    await page.route('**/runs/query', (route) => route.fulfill(refusal))
    await check('refused: runs', path, (page) => page.getByRole('alert').getByText('HTTP 400 · request req-1'))
    await page.unroute('**/runs/query')
    await page.route('**/runs/errors', (route) => route.fulfill(refusal))
    await page.goto(`${ui.server.url}${path}/monitor?t=24h`)
    const errors = page.getByRole('region', { name: 'Top errors', exact: true })
    await errors.scrollIntoViewIfNeeded()
    await errors.getByText('Could not load errors').waitFor()
    await expectAccessibleEverywhere(page, 'refused: a chart')
    await page.unroute('**/runs/errors')
  })

  it('because the server is not responding', async () => {
    const unreachable = await ui.open('/projects')
    await unreachable.getByRole('row', { name: /support-bot/ }).waitFor()
    await unreachable.route('**/api/**', (route) => route.abort())
    await unreachable.getByRole('button', { name: 'New project' }).click()
    await unreachable.getByRole('textbox', { name: 'Name' }).fill('typed before it went')
    await unreachable.keyboard.press('Enter')
    await unreachable.getByText('The server is not responding.').first().waitFor()
    await unreachable.getByText('Could not create the project').waitFor({ timeout: 60_000 })
    await expectAccessibleEverywhere(unreachable, 'unreachable')
  })
})

async function json<Answer>(path: string): Promise<Answer> {
  return (await (await fetch(`${ui.server.url}/api/v1${path}`)).json()) as Answer
}

/** Every path of the router. */
function everyPath(): string[] {
  const generated = new URL('../../../packages/web/src/route-tree.gen.ts', import.meta.url)
  const [, table] = /interface FileRoutesByFullPath \{([\s\S]*?)\n\}/.exec(readFileSync(generated, 'utf8'))!
  return [...table!.matchAll(/^ {2}'([^']+)'/gm)].map(([, path]) => path!)
}
