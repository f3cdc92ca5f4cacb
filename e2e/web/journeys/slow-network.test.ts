import { afterAll, beforeAll, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { openedIn } from '../../support/pace.ts'
import { SCALE } from '../../support/scale.ts'
import { seedTraces } from '../../support/seed-traces.ts'
import { expectQuietConsole, openWorkspace, type Ui } from '../../support/start-ui.ts'
import { projectIdOf, writeLargeTrace } from '../../support/trace-writer.ts'
import { startBigProject } from './big-project.ts'

const PATIENT = 900_000
const TRACE_RUNS = SCALE.isLarge ? 10_000 : 1_000

/**
 * Lighthouse's slow 4G: 150 ms per round trip, 1.6 Mbit/s down, 750 kbit/s up. Chromium delays each request by one round
 * trip; it does not delay the set-up of a connection.
 */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
}

type Project = Ui & { readonly path: string }
let big: Project
let tracePath: string
beforeAll(async () => {
  big = await (SCALE.isLarge ? startBigProject() : startSmallProject())
  const root = await writeLargeTrace(big.server.url, 'large', TRACE_RUNS)
  const projectId = await projectIdOf(big.server.url, 'large')
  tracePath = `/o/${big.tenant}/projects/p/${projectId}/r/${root.id}?trace_id=${root.id}`
}, PATIENT)
afterAll(() => big?.stop())

/** With each change: what crosses the network is a page of rows and the outline of a trace, whatever is stored beside them. */
async function startSmallProject(): Promise<Project> {
  const ui = await openWorkspace()
  await seedTraces({ url: ui.server.url, project: 'small', traces: 200 })
  return { ...ui, path: `/o/${ui.tenant}/projects/p/${await projectIdOf(ui.server.url, 'small')}` }
}

it(
  'journey 28: on slow 4G, the first row of a list and a large run tree are shown within seconds',
  async () => {
    const row = '[role=grid][aria-label=Traces] [data-row]'
    noteFigure('28', 'slow 4G: address → first row', await open(big.path, row, '/runs/query'), 3_000)
    const node = '[role=tree] [role=treeitem]'
    const what = `slow 4G: address → run tree of ${TRACE_RUNS.toLocaleString('en-US')} runs`
    noteFigure('28', what, await open(tracePath, node, '/runs/columns'), 6_000)
  },
  PATIENT,
)

/**
 * Milliseconds from the navigation of a browser without a cache to the frame that shows an element of a selector.
 *
 * @param answer suffix of the path of the response that the element shows
 */
async function open(path: string, selector: string, answer: string): Promise<number> {
  const page = await big.open('/ok') // loads nothing of the UI
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', SLOW_4G)
  const { inAll } = await openedIn(page, big.server.url + path, selector, answer)
  await network.detach()
  expectQuietConsole(page)
  return inAll
}
