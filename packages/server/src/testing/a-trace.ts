import { timeOfEpochMs, uuid7 } from '@touchstone/contract'

/** Time of a segment of a path. */
export const stamp = (time: string) => time.replaceAll(/[-:.]/g, '')

export interface TraceOptions {
  readonly project: string
  /** @default a minute ago */
  readonly ageMs?: number
  readonly thread?: string
  readonly error?: string
}

/** A trace of a chain over an llm run with tokens and a price. */
export function aTrace({ project, ageMs = 60_000, thread, error }: TraceOptions) {
  const startMs = Date.now() - ageMs
  const [root, llm] = [uuid7(), uuid7()]
  const times = [0, 500, 1500, 2000].map((ms) => timeOfEpochMs(startMs + ms))
  const paths = [stamp(times[0]!) + root, `${stamp(times[0]!)}${root}.${stamp(times[1]!)}${llm}`]
  const shared = { trace_id: root, session_name: project }
  const metadata = { ...(thread && { thread_id: thread }), big: 1 }
  const extra = { metadata, runtime: { sdk: 'test' } }
  const post: Record<string, unknown>[] = [
    {
      ...shared,
      id: root,
      dotted_order: paths[0],
      name: 'answer',
      run_type: 'chain',
      start_time: times[0],
      end_time: times[3],
      inputs: { question: `of ${root}` },
      outputs: { answer: 'yes' },
      tags: ['prod'],
      extra,
      error,
    },
    {
      ...shared,
      id: llm,
      parent_run_id: root,
      dotted_order: paths[1],
      name: 'call',
      run_type: 'llm',
      start_time: times[1],
      end_time: times[2],
      inputs: { messages: [] },
      outputs: {
        usage_metadata: {
          input_tokens: 20,
          output_tokens: 10,
          total_tokens: 30,
          input_token_details: { cache_read: 5 },
          input_cost: 0.5,
          output_cost: 0.25,
          total_cost: 0.75,
        },
      },
      events: [{ name: 'new_token', time: times[2] }],
      extra,
    },
  ]
  return { root, llm, post, times }
}
