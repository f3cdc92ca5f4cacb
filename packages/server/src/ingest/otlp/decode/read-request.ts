import type { OtlpEncoding } from '../../../http/otlp-answers.ts'
import type { Outcome } from '../../../outcome.ts'
import { TimeSlices } from '../../../time-slices.ts'
import type { OtlpEvent, OtlpResource, OtlpScope, OtlpSpan } from '../span.ts'
import { readJsonLogs, readJsonSpans } from './decode-json.ts'
import { readProtobufLogs, readProtobufSpans } from './decode-protobuf.ts'
import { MAX_ITEMS, MissingIds } from './limits.ts'
import { OtlpProblem } from './wire-reader.ts'

/** A log record; those without ids belong to no span. */
export interface LogRecord extends OtlpEvent {
  readonly traceId?: string | undefined
  readonly spanId?: string | undefined
  readonly resource: OtlpResource
  readonly scope: OtlpScope
}

/** An item that cannot be stored; the others of its request can. */
export interface Refused {
  readonly problem: string
  readonly cause?: OtlpProblem
}

type Items<Item> = Iterable<{ readonly ok: Item } | Refused> | AsyncIterable<{ readonly ok: Item } | Refused>

/**
 * Reads the spans of an ExportTraceServiceRequest, in slices of the event loop. A span that cannot be read is a problem of its own.
 *
 * @throws OtlpProblem when the whole body cannot be read, or contains another signal
 */
export async function* readSpans(body: Buffer, encoding: OtlpEncoding): AsyncGenerator<Outcome<OtlpSpan>> {
  const items: Items<OtlpSpan> = encoding === 'json' ? readJsonSpans(body) : readProtobufSpans(body)
  let spans = 0
  let withoutIds = 0
  for await (const item of inSlices(items)) {
    if ('ok' in item) spans++
    else if (item.cause instanceof MissingIds) withoutIds++
    yield item
  }
  if (spans === 0 && withoutIds > 0) throw new OtlpProblem(LOOKS_LIKE_LOGS)
}

const LOOKS_LIKE_LOGS =
  'none of its spans has a trace id and a span id, as when log records are sent to the path of traces. ' +
  'Log records belong to …/otel/v1/logs'

/**
 * Reads the records of an ExportLogsServiceRequest.
 *
 * @throws OtlpProblem when the whole body cannot be read, or contains another signal
 */
export function readLogs(body: Buffer, encoding: OtlpEncoding): AsyncGenerator<Outcome<LogRecord>> {
  return inSlices(encoding === 'json' ? readJsonLogs(body) : readProtobufLogs(body))
}

async function* inSlices<Item>(items: Items<Item>): AsyncGenerator<{ readonly ok: Item } | Refused> {
  const slices = new TimeSlices()
  let count = 0
  for await (const item of items) {
    if (++count > MAX_ITEMS) {
      throw new OtlpProblem(`it has more than ${MAX_ITEMS} items; send smaller batches (maxExportBatchSize)`)
    }
    yield item
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
  }
}
