import { openChdb } from '../../packages/server/src/storage/analytics/chdb.ts'
import type { Analytics } from '../../packages/server/src/storage/analytics/port.ts'
import { literal, sql, texts, uint, uuid } from '../../packages/server/src/storage/analytics/sql.ts'

export interface Seed {
  readonly tenantId: string
  readonly projectId: string
  readonly runs: number
  /** Distinguishes the ids of several seeds in one store. */
  readonly salt?: number
  /** Runs per trace: a root, then model calls and tools. @default 10 */
  readonly stepsPerTrace?: number
  /** Epoch milliseconds between which the traces start, evenly spaced. @default the last 30 days */
  readonly between?: readonly [number, number]
  /** @default ['bench'] */
  readonly tags?: readonly string[]
  /** Used in turn, one model per trace. @default four models of three vendors */
  readonly models?: readonly string[]
}

const BLOCK = 100_000

const MODELS = ['gpt-4.1', 'gpt-4.1-mini', 'claude-sonnet-4-5', 'gemini-2.5-pro']

/**
 * Fills the column store from inside the engine, which takes seconds instead of an hour over HTTP: traces of ten runs,
 * payloads of 2 kB with word frequencies as in natural language.
 */
export async function seedRuns(directory: string, ...seeds: readonly Seed[]): Promise<void> {
  const analytics = await openChdb(directory)
  try {
    for (const seed of seeds) {
      for (let from = 0; from < seed.runs; from += BLOCK) await insertBlock(analytics, seed, from)
    }
  } finally {
    await analytics.close()
  }
}

async function insertBlock(analytics: Analytics, seed: Seed, from: number): Promise<void> {
  const count = Math.min(BLOCK, seed.runs - from)
  const { salt = 0, stepsPerTrace: steps = 10, tags = ['bench'], models = MODELS } = seed
  const [first, last] = seed.between ?? [Date.now() - 30 * 24 * 3600e3, Date.now()]
  const spread = Math.floor(((last - first) * 1e3) / seed.runs)
  const start = sql`fromUnixTimestamp64Micro(toInt64(${uint(Math.floor(first) * 1000)}), 'UTC')`
  await analytics.command(sql`
    insert into runs
      (tenant_id, session_id, start_time, id, trace_id, parent_run_id, dotted_order, name, run_type, status, end_time,
       first_token_time, error, inputs, outputs, extra, metadata, tags, thread_id, inputs_preview, outputs_preview, model, provider,
       prompt_tokens, completion_tokens, total_tokens, prompt_cost, completion_cost, total_cost, patched, received_at, version)
    with
      ${literal(`arrayMap(i -> concat('w', toString(toUInt32(pow(sipHash64(n, i, 'word') % 100000 / 100000, 4) * 20000))), range(150))`)} as input_words,
      ${literal(`arrayMap(i -> concat('w', toString(toUInt32(pow(sipHash64(n, i, 'drow') % 100000 / 100000, 4) * 20000))), range(150))`)} as output_words,
      intDiv(n, ${uint(steps)}) as trace, toUInt8(n % ${uint(steps)}) as step,
      toUUID(UUIDNumToString(sipHash128(trace, 0, ${uint(salt)}))) as root,
      toUUID(UUIDNumToString(sipHash128(trace, step, ${uint(salt)}))) as run,
      addMicroseconds(${start}, toInt64(n * ${uint(spread)})) as begun,
      addMicroseconds(${start}, toInt64(trace * ${uint(steps)} * ${uint(spread)})) as root_begun,
      ${literal(`step in (3, 6, 9)`)} as is_llm,
      ${literal(`n % 50 = 7`)} as failed,
      ${texts(models)}[1 + trace % ${uint(models.length)}] as of_model,
      ${literal(`addMilliseconds(begun, 200 + sipHash64(n) % 9000)`)} as ended
    select
      ${uuid(seed.tenantId)}, ${uuid(seed.projectId)}, begun, run, root, if(step = 0, null, root),
      ${literal(`concat(formatDateTime(root_begun, '%Y%m%dT%H%i%S%fZ'), toString(root),
        if(step = 0, '', concat('.', formatDateTime(begun, '%Y%m%dT%H%i%S%fZ'), toString(run))))`)},
      ${literal(`multiIf(step = 0, 'answer', is_llm, 'call_model', 'search'), multiIf(step = 0, 'chain', is_llm, 'llm', 'tool')`)},
      if(failed, 'error', 'success'), ended, ${literal(`if(is_llm, addMilliseconds(begun, 150), null)`)},
      ${literal(`if(failed, 'RateLimitError: 429 too many requests', '')`)},
      concat('{"messages":[{"role":"user","content":"', arrayStringConcat(input_words, ' '), ' rare', toString(n % 100000), '"}]}'),
      concat('{"choices":[{"message":{"role":"assistant","content":"', arrayStringConcat(output_words, ' '), '"}}]}'),
      concat('{"metadata":{"user":"u', toString(n % 997), '","thread_id":"t', toString(intDiv(trace, 5)), '","ls_model_name":"', of_model, '"},"runtime":{"sdk":"bench"}}'),
      ${literal(`[('user', concat('"u', toString(n % 997))), ('thread_id', concat('"t', toString(intDiv(trace, 5)))), ('ls_model_name', concat('"', of_model))]`)},
      ${texts(tags)}, concat('t', toString(intDiv(trace, 5))),
      arrayStringConcat(arraySlice(input_words, 1, 30), ' '), arrayStringConcat(arraySlice(output_words, 1, 30), ' '),
      if(is_llm, of_model, ''), if(is_llm, 'bench', ''),
      ${literal(`if(is_llm, 200 + n % 300, null), if(is_llm, 50 + n % 200, null), if(is_llm, 250 + n % 300 + n % 200, null),
      if(is_llm, toDecimal128(0.0004, 18), null), if(is_llm, toDecimal128(0.0008, 18), null), if(is_llm, toDecimal128(0.0012, 18), null)`)},
      ['post'], begun, 1
    from (select number + ${uint(from)} as n from numbers(${uint(count)}))`)
}
