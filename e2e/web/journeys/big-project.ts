import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type Seed, seedRuns } from '../../../bench/support/seed-runs.ts'
import { settle } from '../../../bench/support/settle.ts'
import { SCALE } from '../../support/scale.ts'
import { startServer } from '../../support/start-server.ts'
import { startUi, type Ui } from '../../support/start-ui.ts'

const HOUR = 3_600_000

export interface BigProject extends Ui {
  /** The URL of its runs. */
  readonly path: string
  readonly projectId: string
  /** Epoch milliseconds of the hour in which a model was called far more often than usual. */
  readonly spikeMs: number
}

/** The model of the spike. No other run uses it. */
export const SPIKING_MODEL = 'gpt-5-nano'
/** Tags of `SCALE.tagged` traces each, for journeys that add all of them to a dataset and delete them. */
export const TAGS = ['golden', 'golden-keys'] as const

/**
 * A server and a browser over a project `big` of `SCALE.runs` runs, which is made inside the engine once per test run
 * and copied for each caller. `stop` removes the copy.
 */
export async function startBigProject(): Promise<BigProject> {
  const template = process.env.TOUCHSTONE_E2E_BIG!
  await ensureBigProject(template)
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-big-'))
  await cp(template, dataDir, { recursive: true })
  const made: Made = JSON.parse(await readFile(join(dataDir, MADE), 'utf8'))
  const ui = await startUi({ dataDir, timeoutMs: 300_000 })
  return {
    ...ui,
    ...made,
    path: `/o/${ui.tenant}/projects/p/${made.projectId}`,
    async stop() {
      await ui.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

interface Made {
  projectId: string
  spikeMs: number
}

const MADE = 'big-project.json'

/** Makes the project once: the first caller of any worker makes it, all others wait for it. */
async function ensureBigProject(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const unfinished = `${folder}-unfinished`
  const isFirst = await mkdir(unfinished).then(
    () => true,
    () => false,
  )
  if (isFirst) await makeBigProject(unfinished, folder)
  else await vi.waitUntil(() => existsSync(folder), { timeout: 600_000, interval: 250 })
}

async function makeBigProject(unfinished: string, folder: string): Promise<void> {
  await cp(process.env.TOUCHSTONE_E2E_TEMPLATE!, unfinished, { recursive: true })
  const server = await startServer({ dataDir: unfinished, timeoutMs: 300_000 })
  const answer = await fetch(`${server.url}/api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'big' }),
  })
  const { id: projectId, tenant_id: tenantId } = (await answer.json()) as { id: string; tenant_id: string }
  await server.stop()

  const now = Date.now()
  const spikeMs = Math.floor(now / HOUR) * HOUR - 72 * HOUR
  const analytics = join(unfinished, 'analytics')
  await seedRuns(analytics, ...seedsOf({ projectId, tenantId }, now, spikeMs))
  await settle(analytics)
  const made: Made = { projectId, spikeMs }
  await writeFile(join(unfinished, MADE), JSON.stringify(made))
  await rename(unfinished, folder)
}

/** Thirty days of everyday traces, an hour of a spike, and single runs with a tag. */
function seedsOf(place: Pick<Seed, 'projectId' | 'tenantId'>, now: number, spikeMs: number): Seed[] {
  const spike = SCALE.runs / 25
  const tagged = TAGS.length * SCALE.tagged
  return [
    { ...place, runs: SCALE.runs - spike - tagged, between: [now - 30 * 24 * HOUR, now - HOUR] },
    { ...place, runs: spike, salt: 1, between: [spikeMs, spikeMs + HOUR], models: [SPIKING_MODEL] },
    ...TAGS.map((tag, at) => ({
      ...place,
      ...{ runs: SCALE.tagged, salt: 2 + at, stepsPerTrace: 1, tags: [tag] },
      between: [now - 20 * HOUR, now - 10 * HOUR] as const,
    })),
  ]
}
