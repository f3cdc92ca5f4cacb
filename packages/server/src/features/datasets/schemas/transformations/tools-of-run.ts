import { isRecord } from '../../../../json/guards.ts'
import { parseKeepingDigits } from '../../../../json/keep-digits.ts'
import type { SourceRun } from './apply.ts'
import { toOpenaiTools } from './openai-tools.ts'

/** Tools that a run's model could call, as OpenAI tools; undefined when the run names none. */
export function toolsOfRun(run: SourceRun): unknown[] | undefined {
  const extra = parseKeepingDigits(run.extra)
  const inputs = parseKeepingDigits(run.inputs)
  const called = isRecord(extra) ? extra.invocation_params : undefined
  const places = [called, inputs, isRecord(inputs) ? inputs.invocation_params : undefined].filter(isRecord)
  for (const place of places) {
    for (const tools of [place.tools, place.functions]) {
      if (Array.isArray(tools) && tools.length > 0) return tools.flatMap(toOpenaiTools)
    }
  }
  return undefined
}
