import type { Run } from '@touchstone/contract'
import { printFilter } from '@touchstone/contract/filter'
import { MODEL_FIELDS } from '@touchstone/formats/models'
import { describe, expect, it } from 'vitest'
import { variantFromRun } from '#features/playground/logic/from-run.ts'
import { toModelCall } from './copy-as/model-call.ts'
import {
  buildUsageRows,
  explainRepeat,
  findPromptCommit,
  findRunModel,
  formatReportedUsage,
  formatRowCosts,
  formatUnpricedFees,
  hasReportedCost,
  pricePerMillion,
  unknownCostReason,
} from './run-values.ts'

const aRun = (fields: Partial<Run>) => ({ extra: { metadata: { ls_model_name: 'model-x' } }, ...fields }) as Run

describe('the model of a run', () => {
  it.each(MODEL_FIELDS)('is found under %s by the panel, the playground and the code that calls it', (field) => {
    const inputs = { messages: [{ role: 'user', content: 'Hi' }] }
    const inParameters = aRun({ run_type: 'llm', extra: { invocation_params: { [field]: 'm-1' } } })
    const inRequest = aRun({ run_type: 'llm', extra: {}, inputs: { ...inputs, [field]: 'm-1' } })
    for (const run of [inParameters, inRequest]) {
      const payload = { inputs: run.inputs ?? inputs, outputs: undefined }
      expect(findRunModel(run)).toBe('m-1')
      expect(variantFromRun({ extra: run.extra, ...payload }).variant.model).toBe('m-1')
      expect(toModelCall(run, payload)?.model).toBe('m-1')
    }
  })
})

describe('the token table of a run', () => {
  it('has a row per class, with its price', () => {
    const rows = buildUsageRows(
      aRun({
        total_tokens: 30,
        prompt_tokens: 20,
        completion_tokens: 10,
        prompt_token_details: { cache_read: 5 },
        completion_token_details: { reasoning: 4 },
        total_cost: '0.000065',
        prompt_cost: '0.000035',
        completion_cost: '0.00003',
        prompt_cost_details: { cache_read: '0.000005' },
      }),
    )
    expect(rows.map(({ label, tokens }) => [label, tokens])).toEqual([
      ['Prompt', 20],
      ['cached', 5],
      ['at the base price', 15],
      ['Completion', 10],
      ['reasoning', 4],
      ['Total', 30],
    ])
    expect(pricePerMillion(rows[1]!)).toBe('1')
    expect(rows[2]!.cost).toBe('0.00003')
    expect(pricePerMillion(rows[2]!)).toBe('2')
    expect(pricePerMillion(rows[4]!)).toBeUndefined()
  })

  it('labels unknown token classes with their own names', () => {
    const details = JSON.parse('{"__proto__":1,"constructor":2}')
    const rows = buildUsageRows(aRun({ prompt_tokens: 20, total_tokens: 30, prompt_token_details: details }))
    expect(rows.map(({ label }) => label)).toEqual(expect.arrayContaining(['  proto  ', 'constructor']))
  })

  it.each([
    ['with four decimals', ['0.00501', '0.00431', '0.00932'], ['$0.0050', '$0.0043', '$0.0093']],
    ['with more where four do not add up', ['0.00504', '0.00424', '0.00928'], ['$0.00504', '$0.00424', '$0.00928']],
    [
      'with two digits of the smallest',
      ['0.00004', '0.0000021', '0.0000421'],
      ['$0.0000400', '$0.0000021', '$0.0000421'],
    ],
    ['without zeros at the end', ['0.25', '1.5', '1.75'], ['$0.25', '$1.50', '$1.75']],
    ['also when the reported ones do not', ['0.1', '0.1', '0.7'], ['$0.10', '$0.10', '$0.70']],
    ['with unknown ones', [undefined, '0.25', '0.25'], ['-', '$0.25', '$0.25']],
    ['when nothing was charged', ['0', '0', '0'], ['$0.00', '$0.00', '$0.00']],
  ])('prints costs that add up, %s', (_, [prompt_cost, completion_cost, total_cost], expected) => {
    const tokens = { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1 }
    expect(formatRowCosts(buildUsageRows(aRun({ ...tokens, prompt_cost, completion_cost, total_cost })))).toEqual(
      expected,
    )
  })

  it('prints costs of classes that add up to their side', () => {
    const rows = buildUsageRows(
      aRun({
        ...{ total_tokens: 30, prompt_tokens: 20, completion_tokens: 10 },
        ...{ total_cost: '0.01004', prompt_cost: '0.01', completion_cost: '0.00004' },
        ...{ prompt_token_details: { cache_read: 5 }, prompt_cost_details: { cache_read: '0.00333' } },
      }),
    )
    expect(formatRowCosts(rows)).toEqual(['$0.01000', '$0.00333', '$0.00667', '$0.00004', '$0.01004'])
  })

  it('is empty without usage', () => expect(buildUsageRows(aRun({ total_tokens: 0, total_cost: null }))).toEqual([]))

  it.each([
    [{ total_cost: '0' }, undefined],
    [{ total_tokens: 3, total_cost: null }, 'no price for model model-x'],
    [{ run_type: 'llm' as const, total_tokens: 3, extra: {} }, 'the run has no model name'],
    [{ run_type: 'chain' as const, total_tokens: 3, extra: {} }, 'no price for the models below it'],
    [{ total_tokens: 0 }, 'no tokens were reported'],
  ])('gives the reason for %j: %s', (fields, reason) => expect(unknownCostReason(aRun(fields))).toBe(reason))
})

const HASH = '0123456789abcdef'
const made = (metadata: object) => findPromptCommit({ extra: { metadata } } as unknown as Run)

describe('the prompt of a run', () => {
  it('is named with its owner, or alone if the workspace owns it', () => {
    expect(made({ lc_hub_owner: 'acme', lc_hub_repo: 'greeting', lc_hub_commit_hash: HASH })?.prompt).toBe(
      'acme/greeting',
    )
    expect(made({ lc_hub_owner: '-', lc_hub_repo: 'greeting', lc_hub_commit_hash: HASH })?.prompt).toBe('greeting')
  })

  it('has a filter for the runs of the same commit', () => {
    const { filter } = made({ lc_hub_repo: 'greeting', lc_hub_commit_hash: HASH })!
    expect(printFilter(filter)).toBe(`and(eq(metadata_key, "lc_hub_commit_hash"), eq(metadata_value, "${HASH}"))`)
  })

  it('is undefined if the name or the hash is missing or not a string', () => {
    expect(made({})).toBeUndefined()
    expect(made({ lc_hub_repo: 'greeting' })).toBeUndefined()
    expect(made({ lc_hub_repo: 'greeting', lc_hub_commit_hash: 7 })).toBeUndefined()
    expect(findPromptCommit({} as Run)).toBeUndefined()
  })
})

describe('what a program reported beside the totals', () => {
  const reported = (otel: unknown) => formatReportedUsage(aRun({ extra: { otel } }))

  it.each([
    [
      'tokens that sum up other calls',
      { aggregate_usage: { input_tokens: 113, output_tokens: 11 } },
      '113 → 11 tokens',
    ],
    ['a cost', { reported_cost: { total: 0.25 } }, '$0.25'],
    ['both', { aggregate_usage: { input_tokens: 113 }, reported_cost: { total: 2 } }, '113 → 0 tokens · $2.00'],
    ['nothing', { aggregate_usage: { input_tokens: 'many' } }, undefined],
    ['nothing without OpenTelemetry', undefined, undefined],
  ])('is %s', (_, otel, text) => expect(reported(otel)).toBe(text))

  const priced = { run_type: 'llm', total_cost: '0.2', price_model_id: 'p' } as const

  it.each([
    ['close to the computed one', 0.206, '$0.21'],
    ['more than the computed one', 0.25, '$0.25, 25% more than computed'],
    ['less than the computed one', 0.1, '$0.10, 50% less than computed'],
  ])('is a cost %s', (_, total, text) => {
    expect(formatReportedUsage(aRun({ ...priced, extra: { otel: { reported_cost: { total } } } }))).toBe(text)
    expect(formatReportedUsage(aRun({ ...priced, outputs: { usage: { prompt_tokens: 1, cost: total } } }))).toBe(text)
  })

  it('is the cost of a provider and the fee of a proxy', () => {
    const usage = { prompt_tokens: 1, cost: 0.05, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } }
    expect(formatReportedUsage(aRun({ ...priced, outputs: { usage } }))).toBe('$0.25, 25% more than computed')
  })

  it('does not stand beside a cost that is itself reported', () => {
    const run = aRun({ ...priced, price_model_id: null, extra: { otel: { reported_cost: { total: 0.2 } } } })
    expect([hasReportedCost(run), formatReportedUsage(run)]).toEqual([true, undefined])
    const given = { usage_metadata: { input_tokens: 1, total_cost: 0.2 } }
    expect(hasReportedCost(aRun({ ...priced, price_model_id: null, outputs: given }))).toBe(true)
  })

  it('is not the computed cost of the runs below', () => {
    const below = { ...priced, price_model_id: null }
    expect(hasReportedCost(aRun(below))).toBe(false)
    const otel = { aggregate_usage: { input_tokens: 5 }, reported_cost: { total: 0.2 } }
    expect(hasReportedCost(aRun({ ...below, extra: { otel } }))).toBe(false)
  })
})

describe('what the cost of a run does not contain', () => {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const searched = { usage: { ...usage, server_tool_use: { web_search_requests: 2 } } }
  const priced = { total_cost: '0.2', price_model_id: 'p' }

  it.each<[string, Partial<Run>, string | undefined]>([
    ['nothing', { ...priced, outputs: { usage } }, undefined],
    ['searches', { ...priced, outputs: searched }, '2 web searches'],
    [
      'the fees of Perplexity',
      { ...priced, outputs: { usage: { ...usage, search_context_size: 'low', citation_tokens: 20016 } } },
      '20,016 citation tokens, 1 request fee',
    ],
    [
      'a tool without a name here',
      { ...priced, outputs: { usage: { server_tool_use: { code_runs: 1 } } } },
      '1 code runs',
    ],
    ['nothing known without a cost', { total_cost: null, outputs: searched }, undefined],
    [
      'nothing of a reported cost',
      { total_cost: '0.5', price_model_id: null, outputs: { usage: { ...searched.usage, cost: 0.5 } } },
      undefined,
    ],
  ])('is %s', (_name, fields, text) => {
    expect(formatUnpricedFees(aRun({ run_type: 'llm', ...fields }))).toBe(text)
  })
})

describe('the mark of a run that repeats a call', () => {
  it.each([
    ['below', 'Runs below'],
    ['beside', 'Another run'],
  ] as const)('explains where the tokens count: %s', (repeats_usage, text) => {
    expect(explainRepeat({ repeats_usage })).toContain(text)
  })

  it('is absent when the tokens count', () => expect(explainRepeat({ repeats_usage: null })).toBeUndefined())
})
