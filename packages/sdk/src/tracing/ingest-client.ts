import { ingestBatch, ingestMultipart } from '@touchstone/contract/routes/ingest'
import { NotFoundError } from '../errors.ts'
import type { BaseRun, RunCreate, RunUpdate } from '../schemas.ts'
import { mergeOperations, type Operation } from './batching/operation.ts'
import { gzip, toJsonBody, toMultipartBody } from './batching/request-body.ts'
import { type Destination, TracingClient } from './tracing-client.ts'

interface IngestedRuns {
  runCreates?: RunCreate[] | undefined
  runUpdates?: RunUpdate[] | undefined
}

/** Sends runs directly, without the queue. A separate class, so that programs that only trace do not bundle it. */
export class IngestClient extends TracingClient {
  /** Sends creates and updates immediately as one JSON request. Rejects on failure. */
  async batchIngestRuns(runs: IngestedRuns, destination: Destination = {}): Promise<void> {
    const operations = await this.#operations(runs)
    if (operations.length === 0) return
    const { bytes, contentType } = toJsonBody(operations)
    const headers = { 'content-type': contentType }
    await this.transportFor(destination).send(ingestBatch, { bytes, headers, doing: 'ingest a batch of runs' })
  }

  /**
   * Sends creates and updates immediately as one multipart request. Rejects with 404 when the server lacks the
   * endpoint; other failures are logged as warnings.
   *
   * @throws Error when a run lacks `trace_id` or `dotted_order`
   */
  async multipartIngestRuns(
    runs: IngestedRuns,
    options: Destination & { useGzip?: boolean | undefined } = {},
  ): Promise<void> {
    checkBatchable(runs.runCreates, 'creating')
    checkBatchable(runs.runUpdates, 'updating')
    const operations = await this.#operations(runs)
    if (operations.length === 0) return
    const { bytes, contentType } = toMultipartBody(operations)
    const zipped = options.useGzip ? await gzip(bytes) : undefined
    const headers = { 'content-type': contentType, ...(zipped && { 'content-encoding': 'gzip' }) }
    const request = { doing: 'ingest runs', headers }
    try {
      await this.transportFor(options).send(ingestMultipart, { ...request, bytes: zipped ?? bytes })
    } catch (error) {
      if (error instanceof NotFoundError) throw error
      this.reportProblem(String(error))
    }
  }

  async #operations({ runCreates = [], runUpdates = [] }: IngestedRuns): Promise<Operation[]> {
    const byId = new Map<string, Operation>()
    const add = (operation: Operation | undefined) => {
      if (!operation) return
      const earlier = byId.get(operation.id)
      byId.set(operation.id, earlier ? mergeOperations(earlier, operation) : operation)
    }
    for (const run of runCreates) add(await this.prepareOperation('post', run))
    for (const run of runUpdates) add(await this.prepareOperation('patch', run))
    return [...byId.values()]
  }
}

function checkBatchable(runs: BaseRun[] = [], doing: 'creating' | 'updating'): void {
  if (runs.every((run) => run.trace_id !== undefined && run.dotted_order !== undefined)) return
  throw new Error(`Multipart ingest requires "trace_id" and "dotted_order" to be set when ${doing} a run`)
}
