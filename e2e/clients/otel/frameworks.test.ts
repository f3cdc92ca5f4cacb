import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Run } from 'langsmith/schemas'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BedrockProvider, startBedrockProvider } from '../../support/bedrock-provider.ts'
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts'
import {
  columnsOf,
  drawTree,
  INSTRUMENTATIONS,
  type Instrumentation,
  inOrder,
  judgeRuns,
  toExpected,
  toSeenRun,
} from '../../support/instrumentations.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, aProjectName, collect } from '../javascript/a-client.ts'
import { PYTHON_FRAMEWORKS, python } from '../python/run-script.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where `npm run test:full` has installed the packages of the programs in JavaScript. */
const installed = fileOf('../../../.cache/frameworks')

let server: SharedServer
let provider: FakeProvider
let bedrock: BedrockProvider
beforeAll(async () => {
  if (existsSync(installed)) copyFileSync(fileOf('frameworks/instrumented.mjs'), `${installed}/instrumented.mjs`)
  ;[server, provider, bedrock] = await Promise.all([shareServer(), startFakeProvider(), startBedrockProvider()])
  const price = { name: 'fake-model', match_pattern: 'fake-model', prompt_cost: '0.001', completion_cost: '0.002' }
  const headers = { 'content-type': 'application/json', 'x-api-key': 'any' }
  const created = await fetch(`${server.url}/model-price-map`, { method: 'POST', headers, body: JSON.stringify(price) })
  expect(created.status).toBeLessThan(300)
})
afterAll(async () => {
  await Promise.all([provider?.close(), bedrock?.close(), server?.stop()])
})

/** How the program of a row starts; undefined where its packages are not installed. */
function findCommand({ language, folder }: Instrumentation): Command | undefined {
  if (language === 'JavaScript')
    return existsSync(`${installed}/installed.json`)
      ? { file: process.execPath, program: `${installed}/instrumented.mjs` }
      : undefined
  const packages = folder && PYTHON_FRAMEWORKS[folder]
  if (python === undefined || packages === undefined) return undefined
  return { file: python, program: fileOf('frameworks/instrumented.py'), env: { PYTHONPATH: packages } }
}

interface Command {
  readonly file: string
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program with an instrumentation, and returns the runs that it made, in the order of their traces. */
async function trace({ file, program, env }: Command, name: string): Promise<Run[]> {
  const project = aProjectName(name)
  const settings = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    PROVIDER_URL: provider.url,
    BEDROCK_URL: bedrock.url,
    OTLP_URL: `${server.url}/otel/v1/traces`,
    PROJECT: project,
    ...env,
  }
  await new Promise<void>((resolve, reject) => {
    execFile(file, [program, name], { env: settings }, (failure, _, stderr) =>
      failure ? reject(new Error(stderr || failure.message)) : resolve(),
    )
  })
  const runs = await collect(aClient(server.url).listRuns({ projectName: project }))
  return inOrder(runs)
}

const PREFIX = 'frameworks/'
const ROWS = INSTRUMENTATIONS.flatMap((row) => {
  const command = row.program?.startsWith(PREFIX) ? findCommand(row) : undefined
  return command === undefined ? [] : [{ ...row, command, title: `${row.name} (${row.language})` }]
})

// Without test:full the packages may not be there.
it.each(ROWS)('the runs and the fields of the table are what arrives of $title', async (row) => {
  const { command, program = '', trees, cells } = row
  const runs = (await trace(command, program.slice(PREFIX.length))).map(toSeenRun)
  expect(drawTree(runs)).toEqual(trees)
  expect(judgeRuns(runs, columnsOf(cells))).toEqual(toExpected(cells))
})

/** A request of an exporter, as it was recorded. */
interface Request {
  readonly resourceSpans: { scopeSpans: { spans: { attributes: object[] }[] }[] }[]
}

function readRecorded(name: string): Request {
  const path = `../../../packages/server/src/ingest/otlp/instrumentations/recorded/${name}.json`
  return JSON.parse(readFileSync(fileOf(path), 'utf8')) as Request
}

it('attributes of the program are metadata of each emitter, by which runs are found, beside a span that is refused', async () => {
  const recorded = INSTRUMENTATIONS.flatMap((row) => (row.recorded === undefined ? [] : readRecorded(row.recorded)))
  const request: Request = { resourceSpans: recorded.flatMap(({ resourceSpans }) => resourceSpans) }
  const lists = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.map(({ spans }) => spans))
  const spans = lists.flat()
  for (const { attributes } of spans) {
    attributes.push({ key: 'tier', value: { stringValue: 'gold' } }, { key: 'shop.items', value: { intValue: 3 } })
  }
  lists[0]?.push({ ...spans[0]!, ...{ traceId: '', spanId: '' } })

  const projectName = aProjectName('attributes')
  const headers = { 'content-type': 'application/json', 'x-api-key': 'any', 'langsmith-project': projectName }
  const body = JSON.stringify(request)
  const response = await fetch(`${server.url}/otel/v1/traces`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  const { partialSuccess } = (await response.json()) as { partialSuccess?: { rejectedSpans?: unknown } }
  expect(Number(partialSuccess?.rejectedSpans)).toBe(1)

  const client = aClient(server.url)
  const count = async (filter?: string) =>
    (await collect(client.listRuns({ projectName, ...(filter !== undefined && { filter }) }))).length
  expect(await count()).toBe(spans.length)
  expect(await count('and(eq(metadata_key, "tier"), eq(metadata_value, "gold"))')).toBe(spans.length)
  expect(await count('eq(metadata.shop.items, 3)')).toBe(spans.length)
  expect(await count('eq(metadata.tier, "silver")')).toBe(0)
})
