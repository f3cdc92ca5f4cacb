import { createHash } from 'node:crypto'
import { mergeExtra } from '@touchstone/formats/cut-json'
import { RawPayload, type RunWrite } from '../../run-write.ts'
import type { SpanPlace } from './span-ids.ts'

type Write = RunWrite & { readonly span: SpanPlace }

/**
 * Keeps spans apart that share an id in one trace, as some emitters with a seeded or copied random generator send them. A span
 * has one start, whatever it is sent with later, so spans with different starts are different spans. The first one keeps the id,
 * with the runs below it; each of the others gets an id of its own, the same one whenever it is sent again.
 *
 * @param spans  spans of one trace, by start
 * @param findStoredStart  the start of the stored span with an id
 */
export function separateDuplicates<Span extends { readonly write: Write }>(
  spans: readonly Span[],
  findStoredStart: (spanId: string) => string | undefined,
): readonly (Span | (Span & { readonly origin: Span }))[] {
  const starts = new Map<string, string | undefined>()
  return spans.map((span) => {
    const { span: place, startTime } = span.write
    if (place.isLog || place.hasNoStart || place.runId !== undefined || startTime === undefined) return span
    const { spanId } = place
    const first = starts.get(spanId) ?? findStoredStart(spanId) ?? startTime
    starts.set(spanId, first)
    return first === startTime ? span : { ...span, write: separate(span.write, startTime), origin: span }
  })
}

function separate(write: Write, startTime: string): Write {
  const { spanId } = write.span
  const ownId = createHash('sha1').update(`${spanId}/${startTime}`).digest('hex').slice(0, 16)
  const note = JSON.stringify({ metadata: { duplicate_span_id: spanId } })
  // By text: the value of a large extra is only an outline.
  const extra = RawPayload.trusted(write.extra === undefined ? note : mergeExtra(write.extra.text, note))
  return { ...write, extra, span: { ...write.span, spanId: ownId } }
}
