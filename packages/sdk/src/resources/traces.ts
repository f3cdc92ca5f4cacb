import * as routes from '@touchstone/contract/routes'
import { decodeTraceRuns } from '@touchstone/contract/trace-columns'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { TraceColumns } from '../schemas.ts'
import { Calls } from './calls.ts'

// Apart from RunCalls, because most programs that read runs do not need the decoder.
export class TraceCalls extends Calls {
  /**
   * All runs of a trace without payloads, as columns: for large traces, a tenth of the bytes of `readTraceTree`, and no
   * object per run. Without the `dotted_order` and the project of each run. An extension of ours.
   */
  async readTraceColumns(traceId: string, options: CallOptions = {}): Promise<TraceColumns> {
    assertUuid(traceId)
    const answer = await this.transport.call(routes.traces.runColumns, {
      params: { trace_id: traceId },
      doing: `read trace ${traceId}`,
      ...options,
    })
    return { ...answer, runs: decodeTraceRuns(answer.runs) }
  }
}
