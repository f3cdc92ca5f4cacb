import type { Page } from 'playwright-core'
import { seedDemo } from '../../scripts/seed/demo.ts'
import { seedExperiments } from './seed-experiments.ts'
import { seedChats, seedQueue } from './seed-queue.ts'
import { projectIdOf } from './trace-writer.ts'

/** What a browser without a cache received for a page. */
export interface Wire {
  readonly requests: number
  /** Heads and bodies as they arrived, hence compressed. */
  readonly bytes: number
  /** Bytes by address, in the order of the requests. */
  readonly answers: ReadonlyMap<string, number>
}

/** Requests and bytes at most of Home and of a runs list. */
export const WIRE_GOAL = { requests: 20, bytes: 220_000 }

/**
 * Fills a workspace so that every card of Home has content: the demo data, a dataset with a baseline and a second
 * experiment, and a queue with runs to review.
 *
 * @returns id of the demo project with the most traces
 */
export async function seedFullWorkspace(url: string): Promise<string> {
  await seedDemo(url)
  const scores = (example: number) => ({ correct: example % 3 === 0 ? 0 : 1 })
  const { client, datasetId, experiments } = await seedExperiments({
    url,
    dataset: 'questions',
    examples: 5,
    experiments: [
      { name: 'first prompt', scores },
      { name: 'shorter prompt', scores },
    ],
  })
  await client.updateDataset({ datasetId, baselineExperimentId: experiments[0]?.id })
  await seedQueue({ url }, { name: 'answers to check' }, await seedChats({ url }, 'support-chat', 3))
  return projectIdOf(url, 'docs-assistant')
}

/**
 * Counts what the browser receives while a page is opened, until it has requested nothing for half a second.
 *
 * @param open  opens the page and waits for its content
 */
export async function measureWire(page: Page, open: () => Promise<unknown>): Promise<Wire> {
  const network = await page.context().newCDPSession(page)
  const urls = new Map<string, string>()
  const answers = new Map<string, number>()
  network.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!/^https?:/.test(request.url)) return
    urls.set(requestId, request.url)
    answers.set(request.url, 0)
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const url = urls.get(requestId)
    if (url !== undefined) answers.set(url, (answers.get(url) ?? 0) + encodedDataLength)
  })
  await network.send('Network.enable')
  await open()
  await page.waitForLoadState('networkidle')
  await network.detach()
  const bytes = [...answers.values()].reduce((sum, each) => sum + each, 0)
  return { requests: urls.size, bytes, answers }
}
