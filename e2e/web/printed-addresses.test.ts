import { Client, type KVMap } from '@touchstone/sdk'
import * as own from '@touchstone/sdk/evaluation'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aClient, aProjectName } from '../clients/javascript/a-client.ts'
import { PUBLIC_LIBRARIES, type PublicLibrary } from '../clients/javascript/public-libraries.ts'
import { PYTHON_CLIENTS, python, runScript } from '../clients/python/run-script.ts'
import { expectQuietConsole, startUi, type Ui } from '../support/start-ui.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui?.stop())

const ROWS: readonly (readonly [string, string])[] = [
  ['France', 'Paris'],
  ['Peru', 'Lima'],
]

/** What a client printed while it evaluated, and the addresses that its methods returned. */
interface Printed {
  printed: string
  /** Names of the dataset and of the two experiments. */
  dataset: string
  names: string[]
  /** Address → beginning of the title of its page. */
  returned: Map<string, string>
}

/** Public clients guess the host of a server on localhost, so only the path counts. */
const toPath = (url: string) => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

const findAddresses = (printed: string) => printed.match(/https?:\/\/[^\s'"]+/g) ?? []

const aManifest = (template: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: { template, input_variables: [], template_format: 'f-string' },
})

type Libraries = { client: () => ReturnType<typeof aClient>; library: PublicLibrary['evaluation'] }
const LIBRARIES: [string, Libraries][] = [
  ...PUBLIC_LIBRARIES.map(({ version, Client: Version, evaluation }): [string, Libraries] => [
    `npm langsmith ${version}`,
    { client: () => aClient(ui.server.url, {}, Version), library: evaluation },
  ]),
  ['our SDK', { client: () => new Client({ apiUrl: `${ui.server.url}/api/v1` }) as never, library: own as never }],
]

async function evaluateInJavaScript({ client: connect, library }: Libraries): Promise<Printed> {
  const client = connect()
  const dataset = await client.createDataset(aProjectName('capitals'))
  await client.createExamples(
    ROWS.map(([country, capital]) => ({ inputs: { country }, outputs: { capital }, dataset_id: dataset.id })),
  )
  const lines: string[] = []
  const spies = (['log', 'error'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((...parts) => void lines.push(parts.join(' '))),
  )
  const names: string[] = []
  try {
    for (const experimentPrefix of ['first', 'second']) {
      const { experimentName } = await library.evaluate(
        ({ country }: { country: string }) => ({ capital: Object.fromEntries(ROWS)[country] }),
        {
          data: dataset.name,
          evaluators: [({ outputs }: { outputs?: KVMap }) => ({ key: 'correct', score: outputs?.capital ? 1 : 0 })],
          experimentPrefix,
          client,
        },
      )
      names.push(experimentName)
    }
    await library.evaluateComparative(names as [string, string], {
      evaluators: [
        ({ runs }: { runs: { id: string }[] }) => ({
          key: 'preferred',
          scores: Object.fromEntries(runs.map(({ id }, index) => [id, index])),
        }),
      ],
      experimentPrefix: 'pair',
      client,
    })
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  const shared = await client.shareDataset(dataset.id)
  const prompt = aProjectName('prompt')
  const returned = new Map([
    [await client.getDatasetUrl({ datasetId: dataset.id }), dataset.name],
    [await client.getProjectUrl({ projectName: names[0] ?? '' }), names[0] ?? ''],
    [shared.url, dataset.name],
    [await client.pushPrompt(prompt, { object: aManifest('one') }), prompt],
    [await client.pushPrompt(prompt, { object: aManifest('two') }), prompt],
    [await client.pushPrompt(prompt, { description: 'without a commit' }), prompt],
  ])
  return { printed: lines.join('\n'), dataset: dataset.name, names, returned }
}

async function evaluateInPython(env: Record<string, string>): Promise<Printed> {
  const dataset = aProjectName('capitals')
  const report = await runScript<
    Record<'printed' | 'dataset' | 'example' | 'project' | 'shared' | 'prompt', string> & {
      names: string[]
      prompts: string[]
    }
  >('addresses', { dataset, rows: ROWS }, ui.server.url, env)
  const returned = new Map([
    [report.dataset, dataset],
    [report.example, dataset],
    [report.project, report.names[0] ?? ''],
    [report.shared, dataset],
    ...report.prompts.map((url): [string, string] => [url, report.prompt]),
  ])
  return { printed: report.printed, dataset, names: report.names, returned }
}

describe('every address that a client prints or returns', () => {
  it.each(LIBRARIES)('%s: leads to its page', async (_, libraries) => {
    await expectPages(await evaluateInJavaScript(libraries))
  })

  it.skipIf(python === undefined).each(PYTHON_CLIENTS)(
    'PyPI langsmith $version: leads to its page',
    async ({ env }) => {
      await expectPages(await evaluateInPython(env))
    },
  )
})

async function expectPages({ printed, dataset, names, returned }: Printed) {
  const addresses = new Set(findAddresses(printed))
  const pairs = [...addresses].filter((url) => url.includes('comparativeExperiment='))
  const comparisons = [...addresses].filter((url) => url.includes('selectedSessions='))
  // Each experiment prints its comparison, and so does the pair.
  expect([comparisons.length, pairs.length], printed).toEqual([names.length + 1, 1])
  const nameById = await readNames(names)
  for (const url of comparisons) {
    const page = await ui.open(toPath(url))
    // The page of a pair has the name of the comparison as its title.
    await expect.poll(() => page.title(), { message: url }).toContain(pairs.includes(url) ? 'pair-' : dataset)
    for (const id of new URL(url).searchParams.get('selectedSessions')?.split(',') ?? []) {
      await page
        .getByText(nameById.get(id) ?? id)
        .first()
        .waitFor()
    }
    await expectPage(page, url)
  }
  for (const [url, title] of returned) {
    const page = await ui.open(toPath(url))
    await expect.poll(() => page.title(), { message: url }).toContain(title)
    await expectPage(page, url)
  }
}

/** Asserts that the page is at the printed path, exists and is sound. Addresses of prompts name their workspace. */
async function expectPage(page: Page, url: string) {
  const path = new URL(url).pathname.replace(/^\/prompts\//, `/o/${ui.tenant}/prompts/-/`)
  await expect.poll(() => new URL(page.url()).pathname).toBe(path)
  expect(await page.getByText('was not found').count(), url).toBe(0)
  expectQuietConsole(page)
  await page.context().close()
}

/** Names of experiments by their ids. */
async function readNames(names: readonly string[]): Promise<Map<string, string>> {
  const client = new Client({ apiUrl: `${ui.server.url}/api/v1` })
  const projects = await Promise.all(names.map((projectName) => client.readProject({ projectName })))
  return new Map(projects.map(({ id, name }) => [id, name]))
}
