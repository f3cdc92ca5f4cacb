import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { FoundTrace, RefusedRuns, RequestReceiptList, RetriedRuns } from '../schemas.ts'
import { isSampled } from '../tracing/sampling.ts'
import { Calls } from './calls.ts'

/** Selects ingest requests of the last 24 hours. */
export interface ReceiptSearch {
  /** Id of a run or trace. */
  id?: string | undefined
  projectId?: string | undefined
  apiKeyId?: string | undefined
  outcome?: 'accepted' | 'rejected' | 'warning' | undefined
  /** Only of the last so many minutes. @default 1440 */
  minutes?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** At most 100. @default 50 */
  limit?: number | undefined
}

export class IngestReceiptCalls extends Calls {
  /** One page of the ingest requests of the last 24 hours, newest first. An extension of ours. */
  async listIngestReceipts(search: ReceiptSearch = {}, options: CallOptions = {}): Promise<RequestReceiptList> {
    const { projectId: project, apiKeyId: api_key, ...rest } = search
    const query = { ...rest, project, api_key }

    return await this.transport.call(routes.ingestReceipts.list, { query, doing: 'list ingest requests', ...options })
  }

  /**
   * Whether a run or trace is stored, was rejected in the last 24 hours, or is unknown. Clients sample by the id of the
   * trace alone, so for an unknown trace id this decides exactly whether a rate that a client reported left it out. An
   * extension of ours.
   */
  async findTrace(id: string, options: CallOptions = {}): Promise<FoundTrace> {
    const found = await this.transport.call(routes.ingestReceipts.where, {
      params: { id },
      doing: `look for ${id}`,
      ...options,
    })
    const isLeftOut = found.outcome === 'unknown' && found.sampling_rates.some((rate) => !isSampled(id, rate))
    return isLeftOut ? { ...found, outcome: 'sampled_out' } : found
  }

  /** Runs that the store refused after they were acknowledged. The server keeps them. An extension of ours. */
  async listRefusedRuns(options: CallOptions = {}): Promise<RefusedRuns> {
    return await this.transport.call(routes.ingestReceipts.listRefused, { doing: 'list refused runs', ...options })
  }

  /** Stores the refused runs again, as if they had just been sent. For admins. An extension of ours. */
  async retryRefusedRuns(options: CallOptions = {}): Promise<RetriedRuns> {
    return await this.transport.call(routes.ingestReceipts.retryRefused, { doing: 'retry refused runs', ...options })
  }
}
