import { Client } from '../client.ts'
import { env } from '../config/env.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import { readGitInfo } from '../evaluation/experiment-metadata.ts'
import { findComparisonUrl, randomName, startExperiment } from '../evaluation/start-experiment.ts'
import type { Dataset, KVMap, TracerSession } from '../schemas.ts'
import { syncExample, type WantedExample } from './examples.ts'
import type { SuiteConfig } from './types.ts'

/** Dataset and experiment of a recorded suite. */
export interface OpenSuite {
  dataset: Dataset
  experiment: TracerSession
  url: string | undefined
}

/**
 * One `ls.describe`: a dataset, plus an experiment for this execution. Both are created with the first recorded test,
 * so a suite without executed tests creates nothing.
 */
export class Suite {
  readonly name: string
  readonly config: SuiteConfig
  readonly #runner: string
  readonly #synced = new Map<string, Promise<string>>()
  readonly #pending: Promise<unknown>[] = []
  #client: Client | undefined
  #opening: Promise<OpenSuite> | undefined

  constructor(name: string, config: SuiteConfig, runner: string) {
    this.name = name
    this.config = config
    this.#runner = runner
  }

  /** Created on first use, so that a setup file may still set the key in the environment. */
  get client(): Client {
    this.#client ??= this.config.client ?? new Client()
    return this.#client
  }

  open(): Promise<OpenSuite> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<OpenSuite> {
    const { client } = this
    const dataset = await findOrCreateDataset(client, this.name, this.#runner)
    const { client: _, testSuiteName, enableTestTracking, ...project } = this.config
    const experiment = await startExperiment(client, {
      ...project,
      projectName: project.projectName ?? randomName(),
      metadata: this.#metadata(),
      referenceDatasetId: dataset.id,
    })
    const url = await findComparisonUrl(client, dataset.id, [experiment.id])
    const link = url ? `\n[touchstone] View results at ${url}` : ''
    // In one call: runners decorate every call.
    console.error(`[touchstone] Experiment starting for dataset "${this.name}"!${link}`)
    return { dataset, experiment, url }
  }

  #metadata(): KVMap {
    const { metadata } = this.config
    const environment = metadata?.ENVIRONMENT ?? env('ENVIRONMENT')
    const node = metadata?.NODE_ENV ?? globalThis.process?.env?.NODE_ENV
    return {
      ...metadata,
      ...(environment && { ENVIRONMENT: environment }),
      ...(node && { NODE_ENV: node }),
      __ls_runner: this.#runner,
    }
  }

  /** Syncs each example once, for all repetitions and workers. */
  sync(wanted: WantedExample): Promise<string> {
    const started = this.#synced.get(wanted.id)
    if (started) return started
    const syncing = syncExample(this.client, wanted)
    this.#synced.set(wanted.id, syncing)
    return syncing
  }

  /** Registers work that must finish before the suite ends. */
  track(work: Promise<unknown>): void {
    // Failures are reported when the work is awaited; until then they must not count as unhandled.
    work.catch(() => {})
    this.#pending.push(work)
  }

  /** Waits until everything is delivered, then records the dataset version. */
  async finish(): Promise<void> {
    if (!this.#opening) return
    await this.client.flush()
    await Promise.all(this.#pending)
    const synced = await Promise.allSettled(this.#synced.values())
    const versions = synced.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const version = versions.sort((a, b) => Date.parse(a) - Date.parse(b)).at(-1)
    if (version === undefined) return
    const { dataset, experiment } = await this.open()
    const git = await readGitInfo()
    const { commit, branch, dirty } = git ?? {}
    await this.client.updateProject(experiment.id, {
      metadata: { ...this.#metadata(), dataset_version: version, ...(commit && { commit, branch, dirty }) },
    })
    if (!commit) return
    const tag = (name: string) => this.client.updateDatasetTag({ datasetId: dataset.id, asOf: version, tag: name })
    await tag(`git:commit:${commit}`)
    if (branch && branch !== 'HEAD') await tag(`git:branch:${branch}`)
  }
}

async function findOrCreateDataset(client: Client, datasetName: string, runner: string): Promise<Dataset> {
  try {
    return await client.readDataset({ datasetName })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
  }
  try {
    const description = `Dataset for unit tests created on ${new Date().toISOString()}`
    return await client.createDataset(datasetName, { description, metadata: { __ls_runner: runner } })
  } catch (error) {
    // Another worker created the dataset first.
    if (error instanceof ConflictError) return await client.readDataset({ datasetName })
    throw error
  }
}
