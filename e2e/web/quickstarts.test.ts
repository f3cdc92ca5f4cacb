import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Run } from 'langsmith/schemas'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aClient, collect } from '../clients/javascript/a-client.ts'
import { PYTHON_FRAMEWORKS, python } from '../clients/python/run-script.ts'
import { expectAccessibleInThemes } from '../support/accessibility.ts'
import { FAKE_TEXT, FAKE_TOKENS, type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { isFull } from '../support/scale.ts'
import { expectQuietConsole, PHONE, startUi, type Ui } from '../support/start-ui.ts'

const run = promisify(execFile)
const cache = fileURLToPath(new URL('../.cache', import.meta.url))

/** A program of the page, and what its trace must contain. */
interface Case {
  readonly quickstart: string
  /** Tab with the program, where a quickstart has several. */
  readonly tab?: string
  readonly language: 'Python' | 'TypeScript' | 'curl'
  /** Packages that a folder of its own has. */
  readonly folder?: keyof typeof PYTHON_FRAMEWORKS
  /** It calls the model of the provider, and its run has messages and tokens. */
  readonly callsModel?: true
  readonly hasThread?: true
  /** Only in `npm run test:full`: `e2e/clients/otel` calls a model under the same instrumentation with each change. */
  readonly isInFull?: true
}

const CASES: readonly Case[] = [
  { quickstart: 'Python', language: 'Python' },
  { quickstart: 'TypeScript', language: 'TypeScript' },
  { quickstart: 'curl', language: 'curl' },
  { quickstart: 'OpenTelemetry', tab: 'Python', language: 'Python', hasThread: true },
  { quickstart: 'OpenTelemetry', tab: 'TypeScript', language: 'TypeScript', hasThread: true, isInFull: true },
  { quickstart: 'OpenInference', language: 'Python', callsModel: true, hasThread: true, isInFull: true },
  { quickstart: 'OpenLLMetry', language: 'Python', callsModel: true, isInFull: true },
  { quickstart: 'Langfuse SDK', language: 'Python', hasThread: true },
  {
    quickstart: 'LangChain',
    tab: 'Python',
    language: 'Python',
    folder: 'frameworks',
    callsModel: true,
    hasThread: true,
  },
  { quickstart: 'LangChain', tab: 'TypeScript', language: 'TypeScript', callsModel: true, hasThread: true },
  {
    quickstart: 'LlamaIndex',
    language: 'Python',
    folder: 'frameworks',
    callsModel: true,
    hasThread: true,
    isInFull: true,
  },
  { quickstart: 'CrewAI', language: 'Python', folder: 'crewai', callsModel: true, hasThread: true, isInFull: true },
  { quickstart: 'Pydantic AI', language: 'Python', callsModel: true, hasThread: true, isInFull: true },
  { quickstart: 'Vercel AI SDK', language: 'TypeScript', callsModel: true, hasThread: true },
]

const isInstalled = ({ language, folder }: Case) =>
  language !== 'Python' || (folder === undefined ? python !== undefined : PYTHON_FRAMEWORKS[folder] !== undefined)

const RUN = CASES.filter((one) => (isFull || !one.isInFull) && isInstalled(one))

let ui: Ui
let provider: FakeProvider
beforeAll(async () => {
  provider = await startFakeProvider({ others: ['gpt-4.1-mini', 'claude-sonnet-5'] })
  ui = await startUi({ hasUsedPages: true })
})
afterAll(async () => {
  await ui?.stop()
  await provider?.close()
})

/** Opens the page of a new project. */
async function openProject(name: string, size?: { width: number; height: number }): Promise<Page> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name })
  const created = await fetch(`${ui.server.url}/api/v1/sessions`, { method: 'POST', headers, body })
  const { id } = (await created.json()) as { id: string }
  const page = await ui.open(`/o/${ui.tenant}/projects/p/${id}`, size && { size })
  await page.getByText('Waiting for the first trace').waitFor()
  return page
}

const textOf = async (page: Page, region: string) =>
  (await page.getByRole('region', { name: region }).textContent()) ?? ''

/** Like a user: sets the environment in a shell, saves the program in a file and runs it. */
async function runShown(page: Page, { language, folder }: Case): Promise<string> {
  const program = await textOf(page, language)
  const environment = language === 'curl' ? '' : await textOf(page, 'Environment')
  // Inside the repository, so that programs find the packages of npm.
  mkdirSync(cache, { recursive: true })
  const directory = mkdtempSync(join(cache, 'quickstart-'))
  const file = join(directory, language === 'Python' ? 'app.py' : 'app.mts')
  writeFileSync(file, program)
  const command = language === 'curl' ? program : language === 'Python' ? `${python} ${file}` : `npx tsx ${file}`
  const packages = folder === undefined ? {} : { PYTHONPATH: PYTHON_FRAMEWORKS[folder] }
  try {
    const settings = { cwd: directory, env: { ...OWN, ...providerVariables(), ...packages } }
    return (await run('sh', ['-c', `${environment}\n${command}`], settings)).stdout
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const OWN = { PATH: process.env.PATH, HOME: process.env.HOME, CREWAI_DISABLE_TELEMETRY: 'true' }

/** Addresses of the provider, as the SDKs read them, and a key. */
function providerVariables(): Record<string, string> {
  const anthropic = provider.url.replace(/\/v1$/, '')
  return {
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_BASE: provider.url,
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: anthropic,
  }
}

type Fields = Record<string, unknown>

function expectCall(runs: readonly Run[]): void {
  const calls = runs.filter(({ run_type }) => run_type === 'llm')
  expect(calls.length).toBeGreaterThan(0)
  for (const call of calls) {
    expect(JSON.stringify(call.inputs)).toContain('Say hello')
    expect(JSON.stringify(call.outputs)).toContain(FAKE_TEXT.join(''))
    expect(call).toMatchObject({ prompt_tokens: FAKE_TOKENS.prompt, completion_tokens: FAKE_TOKENS.completion })
  }
}

describe('the quickstarts of a project without runs', () => {
  const [first] = RUN
  it.each(RUN.map((one) => [`${one.quickstart} in ${one.language}`, one] as const))(
    'run as printed: %s',
    async (name, one) => {
      const project = `With ${name}, "quoted"`
      const page = await openProject(project)
      if (one !== first) await page.getByRole('radio', { name: one.quickstart, exact: true }).click()
      if (one.tab !== undefined) await page.getByRole('tab', { name: one.tab }).click()
      await runShown(page, one)
      await page.getByText('First trace received:').waitFor()

      const runs = await collect(aClient(ui.server.url).listRuns({ projectName: project }))
      expect(runs.filter(({ parent_run_id }) => !parent_run_id)).toHaveLength(1)
      expect(runs.filter(({ error }) => error)).toEqual([])
      if (one.callsModel) expectCall(runs)
      if (one.hasThread) {
        const threads = runs.map(({ extra }) => ((extra as Fields).metadata as Fields).thread_id)
        expect(new Set(threads)).toEqual(new Set(['conversation-1']))
      }
    },
  )

  it('are kept in the address, and chosen by keyboard', async () => {
    const page = await openProject('by keyboard')
    await page.getByRole('radio', { name: 'Python', exact: true }).focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.waitForURL('**?quickstart=ai-sdk')
    expect(await textOf(page, 'Environment')).toContain('OTEL_EXPORTER_OTLP_ENDPOINT')
    await page.reload()
    await page.getByRole('radio', { name: 'Vercel AI SDK', checked: true }).waitFor()
    expect(await textOf(page, 'TypeScript')).toContain('registerTelemetry')
    await expectAccessibleInThemes(page, 'a quickstart with an environment')
    expectQuietConsole(page)
  })

  it('are one field with a search on a phone', async () => {
    const page = await openProject('on a phone', PHONE)
    await page.getByRole('combobox', { name: 'What your program uses' }).click()
    await page.keyboard.type('llama')
    await page.keyboard.press('Enter')
    await page.waitForURL('**?quickstart=llamaindex')
    expect(await textOf(page, 'Python')).toContain('LlamaIndexInstrumentor')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await expectAccessibleInThemes(page, 'quickstarts on a phone')
    expectQuietConsole(page)
  })
})
