import { afterAll, beforeAll, it } from 'vitest'
import { noteFigure } from '../../support/budgets.ts'
import { openedIn } from '../../support/pace.ts'
import { expectQuietConsole } from '../../support/start-ui.ts'
import { projectIdOf, writeLargeTrace } from '../../support/trace-writer.ts'
import { type BigProject, startBigProject } from './big-project.ts'

const PATIENT = 900_000
const TRACE_RUNS = 10_000

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

let big: BigProject
let tracePath: string
beforeAll(async () => {
  big = await startBigProject()
  const root = await writeLargeTrace(big.server.url, 'large', TRACE_RUNS)
  const projectId = await projectIdOf(big.server.url, 'large')
  tracePath = `/o/${big.tenant}/projects/p/${projectId}/r/${root.id}?trace_id=${root.id}`
}, PATIENT)
afterAll(() => big?.stop())

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
