import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { TouchstoneError } from '../errors.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  PlaygroundDraft,
  PlaygroundDraftChange,
  PlaygroundDraftDetail,
  PlaygroundDraftWrite,
  PlaygroundEstimate,
  PlaygroundEvent,
  PlaygroundJob,
  PlaygroundJobDetail,
  PlaygroundJobWrite,
  PlaygroundLimits,
  PlaygroundRun,
} from '../schemas.ts'
import { Calls } from './calls.ts'

export interface ListPlaygroundParams {
  /** @default 50; at most 100 */
  limit?: number | undefined
  offset?: number | undefined
}

export interface WaitForPlaygroundJobOptions extends CallOptions {
  /** Milliseconds between two reads. @default 1000 */
  intervalMs?: number | undefined
  /** Called after each read. */
  onProgress?: ((job: PlaygroundJobDetail) => void) | undefined
}

/** Calls of models with prompts, alone or over a dataset, made by the server. Extensions of ours. */
export class PlaygroundCalls extends Calls {
  /**
   * Calls all variants and yields what happens as it happens. Failures of a provider are events and not thrown. Leaving the
   * loop, or aborting the signal, cancels the calls.
   *
   * @throws NotFoundError for an unknown provider; TouchstoneError when the stream ends before the answers do
   */
  async *runPlayground(run: PlaygroundRun, options: CallOptions = {}): AsyncGenerator<PlaygroundEvent> {
    const request = { body: run, doing: 'run the playground', maxRetries: 0, ...options }
    const { body } = await this.transport.raw(routes.playground.run, request)
    let left = run.variants.length * (run.repeats ?? 1)
    for await (const data of readData(body)) {
      const event = JSON.parse(data) as PlaygroundEvent
      if (event.type === 'finished' || event.type === 'failed') left--
      yield event
    }
    if (left > 0) throw new TouchstoneError(`The server ended the stream before ${left} of the answers.`)
  }

  /** Calls, tokens and price of a job, and variables without a value. Calls no model. */
  async estimatePlaygroundJob(job: PlaygroundJobWrite, options: CallOptions = {}): Promise<PlaygroundEstimate> {
    const request = { body: job, doing: 'estimate a playground job', ...options }
    return await this.transport.call(routes.playgroundJobs.estimate, request)
  }

  /**
   * Calls each variant for each row of a dataset; each variant becomes an experiment. The job works on the server, also after
   * this program has ended.
   *
   * @throws NotFoundError for the dataset, a provider or an evaluator; BadRequestError
   */
  async createPlaygroundJob(job: PlaygroundJobWrite, options: CallOptions = {}): Promise<PlaygroundJob> {
    // A second request would start a second job.
    const request = { body: job, doing: 'create a playground job', maxRetries: 0, ...options }
    return await this.transport.call(routes.playgroundJobs.create, request)
  }

  /** Newest first. */
  async listPlaygroundJobs(
    { datasetId, limit, offset }: ListPlaygroundParams & { datasetId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<{ jobs: PlaygroundJob[]; total: number }> {
    const query = { dataset_id: datasetId, limit, offset }
    return await this.transport.call(routes.playgroundJobs.list, { query, doing: 'list playground jobs', ...options })
  }

  async readPlaygroundJob(id: string, options: CallOptions = {}): Promise<PlaygroundJobDetail> {
    const request = { params: toJobParams(id), doing: `read playground job ${id}`, ...options }
    return await this.transport.call(routes.playgroundJobs.read, request)
  }

  /** Calls under way end. @throws ConflictError unless it runs */
  async pausePlaygroundJob(id: string, options: CallOptions = {}): Promise<PlaygroundJob> {
    const request = { params: toJobParams(id), doing: `pause playground job ${id}`, ...options }
    return await this.transport.call(routes.playgroundJobs.pause, request)
  }

  /**
   * Continues a job that is paused, stopped or failed. Calls that failed are not made again.
   *
   * @param limits  replace those of the job. @default unchanged
   * @throws ConflictError
   */
  async resumePlaygroundJob(
    id: string,
    limits?: PlaygroundLimits | undefined,
    options: CallOptions = {},
  ): Promise<PlaygroundJob> {
    const request = { params: toJobParams(id), body: { limits }, doing: `resume playground job ${id}`, ...options }
    return await this.transport.call(routes.playgroundJobs.resume, request)
  }

  /** Cancels the calls under way; what the job has done stays. @throws ConflictError when it has ended */
  async stopPlaygroundJob(id: string, options: CallOptions = {}): Promise<PlaygroundJob> {
    const request = { params: toJobParams(id), doing: `stop playground job ${id}`, ...options }
    return await this.transport.call(routes.playgroundJobs.stop, request)
  }

  /** Resolves when a job no longer runs: completed, failed, stopped or paused. */
  async waitForPlaygroundJob(
    id: string,
    { intervalMs = 1000, onProgress, ...options }: WaitForPlaygroundJobOptions = {},
  ): Promise<PlaygroundJobDetail> {
    for (;;) {
      const job = await this.readPlaygroundJob(id, options)
      onProgress?.(job)
      if (job.state !== 'RUNNING') return job
      await new Promise((resolve) => setTimeout(resolve, intervalMs))
      options.signal?.throwIfAborted()
    }
  }

  /** Without their bodies, changed last first. */
  async listPlaygroundDrafts(
    query: ListPlaygroundParams = {},
    options: CallOptions = {},
  ): Promise<{ drafts: PlaygroundDraft[]; total: number }> {
    const request = { query: { ...query }, doing: 'list playground drafts', ...options }
    return await this.transport.call(routes.playgroundDrafts.list, request)
  }

  async createPlaygroundDraft(draft: PlaygroundDraftWrite, options: CallOptions = {}): Promise<PlaygroundDraftDetail> {
    const request = { body: draft, doing: 'create a playground draft', ...options }
    return await this.transport.call(routes.playgroundDrafts.create, request)
  }

  async readPlaygroundDraft(id: string, options: CallOptions = {}): Promise<PlaygroundDraftDetail> {
    const request = { params: toDraftParams(id), doing: `read playground draft ${id}`, ...options }
    return await this.transport.call(routes.playgroundDrafts.read, request)
  }

  /** @throws ConflictError when the draft no longer has `expected_version` */
  async updatePlaygroundDraft(
    id: string,
    change: PlaygroundDraftChange,
    options: CallOptions = {},
  ): Promise<PlaygroundDraft> {
    const request = { params: toDraftParams(id), body: change, doing: `update playground draft ${id}`, ...options }
    return await this.transport.call(routes.playgroundDrafts.update, request)
  }

  async deletePlaygroundDraft(id: string, options: CallOptions = {}): Promise<void> {
    const request = { params: toDraftParams(id), doing: `delete playground draft ${id}`, ...options }
    await this.transport.send(routes.playgroundDrafts.delete, request)
  }
}

function toJobParams(id: string): { job_id: string } {
  assertUuid(id)
  return { job_id: id }
}

function toDraftParams(id: string): { draft_id: string } {
  assertUuid(id)
  return { draft_id: id }
}

/** The `data:` lines of a stream of events. */
async function* readData(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const reader = body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  let pieces: string[] = []
  try {
    for (;;) {
      const { value, done } = await reader.read()
      const text = value === undefined ? decoder.decode() : decoder.decode(value, { stream: true })
      // A long line comes in many pieces, which are joined once.
      const [first = '', ...lines] = text.split('\n')
      pieces.push(first)
      for (const next of lines) {
        const line = pieces.join('')
        pieces = [next]
        if (line.startsWith('data: ')) yield line.slice('data: '.length)
      }
      if (done) return
    }
  } finally {
    // Ends the connection when the caller has left the loop.
    await reader.cancel().catch(() => undefined)
  }
}
