import { describe, expect, it } from 'vitest'
import { buildTrace } from './build-trace.ts'
import { colorAt, colorRuns } from './run-colors.ts'
import { aTraceTree } from './testing.ts'

const trace = buildTrace(
  aTraceTree([
    { id: 'root', at: [0, 100] },
    { id: 'call', parent: 'root', run_type: 'llm', at: [0, 60], model: 'large', prompt_tokens: 1, total_cost: '0.9' },
    { id: 'small', parent: 'root', run_type: 'llm', at: [60, 64], model: 'small', prompt_tokens: 1, total_cost: '0.1' },
    { id: 'blink', parent: 'root', at: [99, 99.5] },
  ]),
)
const labels = (by: Parameters<typeof colorRuns>[1], of = trace) => {
  const colors = colorRuns(of, by)
  return Array.from({ length: of.size }, (_, row) => colorAt(colors, row).label)
}

describe('the colors of a trace', () => {
  it.each([
    ['type', ['chain', 'llm', 'llm', 'chain']],
    ['latency', ['25 % and more', '25 % and more', '1 to 5 %', 'under 1 %']],
    ['cost', ['25 % and more', '25 % and more', '5 to 25 %', 'under 1 %']],
    ['model', ['no model', 'large', 'small', 'no model']],
  ] as const)('tell by %s', (by, expected) => {
    expect(labels(by)).toEqual(expected)
  })

  it('count the models that share a color', () => {
    const many = aTraceTree(
      Array.from({ length: 12 }, (_, i) => ({
        id: `r${i}`,
        ...(i > 0 ? { parent: 'r0', model: `model-${i}` } : {}),
        at: [i, i + 1] as [number, number],
      })),
    )
    expect(labels('model', buildTrace(many)).filter((label) => label === '4 other models')).toHaveLength(4)
  })

  it('use the lowest class when no run has a cost', () => {
    expect(labels('cost', buildTrace(aTraceTree([{ id: 'root' }])))).toEqual(['under 1 %'])
  })
})
