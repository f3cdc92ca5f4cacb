import { asRecord, memberAt } from '@touchstone/formats/guards'
import { JsonProblem, JsonTooComplex } from '@touchstone/formats/scan-json'
import type { OtlpEncoding } from '../../../http/otlp-answers.ts'
import { parseInSlices } from '../../../json/parse-in-slices.ts'
import { OtlpProblem, WireReader } from './wire-reader.ts'

/**
 * Counts the data points of an ExportMetricsServiceRequest, without reading them.
 *
 * @throws OtlpProblem when the body cannot be read
 */
export async function countDataPoints(body: Buffer, encoding: OtlpEncoding): Promise<number> {
  return encoding === 'json' ? countInJson(await parse(body)) : countInProtobuf(new WireReader(body), PATH)
}

async function parse(body: Buffer): Promise<unknown> {
  try {
    return await parseInSlices(body)
  } catch (error) {
    if (error instanceof JsonProblem) throw new OtlpProblem(`it is not valid JSON at byte ${error.position}`)
    if (error instanceof JsonTooComplex || error instanceof SyntaxError) throw new OtlpProblem(error.message)
    throw error
  }
}

const KINDS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary']

function countInJson(request: unknown): number {
  const metrics = listAt(request, 'resourceMetrics')
    .flatMap((resource) => listAt(resource, 'scopeMetrics'))
    .flatMap((scope) => listAt(scope, 'metrics'))
  const countOf = (metric: unknown, kind: string) => {
    const points = memberAt(metric, kind, 'dataPoints')
    return Array.isArray(points) ? points.length : 0
  }
  return metrics.reduce<number>((sum, metric) => KINDS.reduce((all, kind) => all + countOf(metric, kind), sum), 0)
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = asRecord(value)?.[key]
  return Array.isArray(list) ? list : []
}

/** Fields with a length, from the request to its data points: resources, scopes, metrics, the kinds of a metric, points. */
const PATH: readonly (readonly number[])[] = [[0x0a], [0x12], [0x12], [0x2a, 0x3a, 0x4a, 0x52, 0x5a], [0x0a]]

function countInProtobuf(message: WireReader, [tags = [], ...below]: typeof PATH): number {
  let count = 0
  while (message.next()) {
    if (!tags.includes(message.tag)) message.skip()
    else if (below.length > 0) count += countInProtobuf(message.message(), below)
    else {
      message.skip()
      count++
    }
  }
  return count
}
