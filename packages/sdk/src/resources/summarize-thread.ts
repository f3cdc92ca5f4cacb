import type { FeedbackStat, ListThreadsItem, Run } from '../schemas.ts'

/** A thread and the figures of its runs. Latencies are seconds; what is not known is null. */
export function summarizeThread(threadId: string, unsorted: readonly Run[]): ListThreadsItem {
  const runs = [...unsorted].sort(
    (one, other) => compare(one.start_time, other.start_time) || compare(one.dotted_order, other.dotted_order),
  )
  const [first] = runs
  const last = runs.at(-1)
  const costs = runs.flatMap((run) => (run.total_cost ? [Number(run.total_cost)] : []))
  const latencies = runs.flatMap(latencyOf)
  return {
    thread_id: threadId,
    runs,
    count: runs.length,
    filter: `eq(thread_id, ${JSON.stringify(threadId)})`,
    total_tokens: runs.reduce((sum, run) => sum + (run.total_tokens ?? 0), 0),
    total_cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    min_start_time: first?.start_time ?? '',
    max_start_time: last?.start_time ?? '',
    latency_p50: quantile(latencies, 0.5),
    latency_p99: quantile(latencies, 0.99),
    feedback_stats: mergeFeedback(runs),
    first_inputs: first?.inputs_preview ?? '',
    last_outputs: last?.outputs_preview ?? '',
    last_error: last?.error ?? null,
  }
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

function latencyOf({ start_time, end_time }: Run): number[] {
  return end_time ? [(Date.parse(end_time) - Date.parse(start_time)) / 1000] : []
}

/** As the server counts: the value at that share of the sorted ones. */
function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null
}

/** Counts and means over all runs, by key. */
function mergeFeedback(runs: readonly Run[]): Record<string, FeedbackStat> | null {
  const merged = new Map<string, FeedbackStat>()
  for (const run of runs) {
    for (const [key, stat] of Object.entries(run.feedback_stats ?? {})) {
      const known = merged.get(key)
      merged.set(key, known === undefined ? { n: stat.n, avg: stat.avg } : addUp(known, stat))
    }
  }
  return merged.size === 0 ? null : Object.fromEntries(merged)
}

function addUp(one: FeedbackStat, other: FeedbackStat): FeedbackStat {
  const scored = [one, other].filter((stat) => stat.avg !== null)
  const count = scored.reduce((sum, stat) => sum + stat.n, 0)
  const sum = scored.reduce((total, stat) => total + stat.avg! * stat.n, 0)
  return { n: one.n + other.n, avg: count === 0 ? null : sum / count }
}
