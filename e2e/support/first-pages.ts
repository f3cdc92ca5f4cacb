import type { Client } from '@touchstone/sdk'
import type { Page } from 'playwright-core'
import { seedDemo } from '../../scripts/seed/demo.ts'
import { seedExperiments } from './seed-experiments.ts'
import { seedChats, seedQueue } from './seed-queue.ts'
import { projectIdOf } from './trace-writer.ts'

/** A page that a link opens in a browser without a cache. */
export interface FirstPage {
  readonly name: string
  readonly path: string
  /** Waits for its content. */
  readonly isShown: (page: Page) => Promise<unknown>
}

/**
 * Fills a workspace so that these pages have content, and every card of Home too: the demo data, a dataset with a baseline
 * and a second experiment, a queue with runs to review, a prompt, a model provider.
 *
 * @param tenant  id of the workspace
 */
export async function seedFirstPages(url: string, tenant: string): Promise<readonly FirstPage[]> {
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
  const queueId = await seedQueue({ url }, { name: 'answers to check' }, await seedChats({ url }, 'support-chat', 3))
  await client.pushPrompt('order', { object: A_PROMPT })
  // Nothing is asked of it here.
  await client.createModelProvider({
    name: 'Models',
    kind: 'openai-chat',
    base_url: 'http://127.0.0.1:9',
    models: ['m'],
  })
  const project = `/projects/p/${await projectIdOf(url, 'docs-assistant')}`
  const trace = await findTrace(client)
  const compared = experiments.map(({ id }) => id).join(',')
  const pages: FirstPage[] = [
    { name: 'Home', path: '', isShown: isHomeShown },
    {
      name: 'Projects',
      path: '/projects',
      isShown: async (page) => {
        await page.getByRole('row', { name: /docs-assistant/ }).waitFor()
        await page.getByRole('img', { name: /^Activity of docs-assistant/ }).waitFor()
      },
    },
    {
      name: 'Runs list',
      path: project,
      isShown: async (page) => {
        await page.locator('[data-row]').first().waitFor()
        await page.getByRole('slider', { name: /^Traces over time/ }).waitFor()
      },
    },
    {
      name: 'Trace',
      path: `${project}/r/${trace}`,
      isShown: async (page) => {
        await page.getByRole('treeitem').first().waitFor()
        await page.getByRole('tablist').waitFor()
      },
    },
    { name: 'Dataset', path: `/datasets/${datasetId}`, isShown: (page) => page.getByText('question 4').waitFor() },
    {
      name: 'Comparison',
      path: `/datasets/${datasetId}/compare?selectedSessions=${compared}`,
      isShown: (page) => page.getByRole('grid', { name: 'Comparison' }).locator('[data-row]').first().waitFor(),
    },
    {
      name: 'Review',
      path: `/annotation-queues/${queueId}/review`,
      isShown: (page) => page.getByRole('region', { name: 'Item' }).getByText('question 0', { exact: true }).waitFor(),
    },
    {
      name: 'Prompt',
      path: '/prompts/-/order',
      isShown: (page) => page.getByRole('region', { name: 'Variables' }).getByText('question').waitFor(),
    },
    {
      name: 'Playground',
      path: '/playground',
      isShown: (page) => page.getByRole('combobox', { name: 'Model of A' }).waitFor(),
    },
  ]
  return pages.map((page) => ({ ...page, path: `/o/${tenant}${page.path}` }))
}

const A_PROMPT = {
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'PromptTemplate'],
  kwargs: { template: 'Answer this: {question}', template_format: 'f-string' },
}

async function isHomeShown(page: Page) {
  await page.getByRole('img', { name: /^Activity of docs-assistant/ }).waitFor()
  for (const card of ['Failed traces', 'Slowest traces', 'Waiting for review', 'Last experiments']) {
    await page.getByRole('region', { name: card }).getByRole('link').first().waitFor()
  }
  await page.getByRole('region', { name: 'Get started' }).getByText('of 5').waitFor()
}

async function findTrace(client: Client): Promise<string> {
  const filter = 'eq(status, "success")'
  const found = await client.listRuns({ projectName: 'docs-assistant', isRoot: true, filter, limit: 1 }).next()
  if (found.done) throw new Error('The demo has no trace of docs-assistant')
  return found.value.id
}
